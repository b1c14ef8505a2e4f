// The point of one triangle that is nearest to a point, with the feature it lies on.
#pragma once

#include <algorithm>
#include <limits>

#include "stickslip/math/types.h"

namespace stickslip {

/// Whether a triangle with edges u, v from one corner and n = u × v is more than a line: its height is above 1e-12 of its
/// longer edge. Below, the direction of n is rounding error.
inline bool has_area(const Vec3& u, const Vec3& v, const Vec3& n) {
  const double longer_squared = std::max(u.squaredNorm(), v.squaredNorm());
  return n.squaredNorm() > 1e-24 * longer_squared * longer_squared;
}

struct TrianglePoint {
  Vec3 weights;              ///< barycentric, ≥ 0, sum 1
  double distance_squared;   ///< [m²]
};

/// Weight of b at the point of the segment ab nearest to p; 0 if a = b.
inline double closest_on_segment(const Vec3& ap, const Vec3& ab) {
  const double length_squared = ab.squaredNorm();
  return length_squared > 0 ? std::clamp(ap.dot(ab) / length_squared, 0.0, 1.0) : 0.0;
}

/// Infinitely far, without weights, if the plane of the triangle is farther than `limit_squared` [m²]. Else by the plane where
/// p projects into the triangle, else by the edges that p is beyond: p − x is in the normal cone of the nearest point x, so
/// that point lies on one of those. Triangles without an area are taken as their edges.
inline TrianglePoint nearest_on_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p,
                                         double limit_squared = std::numeric_limits<double>::infinity()) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, n = ab.cross(ac);
  const double nn = n.squaredNorm(), height = ap.dot(n);
  bool beyond[3] = {true, true, true};   // edges bc, ca, ab
  if (has_area(ab, ac, n)) {
    if (height * height > limit_squared * nn * (1 + 1e-12)) return {Vec3::Zero(), std::numeric_limits<double>::infinity()};
    const double wb = ap.cross(ac).dot(n), wc = ab.cross(ap).dot(n), wa = nn - wb - wc;
    beyond[0] = wa < 0, beyond[1] = wb < 0, beyond[2] = wc < 0;
    if (!beyond[0] && !beyond[1] && !beyond[2]) return {Vec3(wa, wb, wc) / nn, height * height / nn};
  }
  const Vec3* corners[3] = {&a, &b, &c};
  TrianglePoint best{Vec3(1, 0, 0), std::numeric_limits<double>::infinity()};
  for (int k = 0; k < 3; ++k) {
    if (!beyond[k]) continue;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Vec3 edge = *corners[j] - *corners[i], from = p - *corners[i];
    const double t = closest_on_segment(from, edge);
    // At the far end measured from there, so that triangles that share a vertex agree on the distance to the last bit.
    const double squared = t == 1 ? (p - *corners[j]).squaredNorm() : (from - t * edge).squaredNorm();
    if (squared >= best.distance_squared) continue;
    best.distance_squared = squared;
    best.weights[i] = 1 - t, best.weights[j] = t, best.weights[k] = 0;
  }
  return best;
}

}   // namespace stickslip
