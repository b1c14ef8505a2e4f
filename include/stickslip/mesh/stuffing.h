// Tetrahedra inside a surface, by isosurface stuffing [Labelle, Shewchuk 2007].
#pragma once

#include <functional>

#include "stickslip/geometry/tet_mesh.h"

namespace stickslip {

/// Negative inside, zero on the surface, positive outside [m]; changes by no more than the way moved (a distance, or less).
using DistanceFunction = std::function<double(const Vec3&)>;

struct StuffingOptions {
  double size = 0;   ///< length of the longer edges of the lattice [m], > 0; the shorter ones are √3/2 of it
  std::size_t max_lattice_points = 40'000'000;   ///< a finer lattice is refused, with the smallest size that is not
};

/// Fills {distance < 0} with tetrahedra of about equal size from a body-centred cubic lattice: points of the lattice near the
/// surface are moved
/// onto it, tetrahedra across it are cut. All dihedral angles lie between 10.7° and 164.8°, whatever the surface. Vertices on
/// the boundary lie on
/// the surface; sharp edges are cut off and what is thinner than the lattice may be lost.
/// @param box holds the solid
/// @throws Error if the size is no length, the lattice too large, or nothing lies inside
TetMesh stuff(const DistanceFunction& distance, const Aabb& box, const StuffingOptions&);

/// The same for a closed mesh. @throws Error also if the mesh is not closed
TetMesh stuff(const TriangleMesh&, const StuffingOptions&);

}   // namespace stickslip
