#include "stickslip/world/joint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/math/error.h"
#include "stickslip/world/world.h"

namespace stickslip {

namespace {

const std::array<std::string, 11> kTypeNames = {"fixed",  "ball",    "hinge", "prismatic", "cylindrical", "universal",
                                                "planar", "six-dof", "screw", "distance",  "gear"};
const std::array<std::string, kJointCoordinates> kCoordinateNames = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};

std::size_t index_of(std::string_view name, const auto& names, std::string_view what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error(fmt::format("There is no {} '{}'. {}", what, name, suggest(name, names)));
  return static_cast<std::size_t>(found - names.begin());
}

/// `angle` plus the whole turns that bring it next to `last`.
double counted_on(double angle, double last) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((last - angle) / turn);
}

/// The frame of a body, and its centre of mass, about which it turns; any point will do for the world.
struct Stand {
  Pose frame;
  Vec3 center = Vec3::Zero();
};

/// @param center the frame of a body in its centre of mass
Stand stand_of(const World& world, BodyId id, const Pose& center) {
  if (id == BodyId{}) return {};
  return {{center.position - center.orientation * world.bodies()[id.index].mass.center, center.orientation}, center.position};
}

Pose center_of(const World& world, BodyId id) {
  if (id == BodyId{}) return {};
  return {world.bodies()[id.index].position, world.bodies()[id.index].orientation};
}

void locate_distance(JointPlace& place, const Vec3& arm_a, const Vec3& arm_b) {
  const Vec3 between = place.frame_b.position - place.frame_a.position;
  const double length = between.norm();
  // Two points in one place have no direction; any is as good as another.
  const Vec3 direction = length > 0 ? Vec3(between / length) : place.frame_a.orientation * Vec3::UnitZ();
  place.position[joint_x] = length;
  place.row[joint_x] = {direction, -arm_a.cross(direction), arm_b.cross(direction)};
}

}   // namespace

std::string_view joint_type_name(JointType type) { return kTypeNames[static_cast<std::size_t>(type)]; }
JointType joint_type_from_name(std::string_view name) {
  return static_cast<JointType>(index_of(name, kTypeNames, "joint type"));
}
std::string_view joint_coordinate_name(int coordinate) { return kCoordinateNames[static_cast<std::size_t>(coordinate)]; }
int joint_coordinate_from_name(std::string_view name) {
  return static_cast<int>(index_of(name, kCoordinateNames, "coordinate"));
}

JointPlace locate(const World& world, const Joint& joint) {
  return locate(world, joint, center_of(world, joint.description.a), center_of(world, joint.description.b));
}

JointPlace locate(const World& world, const Joint& joint, const Pose& center_a, const Pose& center_b) {
  const JointDescription& d = joint.description;
  const Stand a = stand_of(world, d.a, center_a), b = stand_of(world, d.b, center_b);
  JointPlace place;
  place.frame_a = a.frame * d.frame_a;
  place.frame_b = b.frame * d.frame_b;
  const Vec3 arm_b = place.frame_b.position - b.center;
  if (d.type == JointType::distance) {
    locate_distance(place, place.frame_a.position - a.center, arm_b);
    return place;
  }
  const Mat3 axes = place.frame_a.rotation();
  // The axes of A turn with A, so that A is pushed where B is: the arm of A ends at the origin of B.
  const Vec3 arm_a = place.frame_b.position - a.center;
  const Vec3 offset = axes.transpose() * (place.frame_b.position - place.frame_a.position);
  for (int k = 0; k < 3; ++k) {
    const Vec3 direction = axes.col(k);
    place.position[static_cast<std::size_t>(k)] = offset[k];
    place.row[static_cast<std::size_t>(k)] = {direction, -arm_a.cross(direction), arm_b.cross(direction)};
  }

  // R = Rx(α) Ry(β) Rz(γ): ω in A is α' u₁ + β' u₂ + γ' u₃ with u₁ = x, u₂ = Rx y, u₃ = Rx Ry z, and u₁·u₃ = sin β. The angles
  // grow with the components of ω along the dual basis.
  const Mat3 r = (place.frame_a.orientation.conjugate() * place.frame_b.orientation).toRotationMatrix();
  const double sine = std::clamp(r(0, 2), -1.0, 1.0);
  const double alpha = std::atan2(-r(1, 2), r(2, 2)), gamma = std::atan2(-r(0, 1), r(0, 0));
  place.position[joint_turn_x] = counted_on(alpha, joint.turns[0]);
  place.position[joint_turn_y] = std::asin(sine);
  place.position[joint_turn_z] = counted_on(gamma, joint.turns[2]);
  const Vec3 u1 = axes.col(0), u2 = axes * Vec3(0, std::cos(alpha), std::sin(alpha)), u3 = axes * r.col(2);
  const double cosine_squared = std::max(1 - sine * sine, 1e-6);   // where two angles become one their rows stay finite
  const Vec3 dual[3] = {(u1 - sine * u3) / cosine_squared, u2, (u3 - sine * u1) / cosine_squared};
  for (std::size_t k = 0; k < 3; ++k) place.row[joint_turn_x + k] = {Vec3::Zero(), -dual[k], dual[k]};
  return place;
}

