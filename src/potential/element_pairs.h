// Triangles, edges and points of different patches, or of one that deforms, whose boxes overlap. Patches are looked at first,
// by one tree over all of them; then the trees of two that overlap are descended together. A tree keeps its shape for good, so
// that a look only makes its boxes anew, and none of what flies alone.
#pragma once

#include "collide/aabb_tree.h"
#include "stickslip/potential/contact_surface.h"

namespace stickslip {

class ElementPairs {
 public:
  /// @param point_boxes that points are in
  ElementPairs(const ContactSurface& surface, std::span<const Aabb> point_boxes)
      : s_(surface), points_(point_boxes), patches_(surface.patches().size()), first_(patches_.size(), ContactSurface::kNone) {
    for (std::size_t k = 0; k < patches_.size(); ++k) {
      const ContactSurface::Patch& patch = s_.patches()[k];
      for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p)
        patches_[k] = patches_[k].merged(points_[p]);
    }
  }

  const Aabb& box_of_patch(std::uint32_t patch) const { return patches_[patch]; }

  /// One element of each of two patches: the first has no fewer corners than the second.
  struct Two {
    std::uint32_t patch_a, patch_b, a, b;
  };

  /// Calls f(Two) for all pairs. @param wanted patches of which one has to be in a pair; empty: all
  void for_each(const ContactCandidates::Filter& filter, const std::vector<bool>& wanted, auto&& f) {
    const auto is_wanted = [&](std::uint32_t k) { return wanted.empty() || wanted[k]; };
    std::vector<std::uint32_t> keys;
    for (std::uint32_t k = 0; k < patches_.size(); ++k)
      if (s_.patches()[k].nodes > 0) keys.push_back(k);
    AabbTree tree;
    if (!keys.empty()) tree.build(keys, patches_);
    for (std::uint32_t k = 0; k < patches_.size(); ++k) {
      const ContactSurface::Patch& patch = s_.patches()[k];
      if (patch.nodes == 0 || !is_wanted(k)) continue;
      if (patch.deforms && patch.radius == 0) descend(k, k, f);
      tree.query(patches_[k], [&](std::uint32_t other) {
        if (other == k || (other < k && is_wanted(other)) || !filter(k, other)) return true;
        patch.corners < s_.patches()[other].corners ? descend(other, k, f) : descend(k, other, f);
        return true;
      });
    }
  }

 private:
  void make_boxes(std::uint32_t number) {
    if (first_[number] != ContactSurface::kNone) return;
    const ContactSurface::Patch& patch = s_.patches()[number];
    first_[number] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + patch.nodes);
    const auto own = std::span(nodes_).last(patch.nodes);
    for (std::uint32_t k = patch.nodes; k-- > 0;) {   // children before their parents
      const ContactSurface::TreeNode& node = s_.nodes()[patch.first_node + k];
      if (!node.is_leaf()) own[k] = own[k + 1].merged(own[node.second - patch.first_node]);
      else
        for (const std::uint32_t p : s_.points_of(patch.corners, node.element)) own[k] = own[k].merged(points_[p]);
    }
  }

  void descend(std::uint32_t patch_a, std::uint32_t patch_b, auto&& f) {
    make_boxes(patch_a);
    make_boxes(patch_b);
    const bool same = patch_a == patch_b;
    const auto of = [&](std::uint32_t patch) {
      const ContactSurface::Patch& p = s_.patches()[patch];
      return std::pair(std::span(nodes_).subspan(first_[patch], p.nodes), std::span(s_.nodes()).subspan(p.first_node, p.nodes));
    };
    const auto [boxes_a, nodes_a] = of(patch_a);
    const auto [boxes_b, nodes_b] = of(patch_b);
    const std::uint32_t start_a = s_.patches()[patch_a].first_node, start_b = s_.patches()[patch_b].first_node;
    const auto wait = [&](std::uint32_t a, std::uint32_t b) {
      if ((same && a == b) || AabbTree::overlap(boxes_a[a], boxes_b[b])) waiting_.emplace_back(a, b);
    };
    waiting_.clear();
    wait(0, 0);
    while (!waiting_.empty()) {
      const auto [a, b] = waiting_.back();
      waiting_.pop_back();
      const ContactSurface::TreeNode &na = nodes_a[a], &nb = nodes_b[b];
      if (na.is_leaf() && nb.is_leaf()) {
        if (!same || a != b) f(Two{patch_a, patch_b, na.element, nb.element});
      } else if (same && a == b) {
        wait(a + 1, a + 1);
        wait(na.second - start_a, na.second - start_a);
        wait(a + 1, na.second - start_a);
      } else if (nb.is_leaf() || (!na.is_leaf() && size_of(boxes_a[a]) > size_of(boxes_b[b]))) {
        wait(a + 1, b);
        wait(na.second - start_a, b);
      } else {
        wait(a, b + 1);
        wait(a, nb.second - start_b);
      }
    }
  }
  static double size_of(const Aabb& box) { return (box.upper - box.lower).sum(); }

  const ContactSurface& s_;
  std::span<const Aabb> points_;
  std::vector<Aabb> patches_, nodes_;   ///< the second of those patches that were descended
  std::vector<std::uint32_t> first_;    ///< by patch: of its boxes among those of nodes; kNone: not made
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting_;
};

}   // namespace stickslip
