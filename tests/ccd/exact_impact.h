// Whether and when moving features touch, in integers: no rounding anywhere.
#pragma once

#include <array>
#include <cmath>

#include "ccd/exact_polynomial.h"
#include "stickslip/ccd/impact.h"

namespace stickslip::ccd_test {

using Path = std::array<Polynomial, 3>;   ///< coordinates of a point as polynomials of time

inline Path operator-(const Path& a, const Path& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Polynomial dot(const Path& a, const Path& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Path cross(const Path& a, const Path& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The paths of the points, all coordinates times one power of two that makes them integers.
template <int N>
std::array<Path, N> exact_paths(const PointsAt<N>& start, const PointsAt<N>& end) {
  int lowest = 1000;
  for (const auto* points : {&start, &end})
    for (const Vec3& p : *points)
      for (double x : p) {
        if (x == 0) continue;
        int exponent;
        double mantissa = std::frexp(x, &exponent);
        while (mantissa != std::floor(mantissa)) mantissa *= 2, --exponent;
        lowest = std::min(lowest, exponent);
      }
  const auto integer = [&](double x) {
    if (x == 0) return Integer(0);
    int exponent;
    const double mantissa = std::ldexp(std::frexp(x, &exponent), 53);
    const int shift = exponent - 53 - lowest;
    const Integer whole(mantissa);
    return shift >= 0 ? Integer(whole << shift) : Integer(whole / (Integer(1) << -shift));
  };
  std::array<Path, N> paths;
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < 3; ++k) {
      const Integer from = integer(start[i][k]), to = integer(end[i][k]);
      paths[i][k] = Polynomial({from, to - from});
    }
  return paths;
}

inline bool vanishes(const Path& p, Root& at) {
  return at.sign_of(p[0]) == 0 && at.sign_of(p[1]) == 0 && at.sign_of(p[2]) == 0;
}

inline bool on_edge(const Path& p, const Path& a, const Path& b, Root& at) {
  return at.sign_of(dot(p - a, p - b)) <= 0 && vanishes(cross(p - a, b - a), at);
}

inline std::optional<Root> earlier(std::optional<Root> a, std::optional<Root> b) {
  if (!a || !b) return a ? a : b;
  a->refine(64);
  b->refine(64);
  return b->low() < a->low() ? b : a;
}

/// First root of a polynomial, which is not zero, at which something holds.
template <class Holds>
std::optional<Root> first_root(const Polynomial& f, const Holds& holds) {
  for (Root& root : roots_in_unit_interval(f))
    if (holds(root)) return root;
  return std::nullopt;
}

inline std::optional<Root> exact_point_point(const Path& p, const Path& q) {
  const Path d = p - q;
  for (const Polynomial& f : d)
    if (!f.is_zero()) return first_root(f, [&](Root& at) { return vanishes(d, at); });
  return Root(Dyadic{0, 0});
}

inline std::optional<Root> exact_point_edge(const Path& p, const Path& a, const Path& b) {
  for (const Polynomial& f : cross(p - a, b - a))
    if (!f.is_zero()) return first_root(f, [&](Root& at) { return on_edge(p, a, b, at); });
  // Always on one line.
  Root start(Dyadic{0, 0});
  if (on_edge(p, a, b, start)) return start;
  return earlier(exact_point_point(p, a), exact_point_point(p, b));
}

inline std::optional<Root> exact_vertex_face(const std::array<Path, 4>& x) {
  const auto& [p, a, b, c] = x;
  const Path n = cross(b - a, c - a);
  const auto touches = [&](Root& at) {
    if (vanishes(n, at)) return on_edge(p, a, b, at) || on_edge(p, b, c, at) || on_edge(p, c, a, at);
    return at.sign_of(dot(cross(b - a, p - a), n)) >= 0 && at.sign_of(dot(cross(c - b, p - b), n)) >= 0 &&
           at.sign_of(dot(cross(a - c, p - c), n)) >= 0;
  };
  const Polynomial f = dot(n, p - a);
  if (!f.is_zero()) return first_root(f, touches);
  Root start(Dyadic{0, 0});
  if (touches(start)) return start;
  return earlier(exact_point_edge(p, a, b), earlier(exact_point_edge(p, b, c), exact_point_edge(p, c, a)));
}

inline std::optional<Root> exact_edge_edge(const std::array<Path, 4>& x) {
  const auto& [a, b, c, d] = x;
  const Path n = cross(b - a, d - c), r = c - a;
  const Polynomial nn = dot(n, n), s = dot(cross(r, d - c), n), t = dot(cross(r, b - a), n);
  const auto touches = [&](Root& at) {
    if (vanishes(n, at)) return on_edge(a, c, d, at) || on_edge(b, c, d, at) || on_edge(c, a, b, at) || on_edge(d, a, b, at);
    return at.sign_of(s) >= 0 && at.sign_of(nn - s) >= 0 && at.sign_of(t) >= 0 && at.sign_of(nn - t) >= 0;
  };
  const Polynomial f = dot(cross(b - a, c - a), d - a);
  if (!f.is_zero()) return first_root(f, touches);
  Root start(Dyadic{0, 0});
  if (touches(start)) return start;
  return earlier(earlier(exact_point_edge(a, c, d), exact_point_edge(b, c, d)),
                 earlier(exact_point_edge(c, a, b), exact_point_edge(d, a, b)));
}

}   // namespace stickslip::ccd_test
