// What the sphere pairs share: the contact of a ball with the nearest point of another surface.
#pragma once

#include "collide/pairs.h"

namespace stickslip::narrow {

/// Below this part of the sizes two centres count as one, and the direction between them as unknown.
inline constexpr double kConcentric = 1e-12;

/// One point between a ball and a surface at `distance` from the ball's centre along `normal` (negative: the centre lies
/// inside the other shape) [m].
inline void add_sphere_contact(const Vec3& center, double radius, const Vec3& normal, double distance, ContactSink& sink) {
  sink.add(center + normal * (0.5 * (radius + distance)), normal, distance - radius, 0);
}

}   // namespace stickslip::narrow
