#include "record/mesh_pool.h"

namespace stickslip {

MeshPool::Place MeshPool::find_or_add(const Mesh& mesh) {
  if (const auto found = known_.find(mesh.solid); found != known_.end()) return {found->second, false};
  const auto [first, last] = by_checksum_.equal_range(mesh.solid->checksum());
  for (auto candidate = first; candidate != last; ++candidate) {
    const MeshSolid& other = *meshes_[candidate->second];
    const bool same_field =
        other.field() == mesh.solid->field() ||
        (other.field() && mesh.solid->field() && other.field_text() == mesh.solid->field_text() && !other.field_text().empty());
    if (other.name() != mesh.solid->name() || other.look() != mesh.solid->look() || !same_field) continue;
    known_.emplace(mesh.solid, candidate->second);
    return {candidate->second, false};
  }
  const auto number = static_cast<std::uint32_t>(meshes_.size());
  meshes_.push_back(mesh.solid);
  known_.emplace(mesh.solid, number);
  by_checksum_.emplace(mesh.solid->checksum(), number);
  return {number, true};
}

}   // namespace stickslip
