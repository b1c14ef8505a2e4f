// Polygons cut into triangles by clipping ears.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// Triangles of a polygon in space, as indices of its corners, all the same way round as the polygon; count − 2 of them,
/// whatever the polygon.
/// They stay inside it if it is simple in the plane across its area vector ½ Σ pᵢ × pᵢ₊₁.
std::vector<std::array<std::uint32_t, 3>> triangulated(const std::vector<Vec3>& corners);

/// Triangles between closed loops in the plane: outer ones counter-clockwise, holes in them clockwise, all simple and apart.
/// Each loop lists
/// indices of points. Every side of every loop is a side of exactly one triangle, also where rounding makes loops touch.
std::vector<std::array<std::uint32_t, 3>> triangulated(const std::vector<Vec2>& points,
                                                       const std::vector<std::vector<std::uint32_t>>& loops);

}   // namespace stickslip
