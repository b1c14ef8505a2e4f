// What is drawn of a body of nodes: a surface between nodes, and beads where there is none.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/world/nodal_body.h"

namespace stickslip {

/// Nodes that no triangle touches, ascending: they are drawn as beads. None of a soft body.
std::vector<std::uint32_t> bare_nodes(const NodalBody&);

/// Unit normals at the corners of a mesh: means over the triangles there, weighted by area; +z where there is none.
/// @param positions of the corners, three numbers each [m]
std::vector<float> corner_normals(std::span<const float> positions, std::span<const std::array<std::uint32_t, 3>> triangles);

}   // namespace stickslip
