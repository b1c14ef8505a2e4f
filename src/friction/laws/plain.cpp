// Laws whose set is the same wherever the bodies touch: circle, ellipse,
// ellipsoid with torsion, rolling resistance, and all of them.
#include "friction/laws/laws.h"
#include "stickslip/friction/sets.h"

namespace stickslip::laws {

SurfaceLawInfo coulomb() {
  SurfaceLawInfo info;
  info.name = "coulomb";
  info.over_areas = OverAreas::yes;
  info.summary = "Isotropic Coulomb friction: a circle of radius μ λₙ";
  info.source = "course §1.5";
  info.parameters = {coefficient("friction", "coefficient of friction μ")};
  info.prepare = [](const SurfaceLaw& law) { return same_everywhere(CircularFriction{law.numbers[0]}); };
  return info;
}

SurfaceLawInfo ellipse() {
  SurfaceLawInfo info;
  info.name = "ellipse";
  info.over_areas = OverAreas::where_straight;
  info.summary = "Anisotropic Coulomb friction: an ellipse along the structure of one surface";
  info.source = "course §6.1, §6.4";
  info.parameters = {coefficient("along", "coefficient along the structure"),
                     coefficient("across", "coefficient across the structure")};
  info.prepare = [](const SurfaceLaw& law) { return along_structure(EllipseFriction{law.numbers[0], law.numbers[1]}); };
  return info;
}

SurfaceLawInfo contensou() {
  SurfaceLawInfo info;
  info.name = "contensou";
  info.over_areas = OverAreas::where_straight;
  info.summary = "Coulomb–Contensou friction: sliding and spinning share an ellipsoid";
  info.source = "prox §3; course §6.1.6";
  info.rows = 3;
  info.parameters = {coefficient("along", "coefficient along the structure"),
                     coefficient("across", "coefficient across the structure"),
                     length_coefficient("torsion", "torque about the normal per normal force")};
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [along = law.numbers[0], across = law.numbers[1], torsion = law.numbers[2]](const ContactSite& site) {
      return LocalFriction{site.material_direction(), EllipsoidFriction{along, across, torsion / site.length}};
    };
  };
  return info;
}

SurfaceLawInfo rolling() {
  SurfaceLawInfo info;
  info.name = "rolling";
  info.over_areas = OverAreas::yes;
  info.summary = "Coulomb friction with rolling resistance: two circles, each for itself";
  info.source = "course §1.5.1";
  info.rows = 4;
  info.parameters = {coefficient("friction", "coefficient of friction μ"),
                     length_coefficient("rolling", "torque against rolling per normal force")};
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [mu = law.numbers[0], rolling = law.numbers[1]](const ContactSite& site) {
      return LocalFriction{Vec3::Zero(), RollingFriction{mu, rolling / site.length}};
    };
  };
  return info;
}

SurfaceLawInfo full() {
  SurfaceLawInfo info;
  info.name = "full";
  info.over_areas = OverAreas::where_straight;
  info.summary = "Sliding and spinning share an ellipsoid, rolling has a circle of its own: all six rows";
  info.source = "prox §3; course §1.5.1";
  info.rows = 5;
  info.parameters = {coefficient("along", "coefficient along the structure"),
                     coefficient("across", "coefficient across the structure"),
                     length_coefficient("torsion", "torque about the normal per normal force"),
                     length_coefficient("rolling", "torque against rolling per normal force")};
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    const auto make = [n = law.numbers](double length) {
      return CustomFriction<5>{std::make_shared<FullSet>(EllipsoidFriction{n[0], n[1], n[2] / length}, n[3] / length)};
    };
    return [sets = std::make_shared<SetByLength>(make)](const ContactSite& site) {
      return LocalFriction{site.material_direction(), sets->at(site.length)};
    };
  };
  return info;
}

}   // namespace stickslip::laws
