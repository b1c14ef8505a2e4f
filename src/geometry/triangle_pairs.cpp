// Pairs of triangles of two trees: both are descended at once, boxes are compared along the axes of A and along those of B.
#include <algorithm>
#include <bit>
#include <cmath>

#include "geometry/tree_stack.h"

namespace stickslip {

namespace {

using Lanes = TriangleTree::Lanes;
using Boxes = PairScratch::Boxes;

/// The way from the frame of one tree to that of the other, from origin to origin.
struct BoxTurn {
  Eigen::Matrix3f rotation, magnitude;
  Eigen::Vector3f shift;

  /// The boxes around boxes that are turned and moved.
  void turn(Boxes& boxes) const {
    for (int i = 0; i < 3; ++i) {
      boxes.turned_middle[i] =
          rotation(i, 0) * boxes.middle[0] + rotation(i, 1) * boxes.middle[1] + rotation(i, 2) * boxes.middle[2] + shift[i];
      boxes.turned_half[i] =
          magnitude(i, 0) * boxes.half[0] + magnitude(i, 1) * boxes.half[1] + magnitude(i, 2) * boxes.half[2];
    }
  }
};

/// A tree with the boxes of it that were looked at, each computed once.
class LazyBoxes {
 public:
  /// @param grow by which boxes are larger, in the tree's frame and in the other one [m]
  LazyBoxes(const TriangleMesh& mesh, const TriangleTree& tree, const BoxTurn& turn, float grow, PairScratch::Side& memory)
      : mesh_(mesh), tree_(tree), turn_(turn), grow_(grow), memory_(memory) {
    memory_.boxes.clear();
    const std::size_t names = tree.nodes().size() + tree.order().size();
    if (memory_.places.size() < names) memory_.places.resize(names);
  }

  /// Makes the boxes of a node's children or of a leaf's triangles. Others may move in memory.
  void look_at(std::uint32_t child) {
    std::uint32_t& place = place_of(child);
    if (place < memory_.boxes.size() && memory_.boxes[place].child == child) return;
    place = static_cast<std::uint32_t>(memory_.boxes.size());
    Boxes& boxes = memory_.boxes.emplace_back();
    boxes.child = child;
    if (TriangleTree::is_leaf(child)) enclose_triangles(boxes);
    else copy_node(boxes);
    for (int axis = 0; axis < 3; ++axis) boxes.half[axis] += grow_, boxes.turned_half[axis] += grow_;
  }
  /// @pre it was looked at
  const Boxes& of(std::uint32_t child) { return memory_.boxes[place_of(child)]; }

  std::uint32_t triangle(std::uint32_t leaf, int k) const { return tree_.order()[TriangleTree::leaf_first(leaf) + k]; }
  std::uint32_t child(std::uint32_t node, int k) const { return tree_.nodes()[node].children[k]; }

 private:
  std::uint32_t& place_of(std::uint32_t child) {
    return memory_.places[TriangleTree::is_leaf(child) ? tree_.nodes().size() + TriangleTree::leaf_first(child) : child];
  }

  void copy_node(Boxes& boxes) const {
    const TriangleTree::Node& node = tree_.nodes()[boxes.child];
    for (int axis = 0; axis < 3; ++axis) {
      boxes.middle[axis] = 0.5f * (node.lower[axis] + node.upper[axis]);
      boxes.half[axis] = 0.5f * (node.upper[axis] - node.lower[axis]);
    }
    boxes.count = 0;
    while (boxes.count < TriangleTree::kWidth && node.children[boxes.count] != TriangleTree::kNone) ++boxes.count;
    turn_.turn(boxes);
  }

  /// Boxes of triangles are tight in both frames.
  void enclose_triangles(Boxes& boxes) const {
    boxes.count = static_cast<int>(TriangleTree::leaf_count(boxes.child));
    for (int axis = 0; axis < 3; ++axis)
      for (Lanes* lanes : {boxes.middle, boxes.half, boxes.turned_middle, boxes.turned_half}) lanes[axis].setZero();
    for (int k = 0; k < boxes.count; ++k) {
      const auto& t = mesh_.triangles[triangle(boxes.child, k)];
      Eigen::Vector3f here[3], there[3];
      for (int c = 0; c < 3; ++c) {
        here[c] = (mesh_.vertices[t[c]] - tree_.origin()).cast<float>();
        there[c] = turn_.rotation * here[c] + turn_.shift;
      }
      enclose(here, k, boxes.middle, boxes.half);
      enclose(there, k, boxes.turned_middle, boxes.turned_half);
    }
  }

  static void enclose(const Eigen::Vector3f (&corners)[3], int lane, Lanes* middle, Lanes* half) {
    const Eigen::Vector3f low = corners[0].cwiseMin(corners[1]).cwiseMin(corners[2]);
    const Eigen::Vector3f high = corners[0].cwiseMax(corners[1]).cwiseMax(corners[2]);
    for (int axis = 0; axis < 3; ++axis) {
      middle[axis][lane] = 0.5f * (low[axis] + high[axis]);
      half[axis][lane] = 0.5f * (high[axis] - low[axis]);
    }
  }

