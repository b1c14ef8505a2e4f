// What every structure over a mesh takes for granted.
#pragma once

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// @throws Error naming the place if a triangle names a vertex that is not there or one that is not finite.
void require_finite_triangles(const TriangleMesh&);

}   // namespace stickslip
