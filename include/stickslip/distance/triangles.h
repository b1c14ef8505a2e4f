// Two triangles: closest points, and which features they lie on.
#pragma once

#include <array>

#include "stickslip/distance/closest.h"

namespace stickslip {

/// What makes the distance of two triangles a and b.
enum class TrianglePairKind : std::uint8_t {
  meeting,       ///< they have points in common: that given is one, to rounding over the smallest sine of an angle
  vertex_of_a,   ///< a corner of a and a point of b
  vertex_of_b,   ///< a point of a and a corner of b
  edges          ///< an edge of each
};

/// Closest points Σ weights_a[i] aᵢ and Σ weights_b[i] bᵢ; the weights are not negative and add up to 1.
struct ClosestOfTriangles {
  double squared_distance = 0;   ///< [m²]; 0 exactly if and only if the triangles meet, whatever rounding does
  Vec3 weights_a = Vec3::UnitX(), weights_b = Vec3::UnitX();
  TrianglePairKind kind = TrianglePairKind::meeting;
  /// The corner for vertex_of_a and vertex_of_b in its own place, else the number i of the edge (xᵢ, xᵢ₊₁); −1: the whole
  /// triangle.
  int feature_a = -1, feature_b = -1;
};

/// The smallest of six distances of corners from triangles and nine of edges; whether they meet is decided exactly
/// (intersection.h). Distances so small that their squares vanish are given as the smallest normal number.
ClosestOfTriangles closest_of_triangles(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

}   // namespace stickslip
