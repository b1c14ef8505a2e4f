// Small mechanisms with closed-form answers.
#pragma once

#include "physics/worlds.h"

namespace stickslip::testing {

/// A body without a shape: mass and inertia alone.
inline BodyId add_mass(World& world, double mass, const Vec3& inertia, const Vec3& position,
                       const Quat& orientation = Quat::Identity(), std::string name = {}) {
  BodyDescription d;
  d.name = std::move(name);
  d.mass_properties = MassProperties{mass, Vec3::Zero(), inertia.asDiagonal()};
  d.pose = {position, orientation};
  return world.add(d);
}

/// A slender rod along its own x axis, from one point to another.
inline BodyId add_rod(World& world, double mass, const Vec3& from, const Vec3& to, std::string name = {}) {
  const double length = (to - from).norm(), across = mass * length * length / 12;
  return add_mass(world, mass, Vec3(1e-3 * across, across, across), 0.5 * (from + to),
                  rotation_between(Vec3::UnitX(), to - from), std::move(name));
}

inline JointId join(World& world, JointType type, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis = Vec3::UnitY(),
                    const JointAxis& free = {}) {
  JointDescription d;
  d.type = type;
  d.a = a;
  d.b = b;
  if (type == JointType::hinge) d.axes[joint_turn_z] = free;
  if (type == JointType::prismatic) d.axes[joint_z] = free;
  place_joint(d, world, anchor, axis);
  return world.add(d);
}

inline constexpr BodyId kWorld{};

}   // namespace stickslip::testing
