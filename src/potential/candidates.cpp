#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "potential/element_pairs.h"
#include "stickslip/distance/closest.h"

namespace stickslip {

namespace {

constexpr double kBeyond = 0.1;    ///< of its way, and of what its patch goes on average, that a point may leave it by
constexpr double kAhead = 1;       ///< of their ways that points may go on: what moves on is not looked for in every step
constexpr double kMostAhead = 8;   ///< the same where ways are short beside edges
constexpr double kOfEdges = 0.3;   ///< ways of this part of the mean edge bring few more pairs
constexpr double kAside = 0.5;     ///< of what they may go on farther than that, to all sides
constexpr double kFartherBeyond = 0.25;   ///< the first where it has left it once

constexpr double kNothingKnown = -std::numeric_limits<double>::infinity();

Aabb box_of_two(const Vec3& a, const Vec3& b) { return {a.cwiseMin(b), a.cwiseMax(b)}; }

}   // namespace

/// One search.
struct ContactCandidates::Finder {
  const ContactSurface& surface;
  const std::vector<bool>& changed;   ///< patches that are looked for
  const ElementPairs& boxes;          ///< with range
  ContactCandidates& out;

  FloatBox box_of_edge(std::uint32_t e) const {
    const auto& ends = surface.edges()[e].points;
    return boxes.box_of_point(ends[0]).merged(boxes.box_of_point(ends[1]));
  }
  void try_point_triangle(std::uint32_t p, std::uint32_t t, const FloatBox& box) const {
    const auto& corners = surface.triangles()[t].points;
    if (!boxes.box_of_point(p).overlaps(box) || p == corners[0] || p == corners[1] || p == corners[2]) return;
    if (surface.hold_each_other({&p, 1}, corners)) return;
    out.point_triangle.push_back({p, t});
  }
  void try_edges(std::uint32_t a, std::uint32_t b) const {
    const auto &pa = surface.edges()[a].points, &pb = surface.edges()[b].points;
    if (pa[0] == pb[0] || pa[0] == pb[1] || pa[1] == pb[0] || pa[1] == pb[1]) return;
    if (!surface.hold_each_other(pa, pb)) out.edge_edge.push_back({std::min(a, b), std::max(a, b)});
  }
  /// Edges that an element brings, with their boxes.
  struct Edges {
    int count = 0;
    std::array<std::uint32_t, 3> numbers;
    std::array<FloatBox, 3> boxes;
  };
  bool has_edges(std::uint8_t corners, std::uint32_t element) const {
    return corners == 2 || (corners == 3 && surface.triangles()[element].owned >= 8);
  }
  Edges edges_of(std::uint8_t corners, std::uint32_t element, const FloatBox& near) const {
    Edges found;
    const auto add = [&](std::uint32_t e) {
      found.numbers[found.count] = e;
      found.boxes[found.count] = box_of_edge(e);
      if (found.boxes[found.count].overlaps(near)) ++found.count;
    };
    if (corners == 2) add(element);
    if (corners == 3)
      for (int k = 0; k < 3; ++k)
        if (surface.triangles()[element].owned & (8 << k)) add(surface.triangles()[element].edges[k]);
    return found;
  }
  void try_points(std::uint8_t corners, std::uint32_t element, std::uint32_t triangle, const FloatBox& box) const {
    const auto all = surface.points_of(corners, element);
    const int owned = corners == 3 ? surface.triangles()[element].owned : 7;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (owned & (1 << k)) try_point_triangle(all[k], triangle, box);
  }
  void meet(const ElementPairs::Two& two) const {
    const std::uint8_t a = surface.patches()[two.patch_a].corners, b = surface.patches()[two.patch_b].corners;
    if (a == 1 || (a == 2 && b == 1)) {   // between what is round
      if (surface.hold_each_other(surface.points_of(a, two.a), surface.points_of(b, two.b))) return;
      if (a == 2) out.point_edge.push_back({two.b, two.a});
      else out.point_point.push_back({std::min(two.a, two.b), std::max(two.a, two.b)});
      return;
    }
    if (a == 3) try_points(b, two.b, two.a, two.box_a);
    if (b == 3) try_points(a, two.a, two.b, two.box_b);
    if (!has_edges(a, two.a) || !has_edges(b, two.b)) return;
    const Edges ea = edges_of(a, two.a, two.box_b);
    if (ea.count == 0) return;
    const Edges eb = edges_of(b, two.b, two.box_a);
    for (int i = 0; i < ea.count; ++i)
      for (int j = 0; j < eb.count; ++j)
        if (ea.boxes[i].overlaps(eb.boxes[j])) try_edges(ea.numbers[i], eb.numbers[j]);
  }
  /// Points that may come within range of half-spaces. @param box_of (point)
  void find_over_planes(const Filter& filter, auto&& box_of) const {
    for (std::uint32_t k = 0; k < surface.planes().size(); ++k) {
      const ContactSurface::Plane& plane = surface.planes()[k];
      const auto is_low = [&](const Aabb& box) { return plane.moves() || !plane.is_below(box); };   // or may come from anywhere
      for (std::uint32_t number = 0; number < surface.patches().size(); ++number) {
        const ContactSurface::Patch& patch = surface.patches()[number];
        if (patch.points == 0 || !changed[number] || !is_low(boxes.box_of_patch(number)) || !filter(number, plane.patch))
          continue;
        for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p)
          if (is_low(box_of(p)) && !surface.any_held({&p, 1}, surface.patches()[plane.patch].body))
            out.point_plane.push_back({p, k});
      }
    }
  }
};

