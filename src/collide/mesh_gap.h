// The distance of two meshes.
#pragma once

#include <optional>

#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::narrow {

struct MeshGap {
  double distance = 0;   ///< ≥ 0; 0 where the surfaces meet [m]
  Vec3 on_a, on_b;       ///< nearest points, in the frame of A [m]
  std::uint32_t triangle_a = 0, triangle_b = 0;
  bool generic = false;   ///< a vertex and the inside of a face, or the insides of two edges
};

/// The nearest points of two surfaces; none beyond `reach` [m].
std::optional<MeshGap> gap_of(const MeshSolid& a, const MeshSolid& b, const Pose& b_in_a, double reach);

}   // namespace stickslip::narrow
