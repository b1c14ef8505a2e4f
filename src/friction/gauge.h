// The gauge of a convex set: by how much it must grow to reach a point.
#pragma once

#include <limits>

#include "math/infinity.h"
#include "stickslip/friction/convex_set.h"

namespace stickslip {

template <int Rows>
struct Gauge {
  /// ∞ if no multiple of the set has the point
  double value = 0;
  Eigen::Matrix<double, Rows, 1> gradient = Eigen::Matrix<double, Rows, 1>::Zero();   ///< exact for polyhedra
};

/// The least n with x ∈ n F(1). Every direction d bounds it from below by ⟨d, x⟩ / support(d); the direction from the closest
/// point of n F(1) to x, with the bound so far as n, gives the next bound. That is Newton's method on the distance of x from n
/// F(1), which is convex in n: it climbs to the root, quadratically for smooth sets, in finitely many steps for polyhedra.
template <int Rows>
Gauge<Rows> gauge_of(const ConvexSet<Rows>& set, const Eigen::Matrix<double, Rows, 1>& x) {
  using Vector = Eigen::Matrix<double, Rows, 1>;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const FrictionBox<Rows> box = set.box(1);
  const double size = box.upper.norm() + box.lower.norm();
  Gauge<Rows> gauge;
  Vector scaled = x, direction = x;
  for (int k = 0; k < 200 && !direction.isZero(0); ++k) {
    const double along = direction.dot(x), support = set.support(direction), rounding = epsilon * scaled.norm();
    // A direction in which the set has no extent, up to rounding of the direction, excludes x for every n.
    if (along > 0 && !(support > 8 * rounding * size) && direction.norm() > 1e-6 * scaled.norm()) return {kInfinity};
    const double bound = support > 0 ? along / support : 0;
    if (!(bound > gauge.value * (1 + epsilon))) break;
    gauge.value = bound;
    gauge.gradient = direction / support;
    // Divided, rather than F(1) multiplied, so that sets that do not scale will do.
    scaled = x / bound;
    direction = scaled - set.project(1, scaled);
  }
  return gauge;
}

}   // namespace stickslip
