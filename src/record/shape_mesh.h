// Triangle meshes of shapes, for records that other programs draw.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/mesh_pool.h"
#include "record/texture_pool.h"
#include "stickslip/geometry/shape.h"
#include "stickslip/world/world.h"

namespace stickslip {

struct DrawnMesh {
  std::vector<Vec3> vertices;   ///< in the frame of the shape [m]; one for every normal of a corner, so that edges stay sharp
  std::vector<Vec3> normals;    ///< outward, unit; one per vertex
  std::vector<double> shades;   ///< in [0, 1], one per vertex: dark patches on round shapes, so that one sees them turn
  std::vector<std::array<std::uint32_t, 3>> triangles;   ///< counter-clockwise seen from outside

  // What a mesh brings of its own, as in MeshLook; one entry per vertex or triangle, or none.
  std::vector<std::array<float, 4>> colours;
  std::vector<std::array<float, 2>> on_picture;
  std::vector<std::uint32_t> picture_of;
  std::vector<std::string> pictures;

  bool open = false;        ///< it has no inside, and is seen from both sides
  bool textured = false;    ///< its picture is that of the scene, and multiplies the colour that the scene says
  bool unbounded = false;   ///< a square of a half-space: however large it is drawn, copies of its picture keep their size

  /// Whether the mesh has its own colours: then that of the material does not count.
  bool has_own_colours() const { return !colours.empty() || !pictures.empty(); }
};

/// The surface of a shape; of a half-space a square around the local origin.
/// @param around corners of a full circle; a multiple of 4, so that round shapes reach their extents along the axes
/// @param square_side of a half-space [m]
/// @param texture that lies on it; null: none
DrawnMesh drawn_mesh(const Shape&, int around, double square_side, const Texture* texture = nullptr);

/// Meshes of many shapes, each form once: a shape is a stretched copy of its form. Balls share one form, so do boxes,
/// cylinders and half-spaces; capsules of one slenderness; equal hulls and meshes.
class MeshLibrary {
 public:
  /// x = scale ∘ y for the points y of the mesh. The mesh of a half-space is a square of side 1.
  struct Entry {
    std::uint32_t mesh;
    Vec3 scale;
  };

  explicit MeshLibrary(int around) : around_(around) {}
  /// @param texture on it; null: none. A shape with a picture of a given size is a form of its own.
  Entry find_or_add(const Shape&, const SharedTexture& texture = nullptr);
  const std::vector<DrawnMesh>& meshes() const { return meshes_; }

 private:
  int around_;
  std::vector<DrawnMesh> meshes_;
  std::map<std::vector<double>, std::uint32_t> mesh_of_form_;
  MeshPool pool_;
  TexturePool textures_;
};

/// How large a half-space must be drawn to lie under everything: sees worlds, remembers the farthest body.
class HalfSpaceExtent {
 public:
  void see(const World&);
  /// Twice the farthest in-plane distance of a body that can move from the origin of a half-space, rounded up to a power
  /// of two, so that it changes rarely [m]. Whoever flies off beyond 256 times the first such distance does not count.
  double square_side() const;

 private:
  double farthest_ = 0, limit_ = 0;
};

}   // namespace stickslip
