// The matchstick model [course §6.1, Algorithm 21]: two surfaces with structure directions s_A, s_B rub isotropically where
// these are crossed and along an ellipse where they are parallel; in between
// both coefficients are interpolated over the angle θ,
//   d = 1 − 2θ/π,  μ_t = d μ_along + (1 − d) μ,  μ_b = d μ_across + (1 − d) μ,  t = (s_A + s_B) / ‖s_A + s_B‖.
#include "friction/laws/laws.h"

#include <cmath>
#include <numbers>

namespace stickslip::laws {

SurfaceLawInfo matchstick() {
  SurfaceLawInfo info;
  info.name = "matchstick";
  info.over_areas = OverAreas::where_straight;
  info.summary = "Two structured surfaces: a circle where their structures are crossed, an ellipse where they are parallel";
  info.source = "course §6.1";
  info.parameters = {coefficient("friction", "coefficient where the structures are crossed"),
                     coefficient("along", "coefficient along parallel structures"),
                     coefficient("across", "coefficient across parallel structures")};
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [crossed = law.numbers[0], along = law.numbers[1], across = law.numbers[2]](const ContactSite& site) {
      const Vec3 a = site.a.structure_direction(site.position, site.normal);
      Vec3 b = site.b.structure_direction(site.position, -site.normal);
      if (a.dot(b) < 0) b = -b;   // directions have no sign
      const Vec3 sum = a + b;
      const double length = sum.norm();
      // Unlike acos a·b this keeps all digits of small angles.
      const double theta = 2 * std::atan2((a - b).norm(), length);
      const double d = 1 - theta * (2 / std::numbers::pi);
      return LocalFriction{sum / length, EllipseFriction{d * along + (1 - d) * crossed, d * across + (1 - d) * crossed}};
    };
  };
  return info;
}

}   // namespace stickslip::laws
