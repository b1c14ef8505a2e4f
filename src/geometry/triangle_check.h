// What every structure over a mesh takes for granted.
#pragma once

#include <span>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// @throws Error naming the place if a triangle names a vertex that is not there or one that is not finite.
void require_finite_triangles(std::span<const Vec3> vertices, std::span<const std::array<std::uint32_t, 3>> triangles);
inline void require_finite_triangles(const TriangleMesh& mesh) { require_finite_triangles(mesh.vertices, mesh.triangles); }

}   // namespace stickslip