ContactCandidates::ContactCandidates() : elements_(std::make_unique<ElementPairs>()) {}
ContactCandidates::~ContactCandidates() = default;
ContactCandidates::ContactCandidates(ContactCandidates&&) noexcept = default;
ContactCandidates& ContactCandidates::operator=(ContactCandidates&&) noexcept = default;

void ContactCandidates::clear_pairs() {
  for (Pairs* list : {&point_triangle, &edge_edge, &point_edge, &point_point, &point_plane}) list->clear();
}

void ContactCandidates::sort_pairs() {
  const auto number = [](const std::array<std::uint32_t, 2>& pair) { return std::uint64_t{pair[0]} << 32 | pair[1]; };
  for (Pairs* list : {&point_triangle, &edge_edge, &point_edge, &point_point, &point_plane})
    std::ranges::sort(*list, {}, number);
}

bool ContactCandidates::covers(std::span<const Vec3> x, std::span<const double> bends,
                               const ContactSurface::Patch& patch) const {
  for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p) {
    const double bend = bends.empty() ? 0 : bends[p] / 8;
    if (((x[p].array() - bend) < boxes_[p].lower.array()).any() || ((x[p].array() + bend) > boxes_[p].upper.array()).any())
      return false;
  }
  return true;
}

void ContactCandidates::open_group(std::uint32_t patch_a, std::uint32_t patch_b) {
  std::array<std::uint32_t, 4> first;
  for (std::size_t k = 0; k < 4; ++k) first[k] = static_cast<std::uint32_t>((this->*kGrouped[k]).size());
  if (!groups_.empty() && groups_.back().first == first) groups_.pop_back();   // has no pairs
  groups_.push_back({patch_a, patch_b, first});
}

