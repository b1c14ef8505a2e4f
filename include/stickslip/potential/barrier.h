// The scalar functions that contact as a potential is made of [Li et al. 2020; course §5.3].
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stickslip {

/// How the barriers of pairs of features are added up.
enum class BarrierForm : std::uint8_t {
  area,   ///< every point counted once, weighted by the area that it stands for: converges as meshes are refined
  plain   ///< every pair of a point and a triangle
};

/// A function of one number with its derivatives.
struct ScalarFunction {
  double value = 0, first = 0, second = 0;
};

/// The clamped logarithm b(d) = −(d/r − 1)² ln(d/r) [1], zero from d = r on, infinite at d = 0, twice differentiable between.
/// @param distance d > 0 [m] @param range r > 0 [m]
inline ScalarFunction log_barrier(double distance, double range) {
  if (!(distance < range)) return {};
  const double x = distance / range, y = x - 1, log = std::log(x);
  return {-y * y * log, (-2 * y * log - y * y / x) / range, (-2 * log - 4 * y / x + y * y / (x * x)) / (range * range)};
}

/// Friction over the way s that a contact has slipped: its force m(s) = f'(s) grows to 1 over the length ε and stays there;
/// m(s) = 2 s/ε − (s/ε)² below it. `first` is m, `second` its slope.
/// @param s ≥ 0 [m] @param length ε > 0 [m]
inline ScalarFunction smooth_friction(double s, double length) {
  if (s >= length) return {s, 1, 0};
  const double x = s / length;
  return {length * (1 / 3.0 + x * x * (1 - x / 3)), x * (2 - x), 2 * (1 - x) / length};
}

/// m(s)/s, finite at s = 0 [1/m].
inline double smooth_friction_over_way(double s, double length) { return s >= length ? 1 / s : (2 - s / length) / length; }

/// The slope of s/m(s), the way over the part of its full force.
inline double slope_of_way_over_friction(double s, double length) {
  const double x = std::min(1.0, s / length);
  return 1 / ((2 - x) * (2 - x));
}

/// The way at which friction has a given part of its full force: the inverse of m. @param part in [0, 1]
inline double way_of_friction(double part, double length) { return length * (1 - std::sqrt(std::max(0.0, 1 - part))); }

}   // namespace stickslip
