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
/// The same with elements of that size in the middle of the top, at (0, 0, half_extents.z), which grow away from it: boxes
/// around the middle, all cut into the same number of cells along their sides. The second is `growth` times as large as the
/// first, the last `growth`³ times as large as the one inside it. @param growth in (1, 2]; cells along the shortest side are
/// 0.6 / (growth − 1), and four at least
TetMesh soft_graded_box(const Vec3& half_extents, double size, double growth);
TetMesh soft_sphere(double radius, double size);   ///< an icosahedron of 20 n³ tetrahedra, blown up
TetMesh soft_cylinder(double radius, double half_height, double size);
TetMesh soft_capsule(double radius, double half_height, double size);   ///< half_height: of the cylinder between the half-balls
TetMesh soft_torus(double ring_radius, double tube_radius, double size);

}   // namespace stickslip
