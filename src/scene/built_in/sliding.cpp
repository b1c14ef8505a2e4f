#include <cmath>
#include <numbers>

#include "scene/built_in/compose.h"
#include "scene/built_in/families.h"

namespace stickslip::document {

namespace {

/// The ground is turned about y, so that x points downhill.
Json incline_document(const Parameters& p) {
  const double degrees = p["angle_degrees"], angle = degrees / 180 * std::numbers::pi;
  const Vec3 half(0.2, 0.2, 0.1), normal(std::sin(angle), 0, std::cos(angle));
  Json slope = ground();
  slope["name"] = "slope";
  slope["rotation"] = rotation(Vec3::UnitY(), degrees);
  Json block = body("block", box(half), half.z() * normal);
  block["rotation"] = slope["rotation"];
  return compose(2, 0.01, one_material(1000, p["mu"]), Json::array({std::move(slope), std::move(block)}));
}

/// A body of 10 kg that slides at 10 m/s and turns at 1 rad/s about the vertical [reordering, Fig. 1].
Json slider(const Parameters& p, Json slider_body) {
  slider_body["mass"] = 10.0;
  slider_body["velocity"] = vector({p["speed"], 0, 0});
  slider_body["angular_velocity"] = vector({0, 0, p["spin"]});
  return compose(2, 0.01, one_material(1000, p["mu"]), Json::array({ground(), std::move(slider_body)}));
}

std::vector<BuiltIn::Parameter> slider_parameters() {
  return {{"speed", 10, -1000, 1000, false, "along x at the start [m/s]"},
          {"spin", 1, -1000, 1000, false, "about the vertical at the start [rad/s]"},
          {"mu", 1, 0, 10, false, "coefficient of friction"}};
}

Json sliding_capsule_document(const Parameters& p) {
  const double radius = 0.1, half_height = 0.25;
  Json capsule{{"name", "capsule"}, {"shape", {{"type", "capsule"}, {"radius", radius}, {"half_height", half_height}}}};
  capsule["position"] = vector({0, 0, radius});
  // From lying along z to lying along x, then turned in the plane.
  const Quat heading(Eigen::AngleAxisd(p["heading_degrees"] / 180 * std::numbers::pi, Vec3::UnitZ()));
  capsule["orientation_wxyz"] = wxyz(heading * Quat(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitY())));
  return slider(p, std::move(capsule));
}

Json sliding_three_spheres_document(const Parameters& p) {
  const double radius = 0.1, distance = 0.2;
  Json parts = Json::array();
  for (int i = 0; i < 3; ++i) {
    const double angle = 2 * std::numbers::pi * i / 3;
    parts.push_back(
        Json{{"shape", sphere(radius)}, {"position", vector({distance * std::cos(angle), distance * std::sin(angle), 0})}});
  }
  return slider(p, Json{{"name", "three-spheres"}, {"parts", std::move(parts)}, {"position", vector({0, 0, radius})}});
}

}   // namespace

BuiltIn incline() {
  return {"incline",
          "The block sticks while the angle is below atan mu, and above it slides with g (sin - mu cos).",
          {{"angle_degrees", 20, 0, 60, false, "slope of the plane [°]"}, {"mu", 0.5, 0, 10, false, "coefficient of friction"}},
          incline_document};
}

BuiltIn sliding_capsule() {
  std::vector<BuiltIn::Parameter> parameters = slider_parameters();
  parameters.push_back({"heading_degrees", 0, -180, 180, false, "angle from the velocity to the capsule's axis [°]"});
  return {"sliding-capsule", "Two coupled contacts: how many iterations a sweep needs depends on the order of its rows.",
          std::move(parameters), sliding_capsule_document};
}

BuiltIn sliding_three_spheres() {
  return {"sliding-three-spheres",
          "Three coupled contacts of a rigid body slide, turn and stop; the order of rows sets the convergence.",
          slider_parameters(), sliding_three_spheres_document};
}

}   // namespace stickslip::document
