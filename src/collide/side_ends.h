// Round bodies that cross: beside the point where they are nearest, the ends of their sides. A roller that rocks on another
// touches with one end after the other, and the nearest point runs the whole way between them within a step.
#pragma once

#include <algorithm>
#include <cmath>

#include "stickslip/collide/contact.h"

namespace stickslip::narrow {

/// A capsule or a cylinder around its axis.
struct Roller {
  Vec3 center;          ///< [m]
  Vec3 axis;            ///< unit
  double half_height;   ///< [m]
  double radius;        ///< [m]
  bool flat_ends;       ///< of a cylinder

  /// How far it reaches from an end of its axis along the unit vector `n` [m].
  double reach(const Vec3& n) const {
    return flat_ends ? radius * std::sqrt(std::max(0.0, 1 - n.dot(axis) * n.dot(axis))) : radius;
  }
};

/// Adds the ends of either axis that lie beside the other, with gap ≤ margin along a normal of their own, unless they are
/// where the bodies are nearest: at `nearest_a`, `nearest_b` along the axes [m]. @param first_feature of four
inline void add_side_ends(const Roller& a, double nearest_a, const Roller& b, double nearest_b, const Vec3& origin,
                          double margin, std::uint32_t first_feature, ContactSink& sink) {
  constexpr double kAnother = 0.1;   // of the half height: an end that is nearer to the nearest point is that point
  for (const bool of_b : {false, true}) {
    const Roller &mine = of_b ? b : a, &other = of_b ? a : b;
    const double nearest = of_b ? nearest_b : nearest_a;
    for (const double sign : {-1.0, 1.0}) {
      if (std::abs(nearest - sign * mine.half_height) < kAnother * mine.half_height) continue;
      const Vec3 end = mine.center + sign * mine.half_height * mine.axis;
      const double along = other.axis.dot(end - other.center);
      if (std::abs(along) > other.half_height) continue;
      const Vec3 foot = other.center + along * other.axis, d = end - foot;
      const double distance = d.norm();
      if (!(distance > 1e-3 * other.radius)) continue;
      const Vec3 n = d / distance;   // from the other to mine
      const double gap = distance - other.radius - mine.reach(n);
      if (gap > margin) continue;
      const std::uint32_t feature = first_feature + (of_b ? 2u : 0u) + (sign > 0 ? 1u : 0u);
      sink.add(origin + foot + (other.radius + 0.5 * gap) * n, of_b ? n : Vec3(-n), gap, feature);
    }
  }
}

}   // namespace stickslip::narrow
