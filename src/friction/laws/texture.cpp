// Texture friction [course §6.3]: the facets of both surfaces around the contact plow into the other surface.
//
// With d the direction in which B moves against A, a facet of B that leans forward
// plows, and a facet of A that leans backward is run into:
//   μ_d = μ + scale · ( mean of max(0, n'_B·d) (2/π) θ_B over the patch of B + mean of max(0, −n'_A·d) (2/π) θ_A over that of A
//   ),
// n' the tangential part of the facet normal, θ its angle with the surface normal (equations 335 and 336). The impulse on B is
// −μ_d d λₙ. Four directions give the box of the boxed model; more give the hull of the corners −μ_d d. The hull may reach
// beyond the corner of a direction whose neighbours have far more friction.
#include "friction/laws/laws.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "friction/normal_map.h"
#include "stickslip/friction/sets.h"

namespace stickslip::laws {

namespace {

constexpr int kMostDirections = 1000, kMostSamples = 1000;

/// What all contacts of a law share.
struct TexturePatch {
  double base, scale;
  Eigen::ArrayXd direction_t, direction_b;   ///< d in the tangents
  std::vector<Vec2> places;                  ///< of a patch around (0, 0) [m]

  explicit TexturePatch(const SurfaceLaw& law) : base(law.numbers[0]), scale(law.numbers[1]) {
    const int count = int(law.numbers[2]), per_side = int(law.numbers[4]), samples = per_side * per_side;
    const double patch = law.numbers[3];
    const Eigen::ArrayXd angles = Eigen::ArrayXd::LinSpaced(count, 0, count - 1) * (2 * std::numbers::pi / count);
    direction_t = angles.cos();
    direction_b = angles.sin();
    // Rows and columns would beat against regular textures. Multiples of the
    // golden ratio are as even and repeat neither coordinate.
    for (int i = 0; i < samples; ++i) {
      const double across = (i + 0.5) * (std::numbers::phi - 1);
      places.emplace_back(patch * ((i + 0.5) / samples - 0.5), patch * (across - std::floor(across) - 0.5));
    }
  }
};

/// Adds to `sums` the plowing of one surface, over all samples. @param sign 1 for B, −1 for A
void add_plowing(const FacetField& facets, const TexturePatch& patch, const Vec3& t, const Vec3& b, const Vec3& along,
                 double sign, Eigen::ArrayXd& sums) {
  if (facets.smooth()) return;
  const Vec2 per_x = facets.tiles(along), per_y = facets.tiles(b);
  Mat2 to_tangents;
  to_tangents << facets.u().dot(t), facets.v().dot(t), facets.u().dot(b), facets.v().dot(b);
  to_tangents *= sign;
  for (const Vec2& place : patch.places) {
    const Vec3 n = facets.facet(place.x() * per_x + place.y() * per_y);
    // Either is exact where the other is not, and both are faster than the arc tangent of two numbers.
    const double theta = n.z() > 0.7 ? std::asin(n.head<2>().norm()) : std::acos(n.z());
    const Vec2 blade = to_tangents * n.head<2>() * theta;
    sums += (blade.x() * patch.direction_t + blade.y() * patch.direction_b).max(0.0);
  }
}

LocalFriction plow(const TexturePatch& patch, const ContactSite& site) {
  const Vec3 t = tangent_of_owner(site), b = site.normal.cross(t);
  // The places of the patch are fixed to the surface of the owner, so that it does not matter which body is called A.
  const Vec3 along = site.frame_of_b ? Vec3(-t) : t;
  Eigen::ArrayXd mu = Eigen::ArrayXd::Zero(patch.direction_t.size());
  add_plowing(FacetField(site.a, site.position, site.normal), patch, t, b, along, -1, mu);
  add_plowing(FacetField(site.b, site.position, -site.normal), patch, t, b, along, 1, mu);
  mu = patch.base + patch.scale * (2 / std::numbers::pi) / double(patch.places.size()) * mu;
  if (mu.size() == 4) {
    const PolygonSet box = PolygonSet::box(Vec2(-mu[0], -mu[1]), Vec2(mu[2], mu[3]));
    return {t, CustomFriction<2>{std::make_shared<PolygonSet>(box)}};
  }
  std::vector<Vec2> corners;
  for (Eigen::Index k = 0; k < mu.size(); ++k)
    corners.emplace_back(-mu[k] * patch.direction_t[k], -mu[k] * patch.direction_b[k]);
  return {t, CustomFriction<2>{std::make_shared<PolygonSet>(corners)}};
}

}   // namespace

SurfaceLawInfo texture() {
  SurfaceLawInfo info;
  info.name = "texture";
  info.summary =
      "Facets of normal maps plow into the other surface: a coefficient for each direction, which may differ with and against "
      "the grain";
  info.source = "course §6.3";
  info.parameters = {{"friction", "", "coefficient added in every direction", 0, 0, true},
                     {"scale", "", "factor on the plowing", 1, 0, false},
                     {"directions", "", "number of directions of sliding; 4 make a box, more a polygon", 4, 4, false},
                     {"patch", "m", "side of the square around the contact whose facets count",
                      std::numeric_limits<double>::quiet_NaN(), 0, false},
                     {"samples", "", "facets read from each patch, per side of the square", 16, 1, false}};
  info.check = [](const SurfaceLaw& law) {
    check_whole(law, 2, "directions", 4, kMostDirections);
    check_positive(law, 3, "patch");
    check_whole(law, 4, "samples", 1, kMostSamples);
  };
  info.warn = [](const SurfaceLaw&, const Surface& a, const Surface& b) -> std::string {
    if (a.normal_map.picture || b.normal_map.picture) return "";
    return "Neither surface has a normal map: texture friction is then the same in every direction.";
  };
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [patch = std::make_shared<const TexturePatch>(law)](const ContactSite& site) { return plow(*patch, site); };
  };
  return info;
}

}   // namespace stickslip::laws
