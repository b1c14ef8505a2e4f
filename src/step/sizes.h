// How large bodies are: of two the thinner says how deep is deep, of one its reach how far a turn moves it.
#pragma once

#include <algorithm>

#include "stickslip/world/stencil.h"

namespace stickslip {

/// Part of its thickness by which a soft body may have passed through itself and has contacts there.
inline constexpr double kSelfDepth = 0.1;

/// The smaller of two lengths, of which an endless shape has none (0).
inline double thinner(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }
/// Thickness of the thinner of two colliders [m].
inline double thinner(const Collider& a, const Collider& b) {
  return thinner(a.characteristic_length, b.characteristic_length);
}

/// Largest distance of a point of the body from its centre of mass [m]; infinite with a half-space.
inline double reach_of(const World& world, const Body& body) {
  double reach = 0;
  for (const std::uint32_t c : body.colliders) reach = std::max(reach, world.colliders()[c].reach);
  return reach;
}

/// Every rigid body and node that forces can move, awake or not. @param f of the body that it is or belongs to, its motion and
/// its mass [kg]
void for_each_dynamic_mover(const World& world, auto&& f) {
  for (std::uint32_t i = 0; i < world.bodies().size(); ++i)
    if (const Body& b = world.bodies()[i]; b.alive && b.is_rigid() && b.motion == MotionType::dynamic)
      f(b, motion_of(world, i), b.mass.mass);
  for (const NodalBody& nodes : world.nodal_bodies())
    for (std::size_t i = 0; i < nodes.size(); ++i)
      f(world.bodies()[nodes.body], Motion{{nodes.positions[i], Quat::Identity()}, nodes.velocities[i]}, nodes.masses[i]);
}

}   // namespace stickslip
