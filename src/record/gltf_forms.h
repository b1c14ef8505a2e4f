// The meshes of shapes in a glTF file: the numbers of every form stand there once, whatever materials it comes in.
#pragma once

#include <span>
#include <vector>

#include "record/glb.h"
#include "record/shape_mesh.h"

namespace stickslip::glb {

class Forms {
 public:
  /// Adds all meshes of the library to the binary part, which refers to this from then on.
  void add_all(const MeshLibrary&, Binary&);
  /// Attributes and indices of a mesh of the library.
  Json primitive(std::size_t mesh) const;

 private:
  struct Form {
    std::vector<float> positions, normals, colours;   ///< no colours if all is light
    std::vector<std::uint32_t> indices;
    Json attributes;
    std::size_t index_accessor = 0;
  };
  std::vector<Form> forms_;   ///< as the library
};

/// Of positions a file says how far they reach. @param values three numbers each @returns accessor
std::size_t add_positions(Binary&, std::span<const float> values);

}   // namespace stickslip::glb