/// Adds how far points moved since the last time, whatever all of two patches did alike left out.
void ContactCandidates::follow(const ContactSurface& s, std::span<const Vec3> x) {
  if (last_.size() == x.size()) {
    struct Motion {
      Vec3 common = Vec3::Zero();
      double own = 0;   // of a point beyond that, at most [m]
    };
    std::vector<Motion> motions(s.patches().size());
    for (std::size_t k = 0; k < motions.size(); ++k) {
      const ContactSurface::Patch& patch = s.patches()[k];
      Motion& m = motions[k];
      if (patch.points == 0) continue;
      for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p) m.common += x[p] - last_[p];
      m.common /= patch.points;
      double squared = 0;
      for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p)
        squared = std::max(squared, (x[p] - last_[p] - m.common).squaredNorm());
      m.own = std::sqrt(squared);
    }
    for (Group& g : groups_) {
      const Motion &a = motions[g.patch_a], &b = motions[g.patch_b];
      g.moved += (a.common - b.common).norm() + a.own + b.own;
    }
  }
  last_.assign(x.begin(), x.end());
}

/// Forgets pairs of patches that are looked for anew.
void ContactCandidates::drop_pairs_of(const ContactSurface& s, const std::vector<bool>& changed) {
  std::array<std::uint32_t, 4> end, kept = {};
  for (std::size_t k = 0; k < 4; ++k) end[k] = static_cast<std::uint32_t>((this->*kGrouped[k]).size());
  std::size_t left = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (changed[groups_[g].patch_a] || changed[groups_[g].patch_b]) continue;
    Group group = groups_[g];
    const std::array<std::uint32_t, 4>& next = g + 1 < groups_.size() ? groups_[g + 1].first : end;
    for (std::size_t k = 0; k < 4; ++k) {
      Pairs& list = this->*kGrouped[k];
      const std::uint32_t first = std::exchange(group.first[k], kept[k]);
      std::copy(list.begin() + first, list.begin() + next[k], list.begin() + kept[k]);
      std::copy(beyond_[k].begin() + first, beyond_[k].begin() + next[k], beyond_[k].begin() + kept[k]);
      kept[k] += next[k] - first;
    }
    groups_[left++] = group;
  }
  groups_.resize(left);
  for (std::size_t k = 0; k < 4; ++k) {
    (this->*kGrouped[k]).resize(kept[k]);
    beyond_[k].resize(kept[k]);
  }
  std::erase_if(point_plane, [&](const auto& pair) { return changed[s.patch_number(pair[0])]; });
}

/// @param again in the same step
void ContactCandidates::make_boxes(const ContactSurface::Patch& patch, std::span<const Vec3> from, std::span<const Vec3> to,
                                   std::span<const double> bends, bool again) {
  const std::uint32_t end = patch.first_point + patch.points;
  double squares = 0;
  for (std::uint32_t p = patch.first_point; p < end; ++p) squares += (to[p] - from[p]).squaredNorm();
  const double usual = std::sqrt(squares / std::max(1u, patch.points));
  const double few_pairs = kOfEdges * patch.mean_edge;
  const double ahead = few_pairs < kMostAhead * usual ? std::max(kAhead, few_pairs / usual) : kMostAhead;
  for (std::uint32_t p = patch.first_point; p < end; ++p) {
    const Vec3 way = to[p] - from[p];
    const double beyond = (again ? kFartherBeyond : kBeyond) * (usual + way.norm()) + kAside * (ahead - kAhead) * usual +
                          (bends.empty() ? 0 : bends[p] / 8);
    boxes_[p] = box_of_two(from[p], again ? to[p] : Vec3(to[p] + ahead * way)).grown(patch.reach + beyond);
  }
}

bool ContactCandidates::find(const ContactSurface& surface, std::span<const Vec3> from, std::span<const Vec3> to,
                             std::span<const double> bends, const Filter& filter) {
  // Both ends with what the arc strays from the chord: then the boxes hold all of it.
  const auto is_covered = [&](const ContactSurface::Patch& patch) {
    return patch.fixed || (covers(from, bends, patch) && covers(to, bends, patch));
  };
  return look(surface, from, to, bends, is_covered, filter);
}

