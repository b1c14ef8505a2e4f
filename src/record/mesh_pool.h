// The distinct meshes of a record.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "stickslip/geometry/mesh_solid.h"

namespace stickslip {

/// Gives meshes numbers, equal ones the same: those of equal surface, name, look and field.
class MeshPool {
 public:
  struct Place {
    std::uint32_t number;
    bool is_new;
  };

  /// @pre the mesh is not null
  Place find_or_add(const Mesh&);
  std::size_t size() const { return meshes_.size(); }
  const MeshSolid& operator[](std::size_t number) const { return *meshes_[number]; }

 private:
  std::vector<std::shared_ptr<const MeshSolid>> meshes_;
  std::map<std::shared_ptr<const MeshSolid>, std::uint32_t> known_;   ///< kept alive, so that no other gets their addresses
  std::multimap<std::uint64_t, std::uint32_t> by_checksum_;
};

}   // namespace stickslip