std::pair<double, JointRow> swing_of(const JointPlace& place) {
  const Vec3 za = place.frame_a.orientation * Vec3::UnitZ(), zb = place.frame_b.orientation * Vec3::UnitZ();
  const Vec3 normal = za.cross(zb);
  const double sine = normal.norm();
  const Vec3 axis = sine > 1e-12 ? Vec3(normal / sine) : place.frame_a.orientation * Vec3::UnitX();
  return {std::atan2(sine, za.dot(zb)), {Vec3::Zero(), -axis, axis}};
}

double coupled_position(const World& world, const Joint& joint) {
  const JointDescription& d = joint.description;
  if (d.type == JointType::screw) {
    const JointPlace place = locate(world, joint);
    return place.position[joint_z] - d.pitch / (2 * std::numbers::pi) * place.position[joint_turn_z];
  }
  const auto position = [&](const GearSide& side) {
    return locate(world, world.joints()[side.joint.index]).position[static_cast<std::size_t>(side.coordinate)];
  };
  return position(d.second) - d.ratio * position(d.first);
}

void place_joint(JointDescription& d, const World& world, const Vec3& anchor, const Vec3& axis, const Vec3& x_axis) {
  if (!(axis.norm() > 0 && axis.allFinite())) throw Error("The axis of a joint must be finite and not zero.").at("axis");
  const Vec3 z = axis.normalized();
  Mat3 frame;
  if (x_axis.isZero(0)) {
    const Mat3 any = frame_from_normal(z);
    frame << any.col(1), any.col(2), z;
  } else {
    const Vec3 across = x_axis.normalized() - x_axis.normalized().dot(z) * z;
    if (!(across.norm() > 1e-6)) throw Error("The two axes of a joint must not be parallel.").at("x_axis");
    const Vec3 x = across.normalized();
    frame << x, z.cross(x), z;
  }
  const Pose joint{anchor, Quat(frame)};
  const auto local = [&](BodyId id) {
    if (id == BodyId{}) return joint;
    return world.body(id).frame().inverse() * joint;
  };
  d.frame_a = local(d.a);
  d.frame_b = local(d.b);
}

double rate(const World& world, const JointDescription& d, const JointRow& row) {
  double v = 0;
  if (d.a != BodyId{}) {
    const Body& a = world.bodies()[d.a.index];
    v += row.angular_a.dot(a.angular_velocity) - row.linear.dot(a.velocity);
  }
  const Body& b = world.bodies()[d.b.index];
  return v + row.angular_b.dot(b.angular_velocity) + row.linear.dot(b.velocity);
}

JointRow armature_row(const JointDescription& d, const JointPlace& place, int coordinate) {
  if (d.type != JointType::ball || !is_turn(coordinate)) return place.row[static_cast<std::size_t>(coordinate)];
  const Vec3 axis = place.frame_b.rotation().col(coordinate - joint_turn_x);
  return {Vec3::Zero(), -axis, axis};
}

namespace {

/// Where a path is at a time, and how fast it goes.
std::pair<double, double> followed(const JointPath& path, double time) {
  const auto next = std::upper_bound(path.begin(), path.end(), time, [](double t, const auto& key) { return t < key.first; });
  if (next == path.begin()) return {path.front().second, 0};
  if (next == path.end()) return {path.back().second, 0};
  const auto& last = *(next - 1);
  const double speed = (next->second - last.second) / (next->first - last.first);
  return {last.second + speed * (time - last.first), speed};
}

}   // namespace

std::pair<double, double> servo_target(const JointServo& servo, double time) {
  return servo.path.empty() ? std::pair(servo.target, 0.0) : followed(servo.path, time);
}

double motor_speed(const JointMotor& motor, double time) {
  return motor.path.empty() ? motor.speed : followed(motor.path, time).first;
}

double effort_force(const JointEffort& effort, double time) {
  const double force = effort.path.empty() ? effort.force : followed(effort.path, time).first;
  return std::clamp(force, -effort.max_force, effort.max_force);
}

}   // namespace stickslip
