// Distances of triangles in rational numbers, for tests: slow, and right without any rounding.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "stickslip/math/types.h"

namespace stickslip::distance_test {

using Rational = boost::multiprecision::cpp_rational;
using RationalVec3 = std::array<Rational, 3>;
using Triangle = std::array<Vec3, 3>;

inline RationalVec3 rational(const Vec3& v) { return {Rational(v[0]), Rational(v[1]), Rational(v[2])}; }
inline RationalVec3 operator-(const RationalVec3& a, const RationalVec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Rational dot(const RationalVec3& a, const RationalVec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline RationalVec3 cross(const RationalVec3& a, const RationalVec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline bool is_zero(const RationalVec3& a) { return a[0].is_zero() && a[1].is_zero() && a[2].is_zero(); }

// The reference: the squared distance of both triangles in rational numbers, by all their features; they meet if it is zero
// or an edge of one pierces the other.

inline Rational squared_edge_distance(const RationalVec3& p, const RationalVec3& a, const RationalVec3& b) {
  const RationalVec3 e = b - a, d = p - a;
  const Rational ee = dot(e, e), along = dot(d, e);
  if (along <= 0) return dot(d, d);
  if (along >= ee) return dot(p - b, p - b);
  return dot(d, d) - along * along / ee;
}

inline bool inside(const RationalVec3& p, const std::array<RationalVec3, 3>& x, const RationalVec3& n) {
  for (int i = 0; i < 3; ++i)
    if (dot(cross(x[(i + 1) % 3] - x[i], p - x[i]), n) < 0) return false;
  return true;
}

inline Rational squared_edges_distance(const RationalVec3& a0, const RationalVec3& a1, const RationalVec3& b0,
                                       const RationalVec3& b1) {
  const RationalVec3 a = a1 - a0, b = b1 - b0, r = b0 - a0, n = cross(a, b);
  Rational best = std::min({squared_edge_distance(a0, b0, b1), squared_edge_distance(a1, b0, b1),
                            squared_edge_distance(b0, a0, a1), squared_edge_distance(b1, a0, a1)});
  const Rational nn = dot(n, n), s = dot(cross(r, b), n), t = dot(cross(r, a), n);
  if (nn > 0 && s >= 0 && s <= nn && t >= 0 && t <= nn) best = std::min(best, Rational(dot(n, r) * dot(n, r) / nn));
  return best;
}

/// Squared distance; 0 if they meet.
inline Rational squared_triangle_distance(const Triangle& ad, const Triangle& bd) {
  std::array<RationalVec3, 3> x[2];
  for (int i = 0; i < 3; ++i) x[0][i] = rational(ad[i]), x[1][i] = rational(bd[i]);
  Rational best = dot(x[0][0] - x[1][0], x[0][0] - x[1][0]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      best = std::min(best, squared_edges_distance(x[0][i], x[0][(i + 1) % 3], x[1][j], x[1][(j + 1) % 3]));
  for (int side = 0; side < 2; ++side) {
    const auto &a = x[side], &b = x[1 - side];
    const RationalVec3 n = cross(b[1] - b[0], b[2] - b[0]);
    if (is_zero(n)) continue;
    for (int i = 0; i < 3; ++i) {
      const RationalVec3 &p = a[i], &q = a[(i + 1) % 3];
      const Rational from = dot(n, p - b[0]), to = dot(n, q - b[0]), span = from - to;
      if (inside(p, b, n)) best = std::min(best, Rational(from * from / dot(n, n)));
      if (span.is_zero() || from * to > 0) continue;
      const Rational weight = from / span;
      RationalVec3 at;
      for (int k = 0; k < 3; ++k) at[k] = p[k] + weight * (q[k] - p[k]);
      if (inside(at, b, n)) return 0;
    }
  }
  return best;
}

}   // namespace stickslip::distance_test
