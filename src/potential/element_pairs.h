// Triangles, edges and points of different patches, or of one that deforms, whose boxes overlap. Patches are looked at first,
// by one tree over all of them; then the trees of two that overlap are descended together. A tree keeps its shape for good, so
// that a look only makes its boxes anew, and none of what flies alone.
#pragma once

#include "collide/aabb_tree.h"
#include "potential/float_box.h"
#include "stickslip/potential/contact_surface.h"

namespace stickslip {

/// Keeps memory from look to look; nothing that changes a result.
class ElementPairs {
 public:
  /// Takes boxes of points. @param changed patches whose boxes are not those of the last time; empty: all
  /// @param box_of (point) → Aabb
  void begin(const ContactSurface& surface, const std::vector<bool>& changed, auto&& box_of) {
    s_ = &surface;
    points_.resize(surface.points());
    nodes_.resize(surface.nodes().size());
    patches_.resize(surface.patches().size());
    made_.resize(patches_.size());
    for (std::size_t k = 0; k < patches_.size(); ++k) {
      if (!changed.empty() && !changed[k]) continue;
      const ContactSurface::Patch& patch = surface.patches()[k];
      patches_[k] = {};
      made_[k] = false;
      for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p) {
        const Aabb box = box_of(p);
        patches_[k] = patches_[k].merged(box);
        points_[p] = FloatBox(box);
      }
    }
  }

  const Aabb& box_of_patch(std::uint32_t patch) const { return patches_[patch]; }
  const FloatBox& box_of_point(std::uint32_t point) const { return points_[point]; }

  /// One element of each of two patches, with their boxes: the first has no fewer corners than the second.
  struct Two {
    std::uint32_t patch_a, patch_b, a, b;
    const FloatBox &box_a, &box_b;
  };

  /// Calls f(Two) for all pairs. @param wanted patches of which one has to be in a pair; empty: all
  void for_each(const ContactCandidates::Filter& filter, const std::vector<bool>& wanted, auto&& f) {
    const auto is_wanted = [&](std::uint32_t k) { return wanted.empty() || wanted[k]; };
    keys_.clear();
    for (std::uint32_t k = 0; k < patches_.size(); ++k)
      if (s_->patches()[k].nodes > 0) keys_.push_back(k);
    if (keys_.empty()) return;
    tree_.build(keys_, patches_);
    for (std::uint32_t k = 0; k < patches_.size(); ++k) {
      const ContactSurface::Patch& patch = s_->patches()[k];
      if (patch.nodes == 0 || !is_wanted(k)) continue;
      if (patch.deforms && patch.radius == 0) descend(k, k, f);
      tree_.query(patches_[k], [&](std::uint32_t other) {
        if (other == k || (other < k && is_wanted(other)) || !filter(k, other)) return true;
        patch.corners < s_->patches()[other].corners ? descend(other, k, f) : descend(k, other, f);
        return true;
      });
    }
  }

 private:
  void make_boxes(std::uint32_t number) {
    if (made_[number]) return;
    made_[number] = true;
    const ContactSurface::Patch& patch = s_->patches()[number];
    const auto own = std::span(nodes_).subspan(patch.first_node, patch.nodes);
    for (std::uint32_t k = patch.nodes; k-- > 0;) {   // children before their parents
      const ContactSurface::TreeNode& node = s_->nodes()[patch.first_node + k];
      if (node.is_leaf()) {
        const auto points = s_->points_of(patch.corners, node.element);
        own[k] = points_[points[0]];
        for (const std::uint32_t p : points.subspan(1)) own[k] = own[k].merged(points_[p]);
      } else {
        own[k] = own[k + 1].merged(own[node.second - patch.first_node]);
      }
    }
  }

  void descend(std::uint32_t patch_a, std::uint32_t patch_b, auto&& f) {
    make_boxes(patch_a);
    make_boxes(patch_b);
    const bool same = patch_a == patch_b;
    const auto of = [&](std::uint32_t patch) {
      const ContactSurface::Patch& p = s_->patches()[patch];
      return std::pair(std::span(nodes_).subspan(p.first_node, p.nodes), std::span(s_->nodes()).subspan(p.first_node, p.nodes));
    };
    const auto [boxes_a, nodes_a] = of(patch_a);
    const auto [boxes_b, nodes_b] = of(patch_b);
    const std::uint32_t start_a = s_->patches()[patch_a].first_node, start_b = s_->patches()[patch_b].first_node;
    if (!same && !boxes_a[0].overlaps(boxes_b[0])) return;
    std::size_t count = 0;   // that wait; what does not overlap is written over: nothing foresees how such a question goes
    const auto wait = [&](std::uint32_t i, std::uint32_t j, bool really) {
      waiting_[count] = {i, j};
      count += really;
    };
    if (waiting_.empty()) waiting_.resize(64);
    wait(0, 0, true);
    while (count > 0) {
      const auto [a, b] = waiting_[--count];
      if (waiting_.size() < count + 4) waiting_.resize(2 * waiting_.size());
      const ContactSurface::TreeNode &na = nodes_a[a], &nb = nodes_b[b];
      if (na.is_leaf() && nb.is_leaf()) {
        if (!same || a != b) f(Two{patch_a, patch_b, na.element, nb.element, boxes_a[a], boxes_b[b]});
        continue;
      }
      if (same && a == b) {
        const std::uint32_t second = na.second - start_a;
        wait(a + 1, a + 1, true);
        wait(second, second, true);
        wait(a + 1, second, boxes_a[a + 1].overlaps(boxes_a[second]));
        continue;
      }
      const std::array<std::uint32_t, 2> of_a = {a + 1, na.second - start_a}, of_b = {b + 1, nb.second - start_b};
      const auto look = [&](std::uint32_t i, std::uint32_t j) { wait(i, j, boxes_a[i].overlaps(boxes_b[j])); };
      if (na.is_leaf()) {
        for (const std::uint32_t j : of_b) look(a, j);
      } else if (nb.is_leaf()) {
        for (const std::uint32_t i : of_a) look(i, b);
      } else {
        for (const std::uint32_t i : of_a)
          for (const std::uint32_t j : of_b) look(i, j);
      }
    }
  }

  const ContactSurface* s_ = nullptr;
  std::vector<FloatBox> points_, nodes_;
  std::vector<Aabb> patches_;
  std::vector<bool> made_;   ///< by patch: whether those of its nodes are
  std::vector<std::uint32_t> keys_;
  AabbTree tree_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting_;
};

}   // namespace stickslip
