// The meshes of a trajectory: the group /meshes of docs/records.md.
#pragma once

#include "record/growing_dataset.h"
#include "record/mesh_pool.h"

namespace stickslip {

/// Every distinct mesh is written once, when a shape brings it first.
class MeshDatasets {
 public:
  /// Makes the group. Every dataset is appended to `all`.
  void create(hid_t file, std::vector<h5::GrowingDataset*>& all);

  /// @returns number of the mesh in the file
  std::uint32_t find_or_add(const Mesh&);

 private:
  MeshPool pool_;
  h5::GrowingDataset name_, first_vertex_, first_triangle_, vertices_, triangles_, facet_;
};

}   // namespace stickslip
