// One reader per format. Each throws Error with the line or the number of what is wrong, without the name of the file.
#pragma once

#include <filesystem>

#include "mesh/files/builder.h"

namespace stickslip::mesh_file {

/// @param folder of the file, where its materials are
void read_obj(std::string_view bytes, const std::filesystem::path& folder, Builder&);
void read_stl(std::string_view bytes, Builder&);
void read_ply(std::string_view bytes, Builder&);
void read_off(std::string_view bytes, Builder&);

void read_gltf(const std::filesystem::path&, Builder&);

/// @returns the axis that the file says points up
UpAxis read_collada(std::string_view bytes, const std::filesystem::path& folder, const MeshFileOptions&, Builder&);

/// What a file of elements holds: its corners as indices of `vertices`, checked.
struct Elements {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::array<std::uint32_t, 4>> tetrahedra;
  std::size_t others = 0;         ///< elements of other kinds, left out
  std::size_t second_order = 0;   ///< elements of which only the corners were kept

  void add_vertex(const Vec3&);   ///< @throws Error if it is not finite
};

Elements read_msh(std::string_view bytes);
Elements read_vtk(std::string_view bytes);
Elements read_vtu(std::string_view bytes);
Elements read_tetgen(std::string_view nodes, std::string_view elements);

/// Adds one cell of VTK. @param points indices, each checked. @throws Error that names the index
void add_vtk_cell(Elements&, int type, std::span<const std::int64_t> points);

}   // namespace stickslip::mesh_file
