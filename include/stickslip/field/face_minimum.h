// The deepest point of a triangle or an edge in a distance field: contact of faces, not only of vertices.
#pragma once

#include "stickslip/field/distance_field.h"

namespace stickslip {

struct MinimumOptions {
  double tolerance = 1e-6;     ///< of the value, relative to the longest edge
  int max_evaluations = 200;   ///< of the field, per piece
  /// The triangle is cut into 4ⁿ pieces (an edge into 2ⁿ), and those that the 1-Lipschitz bound cannot rule out are searched on
  /// their own. A convex solid needs none: its field is convex, every local minimum is global.
  int subdivisions = 1;   ///< 0 to 3 for faces; nothing is allocated
};

struct FieldMinimum {
  Vec3 point = Vec3::Zero();      ///< [m]
  Vec3 weights = Vec3::Zero();    ///< of the corners; of an edge the third is 0
  double value = 0;               ///< of the field at the point [m]
  Vec3 gradient = Vec3::Zero();   ///< of the field at the point
  int evaluations = 0;            ///< of the field, all together
};

/// min φ(x) over x = w₀ a + w₁ b + w₂ c, w ≥ 0, Σ w = 1 [Macklin et al. 2020]. Frank–Wolfe steps from the best corner or
/// middle: towards the corner s with the smallest ∇φ·s, until ∇φ·(x − s) is below the tolerance. Where kinks or an inner
/// minimum make it slow, cuts through the centre of what is left of the triangle, along the level line of φ there, halve it
/// again and again: that converges for every convex field, smooth or not. The best point that was seen is returned.
FieldMinimum minimise_over_triangle(const DistanceField&, const Vec3& a, const Vec3& b, const Vec3& c,
                                    const MinimumOptions& = {});

/// min φ over the segment ab, by bisection of the slope.
FieldMinimum minimise_over_edge(const DistanceField&, const Vec3& a, const Vec3& b, const MinimumOptions& = {});

}   // namespace stickslip