  const TriangleMesh& mesh_;
  const TriangleTree& tree_;
  BoxTurn turn_;
  float grow_;
  PairScratch::Side& memory_;
};

/// How far the boxes of A are from box j of B, along the axis where they are farthest [m]; negative if they overlap.
inline Lanes distances(const Boxes& a, const Boxes& b, int j) {
  Lanes apart = (a.middle[0] - b.turned_middle[0][j]).abs() - (a.half[0] + b.turned_half[0][j]);
  for (int axis = 1; axis < 3; ++axis)
    apart = apart.max((a.middle[axis] - b.turned_middle[axis][j]).abs() - (a.half[axis] + b.turned_half[axis][j]));
  for (int axis = 0; axis < 3; ++axis)
    apart = apart.max((a.turned_middle[axis] - b.middle[axis][j]).abs() - (a.turned_half[axis] + b.half[axis][j]));
  return apart;
}

/// Two trees and the way between them.
class PairDescent {
 public:
  using List = std::vector<std::array<std::uint32_t, 2>>;

  PairDescent(LazyBoxes& a, LazyBoxes& b) : a_(a), b_(b) {}

  void compare(std::uint32_t of_a, std::uint32_t of_b, List& stack, List& found) {
    a_.look_at(of_a);
    b_.look_at(of_b);
    const Boxes &boxes_a = a_.of(of_a), &boxes_b = b_.of(of_b);
    const bool leaf_a = TriangleTree::is_leaf(of_a), leaf_b = TriangleTree::is_leaf(of_b);
    if (leaf_a && leaf_b) {
      for (int j = 0; j < boxes_b.count; ++j)
        for (unsigned meet = those_that_meet(distances(boxes_a, boxes_b, j), boxes_a.count); meet != 0; meet &= meet - 1)
          found.push_back({a_.triangle(of_a, std::countr_zero(meet)), b_.triangle(of_b, j)});
    } else if (leaf_b) {
      Lanes nearest = distances(boxes_a, boxes_b, 0);
      for (int j = 1; j < boxes_b.count; ++j) nearest = nearest.min(distances(boxes_a, boxes_b, j));
      for (unsigned meet = those_that_meet(nearest, boxes_a.count); meet != 0; meet &= meet - 1)
        stack.push_back({a_.child(of_a, std::countr_zero(meet)), of_b});
    } else if (leaf_a) {
      for (int j = boxes_b.count; j-- > 0;)
        if (distance(distances(boxes_a, boxes_b, j), boxes_a.count) <= 0) stack.push_back({of_a, b_.child(of_b, j)});
    } else {
      for (int j = boxes_b.count; j-- > 0;)
        for (unsigned meet = those_that_meet(distances(boxes_a, boxes_b, j), boxes_a.count); meet != 0; meet &= meet - 1)
          stack.push_back({a_.child(of_a, std::countr_zero(meet)), b_.child(of_b, j)});
    }
  }

  /// By how much more than the boxes were grown all pairs that were left out are apart [m].
  float nearest_other() const { return nearest_other_; }

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
  /// Of the nearest lane; noted if it is left out.
  float distance(const Lanes& apart, int count) {
    float nearest = apart[0];
    for (int k = 1; k < count; ++k) nearest = std::min(nearest, apart[k]);
    if (nearest > 0) nearest_other_ = std::min(nearest_other_, nearest);
    return nearest;
  }

  LazyBoxes &a_, &b_;
  float nearest_other_ = std::numeric_limits<float>::infinity();
};

}   // namespace

double overlapping_pairs(const TriangleMesh& a, const TriangleTree& tree_a, const TriangleMesh& b, const TriangleTree& tree_b,
                         const Pose& b_in_a, double margin, PairScratch& scratch,
                         std::vector<std::array<std::uint32_t, 2>>& found) {
  found.clear();
  scratch.stack.clear();
  if (tree_a.empty() || tree_b.empty()) return std::numeric_limits<double>::infinity();
  const Mat3 rotation = b_in_a.rotation();
  const Vec3 shift = b_in_a * tree_b.origin() - tree_a.origin();
  const BoxTurn to_a{rotation.cast<float>(), rotation.cwiseAbs().cast<float>(), shift.cast<float>()};
  const BoxTurn to_b{rotation.transpose().cast<float>(), rotation.transpose().cwiseAbs().cast<float>(),
                     (-(rotation.transpose() * shift)).cast<float>()};
  const double size =
      (tree_a.bounds().upper - tree_a.bounds().lower).norm() + (tree_b.bounds().upper - tree_b.bounds().lower).norm();
  // More than the rounding of the numbers that are compared.
  const float grow = static_cast<float>(margin + 4e-6 * (size + shift.norm() + margin));
  LazyBoxes of_a(a, tree_a, to_b, grow, scratch.a), of_b(b, tree_b, to_a, 0, scratch.b);
  PairDescent descent(of_a, of_b);
  scratch.stack.push_back({0, 0});
  while (!scratch.stack.empty()) {
    const auto [x, y] = scratch.stack.back();
    scratch.stack.pop_back();
    descent.compare(x, y, scratch.stack, found);
  }
  return margin + descent.nearest_other();
}

}   // namespace stickslip
