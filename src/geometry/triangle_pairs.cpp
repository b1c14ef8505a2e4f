// Pairs of triangles of two trees: both are descended at once, boxes are compared along the axes of A and along those of B.
#include <bit>
#include <cmath>

#include "geometry/tree_stack.h"

namespace stickslip {

namespace {

using Lanes = TriangleTree::Lanes;

/// Boxes as middle and half extents, a node at a time.
struct BoxLanes {
  Lanes middle[3], half[3];
  int count = 0;
};

/// One of them.
struct OneBox {
  float middle[3], half[3];
};

BoxLanes boxes_of_node(const TriangleTree::Node& node) {
  BoxLanes boxes;
  for (int axis = 0; axis < 3; ++axis) {
    boxes.middle[axis] = 0.5f * (node.lower[axis] + node.upper[axis]);
    boxes.half[axis] = 0.5f * (node.upper[axis] - node.lower[axis]);
  }
  while (boxes.count < TriangleTree::kWidth && node.children[boxes.count] != TriangleTree::kNone) ++boxes.count;
  return boxes;
}

BoxLanes box_of_leaf(const TriangleMesh& mesh, const TriangleTree& tree, std::uint32_t leaf) {
  Aabb box;
  for (std::uint32_t i = 0; i < TriangleTree::leaf_count(leaf); ++i)
    box = box.merged(triangle_box(mesh, tree.order()[TriangleTree::leaf_first(leaf) + i]));
  BoxLanes boxes;
  for (int axis = 0; axis < 3; ++axis) {
    boxes.middle[axis].setConstant(static_cast<float>(0.5 * (box.lower[axis] + box.upper[axis]) - tree.origin()[axis]));
    boxes.half[axis].setConstant(static_cast<float>(0.5 * (box.upper[axis] - box.lower[axis])));
  }
  boxes.count = 1;
  return boxes;
}

/// The boxes around boxes that are turned and moved.
struct BoxTurn {
  Eigen::Matrix3f rotation, magnitude;
  Eigen::Vector3f shift;

  BoxLanes operator()(const BoxLanes& boxes) const {
    BoxLanes turned;
    turned.count = boxes.count;
    for (int i = 0; i < 3; ++i) {
      turned.middle[i] =
          rotation(i, 0) * boxes.middle[0] + rotation(i, 1) * boxes.middle[1] + rotation(i, 2) * boxes.middle[2] + shift[i];
      turned.half[i] = magnitude(i, 0) * boxes.half[0] + magnitude(i, 1) * boxes.half[1] + magnitude(i, 2) * boxes.half[2];
    }
    return turned;
  }
};

OneBox lane(const BoxLanes& boxes, int k) {
  return {{boxes.middle[0][k], boxes.middle[1][k], boxes.middle[2][k]}, {boxes.half[0][k], boxes.half[1][k], boxes.half[2][k]}};
}

unsigned overlaps(const BoxLanes& boxes, const OneBox& one) {
  const auto meet = ((boxes.middle[0] - one.middle[0]).abs() <= boxes.half[0] + one.half[0] &&
                     (boxes.middle[1] - one.middle[1]).abs() <= boxes.half[1] + one.half[1] &&
                     (boxes.middle[2] - one.middle[2]).abs() <= boxes.half[2] + one.half[2])
                        .eval();
  return lanes_of(meet);
}

/// Two meshes with their trees and the way between them.
class PairDescent {
 public:
  PairDescent(const TriangleMesh& a, const TriangleTree& tree_a, const TriangleMesh& b, const TriangleTree& tree_b,
              const Pose& b_in_a, double margin)
      : a_(a), b_(b), tree_a_(tree_a), tree_b_(tree_b), b_in_a_(b_in_a), margin_(margin) {
    const Mat3 rotation = b_in_a.rotation();
    const Vec3 shift = b_in_a * tree_b.origin() - tree_a.origin();
    to_a_ = {rotation.cast<float>(), rotation.cwiseAbs().cast<float>(), shift.cast<float>()};
    to_b_ = {rotation.transpose().cast<float>(), rotation.transpose().cwiseAbs().cast<float>(),
             (-(rotation.transpose() * shift)).cast<float>()};
    const double size =
        (tree_a.bounds().upper - tree_a.bounds().lower).norm() + (tree_b.bounds().upper - tree_b.bounds().lower).norm();
    // More than the rounding of the numbers that are compared.
    grow_ = static_cast<float>(margin + 4e-6 * (size + shift.norm() + margin));
  }

