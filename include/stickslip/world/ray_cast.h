// Rays in a world.
#pragma once

#include <limits>
#include <optional>

#include "stickslip/world/world.h"

namespace stickslip {

struct RayMeeting {
  BodyId body;
  double distance;   ///< from the origin of the ray [m]
};

/// The first surface that a ray meets, from outside or from inside; none beyond `range`. Of soft bodies as they are deformed
/// now. O(colliders). @param direction of any length but 0, world frame @param ignore a body that the ray passes through; the
/// default is none
/// @throws Error if the direction is zero or a number is not finite
std::optional<RayMeeting> cast_ray(const World&, const Vec3& origin, const Vec3& direction,
                                   double range = std::numeric_limits<double>::infinity(), BodyId ignore = {});

}   // namespace stickslip
