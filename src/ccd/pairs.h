// What the methods of this room ask of a pair of features at one time.
#pragma once

#include <array>
#include <cmath>

#include "stickslip/ccd/impact.h"
#include "stickslip/distance/closest.h"

namespace stickslip {

template <int N>
PointsAt<N> points_at(const PointsAt<N>& start, const PointsAt<N>& end, double time) {
  PointsAt<N> x;
  for (int i = 0; i < N; ++i) x[i] = (1 - time) * start[i] + time * end[i];
  return x;
}

inline void set_closest_vertex_face(const PointsAt<4>& x, Impact& impact) {
  const ClosestOnTriangle closest = closest_on_triangle(x[0], x[1], x[2], x[3]);
  impact.u = closest.weights[1];
  impact.v = closest.weights[2];
  impact.distance = std::sqrt(closest.squared_distance);
}

inline void set_closest_edges(const PointsAt<4>& x, Impact& impact) {
  const ClosestOfEdges closest = closest_of_edges(x[0], x[1], x[2], x[3]);
  impact.u = closest.weight_a;
  impact.v = closest.weight_b;
  impact.distance = std::sqrt(closest.squared_distance);
}

/// det(q₀, q₁, q₂) of three vectors that move from `start` to `end`: coefficients of the cubic in Bernstein form on [0, 1].
/// Off by less than 32 units of rounding of Π max |qᵢ|₁, the rounding of the vectors themselves included.
inline std::array<double, 4> volume_cubic(const Vec3 (&start)[3], const Vec3 (&end)[3]) {
  const Vec3 n0 = start[0].cross(start[1]), n1 = end[0].cross(end[1]), twice = start[0].cross(end[1]) + end[0].cross(start[1]);
  return {n0.dot(start[2]), (n0.dot(end[2]) + twice.dot(start[2])) / 3, (n1.dot(start[2]) + twice.dot(end[2])) / 3,
          n1.dot(end[2])};
}

}   // namespace stickslip
