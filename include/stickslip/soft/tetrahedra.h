// Tetrahedra of a soft body. Meshes of them (TetMesh), their volumes and surfaces stand in geometry/tet_mesh.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/geometry/tet_mesh.h"

namespace stickslip {

using Tetrahedron = std::array<std::uint32_t, 4>;   ///< nodes a, b, c, d with (b − a) · ((c − a) × (d − a)) > 0

/// The triangles of the boundary, outward, in the order of the tetrahedra; nodes are numbered as in those.
std::vector<std::array<std::uint32_t, 3>> boundary_triangles(std::span<const Tetrahedron>);

}   // namespace stickslip
