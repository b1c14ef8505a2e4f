// Meshes into files, by ending; coordinates in metres, z up. A file that is there is replaced only once the new one is whole.
#pragma once

#include <filesystem>

#include "stickslip/geometry/tet_mesh.h"

namespace stickslip {

/// .stl (binary, single precision), .obj, .ply (binary, double precision), .vtk (legacy text). @throws Error for other endings,
/// or if the file
/// cannot be written
void write_mesh(const std::filesystem::path&, const TriangleMesh&);

/// .obj with one object per part, named part0, part1, …; other formats hold one mesh only. @throws Error as above
void write_mesh_parts(const std::filesystem::path&, const std::vector<TriangleMesh>&);

/// .msh (Gmsh 2.2, text), .vtk (legacy text), or .node and .ele (TetGen) beside each other. @throws Error as above
void write_mesh(const std::filesystem::path&, const TetMesh&);

}   // namespace stickslip
