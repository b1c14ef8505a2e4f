// Directions that are spread evenly, in opposite pairs.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip::friction_detail {

/// The direction at i/k of a full turn from the first axis; exact on the axes, and exactly opposite half a turn on.
inline Vec2 direction_in_plane(int i, int k) {
  // Whole quarter turns are made without rounding; the rest is less than a quarter.
  const int quarters = 4 * i / k, rest = 4 * i - quarters * k;
  const double angle = 0.5 * std::numbers::pi * rest / k, c = std::cos(angle), s = std::sin(angle);
  switch (quarters % 4) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

/// k directions in the plane, the first along the first axis. @pre k even
std::vector<Vec2> directions_in_plane(int k);
/// k directions in space, the axes among them; after each its opposite. @pre k even, at least 6
std::vector<Vec3> directions_in_space(int k);

}   // namespace stickslip::friction_detail
