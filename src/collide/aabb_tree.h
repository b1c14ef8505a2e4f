// A binary tree of bounding boxes with one leaf per key, for boxes that come, move and go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/geometry/aabb.h"

namespace stickslip {

/// Every inner node has two children and holds their merged box. Insertion puts a leaf beside the sibling that adds the
/// least surface area on the way up, and rotations keep both area and depth low; `build` starts afresh and is the faster way
/// when a good part of the boxes moved. No function recurses.
class AabbTree {
 public:
  /// Adds the key, or moves it if it is there. @pre the box is finite and not empty
  void set(std::uint32_t key, const Aabb& box);
  void remove(std::uint32_t key);
  void clear();
  std::size_t size() const { return leaves_; }
  int depth() const;   ///< edges from the root to the deepest leaf; 0 for an empty tree

  /// Replaces the whole tree by one of the given keys. @param keys is permuted @param box_of by key
  void build(std::span<std::uint32_t> keys, std::span<const Aabb> box_of);

  /// Calls `visit(key)` for every leaf whose box overlaps the given one, until it returns false.
  template <class Visit>
  void query(const Aabb& box, Visit visit) {
    if (root_ == kNone) return;
    stack_.resize(static_cast<std::size_t>(depth()) + 2);   // one waiting sibling per level
    std::int32_t* top = stack_.data();
    *top++ = root_;
    while (top != stack_.data()) {
      const Node& node = nodes_[*--top];
      if (!overlap(node.box, box)) continue;
      if (node.is_leaf()) {
        if (!visit(static_cast<std::uint32_t>(node.child[0]))) return;
      } else {
        *top++ = node.child[1];
        *top++ = node.child[0];
      }
    }
  }

  /// As Aabb::overlaps, without a branch per axis.
  static bool overlap(const Aabb& a, const Aabb& b) {
    return (a.lower.x() <= b.upper.x()) & (a.lower.y() <= b.upper.y()) & (a.lower.z() <= b.upper.z()) &
           (b.lower.x() <= a.upper.x()) & (b.lower.y() <= a.upper.y()) & (b.lower.z() <= a.upper.z());
  }

 private:
  static constexpr std::int32_t kNone = -1;

  struct Node {
    Aabb box;
    std::int32_t parent = kNone;              ///< of a free node: the next free one
    std::int32_t child[2] = {kNone, kNone};   ///< of a leaf: its key, and kNone
    std::int32_t height = 0;                  ///< edges down to the deepest leaf
    bool is_leaf() const { return child[1] == kNone; }
  };

  /// A run of keys that becomes one subtree.
  struct Range {
    std::uint32_t *first, *last;
    std::int32_t parent, slot;
  };

  std::int32_t allocate();
  void release(std::int32_t node);
  std::int32_t best_sibling(const Aabb& box) const;
  void insert_leaf(std::int32_t leaf);
  void detach_leaf(std::int32_t leaf);
  void replace_child(std::int32_t parent, std::int32_t old_child, std::int32_t new_child);
  void refit(std::int32_t node);
  void refit_upwards(std::int32_t node);
  void rotate(std::int32_t node);

  std::vector<Node> nodes_;
  std::vector<std::int32_t> leaf_of_;   ///< by key
  std::int32_t root_ = kNone, free_ = kNone;
  std::size_t leaves_ = 0;

  std::vector<std::int32_t> stack_;
  std::vector<Range> ranges_;
};

}   // namespace stickslip
