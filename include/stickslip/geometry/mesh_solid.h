// A mesh as a shape: the surface with what contact generation and masses need of it, computed once and shared by all bodies
// that have it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "stickslip/geometry/mesh_distance.h"
#include "stickslip/geometry/shape.h"

namespace stickslip {

class DistanceField;   // field/distance_field.h

/// A flat piece of the surface: triangles that hang together and lie in one plane. Contacts are named by it, so that nothing
/// happens where a body slides from one of its triangles to the next.
struct MeshFacet {
  Vec3 normal = Vec3::Zero();   ///< outward, unit; zero if its triangles have no area
  double offset = 0;            ///< the plane is normal · x = offset [m]
};

/// Of the numbers of vertices and triangles, bit by bit: two meshes with equal ones are the same.
std::uint64_t checksum_of(const TriangleMesh&);
/// As scenes and commands write it: 16 digits of base 16.
std::string checksum_text(std::uint64_t checksum);

class MeshSolid {
 public:
  /// O(n log n). @param name for messages and records: of a file, or of a mesh in a scene
  /// @throws Error as `validate` does, if there are no triangles, or if the look does not fit them
  explicit MeshSolid(TriangleMesh, std::string name = {}, MeshLook = {});

  const MeshSurface& surface() const { return surface_; }
  const TriangleMesh& mesh() const { return surface_.mesh(); }
  const std::string& name() const { return name_; }
  const MeshLook& look() const { return look_; }
  std::uint64_t checksum() const { return checksum_; }   ///< of vertices and triangles, bit by bit

  const std::vector<MeshFacet>& facets() const { return facets_; }
  std::uint32_t facet_of(std::size_t triangle) const { return facet_of_[triangle]; }
  /// Whether the surface bends outwards at an edge, or ends there: contacts are made at such edges only. Those within a facet
  /// never count.
  bool active_edge(std::size_t edge) const { return active_edges_[edge]; }
  /// Whether a vertex has such an edge.
  bool active_vertex(std::size_t vertex) const { return active_vertices_[vertex]; }
  /// Active corners (bits 0 to 2) and edges (bits 3 to 5, from that corner to the next) that are looked at with this triangle:
  /// each belongs to one triangle that has it. And `kSharp`: that an edge at one of its corners is sharper than a box's.
  std::uint8_t owned_by(std::size_t triangle) const { return owned_[triangle]; }
  static constexpr std::uint8_t kSharp = 64;

  /// Mass properties for the density 1 kg/m³, if the surface is closed around a positive volume.
  const std::optional<MassProperties>& solid() const { return solid_; }
  bool closed() const { return solid_.has_value(); }
  double radius() const { return radius_; }         ///< largest distance of a vertex from the local origin [m]
  double thickness() const { return thickness_; }   ///< of walls, the thinnest tenth of the surface left out; 0 if open [m]

  /// Contacts come from this field in place of the triangles, if there is one.
  const std::shared_ptr<const DistanceField>& field() const { return field_; }
  /// What the field was made of, as text that can make it again (scene/make_field.h): what checkpoints keep of it.
  const std::string& field_text() const { return field_text_; }
  void set_field(std::shared_ptr<const DistanceField> field, std::string text = {}) {
    field_ = std::move(field);
    field_text_ = std::move(text);
  }

  std::size_t bytes() const;   ///< of memory; field and look not counted

 private:
  void find_facets();
  void find_owned();
  void measure();

  MeshSurface surface_;
  std::string name_;
  MeshLook look_;
  std::uint64_t checksum_ = 0;
  std::vector<MeshFacet> facets_;
  std::vector<std::uint32_t> facet_of_;
  std::vector<bool> active_edges_, active_vertices_;
  std::vector<std::uint8_t> owned_;
  std::optional<MassProperties> solid_;
  double radius_ = 0, thickness_ = 0;
  std::shared_ptr<const DistanceField> field_;
  std::string field_text_;
};

/// @throws Error as MeshSolid does
Mesh make_mesh(TriangleMesh, std::string name = {}, MeshLook = {});

}   // namespace stickslip
