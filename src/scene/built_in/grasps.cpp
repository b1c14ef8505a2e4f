#include <cmath>
#include <numbers>

#include "scene/built_in/families.h"
#include "scene/built_in/joints.h"

namespace stickslip::document {

namespace {

constexpr double kGravity = 9.81;

/// A ruler on its edge between two fingers with flat tips. One finger goes to its place and stays, the other presses with the
/// largest force of its servo, so that both tips carry that force F and friction can hold 2 μ F; then the wrist lifts [6D
/// contact, §6.1.6, with points instead of patches]. The faces of the tips are triangles that turn on universal joints in their
/// middle, but not about the direction of the pinch: so each corner carries F/3, and statics says exactly what the grasp can
/// hold, also off the middle of the ruler.
Json pinch_grasp_document(const Parameters& p) {
  const Vec3 ruler_half(0.15, 0.0015, 0.015), finger_half(0.005, 0.004, 0.03);
  const double mass = 0.05, open = 0.01, height = 0.09, tip_radius = 0.012, tip_thickness = 0.006;
  const double close_time = 0.5, lift_start = 1, lift_end = 4;
  Json ruler = body("ruler", box(ruler_half), {-p["offset"], 0, ruler_half.z()});
  ruler["mass"] = mass;
  Json wrist = body("wrist", box({0.015, 0.04, 0.01}), {0, 0, height});
  wrist["mass"] = 0.5;
  Json bodies = Json::array({ground(), std::move(ruler), std::move(wrist)}), lift_path = Json::array();
  rest_at(lift_path, lift_start, 0);
  move_to(lift_path, lift_end, p["lift"]);
  // The servo of the wrist carries all that hangs on it, 0.7 kg, with a sag of a millimetre; soft enough to smooth the corners
  // of its path.
  Json joints = Json::array({joint("lift", "prismatic", "world", "wrist", {0, 0, height}, Vec3::UnitZ())});
  joints[0]["servo"] = servo(6000, 80, 1000, std::move(lift_path));
  for (const int side : {-1, 1}) {
    const std::string name = side < 0 ? "left" : "right", finger_name = name + "-finger", tip_name = name + "-tip";
    const Vec3 face(0, side * (ruler_half.y() + open), ruler_half.z()), outward = side * Vec3::UnitY();
    Json corners = Json::array();
    for (const double angle : {90.0, 210.0, 330.0})
      for (const double depth : {0.0, tip_thickness})
        corners.push_back(vector(tip_radius * Vec3(std::cos(angle * kDegree), 0, std::sin(angle * kDegree)) + depth * outward));
    Json tip = body(tip_name, Json{{"type", "hull"}, {"points", std::move(corners)}}, face);
    tip["mass"] = 0.005;
    Json finger =
        body(finger_name, box(finger_half), face + (tip_thickness + finger_half.y() + 0.001) * outward + 0.025 * Vec3::UnitZ());
    finger["mass"] = 0.05;
    bodies.push_back(std::move(tip));
    bodies.push_back(std::move(finger));
    Json slide = joint(name + "-slide", "prismatic", "wrist", finger_name, face, -outward), path = Json::array();
    rest_at(path, 0, 0);
    move_to(path, close_time, side < 0 ? open : 1.5 * open);
    slide["servo"] =
        side < 0 ? servo(2e4, 200, 1000, std::move(path)) : servo(1000, 20, p["pinch"] * mass * kGravity, std::move(path));
    joints.push_back(std::move(slide));
    Json knuckle = joint(name + "-knuckle", "universal", finger_name, tip_name, face, Vec3::UnitZ());
    knuckle["x_axis"] = vector(Vec3::UnitX());
    for (const char* axis : {"turn_x", "turn_z"})
      knuckle["axes"][axis]["spring"] = Json{{"stiffness", 0.05}, {"damping", 5e-4}};
    joints.push_back(std::move(knuckle));
  }
  Json document = compose(10, 0.005, one_material(1200, p["mu"]), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

/// What the hand takes, and how tall it stands.
std::pair<Json, double> object_shape(int kind) {
  if (kind == 1) return {box({0.035, 0.035, 0.045}), 0.045};
  if (kind == 2) return {Json{{"type", "cylinder"}, {"radius", 0.038}, {"half_height", 0.05}}, 0.05};
  return {sphere(0.042), 0.042};
}

/// A palm that faces down, with fingers of three links around its rim. They open, close round the object until their servos
/// give no more, and the palm goes up.
Json robot_hand_document(const Parameters& p) {
  const int fingers = p.count("fingers");
  const auto [shape, half_height] = object_shape(p.count("object"));
  const double pedestal = 0.12, rim = 0.07, radius = 0.009, palm_half = 0.012, object_z = pedestal + half_height;
  const double lengths[3] = {0.05, 0.04, 0.03}, opened[3] = {-25 * kDegree, 10 * kDegree, 10 * kDegree},
               closed[3] = {35 * kDegree, 45 * kDegree, 40 * kDegree};
  const double palm_z = object_z + 0.075, close_start = 0.2, close_end = 1.2, lift_start = 1.8, lift_end = 4;
  Json support = body("pedestal", box({0.02, 0.02, 0.5 * pedestal}), {0, 0, 0.5 * pedestal});
  support["motion"] = "fixed";
  Json object = body("object", shape, {0, 0, object_z});
  object["mass"] = p["object_mass"];
  Json palm = body("palm", Json{{"type", "cylinder"}, {"radius", rim + radius}, {"half_height", palm_half}}, {0, 0, palm_z});
  palm["mass"] = 1;
  Json bodies = Json::array({ground(), std::move(support), std::move(object), std::move(palm)});
  Json lift = joint("lift", "prismatic", "world", "palm", {0, 0, palm_z}, Vec3::UnitZ()), lift_path = Json::array();
  rest_at(lift_path, lift_start, 0);
  move_to(lift_path, lift_end, p["lift"]);
  lift["servo"] = servo(1e5, 4000, 1000, std::move(lift_path));
  Json joints = Json::array({std::move(lift)});
  for (int f = 0; f < fingers; ++f) {
    const Quat around(Eigen::AngleAxisd(2 * std::numbers::pi * f / fingers, Vec3::UnitZ()));
    // Links hang down from the rim; a positive angle about this axis takes a hanging link inwards.
    const Vec3 axis = around * Vec3::UnitY();
    Vec3 knuckle = Vec3(0, 0, palm_z - palm_half) + around * Vec3(rim, 0, 0);
    std::string before = "palm";
    double angle = 0;
    for (int k = 0; k < 3; ++k) {
      angle += opened[k];
      const Quat turn = Quat(Eigen::AngleAxisd(angle, axis));
      const Vec3 along = turn * -Vec3::UnitZ();
      const std::string name = fmt::format("finger-{}-{}", f, k);
      Json link = body(name, Json{{"type", "capsule"}, {"radius", radius}, {"half_height", 0.5 * lengths[k] - 0.2 * radius}},
                       knuckle + 0.5 * lengths[k] * along);
      link["orientation_wxyz"] = wxyz(turn);
      link["mass"] = 0.06 - 0.015 * k;
      bodies.push_back(std::move(link));
      Json hinge = joint(fmt::format("knuckle-{}-{}", f, k), "hinge", before, name, knuckle, axis);
      Json path = Json::array();
      rest_at(path, close_start, 0);
      move_to(path, close_end, closed[k] - opened[k]);
      hinge["servo"] = servo(p["grip"] * 4, p["grip"] * 0.2, p["grip"] * (1 - 0.25 * k), std::move(path));
      joints.push_back(std::move(hinge));
      knuckle += lengths[k] * along;
      before = name;
    }
  }
  Json document =
      compose(6, 0.005, Json::array({Json{{"name", "default"}, {"density", 1000}, {"friction", p["mu"]}}}), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

}   // namespace

BuiltIn pinch_grasp() {
  return {"pinch-grasp",
          "Two fingers pinch a ruler and lift it: it does not slip, unless mu is below 1 / (2 pinch).",
          {{"mu", 0.5, 0, 10, false, "coefficient of friction between fingers and ruler"},
           {"pinch", 2, 0.1, 1000, false, "force of the fingers over the weight of the ruler"},
           {"offset", 0, -0.13, 0.13, false, "of the fingers from the middle of the ruler [m]"},
           {"lift", 0.1, 0, 1, false, "height that the wrist rises by [m]"}},
          pinch_grasp_document};
}

BuiltIn robot_hand() {
  return {"robot-hand",
          "The fingers close round the object, and it rises with the palm.",
          {{"object", 0, 0, 2, true, "0 a ball, 1 a box, 2 a can"},
           {"object_mass", 0.3, 0.01, 10, false, "of the object [kg]"},
           {"fingers", 4, 4, 6, true, "fingers of three links"},
           {"grip", 0.6, 0, 100, false, "largest torque of the knuckles at the palm [N m]"},
           {"mu", 0.8, 0, 10, false, "coefficient of friction"},
           {"lift", 0.15, 0, 1, false, "height that the palm rises by [m]"}},
          robot_hand_document};
}

}   // namespace stickslip::document
