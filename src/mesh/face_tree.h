// A binary tree of boxes over the triangles of a mesh, built in O(n log n) along a space-filling curve: for pairs of triangles
// of one mesh.
#pragma once

#include <functional>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

class FaceTree {
 public:
  /// A leaf has `count` triangles from `first` on in `order()`; an inner node has count 0 and the children `first` and `first`
  /// + 1.
  struct Node {
    Vec3 lower, upper;
    std::uint32_t first = 0, count = 0;
  };

  /// @param left_out triangles that are not in the tree
  FaceTree(const TriangleMesh&, const std::vector<bool>& left_out);

  const std::vector<Node>& nodes() const { return nodes_; }   ///< the root first; empty if there are no triangles
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  void build(std::uint32_t node, std::uint32_t first, std::uint32_t count, const std::vector<Aabb>& boxes);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
};

}   // namespace stickslip
