// Which triangles of a mesh meet where: unique edges with their two faces, faces around vertices, normals of edges and
// vertices.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// How the surface bends at an edge, seen from outside. Contacts are made at convex and boundary edges only ("active" edges):
/// at a flat one the face has the contact already, into a concave one nothing convex fits.
enum class EdgeKind : std::uint8_t {
  flat,       ///< the angle between the two normals is below the tolerance
  convex,     ///< a ridge
  concave,    ///< a valley
  boundary,   ///< one face only
  irregular   ///< more than two faces, two that run the same way, or one without an area that continues no other
};

/// The adjacency of a mesh, about 64 bytes per triangle. It does not hold the mesh; functions that need it take the mesh that
/// it was made of.
class MeshEdges {
 public:
  static constexpr std::uint32_t kNoFace = std::numeric_limits<std::uint32_t>::max();

  MeshEdges() = default;
  /// O(n log n); equal meshes give equal arrays.
  /// @param flat_angle bends below this are flat [rad]
  /// @throws Error naming the triangle if an index is beyond the vertices or a vertex of a triangle is not finite.
  explicit MeshEdges(const TriangleMesh&, double flat_angle = 1e-3);

  /// Normals and kinds anew after vertices have moved; O(n). @pre the same triangles
  void update(const TriangleMesh&);

  std::size_t size() const { return vertices_.size(); }
  /// The ends, in the direction in which face 0 runs along the edge.
  const std::array<std::uint32_t, 2>& vertices(std::size_t edge) const { return vertices_[edge]; }
  /// The face on the left of that direction and the one on the right, `kNoFace` where there is none. Of an irregular edge the
  /// two of lowest index.
  const std::array<std::uint32_t, 2>& faces(std::size_t edge) const { return faces_[edge]; }
  EdgeKind kind(std::size_t edge) const { return kinds_[edge]; }
  bool active(std::size_t edge) const { return kinds_[edge] != EdgeKind::flat && kinds_[edge] != EdgeKind::concave; }
  /// Edge k of a triangle runs from its corner k to corner k + 1 (mod 3).
  const std::array<std::uint32_t, 3>& edges_of_face(std::size_t face) const { return edges_of_face_[face]; }
  /// In increasing order.
  std::span<const std::uint32_t> faces_of_vertex(std::size_t vertex) const {
    return {around_.data() + first_around_[vertex], around_.data() + first_around_[vertex + 1]};
  }
  /// The face whose surface a triangle without an area belongs to; one with an area itself.
  std::uint32_t face_continued(const TriangleMesh&, std::uint32_t face) const;
  /// Σ αᵢ nᵢ over the faces at the vertex, with their angles α there, as a unit vector [Bærentzen, Aanæs 2005]; zero at a
  /// vertex without faces.
  const Vec3& vertex_normal(std::size_t vertex) const { return vertex_normals_[vertex]; }

  /// Whether the surface bounds a volume without self-contact of its topology: two faces at every edge, in opposite
  /// directions, one fan of faces around every vertex, no face without an area. Then the sign of a distance follows from
  /// normals.
  bool closed() const { return closed_; }
  std::size_t boundary_edges() const { return count(EdgeKind::boundary); }
  std::size_t irregular_edges() const { return count(EdgeKind::irregular); }
  std::size_t bytes() const;   ///< of memory

 private:
  std::size_t count(EdgeKind) const;
  void find_edges(const TriangleMesh&);
  void find_fans(const TriangleMesh&);
  bool one_fan(const TriangleMesh&, std::uint32_t vertex) const;

  double flat_angle_ = 1e-3;
  bool manifold_ = true, closed_ = true;
  std::vector<std::array<std::uint32_t, 2>> vertices_, faces_;
  std::vector<EdgeKind> kinds_;
  std::vector<bool> crowded_;   ///< edges with more than two faces or two that run the same way
  std::vector<std::array<std::uint32_t, 3>> edges_of_face_;
  std::vector<std::uint32_t> first_around_, around_;
  std::vector<Vec3> vertex_normals_;
};

/// Unit normal of a triangle; zero if it has no area (its height is below 1e-12 of its longest edge).
Vec3 face_normal(const TriangleMesh&, std::size_t face);

/// Sum of the unit normals of the two faces, as a unit vector; zero if they cancel.
Vec3 edge_normal(const TriangleMesh&, const MeshEdges&, std::size_t edge);

}   // namespace stickslip