  void expand(std::uint32_t a, std::uint32_t b, std::vector<std::array<std::uint32_t, 2>>& stack) const {
    const BoxLanes boxes_a = side(a_, tree_a_, a), boxes_b = side(b_, tree_b_, b);
    const BoxLanes b_along_a = to_a_(boxes_b), a_along_b = grown(to_b_(boxes_a), grow_), reach_of_a = grown(boxes_a, grow_);
    for (int j = boxes_b.count; j-- > 0;) {
      unsigned meet = overlaps(reach_of_a, lane(b_along_a, j));
      meet &= overlaps(a_along_b, lane(boxes_b, j));
      meet &= (1u << boxes_a.count) - 1;
      for (; meet != 0; meet &= meet - 1) stack.push_back({child(tree_a_, a, std::countr_zero(meet)), child(tree_b_, b, j)});
    }
  }

  void compare(std::uint32_t leaf_a, std::uint32_t leaf_b, std::vector<std::array<std::uint32_t, 2>>& found) const {
    for (std::uint32_t j = 0; j < TriangleTree::leaf_count(leaf_b); ++j) {
      const std::uint32_t of_b = tree_b_.order()[TriangleTree::leaf_first(leaf_b) + j];
      const Aabb b_along_a = box_of([&](const Vec3&x) { return b_in_a_ * x; }, b_, of_b), along_b = triangle_box(b_, of_b);
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(leaf_a); ++i) {
        const std::uint32_t of_a = tree_a_.order()[TriangleTree::leaf_first(leaf_a) + i];
        if (!triangle_box(a_, of_a).grown(margin_).overlaps(b_along_a)) continue;
        const Aabb a_along_b = box_of([&](const Vec3& x) { return b_in_a_.to_local(x); }, a_, of_a);
        if (a_along_b.grown(margin_).overlaps(along_b)) found.push_back({of_a, of_b});
      }
    }
  }

 private:
  static BoxLanes side(const TriangleMesh& mesh, const TriangleTree& tree, std::uint32_t child) {
    return TriangleTree::is_leaf(child) ? box_of_leaf(mesh, tree, child) : boxes_of_node(tree.nodes()[child]);
  }
  static std::uint32_t child(const TriangleTree& tree, std::uint32_t parent, int k) {
    return TriangleTree::is_leaf(parent) ? parent : tree.nodes()[parent].children[k];
  }
  /// Box of a triangle whose vertices are placed by `place`.
  static Aabb box_of(auto&& place, const TriangleMesh& mesh, std::uint32_t triangle) {
    Aabb box;
    for (const std::uint32_t vertex : mesh.triangles[triangle]) {
      const Vec3 x = place(mesh.vertices[vertex]);
      box = box.merged({x, x});
    }
    return box;
  }
  static BoxLanes grown(BoxLanes boxes, float by) {
    for (Lanes& half : boxes.half) half += by;
    return boxes;
  }

  const TriangleMesh &a_, &b_;
  const TriangleTree &tree_a_, &tree_b_;
  const Pose& b_in_a_;
  double margin_;
  BoxTurn to_a_, to_b_;
  float grow_ = 0;   ///< margin and slack [m]
};

}   // namespace

void overlapping_pairs(const TriangleMesh& a, const TriangleTree& tree_a, const TriangleMesh& b, const TriangleTree& tree_b,
                       const Pose& b_in_a, double margin, PairScratch& scratch,
                       std::vector<std::array<std::uint32_t, 2>>& found) {
  found.clear();
  scratch.stack.clear();
  if (tree_a.empty() || tree_b.empty()) return;
  const PairDescent descent(a, tree_a, b, tree_b, b_in_a, margin);
  scratch.stack.push_back({0, 0});
  while (!scratch.stack.empty()) {
    const auto [of_a, of_b] = scratch.stack.back();
    scratch.stack.pop_back();
    if (TriangleTree::is_leaf(of_a) && TriangleTree::is_leaf(of_b)) descent.compare(of_a, of_b, found);
    else descent.expand(of_a, of_b, scratch.stack);
  }
}

}   // namespace stickslip
