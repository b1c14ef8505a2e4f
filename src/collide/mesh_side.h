// What contact generation asks of a mesh: which directions a feature can be touched from, and which points of the surface count.
#pragma once

#include "stickslip/collide/contact.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::narrow {

inline constexpr double kFeatureCone = 0.035;   ///< sine of 2°: directions so little outside the cone of a feature belong to it

/// The kinds of features of a contact on a mesh, in the two highest bits of its name.
enum class MeshFeature : std::uint64_t { vertex_on_face, face_under_vertex, edges, other };
inline std::uint64_t mesh_feature(MeshFeature kind, std::uint32_t of_a, std::uint32_t of_b) {
  return static_cast<std::uint64_t>(kind) << 62 | (std::uint64_t{of_a} & 0x7fffffffu) << 31 | (of_b & 0x7fffffffu);
}

/// Names of parts of a mesh: facets from 1, then edges and vertices.
inline std::uint32_t facet_part(std::uint32_t facet) { return facet + 1; }
inline std::uint32_t edge_part(std::uint32_t edge) { return edge | 0x80000000u; }
inline std::uint32_t vertex_part(std::uint32_t vertex) { return vertex | 0xc0000000u; }

/// An edge with what lies beside it, in the frame of the mesh.
struct MeshEdge {
  std::uint32_t id = 0;
  Vec3 start, along;        ///< along: to the end [m]
  Vec3 normal[2];           ///< of the facets on the left and on the right
  Vec3 into[2];             ///< unit, from the edge into them
  std::uint32_t facet[2];   ///< the left one twice at a boundary
  bool boundary = false, irregular = false;
};
MeshEdge edge_of(const MeshSolid&, std::uint32_t edge);

/// Whether an edge can be touched from a unit direction (outwards, from the surface to what touches). @param sine of the angle
/// that may lie outside
bool is_touched_from(const MeshEdge&, const Vec3& direction, double sine);
/// The same of a vertex.
bool is_touched_from(const MeshSolid&, std::uint32_t vertex, const Vec3& direction, double sine);

/// The facet beside a vertex whose normal is within 2° of a unit direction, as the name of a part; 0 if there is none.
std::uint32_t part_facing(const MeshSolid&, std::uint32_t vertex, const Vec3& direction);
/// The same beside an edge.
std::uint32_t part_facing(const MeshEdge&, const Vec3& direction);

/// Whether the projection of a point along the normal of the triangle's facet lies in the triangle, or a millionth of its size
/// outside.
bool is_over(const MeshSolid&, std::uint32_t triangle, const Vec3& point);

/// Whether no part of the surface is nearer to a point than `depth`: a point that lies so deep behind a face is held by it only if
/// nothing else is nearer.
bool is_nearest(const MeshSolid&, const Vec3& point, double depth, std::uint32_t hint = TriangleTree::kNone);

/// Collects the contacts of a pair, then leaves what matters of them. Keeps its memory between uses.
class MeshContacts {
 public:
  void clear() { list_.clear(); }
  bool empty() const { return list_.empty(); }
  void add(std::uint64_t parts, const Vec3& position, const Vec3& normal, double gap, std::uint64_t feature) {
    list_.push_back({parts, {position, normal, gap, feature}});
  }
  /// Hands on the contacts, one of each name, those that others imply left out.
  /// @param margin what the shapes can move against each other [m] @param size radius of the smaller shape [m]
  void emit(double margin, double size, ContactSink&);

 private:
  struct Entry {
    std::uint64_t parts;
    ContactPoint point;
  };
  void remove_duplicates();
  void spread(double margin, double size);

  std::vector<Entry> list_, kept_;
  std::vector<double> room_;
};

/// Memory for one pair at a time, of this thread.
struct MeshScratch {
  MeshContacts contacts;
  ContactSink sink;
  std::vector<std::uint32_t> triangles;
  std::vector<std::array<std::uint32_t, 2>> pairs;
  PairScratch descent;

  static MeshScratch& of_thread();
};

}   // namespace stickslip::narrow
