#include "record/trajectory_meshes.h"

#include "record/trajectory_joints.h"

namespace stickslip {

using h5::GrowingDataset;

void MeshDatasets::create(hid_t file, std::vector<GrowingDataset*>& all) {
  const h5::Handle group = h5::create_group(file, "meshes");
  const auto add = [&](GrowingDataset& dataset, const char* name, hid_t type, GrowingDataset::Layout layout,
                       std::string_view unit = "") {
    dataset = GrowingDataset(group.get(), name, type, std::move(layout));
    if (!unit.empty()) h5::write_attribute(dataset.id(), "unit", unit);
    all.push_back(&dataset);
  };
  const GrowingDataset::Layout scalar{{}, 64}, many{{}, 8192}, corners{{3}, 8192};
  add(name_, "name", h5::text_type(kNameLength).get(), scalar);
  add(first_vertex_, "first_vertex", H5T_NATIVE_UINT64, scalar);
  add(first_triangle_, "first_triangle", H5T_NATIVE_UINT64, scalar);
  add(vertices_, "vertices", H5T_NATIVE_DOUBLE, corners, "m");
  add(triangles_, "triangles", H5T_NATIVE_UINT32, corners);
  add(facet_, "facet", H5T_NATIVE_UINT32, many);
  first_vertex_.push(std::uint64_t{0});
  first_triangle_.push(std::uint64_t{0});
}

std::uint32_t MeshDatasets::find_or_add(const Mesh& mesh) {
  const auto [number, is_new] = pool_.find_or_add(mesh);
  if (!is_new) return number;
  const MeshSolid& solid = *mesh.solid;
  push_text(name_, solid.name(), kNameLength);
  for (const Vec3& vertex : solid.mesh().vertices) vertices_.push(vertex);
  for (const auto& triangle : solid.mesh().triangles) triangles_.push(triangle.data(), sizeof triangle);
  for (std::size_t t = 0; t < solid.mesh().triangles.size(); ++t) facet_.push(solid.facet_of(t));
  first_vertex_.push(std::uint64_t{vertices_.rows()});
  first_triangle_.push(std::uint64_t{triangles_.rows()});
  return number;
}

}   // namespace stickslip
