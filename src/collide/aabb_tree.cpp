#include "collide/aabb_tree.h"

#include <algorithm>
#include <utility>

namespace stickslip {

namespace {

double merged_area(const Aabb& a, const Aabb& b) { return a.merged(b).half_area(); }

/// Splits a run of keys in two, both not empty: at the middle of the longest side of the box around the boxes' centres, or
/// by halves where that would leave one side with almost nothing.
std::uint32_t* split(std::uint32_t* first, std::uint32_t* last, std::span<const Aabb> box_of) {
  Aabb centers;   // of twice the centres, which is all that comparing needs
  for (const std::uint32_t* key = first; key != last; ++key) {
    const Vec3 twice = box_of[*key].lower + box_of[*key].upper;
    centers = centers.merged({twice, twice});
  }
  int axis = 0;
  (centers.upper - centers.lower).maxCoeff(&axis);
  const auto place = [&](std::uint32_t key) { return box_of[key].lower[axis] + box_of[key].upper[axis]; };
  const double middle = centers.lower[axis] / 2 + centers.upper[axis] / 2;
  std::uint32_t* cut = std::partition(first, last, [&](std::uint32_t key) { return place(key) < middle; });
  if (std::min(cut - first, last - cut) * 8 >= last - first) return cut;
  cut = first + (last - first) / 2;
  if (centers.upper[axis] > centers.lower[axis])
    std::nth_element(first, cut, last, [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  return cut;
}

}   // namespace

void AabbTree::set(std::uint32_t key, const Aabb& box) {
  if (key >= leaf_of_.size()) leaf_of_.resize(key + 1, kNone);
  std::int32_t leaf = leaf_of_[key];
  if (leaf != kNone) {
    detach_leaf(leaf);
  } else {
    leaf = allocate();
    nodes_[leaf].child[0] = static_cast<std::int32_t>(key);
    nodes_[leaf].child[1] = kNone;
    leaf_of_[key] = leaf;
  }
  nodes_[leaf].box = box;
  nodes_[leaf].height = 0;
  insert_leaf(leaf);
}

void AabbTree::remove(std::uint32_t key) {
  if (key >= leaf_of_.size() || leaf_of_[key] == kNone) return;
  detach_leaf(leaf_of_[key]);
  release(leaf_of_[key]);
  leaf_of_[key] = kNone;
}

void AabbTree::clear() {
  nodes_.clear();
  leaf_of_.assign(leaf_of_.size(), kNone);
  root_ = free_ = kNone;
  leaves_ = 0;
}

int AabbTree::depth() const { return root_ == kNone ? 0 : nodes_[root_].height; }

std::int32_t AabbTree::allocate() {
  if (free_ == kNone) {
    nodes_.emplace_back();
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }
  const std::int32_t node = free_;
  free_ = nodes_[node].parent;
  return node;
}

void AabbTree::release(std::int32_t node) {
  nodes_[node].parent = free_;
  free_ = node;
}

void AabbTree::replace_child(std::int32_t parent, std::int32_t old_child, std::int32_t new_child) {
  if (parent == kNone) root_ = new_child;
  else nodes_[parent].child[nodes_[parent].child[0] == old_child ? 0 : 1] = new_child;
  nodes_[new_child].parent = parent;
}

/// Walks down from the root. Putting the new box beside a node costs the area of both merged, and enlarges all ancestors;
/// the walk ends where no child can be cheaper. Ties go down into the shallower child, so that many equal boxes make a
/// balanced tree.
std::int32_t AabbTree::best_sibling(const Aabb& box) const {
  const double own_area = box.half_area();
  std::int32_t at = root_;
  double enlarged = 0;   // area added to the ancestors of `at`
  while (!nodes_[at].is_leaf()) {
    const Node& node = nodes_[at];
    const double with_box = merged_area(node.box, box);
    const double cost_here = with_box + enlarged;
    enlarged += with_box - node.box.half_area();
    double lower_bound[2];
    for (int i = 0; i < 2; ++i) {
      const Node& child = nodes_[node.child[i]];
      const double child_with_box = merged_area(child.box, box);
      // Inside an inner child, the least possible is: enlarge it, and merge with something no larger than the box itself.
      lower_bound[i] = enlarged + child_with_box + (child.is_leaf() ? 0.0 : own_area - child.box.half_area());
    }
    if (cost_here < lower_bound[0] && cost_here < lower_bound[1]) break;
    int next = lower_bound[1] < lower_bound[0] ? 1 : 0;
    if (lower_bound[0] == lower_bound[1]) next = nodes_[node.child[1]].height < nodes_[node.child[0]].height ? 1 : 0;
    at = node.child[next];
  }
  return at;
}

void AabbTree::insert_leaf(std::int32_t leaf) {
  ++leaves_;
  if (root_ == kNone) {
    root_ = leaf;
    nodes_[leaf].parent = kNone;
    return;
  }
  const std::int32_t sibling = best_sibling(nodes_[leaf].box);
  const std::int32_t parent = allocate();
  replace_child(nodes_[sibling].parent, sibling, parent);
  nodes_[parent].child[0] = sibling;
  nodes_[parent].child[1] = leaf;
  nodes_[sibling].parent = nodes_[leaf].parent = parent;
  refit_upwards(parent);
}

void AabbTree::detach_leaf(std::int32_t leaf) {
  --leaves_;
  const std::int32_t parent = nodes_[leaf].parent;
  if (parent == kNone) {
    root_ = kNone;
    return;
  }
  const std::int32_t sibling = nodes_[parent].child[nodes_[parent].child[0] == leaf ? 1 : 0];
  const std::int32_t grandparent = nodes_[parent].parent;
  replace_child(grandparent, parent, sibling);
  release(parent);
  refit_upwards(grandparent);
}

void AabbTree::refit(std::int32_t node) {
  Node& n = nodes_[node];
  const Node &a = nodes_[n.child[0]], &b = nodes_[n.child[1]];
  n.box = a.box.merged(b.box);
  n.height = 1 + std::max(a.height, b.height);
}

void AabbTree::refit_upwards(std::int32_t node) {
  for (; node != kNone; node = nodes_[node].parent) {
    refit(node);
    rotate(node);
  }
}

/// Exchanges a child with a grandchild of the other side where that makes the other child smaller, or where it is too deep
/// and does not grow; depth differences beyond 2 are worth some area.
void AabbTree::rotate(std::int32_t at) {
  constexpr int kTolerated = 2;
  double best_gain = 0;
  int best_side = -1, best_grandchild = -1;
  for (int side = 0; side < 2; ++side) {
    const Node &kept = nodes_[nodes_[at].child[side]], &other = nodes_[nodes_[at].child[1 - side]];
    if (other.is_leaf()) continue;
    const bool too_deep = other.height > kept.height + kTolerated;
    const double area = other.box.half_area();
    for (int g = 0; g < 2; ++g) {
      // `kept` takes the place of grandchild g, which moves up.
      const Node &up = nodes_[other.child[g]], &stays = nodes_[other.child[1 - g]];
      if (too_deep && up.height < stays.height) continue;   // would not get shallower
      if (!too_deep && 1 + std::max(kept.height, stays.height) > up.height + kTolerated) continue;
      double gain = area - merged_area(kept.box, stays.box);
      if (too_deep) gain = std::max(gain + area, 1e-3 * area);
      if (gain > best_gain) best_gain = gain, best_side = side, best_grandchild = g;
    }
  }
  if (best_side < 0) return;
  const std::int32_t kept = nodes_[at].child[best_side], other = nodes_[at].child[1 - best_side];
  const std::int32_t up = nodes_[other].child[best_grandchild];
  nodes_[at].child[best_side] = up;
  nodes_[up].parent = at;
  nodes_[other].child[best_grandchild] = kept;
  nodes_[kept].parent = other;
  refit(other);
  nodes_[at].height = 1 + std::max(nodes_[up].height, nodes_[other].height);
}

void AabbTree::build(std::span<std::uint32_t> keys, std::span<const Aabb> box_of) {
  clear();
  leaves_ = keys.size();
  if (keys.empty()) return;
  leaf_of_.resize(std::max(leaf_of_.size(), box_of.size()), kNone);
  nodes_.reserve(2 * keys.size());
  ranges_.assign(1, {keys.data(), keys.data() + keys.size(), kNone, 0});
  // Depth first, so that a subtree lies together in memory and parents come before their children.
  while (!ranges_.empty()) {
    const Range range = ranges_.back();
    ranges_.pop_back();
    const auto index = static_cast<std::int32_t>(nodes_.size());
    Node& node = nodes_.emplace_back();
    node.parent = range.parent;
    if (range.parent == kNone) root_ = index;
    else nodes_[range.parent].child[range.slot] = index;
    if (range.last - range.first == 1) {
      node.box = box_of[*range.first];
      node.child[0] = static_cast<std::int32_t>(*range.first);
      leaf_of_[*range.first] = index;
    } else {
      node.child[1] = 0;   // inner, whatever its children will be
      std::uint32_t* cut = split(range.first, range.last, box_of);
      ranges_.push_back({cut, range.last, index, 1});
      ranges_.push_back({range.first, cut, index, 0});
    }
  }
  for (auto node = static_cast<std::int32_t>(nodes_.size()) - 1; node >= 0; --node)
    if (!nodes_[node].is_leaf()) refit(node);
}

}   // namespace stickslip
