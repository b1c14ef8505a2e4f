// When do points, edges and triangles whose corners move on straight lines first touch?
//
// A query is the positions at t = 0 and at t = 1; in between every point moves at constant velocity,
// x(t) = (1 − t) start + t end. Vertex–face: the vertex, then the corners of the triangle. Edge–edge: the ends of one edge,
// then those of the other.
#pragma once

#include <array>

#include "stickslip/math/types.h"

namespace stickslip {

template <int N>
using PointsAt = std::array<Vec3, N>;   ///< [m]

/// The first time at which two features touch, or come as near as asked.
struct Impact {
  double time = 0;   ///< in [0, 1]
  /// Closest points then: (1 − u − v) x₁ + u x₂ + v x₃ on a triangle; u on the first and v on the second edge.
  double u = 0, v = 0;
  double distance = 0;          ///< of the features at that time [m]
  bool stopped_early = false;   ///< after `max_iterations`: nothing happens before `time`, but perhaps not at it either
};

struct ImpactOptions {
  /// How near counts as touching, relative to the size of the query: the largest coordinate difference between the two
  /// features, at either end of the motion. Not below 1e-14.
  double tolerance = 1e-6;
  double min_distance = 0;          ///< features this near count as touching [m]
  int max_iterations = 1'000'000;   ///< cells looked at; most queries need less than ten, few more than a hundred
  /// For line searches: touching is judged to a tenth of what is left to `min_distance` at the start, if that is finer than
  /// `tolerance`. The time is then 0 only if there is nothing left but rounding.
  bool resolve_start = false;
};

}   // namespace stickslip
