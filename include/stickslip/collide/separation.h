// How far two shapes are apart: what conservative advancement asks for.
#pragma once

#include "stickslip/geometry/shape.h"

namespace stickslip {

struct ShapeSeparation {
  /// All of B is farther than this from all of A along `normal` [m]: never more than the distance of the shapes, and for convex
  /// ones the distance itself but for rounding. Negative: they may overlap.
  double distance = 0;
  Vec3 normal = Vec3::Zero();   ///< unit, from A to B; zero if no plane need lie between the shapes
};

/// @pre has_separation(a, b)
ShapeSeparation separation(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

/// Whether there is one: not between two half-spaces, nor with a mesh.
bool has_separation(const Shape& a, const Shape& b);

}   // namespace stickslip
