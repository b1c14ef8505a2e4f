// Laws whose set has corners, the same wherever the bodies touch: boxes, polyhedral cones, limit surfaces from support points.
#include "friction/laws/laws.h"
#include "stickslip/friction/sets.h"

namespace stickslip::laws {

namespace {

constexpr int kMostCorners = 1000;

}   // namespace

SurfaceLawInfo box() {
  SurfaceLawInfo info;
  info.name = "box";
  info.summary = "Each tangent for itself: a rectangle along the structure of one surface";
  info.source = "course §1.7";
  info.parameters = {coefficient("along", "coefficient along the structure"),
                     coefficient("across", "coefficient across the structure")};
  info.prepare = [](const SurfaceLaw& law) {
    const Vec2 half(law.numbers[0], law.numbers[1]);
    return along_structure(CustomFriction<2>{std::make_shared<PolygonSet>(PolygonSet::box(-half, half))});
  };
  return info;
}

SurfaceLawInfo polyhedral() {
  SurfaceLawInfo info;
  info.name = "polyhedral";
  info.summary = "A regular polygon inside Coulomb's circle, one corner along the structure of one surface";
  info.source = "course §1.6";
  info.parameters = {coefficient("friction", "coefficient of friction μ, at the corners"),
                     {"directions", "", "number of corners", 8, 3, false}};
  info.check = [](const SurfaceLaw& law) { check_whole(law, 1, "directions", 3, kMostCorners); };
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    // With the second component mirrored it is the same polygon.
    const CustomFriction<2> set{std::make_shared<PolygonSet>(PolygonSet::regular(law.numbers[0], int(law.numbers[1])))};
    return [set](const ContactSite& site) { return LocalFriction{tangent_of_owner(site), set}; };
  };
  return info;
}

SurfaceLawInfo limit_surface() {
  SurfaceLawInfo info;
  info.name = "limit-surface";
  info.summary = "The hull of given points (along, across, torsion) for a normal impulse of 1, in the frame of one surface";
  info.source = "course §6.4, table 5";
  info.rows = 3;
  info.takes_points = true;
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    const auto sets = [&](double mirror) {
      return std::make_shared<SetByLength>([points = law.points, mirror](double length) {
        std::vector<Vec3> scaled = points;
        for (Vec3& point : scaled) point = point.cwiseProduct(Vec3(1, mirror, 1 / length));
        return CustomFriction<3>{std::make_shared<HullSet>(std::move(scaled))};
      });
    };
    return [on_a = sets(1), on_b = sets(-1)](const ContactSite& site) {
      return LocalFriction{tangent_of_owner(site), (site.frame_of_b ? on_b : on_a)->at(site.length)};
    };
  };
  return info;
}

}   // namespace stickslip::laws