bool ContactCandidates::find_at(const ContactSurface& surface, std::span<const Vec3> x, std::span<const Vec3> next,
                                const Filter& filter) {
  return look(
      surface, x, next, {}, [&](const ContactSurface::Patch& patch) { return covers(x, {}, patch); }, filter);
}

bool ContactCandidates::look(const ContactSurface& surface, std::span<const Vec3> from, std::span<const Vec3> to,
                             std::span<const double> bends, auto&& is_covered, const Filter& filter) {
  const bool more = boxes_.size() == surface.points();
  if (!more) {
    clear_pairs();
    groups_.clear();
    for (std::vector<double>& list : beyond_) list.clear();
    last_.clear();
    boxes_.resize(surface.points());
    seen_.assign(surface.patches().size(), false);
  }
  changed_.assign(surface.patches().size(), !more);
  bool any = !more;
  for (std::uint32_t k = 0; k < surface.patches().size(); ++k) {
    const ContactSurface::Patch& patch = surface.patches()[k];
    if (more && is_covered(patch)) continue;
    make_boxes(patch, from, to, bends, seen_[k]);
    seen_[k] = changed_[k] = any = true;
  }
  if (!any) return false;
  if (more) drop_pairs_of(surface, changed_);
  const auto box_of = [&](std::uint32_t p) { return boxes_[p].grown(surface.patch_of(p).reach + surface.patch_of(p).radius); };
  elements_->begin(surface, changed_, box_of);
  const Finder finder{surface, changed_, *elements_, *this};
  elements_->for_each(filter, changed_, [&](const ElementPairs::Two& two) {
    if (groups_.empty() || groups_.back().patch_a != two.patch_a || groups_.back().patch_b != two.patch_b)
      open_group(two.patch_a, two.patch_b);
    finder.meet(two);
  });
  for (std::size_t k = 0; k < 4; ++k) beyond_[k].resize((this->*kGrouped[k]).size(), kNothingKnown);
  finder.find_over_planes(filter, box_of);
  return true;
}

namespace {

double edge_distance(const ContactSurface& s, std::span<const Vec3> x, std::uint32_t a, std::uint32_t b) {
  const auto &pa = s.edges()[a].points, &pb = s.edges()[b].points;
  return std::sqrt(closest_of_edges(x[pa[0]], x[pa[1]], x[pb[0]], x[pb[1]]).squared_distance);
}

}   // namespace

double smallest_gap(const ContactSurface& s, const ContactCandidates& candidates, std::span<const Vec3> x) {
  double smallest = std::numeric_limits<double>::infinity();
  const auto radii = [&](std::uint32_t p, std::uint32_t q) { return s.patch_of(p).radius + s.patch_of(q).radius; };
  for (const auto& [p, t] : candidates.point_triangle) {
    const auto& c = s.triangles()[t].points;
    const double squared = closest_on_triangle(x[p], x[c[0]], x[c[1]], x[c[2]]).squared_distance;
    smallest = std::min(smallest, std::sqrt(squared) - radii(p, c[0]));
  }
  for (const auto& [a, b] : candidates.edge_edge)
    smallest = std::min(smallest, edge_distance(s, x, a, b) - radii(s.edges()[a].points[0], s.edges()[b].points[0]));
  for (const auto& [p, e] : candidates.point_edge) {
    const auto& c = s.edges()[e].points;
    smallest = std::min(smallest, std::sqrt(closest_on_edge(x[p], x[c[0]], x[c[1]]).squared_distance) - radii(p, c[0]));
  }
  for (const auto& [p, q] : candidates.point_point) smallest = std::min(smallest, (x[p] - x[q]).norm() - radii(p, q));
  for (const auto& [p, k] : candidates.point_plane) {
    const ContactSurface::Plane plane = s.planes()[k].at(x);
    smallest = std::min(smallest, signed_distance_to_half_space(x[p], plane.normal, plane.offset) - s.patch_of(p).radius);
  }
  return smallest;
}

}   // namespace stickslip
