// Arches of boxes and hinges with limits: test cases a and b of Silcowitz, Niebe and Erleben, "Projected Gauss-Seidel subspace
// minimization method for interactive rigid body dynamics" [thesis, appendix].
#include <numbers>

#include "scene/built_in/families.h"
#include "scene/built_in/joints.h"

namespace stickslip::document {

namespace {

constexpr double kDensity = 1000;   ///< [kg/m³]

/// A chain of boxes in a half circle with vertical ends. Every hinge stands at its limit and cannot bend further, and friction
/// holds the feet: a convex chain whose angles can only open needs more room between its ends (Cauchy's arm lemma), so nothing
/// can move.
struct Snake {
  Json bodies = Json::array({ground()}), joints = Json::array();
  double mass = 0;           ///< [kg]
  Vec3 top = Vec3::Zero();   ///< middle of the upper face of the middle box [m]
};

Snake snake(int links_per_side) {
  const int count = 2 * links_per_side + 1;
  const Vec3 half(0.05, 0.15, 0.1);   // thickness, width and length
  const double bend = std::numbers::pi / (count - 1);
  Snake s;
  Pose end;   // of the box before; z runs along the snake
  for (int i = 0; i < count; ++i) {
    const std::string name = fmt::format("link-{}", i);
    const Pose center = end * Pose{Vec3(0, 0, half.z()), Quat::Identity()};
    s.bodies.push_back(body(name, box(half), center.position));
    s.bodies.back()["orientation_wxyz"] = wxyz(center.orientation);
    s.mass += 8 * half.prod() * kDensity;
    if (i == links_per_side) s.top = center * Vec3(-half.x(), 0, 0);
    if (i > 0) {
      // Frames on the two boxes in one direction along the snake: the angle is 0 where it is straight.
      const Json axis = wxyz(rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
      s.joints.push_back(Json{{"name", fmt::format("hinge-{}", i)},
                              {"type", "hinge"},
                              {"a", fmt::format("link-{}", i - 1)},
                              {"b", name},
                              {"frame_a", {{"position", vector({0, 0, half.z()})}, {"orientation_wxyz", axis}}},
                              {"frame_b", {{"position", vector({0, 0, -half.z()})}, {"orientation_wxyz", axis}}},
                              {"lower", -bend},
                              {"upper", bend}});
    }
    end = center * Pose{Vec3(0, 0, half.z()), Quat(Eigen::AngleAxisd(bend, Vec3::UnitY()))};
  }
  return s;
}

/// Limits and friction hold the arch together in more ways than one, which takes iterations.
Json snake_document(const Parameters& p, Snake s) {
  Json document = compose(5, 0.01, one_material(kDensity, p["mu"]), std::move(s.bodies));
  document["joints"] = std::move(s.joints);
  return document;
}

Json arched_snake_document(const Parameters& p) { return snake_document(p, snake(p.count("links_per_side"))); }

Json heavy_on_snake_document(const Parameters& p) {
  const double edge = 0.3;
  Snake s = snake(p.count("links_per_side"));
  s.bodies.push_back(body("box", box(Vec3::Constant(edge / 2)), s.top + Vec3(0, 0, edge / 2)));
  s.bodies.back()["mass"] = p["ratio"] * s.mass;
  return snake_document(p, std::move(s));
}

}   // namespace

BuiltIn arched_snake() {
  return {"arched-snake",
          "The arch of boxes stands, as no hinge can bend further and friction holds its feet; with mu below 0.21 they slide "
          "apart.",
          {{"links_per_side", 5, 1, 50, true, "boxes on either side of the one in the middle"},
           {"mu", 0.8, 0, 10, false, "coefficient of friction"}},
          arched_snake_document};
}

BuiltIn heavy_on_snake() {
  return {"heavy-on-snake",
          "The arch carries a box of ten times its mass without sinking, by the limits of its hinges; with mu below 0.62 its "
          "feet slide apart.",
          {{"links_per_side", 5, 1, 50, true, "boxes on either side of the one in the middle"},
           {"ratio", 10, 0.01, 1e4, false, "mass of the box on top over that of the whole snake"},
           {"mu", 1, 0, 10, false, "coefficient of friction"}},
          heavy_on_snake_document};
}

}   // namespace stickslip::document
