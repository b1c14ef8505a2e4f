// Meshes from files: surfaces of triangles and solids of tetrahedra.
//
// Nothing is mended on the way in but what a format forces: where it repeats the place of a vertex for every triangle (STL) or
// every
// normal (glTF, COLLADA), vertices at bit-equal places become one. Polygons are cut into triangles.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/geometry/tet_mesh.h"

namespace stickslip {

/// The axis of a file that points up; y up is turned about x into z up: (x, y, z) becomes (x, −z, y).
enum class UpAxis { z, y };

struct MeshFileOptions {
  double scale = 1;   ///< metres per unit of the file, finite and > 0
  std::optional<UpAxis> up =
      std::nullopt;    ///< without it as the format says: y in glTF, its own word in COLLADA, z in all others
  bool look = false;   ///< also read normals, colours and pictures, those of materials of .obj, .dae and .gltf too
  std::size_t max_elements = 50'000'000;   ///< triangles or tetrahedra; a file with more is refused before it fills the memory
  Vec3 stretch =
      Vec3::Ones();   ///< factors of the axes on top of the scale, none of them 0; a mirror turns the triangles round
};

struct ImportedMesh {
  TriangleMesh mesh;
  MeshLook look;
  std::vector<std::string> notes;   ///< what was done on the way in that the file does not say
};

struct ImportedTets {
  TetMesh mesh;
  std::vector<std::string> notes;
};

/// Reads .obj, .stl, .ply, .off, .dae (in double precision, as far as they have it) and, through Assimp, .gltf and .glb.
/// COLLADA says its unit
/// itself, which `scale` multiplies. Of .msh, .vtk, .vtu, .node and .ele the triangles, or the surface of the tetrahedra where
/// there are none.
/// @throws Error that names file, place, value and remedy: no such file, cut off, not finite, index out of range, no triangles,
/// too many
ImportedMesh read_triangle_mesh(const std::filesystem::path&, const MeshFileOptions& = {});

/// Reads the tetrahedra of .msh (Gmsh 2.2, text and binary, and 4.1, text), .vtk (legacy, text), .vtu (text), or .node with
/// .ele (TetGen).
/// Tetrahedra of second order keep their corners; those of negative volume are turned round, which a note tells.
ImportedTets read_tet_mesh(const std::filesystem::path&, const MeshFileOptions& = {});

/// Whether the ending is one of a format of tetrahedra.
bool is_tet_file(const std::filesystem::path&);

}   // namespace stickslip
