// Solids made of tetrahedra.
#pragma once

#include <span>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

struct TetMesh {
  std::vector<Vec3> vertices;                             ///< [m]
  std::vector<std::array<std::uint32_t, 4>> tetrahedra;   ///< of positive volume
};

/// The boundary of a solid, by the vertices of the solid.
struct TetBoundary {
  std::vector<std::array<std::uint32_t, 3>> triangles;   ///< outward
  std::vector<std::uint32_t> tetrahedron;                ///< per triangle: the one that it belongs to
};

/// Triangles that belong to one tetrahedron only, in the order of the tetrahedra.
TetBoundary boundary(std::span<const std::array<std::uint32_t, 4>> tetrahedra);

/// The boundary of a solid, with vertices of its own.
struct TetSurface {
  TriangleMesh mesh;                        ///< outward
  std::vector<std::uint32_t> tet_vertex;    ///< per vertex of `mesh`: that of the solid, increasing
  std::vector<std::uint32_t> tetrahedron;   ///< per triangle: the one that it belongs to
};

TetSurface surface(const TetMesh&);

/// ⅙ (b − a) · ((c − a) × (d − a)) [m³]: positive if b, c, d go round counter-clockwise seen from a point opposite to a.
double tet_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

double volume(const TetMesh&);   ///< sum over the tetrahedra [m³]

struct TetQuality {
  double smallest_angle = 0, largest_angle = 0;     ///< dihedral [rad]
  double smallest_volume = 0, largest_volume = 0;   ///< [m³]
};
TetQuality quality(const TetMesh&);

/// @throws Error naming vertex or tetrahedron if a coordinate is not finite, an index is out of range or a volume is not
/// positive
void validate(const TetMesh&);

}   // namespace stickslip
