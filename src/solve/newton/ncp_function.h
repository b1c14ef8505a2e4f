// Functions ψ(a, b) that vanish exactly where 0 ≤ a ⊥ b ≥ 0 [course §3.3.1, §3.3.2].
#pragma once

#include <cmath>

namespace stickslip {

struct NcpValue {
  double value, by_a, by_b;
};

struct MinimumMap {
  NcpValue operator()(double a, double b) const { return a < b ? NcpValue{a, 1, 0} : NcpValue{b, 0, 1}; }
};

/// a + b − √(a² + b²). At the origin the derivative along the diagonal is taken.
struct FischerBurmeister {
  NcpValue operator()(double a, double b) const {
    if (std::isinf(a)) return {b, 0, 1};
    if (std::isinf(b)) return {a, 1, 0};
    const double size = std::hypot(a, b);
    if (!(size > 0)) return {a + b, 1 - std::sqrt(0.5), 1 - std::sqrt(0.5)};
    // For a > 0 and b > 0 the difference a + b − size would cancel.
    const double value = a > 0 && b > 0 ? 2 * a * b / (a + b + size) : a + b - size;
    return {value, 1 - a / size, 1 - b / size};
  }
};

/// The function of a number x between l and u with slope y, by nesting: zero where x = l and y ≥ 0, x = u and y ≤ 0, or y = 0
/// between [thesis A (27)].
struct BoundedValue {
  double value, by_lower, by_upper, by_slope;   ///< derivatives by x − l, u − x and y
};
template <class Ncp>
BoundedValue bounded(const Ncp& ncp, double above_lower, double below_upper, double slope) {
  const NcpValue inner = ncp(-slope, below_upper), outer = ncp(above_lower, -inner.value);
  return {outer.value, outer.by_a, -outer.by_b * inner.by_b, outer.by_b * inner.by_a};
}

}   // namespace stickslip
