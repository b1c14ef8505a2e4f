// What the methods of this room ask of a pair of features at one time.
#pragma once

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

}  // namespace stickslip
