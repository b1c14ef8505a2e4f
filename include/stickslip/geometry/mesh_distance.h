// Signed distance to the surface of a mesh.
#pragma once

#include "stickslip/geometry/mesh_edges.h"
#include "stickslip/geometry/triangle_tree.h"

namespace stickslip {

/// What tells inside from outside.
enum class SignRule {
  automatic,   ///< normals where the mesh is closed (`MeshEdges::closed`), else the winding number
  /// The side of the angle-weighted normal of the nearest feature [Bærentzen, Aanæs 2005]: right for closed surfaces that do
  /// not cut themselves.
  normals,
  /// Inside is where the surface winds around more than ½ times [Barill et al. 2018]: for holes, gaps, flips and overlaps.
  winding
};

/// A mesh with tree and adjacency: what distance queries read. Moves with its parts; vertices are changed through `move`.
class MeshSurface {
 public:
  /// @throws Error as `TriangleTree` and `MeshEdges` do
  explicit MeshSurface(TriangleMesh mesh, double flat_angle = 1e-3)
      : mesh_(std::move(mesh)), tree_(mesh_), edges_(mesh_, flat_angle) {}

  const TriangleMesh& mesh() const { return mesh_; }
  const TriangleTree& tree() const { return tree_; }
  const MeshEdges& edges() const { return edges_; }

  /// New places for all vertices; O(n).
  /// @throws Error if their number differs or one of a triangle is not finite; then nothing has moved
  void move(std::span<const Vec3> vertices);

  std::size_t bytes() const;   ///< of memory, mesh, tree and adjacency

 private:
  TriangleMesh mesh_;
  TriangleTree tree_;
  std::vector<TriangleTree::AreaMoments> moments_;   ///< memory of `move`
  MeshEdges edges_;
};

struct SignedDistance {
  double distance = 0;            ///< < 0 inside [m]
  Vec3 gradient = Vec3::Zero();   ///< unit, direction in which it grows fastest; on the surface the normal of the feature
  MeshPoint nearest;
};

/// @returns nothing beyond `reach` [m] or without triangles
/// @param hint a triangle that is likely near
std::optional<SignedDistance> signed_distance(const MeshSurface&, const Vec3& from, SignRule = SignRule::automatic,
                                              double reach = std::numeric_limits<double>::infinity(),
                                              std::uint32_t hint = TriangleTree::kNone);

/// Outward unit normal at a point of the surface: of its face, the mean of the two faces at an edge, angle-weighted at a
/// vertex; zero where faces cancel or have no area.
Vec3 normal_at(const MeshSurface&, const MeshPoint&);

}   // namespace stickslip
