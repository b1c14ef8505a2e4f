#include "world/joint_check.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "stickslip/math/error.h"
#include "world/check_numbers.h"

namespace stickslip {

namespace {

/// Which coordinates a type locks, in the order of JointCoordinate. Empty where the description decides.
std::optional<std::array<bool, kJointCoordinates>> locks_of(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {{true, true, true, true, true, true}};
    case JointType::ball:
      return {{true, true, true, false, false, false}};
    case JointType::hinge:
      return {{true, true, true, true, true, false}};
    case JointType::prismatic:
      return {{true, true, false, true, true, true}};
    case JointType::cylindrical:
    case JointType::screw:
      return {{true, true, false, true, true, false}};
    case JointType::universal:
      return {{true, true, true, false, true, false}};
    case JointType::planar:
      return {{false, false, true, true, true, false}};
    case JointType::gear:
      return {{false, false, false, false, false, false}};
    case JointType::six_dof:
    case JointType::distance:
      return {};
  }
  return {};
}

bool is_set(const JointAxis& a) {
  return a.has_lower() || a.has_upper() || a.limit_stiffness != 0 || a.limit_damping != 0 || a.friction != 0 ||
         a.armature != 0 || a.effort || a.motor || a.servo || a.spring;
}

void require_not_negative(double x, std::string_view field, std::string_view what) {
  if (!(x >= 0)) throw Error(fmt::format("{} is not {}. It must be at least 0.", x, what)).at(field);
}

void check_stiffness(double stiffness, double damping, bool may_be_nothing = false) {
  require_finite(stiffness, "stiffness", "a stiffness");
  require_finite(damping, "damping", "a damping");
  require_not_negative(stiffness, "stiffness", "a stiffness");
  require_not_negative(damping, "damping", "a damping");
  if (stiffness == 0 && damping == 0 && !may_be_nothing)
    throw Error("Stiffness and damping are both 0, which does nothing. Give one of them.").at("stiffness");
}

void check_path(const JointPath& path) {
  for (std::size_t i = 0; i < path.size(); ++i)
    if (!std::isfinite(path[i].first) || !std::isfinite(path[i].second) || (i > 0 && !(path[i].first > path[i - 1].first)))
      throw Error(fmt::format("[{}, {}] cannot follow here. Times and values must be finite, and times increase.",
                              path[i].first, path[i].second))
          .at(std::to_string(i))
          .at("path");
}

/// Runs a check of a part of an object, and adds the name of the part to the place of its error.
void in_part(std::string_view part, auto&& check) {
  try {
    check();
  } catch (Error& e) {
    throw e.at(part);
  }
}

void check_pose(Pose& pose, std::string_view field) {
  if (!pose.position.allFinite()) throw Error("A position must be three finite numbers [m].").at("position").at(field);
  if (!(pose.orientation.norm() > 0) || !pose.orientation.coeffs().allFinite())
    throw Error("A quaternion must be finite and not zero.").at("orientation_wxyz").at(field);
  pose.orientation.normalize();
}

void check_bodies(const World& world, const JointDescription& d) {
  if (d.b == BodyId{}) throw Error("A joint needs a body b. Only a may be the world.").at("b");
  if (!world.contains(d.b)) throw Error("The body of a joint is not in this world.").at("b");
  if (d.a != BodyId{} && !world.contains(d.a)) throw Error("The body of a joint is not in this world.").at("a");
  if (d.a == d.b)
    throw Error(
        fmt::format("The joint connects '{}' to itself. Name two bodies, or a body and the world.", world.body(d.b).name))
        .at("b");
  for (const auto& [id, field] : {std::pair(d.a, "a"), std::pair(d.b, "b")})
    if (id != BodyId{} && !world.body(id).is_rigid())
      throw Error(fmt::format("'{}' is a body of nodes, which joints do not hold. Join rigid bodies.", world.body(id).name))
          .at(field);
  const auto moves = [&](BodyId id) { return id != BodyId{} && world.body(id).motion == MotionType::dynamic; };
  if (!moves(d.a) && !moves(d.b))
    throw Error(fmt::format("Neither body of the joint moves by forces: it has nothing to do. Make '{}' dynamic.",
                            world.body(d.b).name))
        .at("b");
}

/// Radius of gyration: a sphere of the body's mass and inertia is about this big.
double gyration(const Body& b) { return std::sqrt(b.principal_moments.sum() / (2 * b.mass.mass)); }

double size_of(const World& world, const JointDescription& d) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const BodyId id : {d.a, d.b})
    if (id != BodyId{} && world.body(id).motion == MotionType::dynamic) smallest = std::min(smallest, gyration(world.body(id)));
  return smallest;
}

