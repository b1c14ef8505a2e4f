// Distance and direction between two convex cores.
#pragma once

#include "collide/convex_core.h"

namespace stickslip::narrow {

struct CoreDirection {
  enum class State { far, apart, overlapping };
  State state = State::far;     ///< far: farther apart than asked for; nothing else is set
  Vec3 normal = Vec3::Zero();   ///< unit, from A to B: along the nearest points, or out of the shallowest overlap
  Vec3 on_a = Vec3::Zero(),
       on_b = Vec3::Zero();   ///< nearest points of the cores, or those that meet when the overlap is undone [m]
};

/// Gilbert–Johnson–Keerthi for cores apart, the expanding polytope for cores that overlap. @param reach [m]
CoreDirection core_direction(const ConvexCore& a, const ConvexCore& b, double reach);

/// A point of the Minkowski difference B − A with the points it comes from.
struct DifferencePoint {
  Vec3 w, on_a, on_b;
};

inline DifferencePoint difference_support(const ConvexCore& a, const ConvexCore& b, const Vec3& direction) {
  const Vec3 on_a = a.support(-direction), on_b = b.support(direction);
  return {on_b - on_a, on_a, on_b};
}

/// Expanding polytope: the boundary point of B − A nearest to the origin, which lies inside or within rounding of the
/// boundary. Starts from the points of a simplex.
CoreDirection shallowest_overlap(const ConvexCore& a, const ConvexCore& b, const DifferencePoint* simplex, int count);

}   // namespace stickslip::narrow
