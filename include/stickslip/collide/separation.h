// How far two shapes are apart: what conservative advancement asks for.
#pragma once

#include <cstdint>

#include "stickslip/geometry/shape.h"

namespace stickslip {

struct ShapeSeparation {
  /// Never more than the distance of the shapes, and where they are nearer than their sizes that distance but for rounding [m].
  /// 0 or less: they overlap, or may do so.
  double distance = 0;
  /// Of convex shapes: unit, from A to B; all of B is farther than `distance` from all of A along it. Zero with a mesh, where
  /// no plane need lie between the shapes.
  Vec3 normal = Vec3::Zero();
};

/// The triangles at which meshes were nearest when they were looked at last; of others nothing. Handed from look to look of the
/// same pair it saves most of the search, and changes a distance by no more than rounding.
struct NearestPlace {
  std::uint32_t triangle_a = 0, triangle_b = 0;
};

/// @pre has_separation(a, b)
ShapeSeparation separation(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, NearestPlace* = nullptr);

/// Whether there is one: not between two half-spaces.
bool has_separation(const Shape& a, const Shape& b);

}   // namespace stickslip