void check_gear(const World& world, JointDescription& d) {
  for (const auto& [side, field] : {std::pair(&d.first, "first"), std::pair(&d.second, "second")}) {
    if (!world.contains(side->joint))
      throw Error("A gear couples coordinates of two joints of this world.").at("joint").at(field);
    const JointDescription& joint = world.joint(side->joint).description;
    if (joint.type == JointType::gear)
      throw Error(fmt::format("'{}' is a gear itself. Name a joint that has coordinates.", joint.name)).at("joint").at(field);
    if (side->coordinate < 0 || side->coordinate >= kJointCoordinates ||
        joint.axes[static_cast<std::size_t>(side->coordinate)].locked ||
        (joint.type == JointType::distance && side->coordinate != joint_x))
      throw Error(fmt::format("The joint '{}' has no free coordinate {}.", joint.name, side->coordinate))
          .at("coordinate")
          .at(field);
  }
  if (d.first.joint == d.second.joint && d.first.coordinate == d.second.coordinate)
    throw Error("A gear couples two different coordinates.").at("second");
  if (!std::isfinite(d.ratio) || d.ratio == 0)
    throw Error(fmt::format("{} is not a gear ratio. It must be finite and not 0.", d.ratio)).at("ratio");
}

void check_special(const JointDescription& d) {
  const bool has_swing = d.swing_limit < std::numeric_limits<double>::infinity();
  if (has_swing && d.type != JointType::ball) throw Error("Only a ball joint has a swing limit.").at("swing_limit");
  if (has_swing && !(d.swing_limit > 0 && d.swing_limit < std::numbers::pi))
    throw Error(fmt::format("{} is not a swing limit. It must be between 0 and π rad.", d.swing_limit)).at("swing_limit");
  if (d.type == JointType::screw && (!std::isfinite(d.pitch) || d.pitch == 0))
    throw Error(fmt::format("{} is not a pitch. A screw travels a finite distance other than 0 per turn [m].", d.pitch))
        .at("pitch");
  if (!(d.length >= 0) || !std::isfinite(d.length))
    throw Error(fmt::format("{} is not a length. It must be finite and at least 0.", d.length)).at("length");
  require_not_negative(d.break_force, "break_force", "a force");
  require_not_negative(d.break_torque, "break_torque", "a torque");
}

}   // namespace

void check_axis(const JointDescription& d, int coordinate, const JointAxis& axis) {
  const auto unused = d.type == JointType::gear || (d.type == JointType::distance && coordinate != joint_x);
  if (is_set(axis) && (axis.locked || unused))
    throw Error(
        fmt::format("A {} joint does not move along {}: it has no limits, effort, motor, servo, spring, friction "
                    "or armature there.",
                    joint_type_name(d.type), joint_coordinate_name(coordinate)));
  if (std::isnan(axis.lower) || std::isnan(axis.upper) || axis.lower > axis.upper)
    throw Error(
        fmt::format("The limits {} to {} leave nothing. The lower must not be above the upper.", axis.lower, axis.upper))
        .at("lower");
  in_part("limit", [&] { check_stiffness(axis.limit_stiffness, axis.limit_damping, true); });
  require_not_negative(axis.friction, "friction", "a friction force");
  require_finite(axis.friction, "friction", "a friction force");
  require_not_negative(axis.armature, "armature", "an inertia");
  require_finite(axis.armature, "armature", "an inertia");
  if (axis.effort)
    in_part("effort", [&] {
      require_finite(axis.effort->force, "force", "a force");
      require_not_negative(axis.effort->max_force, "max_force", "a largest force");
      check_path(axis.effort->path);
    });
  if (axis.motor)
    in_part("motor", [&] {
      require_finite(axis.motor->speed, "speed", "a speed");
      require_not_negative(axis.motor->max_force, "max_force", "a largest force");
      check_path(axis.motor->path);
    });
  if (axis.servo)
    in_part("servo", [&] {
      check_stiffness(axis.servo->stiffness, axis.servo->damping);
      require_finite(axis.servo->target, "target", "a target");
      require_not_negative(axis.servo->max_force, "max_force", "a largest force");
      check_path(axis.servo->path);
    });
  if (axis.spring)
    in_part("spring", [&] {
      check_stiffness(axis.spring->stiffness, axis.spring->damping);
      require_finite(axis.spring->rest, "rest", "a rest position");
    });
}

Joint checked_joint(const World& world, JointDescription d) {
  check_special(d);
  if (const auto locks = locks_of(d.type))
    for (std::size_t k = 0; k < locks->size(); ++k) d.axes[k].locked = (*locks)[k];
  for (int k = 0; k < kJointCoordinates; ++k)
    in_part(joint_coordinate_name(k), [&] { check_axis(d, k, d.axes[static_cast<std::size_t>(k)]); });
  Joint joint;
  if (d.type == JointType::gear) {
    check_gear(world, d);
    joint.row_length = is_turn(d.second.coordinate) ? world.joint(d.second.joint).row_length : 1;
    joint.description = std::move(d);
    joint.coupling_start = coupled_position(world, joint);
    return joint;
  }
  check_bodies(world, d);
  check_pose(d.frame_a, "frame_a");
  check_pose(d.frame_b, "frame_b");
  joint.row_length = size_of(world, d);
  joint.description = std::move(d);
  const JointPlace place = locate(world, joint);
  for (std::size_t k = 0; k < 3; ++k) joint.turns[k] = place.position[joint_turn_x + k];
  JointDescription& kept = joint.description;
  if (kept.type == JointType::distance && kept.axes[joint_x].locked && kept.length == 0) kept.length = place.position[joint_x];
  if (kept.type == JointType::screw) joint.coupling_start = coupled_position(world, joint);
  return joint;
}

}   // namespace stickslip
