// The meshes of shapes in a glTF file: the numbers of every form stand there once, whatever materials it comes in.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "record/glb.h"
#include "record/shape_mesh.h"

namespace stickslip::glb {

class Forms {
 public:
  /// Adds all meshes of the library to the binary part, which refers to this from then on.
  /// @param square_side of half-spaces [m]
  void add_all(const MeshLibrary&, double square_side, Binary&);

  /// Triangles of a mesh that show the same picture.
  struct Piece {
    Json primitive;                     ///< attributes and indices
    std::optional<std::size_t> image;   ///< of the file
  };
  const std::vector<Piece>& pieces(std::size_t mesh) const { return forms_[mesh].pieces; }
  /// Whether a mesh has its own colours, and some of them are not opaque.
  bool has_own_colours(std::size_t mesh) const { return forms_[mesh].own_colours; }
  bool is_clear(std::size_t mesh) const { return forms_[mesh].clear; }
  bool is_open(std::size_t mesh) const { return forms_[mesh].open; }

  /// Pictures of all meshes, as images and as textures of them.
  const Json& images() const { return images_; }
  /// Number of the image of a picture file, which must stay as long as this. Later ones get views of their own.
  std::size_t image_of(const std::string& file, Binary&);

 private:
  struct Form {
    std::vector<float> positions, normals;
    std::vector<float> shades;                         ///< three per vertex; none if all is light
    std::vector<float> colours, on_picture;            ///< four and two per vertex, or none
    std::vector<std::vector<std::uint32_t>> indices;   ///< by picture, that of no picture first
    bool own_colours = false, clear = false, open = false;
    Json attributes = Json::object();
    std::vector<Piece> pieces;
  };
  void add_attributes(Binary&);
  void add_pieces(const MeshLibrary&, Binary&);

  std::vector<Form> forms_;   ///< as the library
  Json images_ = Json::array();
  std::map<std::string_view, std::size_t> image_of_file_;   ///< each stands in the file once
};

/// Of positions a file says how far they reach. @param values three numbers each @returns accessor
std::size_t add_positions(Binary&, std::span<const float> values);

}   // namespace stickslip::glb
