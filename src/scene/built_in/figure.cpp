#include "scene/built_in/figure.h"

#include <cmath>
#include <numbers>

#include "scene/built_in/compose.h"

namespace stickslip::document {

namespace {

Quat turning(const Vec3& axis, double degrees) { return Quat(Eigen::AngleAxisd(degrees / 180 * std::numbers::pi, axis)); }

constexpr double kSmall = 0.2;   ///< share of the damping that wrists and ankles have

/// A bone from end to end along z: the round ends included.
Json bone(double length, double radius) {
  return Json{{"type", "capsule"}, {"radius", radius}, {"half_height", length / 2 - radius}};
}

/// Frame whose z is the y of the figure, or against it: the axis of knees and elbows.
Quat across(double sign) { return turning(Vec3::UnitX(), -90 * sign); }

Json frame(const Vec3& position, const Quat& orientation) {
  return Json{{"position", vector(position)}, {"orientation_wxyz", wxyz(orientation)}};
}

}   // namespace

Figure::Figure(std::string prefix, double damping) : prefix_(std::move(prefix)), damping_(damping) {
  add_trunk();
  for (const double side : {1.0, -1.0}) add_arm(side);
  for (const double side : {1.0, -1.0}) add_leg(side);
}

Json Figure::hinge(double lower, double upper, double share) const {
  Json settings{{"type", "hinge"}, {"lower", lower}, {"upper", upper}};
  if (damping_ > 0) settings["spring"] = {{"damping", share * damping_}};
  return settings;
}

Json Figure::ball(double swing, double twist, double share) const {
  Json settings{{"type", "ball"}, {"swing_limit", swing}};
  if (twist > 0) settings["axes"]["turn_z"] = {{"lower", -twist}, {"upper", twist}};
  if (damping_ > 0)
    for (const char* axis : {"turn_x", "turn_y", "turn_z"}) settings["axes"][axis]["spring"] = {{"damping", share * damping_}};
  return settings;
}

void Figure::add_trunk() {
  parts_.push_back({"pelvis", 0, 7.8, box({0.09, 0.15, 0.075}), {0, 0, 0.985}, {0, 0, 0.985}, {}});
  parts_.push_back({"abdomen", 0, 11.4, box({0.085, 0.14, 0.085}), {0, 0, 1.155}, {0, 0, 1.065}, ball(0.5, 0.5)});
  parts_.push_back({"chest", 1, 11.3, box({0.1, 0.145, 0.11}), {0, 0, 1.36}, {0, 0, 1.245}, ball(0.5, 0.5)});
  // The neck is as stiff as keeps the head, 6.7 N m/rad, from falling over.
  Json neck = ball(0.8, 1.2);
  for (const char* axis : {"turn_x", "turn_y", "turn_z"})
    neck["axes"][axis]["spring"] = {{"stiffness", 20}, {"damping", std::max(damping_, 1.0)}};
  parts_.push_back({"head", 2, 4.85, bone(0.26, 0.1), {0, 0, 1.62}, {0, 0, 1.48}, std::move(neck)});
}

void Figure::add_arm(double side) {
  const auto at = [side](double x, double y, double z) { return Vec3(x, side * y, z); };
  const std::string which = side > 0 ? "left" : "right", name = which + "-";
  // The middle of the cone of a shoulder points aside and a little forward, so that the arm can hang, point forward and point
  // up. The arm may twist as it likes: the angle of twist has a singular place, where the arm reaches across the chest.
  const Quat aside = turning(Vec3::UnitZ(), -35 * side) * turning(Vec3::UnitX(), 90 * side);
  parts_.push_back({name + "upper-arm", 2, 1.9, bone(0.29, 0.045), at(0, 0.19, 1.285), on_side(which, kShoulder), ball(1.8, 0),
                    Quat::Identity(), aside});
  parts_.push_back({name + "forearm", parts_.size() - 1, 1.1, bone(0.26, 0.037), at(0, 0.19, 1.01), at(0, 0.19, 1.14),
                    hinge(0, 2.5), across(-1)});
  parts_.push_back({name + "hand", parts_.size() - 1, 0.425, box({0.04, 0.015, 0.085}), at(0, 0.19, 0.785), at(0, 0.19, 0.88),
                    ball(1.2, 1.4, kSmall)});
}

void Figure::add_leg(double side) {
  const auto at = [side](double x, double y, double z) { return Vec3(x, side * y, z); };
  const std::string which = side > 0 ? "left" : "right", name = which + "-";
  // The middle of the cone of a hip points down and forward.
  parts_.push_back({name + "thigh", 0, 9.95, bone(0.42, 0.075), at(0, 0.09, 0.7), on_side(which, kHip), ball(1.2, 0.8),
                    Quat::Identity(), turning(Vec3::UnitY(), -50)});
  parts_.push_back({name + "shin", parts_.size() - 1, 3.0, bone(0.41, 0.052), at(0, 0.09, 0.285), at(0, 0.09, 0.49),
                    hinge(0, 2.4), across(1)});
  parts_.push_back({name + "foot", parts_.size() - 1, 0.95, box({0.125, 0.045, 0.035}), at(0.055, 0.09, 0.035),
                    at(0, 0.09, 0.08), hinge(-0.5, 0.9, kSmall), across(1)});
}

std::size_t Figure::index(std::string_view part) const {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].name == part) return i;
  throw std::logic_error(fmt::format("a figure has no {}", part));
}

void Figure::turn(std::string_view part, const Vec3& axis, double degrees) {
  Quat& turned = parts_[index(part)].turned;
  turned = (turning(axis, degrees) * turned).normalized();
}

void Figure::turn_both(std::string_view part, const Vec3& axis, double degrees) {
  turn(fmt::format("left-{}", part), axis, degrees);
  turn(fmt::format("right-{}", part), -mirrored(axis), degrees);   // an axis is an axial vector
}

void Figure::place(const Pose& pelvis) { pelvis_ = pelvis; }

Pose Figure::moved(std::size_t i) const {
  const Part& part = parts_[i];
  const Pose about{part.joint - part.turned * part.joint, part.turned};   // turns about the joint
  return (i == part.parent ? pelvis_ : moved(part.parent)) * about;
}

Vec3 Figure::point(std::string_view part, const Vec3& upright) const { return moved(index(part)) * upright; }

Json Figure::bodies() const {
  Json bodies = Json::array();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const Pose pose = moved(i);
    Json entry = body(name(part.name), part.shape, pose * part.center);
    entry["orientation_wxyz"] = wxyz(pose.orientation);
    entry["mass"] = part.mass;
    bodies.push_back(std::move(entry));
  }
  return bodies;
}

Json Figure::joints() const {
  Json joints = Json::array();
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const Part &part = parts_[i], &parent = parts_[part.parent];
    Json entry = part.joint_settings;
    entry["name"] = name(fmt::format("{}-of-{}", part.name, parent.name));
    entry["a"] = name(parent.name);
    entry["b"] = name(part.name);
    entry["frame_a"] = frame(part.joint - parent.center, part.cone * part.frame);
    entry["frame_b"] = frame(part.joint - part.center, part.frame);
    joints.push_back(std::move(entry));
  }
  return joints;
}

}   // namespace stickslip::document
