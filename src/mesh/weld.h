// Vertices at the same place become one.
#pragma once

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// Per vertex the first one at the same place, or within `distance` [m] of one that was kept before it; in linear time.
std::vector<std::uint32_t> first_at_place(const std::vector<Vec3>&, double distance);

/// Lets triangles use the first vertex at each place and leaves out the others; keeps vertices that no triangle uses, and all
/// triangles.
void weld(TriangleMesh&, double distance);

/// Leaves out vertices that no triangle uses. @returns their number
std::size_t drop_unused_vertices(TriangleMesh&);

}   // namespace stickslip
