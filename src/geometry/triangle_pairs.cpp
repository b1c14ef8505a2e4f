// Pairs of triangles of two trees: both are descended at once, boxes are compared along the axes of A and along those of B.
#include <algorithm>
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

/// How far boxes are apart along the axis where they are farthest [m]; negative if they overlap.
inline Lanes distances(const BoxLanes& boxes, const OneBox& one) {
  const Lanes x = (boxes.middle[0] - one.middle[0]).abs() - (boxes.half[0] + one.half[0]);
  const Lanes y = (boxes.middle[1] - one.middle[1]).abs() - (boxes.half[1] + one.half[1]);
  const Lanes z = (boxes.middle[2] - one.middle[2]).abs() - (boxes.half[2] + one.half[2]);
  return x.max(y).max(z);
}

/// Two meshes with their trees and the way between them.
class PairDescent {
 public:
  PairDescent(const TriangleMesh& a, const TriangleTree& tree_a, const TriangleMesh& b, const TriangleTree& tree_b,
              const Pose& b_in_a, double margin)
      : a_(a), b_(b), tree_a_(tree_a), tree_b_(tree_b), margin_(margin) {
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

  void expand(std::uint32_t a, std::uint32_t b, std::vector<std::array<std::uint32_t, 2>>& stack) {
    const BoxLanes boxes_a = side(a_, tree_a_, a), boxes_b = side(b_, tree_b_, b);
    const BoxLanes b_along_a = to_a_(boxes_b), a_along_b = grown(to_b_(boxes_a), grow_), reach_of_a = grown(boxes_a, grow_);
    for (int j = boxes_b.count; j-- > 0;) {
      const Lanes apart = distances(reach_of_a, lane(b_along_a, j)).max(distances(a_along_b, lane(boxes_b, j)));
      unsigned meet = those_that_meet(apart, boxes_a.count);
      for (; meet != 0; meet &= meet - 1) stack.push_back({child(tree_a_, a, std::countr_zero(meet)), child(tree_b_, b, j)});
    }
  }

  void compare(std::uint32_t leaf_a, std::uint32_t leaf_b, std::vector<std::array<std::uint32_t, 2>>& found) {
    // All triangles of a leaf at once, in lanes, along the axes of both.
    const BoxLanes boxes_a = boxes_of_leaf(a_, tree_a_, leaf_a), boxes_b = boxes_of_leaf(b_, tree_b_, leaf_b);
    const BoxLanes along_a = grown(boxes_a, grow_), along_b = grown(turned_leaf(leaf_a), grow_);
    const BoxLanes b_along_a = turned_back_leaf(leaf_b);
    for (int j = 0; j < boxes_b.count; ++j) {
      const Lanes apart = distances(along_a, lane(b_along_a, j)).max(distances(along_b, lane(boxes_b, j)));
      unsigned meet = those_that_meet(apart, boxes_a.count);
      const std::uint32_t of_b = tree_b_.order()[TriangleTree::leaf_first(leaf_b) + j];
      for (; meet != 0; meet &= meet - 1)
        found.push_back({tree_a_.order()[TriangleTree::leaf_first(leaf_a) + std::countr_zero(meet)], of_b});
    }
  }

  /// What all pairs that were left out keep from each other [m].
  double distance_of_others() const { return margin_ + nearest_other_; }

 private:
  /// Lanes of boxes that overlap; of the others the nearest is noted.
  unsigned those_that_meet(const Lanes& apart, int count) {
    unsigned bits = 0;
    for (int k = 0; k < count; ++k) {
      if (apart[k] <= 0) bits |= 1u << k;
      else nearest_other_ = std::min(nearest_other_, apart[k]);
    }
    return bits;
  }
  static BoxLanes side(const TriangleMesh& mesh, const TriangleTree& tree, std::uint32_t child) {
    return TriangleTree::is_leaf(child) ? box_of_leaf(mesh, tree, child) : boxes_of_node(tree.nodes()[child]);
  }
  static std::uint32_t child(const TriangleTree& tree, std::uint32_t parent, int k) {
    return TriangleTree::is_leaf(parent) ? parent : tree.nodes()[parent].children[k];
  }
  /// Boxes of the triangles of a leaf, their vertices placed by `place`, relative to an origin.
  static BoxLanes boxes_of_leaf(const TriangleMesh& mesh, const TriangleTree& tree, std::uint32_t leaf, auto&& place) {
    BoxLanes boxes;
    boxes.count = static_cast<int>(TriangleTree::leaf_count(leaf));
    for (int axis = 0; axis < 3; ++axis) boxes.middle[axis].setZero(), boxes.half[axis].setConstant(-1);
    for (int k = 0; k < boxes.count; ++k) {
      const auto& t = mesh.triangles[tree.order()[TriangleTree::leaf_first(leaf) + k]];
      const Eigen::Vector3f a = place(mesh.vertices[t[0]]), b = place(mesh.vertices[t[1]]), c = place(mesh.vertices[t[2]]);
      const Eigen::Vector3f low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
      for (int axis = 0; axis < 3; ++axis) {
        boxes.middle[axis][k] = 0.5f * (low[axis] + high[axis]);
        boxes.half[axis][k] = 0.5f * (high[axis] - low[axis]);
      }
    }
    return boxes;
  }
  static BoxLanes boxes_of_leaf(const TriangleMesh& mesh, const TriangleTree& tree, std::uint32_t leaf) {
    return boxes_of_leaf(mesh, tree, leaf, [&](const Vec3& x) -> Eigen::Vector3f { return (x - tree.origin()).cast<float>(); });
  }
  /// A leaf of A along the axes of B, and one of B along those of A.
  BoxLanes turned_leaf(std::uint32_t leaf) const {
    return boxes_of_leaf(a_, tree_a_, leaf, [&](const Vec3& x) -> Eigen::Vector3f {
      return to_b_.rotation * (x - tree_a_.origin()).cast<float>() + to_b_.shift;
    });
  }
  BoxLanes turned_back_leaf(std::uint32_t leaf) const {
    return boxes_of_leaf(b_, tree_b_, leaf, [&](const Vec3& x) -> Eigen::Vector3f {
      return to_a_.rotation * (x - tree_b_.origin()).cast<float>() + to_a_.shift;
    });
  }
  static BoxLanes grown(BoxLanes boxes, float by) {
    for (Lanes& half : boxes.half) half += by;
    return boxes;
  }

  const TriangleMesh &a_, &b_;
  const TriangleTree &tree_a_, &tree_b_;
  BoxTurn to_a_, to_b_;
  double margin_;
  float grow_ = 0;   ///< margin and slack [m]
  float nearest_other_ = std::numeric_limits<float>::infinity();
};

}   // namespace

double overlapping_pairs(const TriangleMesh& a, const TriangleTree& tree_a, const TriangleMesh& b, const TriangleTree& tree_b,
                         const Pose& b_in_a, double margin, PairScratch& scratch,
                         std::vector<std::array<std::uint32_t, 2>>& found) {
  found.clear();
  scratch.stack.clear();
  if (tree_a.empty() || tree_b.empty()) return std::numeric_limits<double>::infinity();
  PairDescent descent(a, tree_a, b, tree_b, b_in_a, margin);
  scratch.stack.push_back({0, 0});
  while (!scratch.stack.empty()) {
    const auto [of_a, of_b] = scratch.stack.back();
    scratch.stack.pop_back();
    if (TriangleTree::is_leaf(of_a) && TriangleTree::is_leaf(of_b)) descent.compare(of_a, of_b, found);
    else descent.expand(of_a, of_b, scratch.stack);
  }
  return descent.distance_of_others();
}

}   // namespace stickslip
