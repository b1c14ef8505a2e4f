// Doubles as floats that err on a known side.
#pragma once

#include <cmath>
#include <limits>

namespace stickslip {

/// A float ≤ x, the largest one or the next below it.
inline float float_below(double x) {
  const float rounded = static_cast<float>(x);
  return static_cast<double>(rounded) <= x ? rounded : std::nextafter(rounded, -std::numeric_limits<float>::infinity());
}

/// A float ≥ x, the smallest one or the next above it.
inline float float_above(double x) {
  const float rounded = static_cast<float>(x);
  return static_cast<double>(rounded) >= x ? rounded : std::nextafter(rounded, std::numeric_limits<float>::infinity());
}

}   // namespace stickslip
