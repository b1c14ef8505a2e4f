// Axis-aligned bounding boxes in world coordinates.
#pragma once

#include <limits>

#include "stickslip/geometry/shape.h"

namespace stickslip {

struct Aabb {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());    ///< [m]
  Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());   ///< [m]

  bool overlaps(const Aabb& o) const {
    return (lower.array() <= o.upper.array()).all() && (o.lower.array() <= upper.array()).all();
  }
  bool contains(const Aabb& o) const {
    return (lower.array() <= o.lower.array()).all() && (o.upper.array() <= upper.array()).all();
  }
  Aabb merged(const Aabb& o) const { return {lower.cwiseMin(o.lower), upper.cwiseMax(o.upper)}; }
  Aabb grown(double by) const { return {lower.array() - by, upper.array() + by}; }
  double half_area() const {
    const Vec3 d = upper - lower;
    return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
  }
};

/// Tight box of a shape at a pose. For a half-space it is infinite in every direction.
Aabb bounding_box(const Shape&, const Pose&);

}   // namespace stickslip
