// The rigid bodies of a frame as triangles with values at their corners, for ParaView.
#pragma once

#include <filesystem>

#include "record/shape_mesh.h"

namespace stickslip {

/// Files of pictures that meshes bring, written once beside the frames; triangles name them by number.
class VtkPictures {
 public:
  explicit VtkPictures(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Number of the first picture of a mesh, from 1; writes them when it sees the mesh first. @throws Error
  std::int32_t first_of(std::uint32_t mesh, const DrawnMesh&);
  /// Number of a picture that many may show; it is written once. @throws Error
  std::int32_t of_texture(const std::string& picture);

 private:
  void write(const std::string& picture);

  std::filesystem::path directory_;
  std::map<std::uint32_t, std::int32_t> first_;
  std::map<std::string, std::int32_t> of_texture_;   ///< by the bytes of its picture
  std::int32_t count_ = 0;
};

class VtkBodies {
 public:
  /// @param number of the body in the record @param scale of the points of the mesh
  /// @param first_picture number of the first picture of the mesh in the record, from 1
  /// @param colour of the whole part
  void add(const Body&, std::uint32_t number, const Pose&, const Vec3& scale, const DrawnMesh&, std::int32_t first_picture,
           std::optional<Colour> colour);

  /// Normals, colours and places on pictures stand in the file if the bodies have meshes that bring them. @throws Error
  void write(const std::filesystem::path&, double time, bool with_normals) const;

 private:
  bool has_colours_ = false, has_pictures_ = false;
  std::vector<float> points_, mass_, velocity_, angular_velocity_, speed_, normals_, on_picture_;
  std::vector<std::int32_t> corners_, numbers_, picture_;
  std::vector<std::uint8_t> asleep_, colours_;
};

}   // namespace stickslip
