// Where material points of colliders get their velocity from.
//
// A mover is what changes its velocity as one: a rigid body, or a node. Movers are numbered: body slots first, then the nodes
// of all bodies. A material point moves with one mover, or with a few nodes by weights:
//
//   v = Σ wᵢ (vᵢ + ωᵢ × (x − xᵢ)),   Σ wᵢ = 1,   ω = 0 for nodes.
#pragma once

#include "stickslip/world/world.h"

namespace stickslip {

/// Where something is and how it moves.
struct Motion {
  Pose pose;                                                       ///< of the frame in the centre of mass
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();   ///< world frame [m/s, rad/s]

  Vec3 velocity_at(const Vec3& point) const { return velocity + angular_velocity.cross(point - pose.position); }
};
Motion motion_of_node(const World&, std::uint32_t mover);
inline Motion motion_of(const World& world, std::uint32_t mover) {
  if (mover >= world.bodies().size()) return motion_of_node(world, mover);
  const Body& b = world.bodies()[mover];
  return {{b.position, b.orientation}, b.velocity, b.angular_velocity};
}
/// Of what a collider moves with. @pre it does not deform
inline Motion motion_of(const World& world, const Collider& c) { return motion_of(world, world.mover_of(c)); }

inline constexpr int kStencilSize = 3;   ///< movers of a material point, at most

struct Stencil {
  struct Entry {
    std::uint32_t mover;
    double weight;
  };
  int count = 0;
  std::array<Entry, kStencilSize> entries;

  const Entry* begin() const { return entries.data(); }
  const Entry* end() const { return entries.data() + count; }
  void add(std::uint32_t mover, double weight) { entries[count++] = {mover, weight}; }
};

Stencil stencil_of_surface(const World&, const Collider&, std::uint32_t part, const Vec3& place);

/// Of the material point of a collider that is at `place` now, world frame [m]. @param part of the collider: of a surface of
/// nodes the triangle; else not read
inline Stencil stencil(const World& world, const Collider& c, std::uint32_t part, const Vec3& place) {
  if (c.deforms) return stencil_of_surface(world, c, part, place);
  Stencil s;
  s.add(world.mover_of(c), 1);
  return s;
}

/// Velocity of the material point of a collider that is at `place` now, world frame [m/s].
inline Vec3 velocity_at(const World& world, const Collider& c, std::uint32_t part, const Vec3& place) {
  if (!c.deforms) return motion_of(world, c).velocity_at(place);
  Vec3 sum = Vec3::Zero();
  for (const Stencil::Entry& entry : stencil(world, c, part, place))
    sum += entry.weight * motion_of(world, entry.mover).velocity;
  return sum;
}

}   // namespace stickslip
