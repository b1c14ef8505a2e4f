// Surfaces made of triangles: area, volume and mass of what they enclose.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stickslip/geometry/aabb.h"
#include "stickslip/geometry/mass_properties.h"

namespace stickslip {

struct TriangleMesh {
  std::vector<Vec3> vertices;                            ///< [m]
  std::vector<std::array<std::uint32_t, 3>> triangles;   ///< counter-clockwise seen from outside
};

/// How a mesh wants to be drawn, as far as its file says: three entries per triangle, one for each corner, or none. Corners and
/// not vertices, because a vertex at a sharp edge has one place but several normals.
struct MeshLook {
  std::vector<std::array<float, 3>> normals;   ///< unit, outward
  std::vector<std::array<float, 4>> colours;   ///< red, green, blue as screens show them (sRGB), opacity, 0 … 1
  std::vector<std::array<float, 2>>
      on_picture;                          ///< right and up from the lower left corner of the picture, which repeats beyond 1
  std::vector<std::uint32_t> picture_of;   ///< one per triangle: number of its picture, from 1; 0: none. Empty without pictures
  std::vector<std::string> pictures;       ///< whole files, PNG or JPEG; they multiply the colours

  bool operator==(const MeshLook&) const = default;
};

inline std::array<Vec3, 3> corners_of(const TriangleMesh& mesh, std::uint32_t triangle) {
  const auto& t = mesh.triangles[triangle];
  return {mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
}

/// ½ Σ |(b − a) × (c − a)| [m²]
double area(const TriangleMesh&);

/// Volume that a closed surface encloses, ⅙ Σ a · (b × c) about the middle of its box [m³]; negative if it is inside out.
double volume(const TriangleMesh&);

/// Tight box of the vertices; empty (lower > upper) if there are none.
Aabb bounding_box(const TriangleMesh&);

/// Whether every edge is walked as often one way as the other: then the surface encloses a volume.
bool is_closed(const TriangleMesh&);

/// Mass, centre and inertia of the solid inside a closed surface: the exact integrals of ρ, ρx and ρxxᵀ over the tetrahedra
/// that its triangles span with the middle of its box.
/// @param density ρ [kg/m³], > 0
/// @throws Error if the surface is not closed or encloses no positive volume
MassProperties mass_properties(const TriangleMesh&, double density);

/// @throws Error naming vertex or triangle if a coordinate is not finite or beyond 1e30 m, or an index is out of range
void validate(const TriangleMesh&);

/// @throws Error if a list of the look has another length than the mesh asks for, or a triangle names a missing picture
void validate(const MeshLook&, std::size_t triangles);

}   // namespace stickslip
