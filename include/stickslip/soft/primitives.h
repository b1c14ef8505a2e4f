// Simple solids filled with tetrahedra: structured, alike in shape and size, none of them flat.
//
// All are centred at the origin; axes of cylinder, capsule and torus are z, as those of the rigid shapes are. Curved surfaces
// are met by the nodes, so that volumes come out too small by the order of size². `size` is about the length of edges [m]; a
// solid has at least one layer of them in every direction, more where it would not be round at all.
#pragma once

#include "stickslip/geometry/tet_mesh.h"

namespace stickslip {

/// Cells of five tetrahedra each, mirrored from cell to cell. @throws Error (all of them) if a length is not finite and
/// positive, or if there would be more than ten million tetrahedra
TetMesh soft_box(const Vec3& half_extents, double size);
TetMesh soft_sphere(double radius, double size);   ///< an icosahedron of 20 n³ tetrahedra, blown up
TetMesh soft_cylinder(double radius, double half_height, double size);
TetMesh soft_capsule(double radius, double half_height, double size);   ///< half_height: of the cylinder between the half-balls
TetMesh soft_torus(double ring_radius, double tube_radius, double size);

}   // namespace stickslip
