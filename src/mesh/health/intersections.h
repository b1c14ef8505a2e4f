// Pairs of triangles of a mesh that run through each other.
#pragma once

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

struct Intersections {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;   ///< triangles, the smaller first, sorted
  bool complete = true;   ///< false: the search ended at the most pairs asked for, or at its limit of work
};

/// Triangles that have a point in common beyond the corners that they share: they cross, touch, or lie on each other. Corners
/// at the same
/// place are shared, whatever their numbers; pairs with three shared corners (duplicates) and triangles without area are left
/// out.
/// @param limit most pairs. Work grows with the number of pairs of triangles whose boxes overlap, and ends at 500 per triangle
Intersections find_intersections(const TriangleMesh&, std::size_t limit);

/// Height over the longest side ≤ 1e-12 of that side: no area to speak of.
bool is_degenerate(const Vec3& a, const Vec3& b, const Vec3& c);

}   // namespace stickslip
