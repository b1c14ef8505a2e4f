// Points of features, generic and degenerate: on a coarse grid (parallel, coplanar, coincident, without length or area), near
// it, thin.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>

#include "stickslip/math/types.h"

namespace stickslip::distance_test {

class Samples {
 public:
  explicit Samples(unsigned seed) : random_(seed) {}

  double uniform(double low = -1, double high = 1) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Vec3 vector() { return {uniform(), uniform(), uniform()}; }
  Vec3 direction() { return vector().normalized(); }
  Vec3 grid_point() { return Vec3(integer(0, 2), integer(0, 2), integer(0, 2)); }

  /// N points in one of eight ways; `kind` counts through them.
  template <int N>
  std::array<Vec3, N> points(int kind) {
    std::array<Vec3, N> x;
    switch (kind % 8) {
      case 0:   // anywhere
        for (Vec3& p : x) p = vector();
        break;
      case 1:   // on a grid
        for (Vec3& p : x) p = grid_point();
        break;
      case 2: {   // near a grid
        const double noise = std::pow(10, uniform(-17, -3));
        for (Vec3& p : x) p = grid_point() + noise * vector();
        break;
      }
      case 3: {   // all in one plane, or nearly
        const Vec3 a = direction(), b = direction(), n = direction();
        const double noise = integer(0, 1) * std::pow(10, uniform(-16, -4));
        for (Vec3& p : x) p = uniform() * a + uniform() * b + noise * uniform() * n;
        break;
      }
      case 4: {   // all on one line, or nearly
        const Vec3 a = direction();
        const double noise = integer(0, 1) * std::pow(10, uniform(-17, -4));
        for (Vec3& p : x) p = uniform() * a + noise * vector();
        break;
      }
      case 5: {   // on two parallel lines, or nearly
        const Vec3 a = direction(), shift = vector();
        const double noise = integer(0, 1) * std::pow(10, uniform(-17, -4));
        for (int i = 0; i < N; ++i) x[i] = uniform() * a + (i >= N / 2 ? shift : Vec3(Vec3::Zero())) + noise * vector();
        break;
      }
      case 6: {   // some of them the same
        for (Vec3& p : x) p = vector();
        for (int i = integer(0, N); i > 0; --i) x[integer(0, N - 1)] = x[integer(0, N - 1)];
        break;
      }
      default: {   // of very different sizes
        const Vec3 centre = vector();
        for (Vec3& p : x) p = centre + std::pow(10, uniform(-9, 0)) * vector();
      }
    }
    return x;
  }

 private:
  std::mt19937 random_;
};

/// How many pairs of each kind, or as many as STICKSLIP_DISTANCE_PAIRS asks for.
inline int pair_count(int daily) {
  const char* wanted = std::getenv("STICKSLIP_DISTANCE_PAIRS");
  return wanted != nullptr ? std::atoi(wanted) : daily;
}

/// By how much the way from a point of A to a point of B misses the normal of two convex features: no corner of A lies beyond
/// the plane across it at its start, none of B before the one at its end, exactly if these are nearest points [m].
inline double normal_error(std::span<const Vec3> a, std::span<const Vec3> b, const Vec3& on_a, const Vec3& on_b) {
  const Vec3 n = (on_b - on_a).normalized();
  double worst = 0;
  for (const Vec3& x : a) worst = std::max(worst, n.dot(x - on_a));
  for (const Vec3& x : b) worst = std::max(worst, n.dot(on_b - x));
  return worst;
}

/// Largest difference of two of the points [m].
template <std::size_t N>
double extent(const std::array<Vec3, N>& x) {
  double largest = 0;
  for (const Vec3& p : x)
    for (const Vec3& q : x) largest = std::max(largest, (p - q).norm());
  return largest;
}

/// What rounding of points, with coordinates up to 3, allows of it: features that touch have no normal.
inline double normal_rounding(double extent, double distance) {
  return distance > 0 ? 4e-15 * (extent + 3) * extent / distance : std::numeric_limits<double>::infinity();
}
/// Of triangles thinner than √ε of their length, inside and edges are as near but for rounding of squares.
inline double triangle_normal_rounding(double extent, double distance) {
  return normal_rounding(extent, distance) + 3e-8 * extent;
}

}   // namespace stickslip::distance_test
