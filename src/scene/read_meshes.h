// Meshes in scene documents: the list "meshes", and the shapes that are made of triangles.
#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "scene/reader.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/world/world.h"

namespace stickslip::document {

/// The meshes of one scene. What is given in the same words is made once, and shared by all bodies that have it.
class SceneMeshes {
 public:
  /// @param folder that names of files are relative to @param warnings gets a sentence for what is not as it was asked for
  SceneMeshes(std::filesystem::path folder, std::vector<std::string>& warnings)
      : folder_(std::move(folder)), warnings_(warnings) {}

  const std::filesystem::path& folder() const { return folder_; }   ///< that names of files are relative to

  /// "meshes" of the document.
  void read_list(Fields& document);

  // The shapes that have a "type" of this name, which was read.
  std::vector<Shape> read_mesh(Fields& shape);   ///< one, or the hulls that it asks for
  Shape read_height_field(Fields& shape);
  Shape read_sdf(Fields& shape);

  /// Warns of solids from files that run through themselves and belong to bodies that move: what overlaps weighs twice.
  void look_through_moving(const World&) const;

 private:
  struct Made {
    std::shared_ptr<const MeshSolid> solid;
    std::filesystem::path file;   ///< empty if it does not come from one
  };

  /// What "mesh" names, or what the fields define.
  Made find(Fields&);
  /// "file", "vertices" or "make" with what belongs to them, and "checksum".
  Made define(Fields&, std::string name);
  Made make(Fields&, std::string name) const;
  std::vector<Shape> hulls(Fields&, const MeshSolid&);
  std::shared_ptr<const MeshSolid> with_sampled_field(Fields&);
  std::shared_ptr<const MeshSolid> make_union(Fields&);

  std::filesystem::path folder_;
  std::vector<std::string>& warnings_;
  std::map<std::string, Made, std::less<>> named_;
  std::map<std::string, Made, std::less<>> made_;                   ///< by their words
  std::map<std::string, std::vector<Shape>, std::less<>> shapes_;   ///< hulls, height fields and fields by their words
};

}   // namespace stickslip::document
