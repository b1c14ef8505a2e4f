#include <algorithm>

#include "collide/aabb_tree.h"
#include "stickslip/distance/intersection.h"
#include "stickslip/potential/contact_surface.h"

namespace stickslip {

namespace {

constexpr double kBeyond = 0.2;   ///< of its way that a point may leave it by

Aabb box_of_two(const Vec3& a, const Vec3& b) { return {a.cwiseMin(b), a.cwiseMax(b)}; }

/// Triangles, then lone edges, then lone points: what the tree holds.
struct ElementList {
  explicit ElementList(const ContactSurface& s)
      : surface(s),
        first_edge(static_cast<std::uint32_t>(s.triangles().size())),
        first_point(first_edge + static_cast<std::uint32_t>(s.lone_edges().size())),
        count(first_point + static_cast<std::uint32_t>(s.lone_points().size())) {}

  std::span<const std::uint32_t> points_of(std::uint32_t e) const {
    if (e < first_edge) return surface.triangles()[e].points;
    if (e < first_point) return surface.edges()[surface.lone_edges()[e - first_edge]].points;
    return {&surface.lone_points()[e - first_point], 1};
  }
  std::uint32_t patch_of(std::uint32_t e) const { return surface.patch_number(points_of(e)[0]); }
  bool is_triangle(std::uint32_t e) const { return e < first_edge; }
  bool is_edge(std::uint32_t e) const { return e >= first_edge && e < first_point; }

  const ContactSurface& surface;
  std::uint32_t first_edge, first_point, count;
};

/// Calls f(e, other) for all elements whose boxes overlap, e < other.
void for_each_overlap(const ElementList& elements, std::span<const Aabb> boxes, auto&& f) {
  std::vector<std::uint32_t> keys(elements.count);
  for (std::uint32_t e = 0; e < elements.count; ++e) keys[e] = e;
  AabbTree tree;
  if (!keys.empty()) tree.build(keys, boxes);
  for (std::uint32_t e = 0; e < elements.count; ++e)
    tree.query(boxes[e], [&](std::uint32_t other) {
      if (other > e) f(e, other);
      return true;
    });
}

/// Whether two patches may touch, asked once for every pair that comes up in a row.
class AskOnce {
 public:
  AskOnce(const ContactSurface& surface, const ContactCandidates::Filter& filter) : surface_(surface), filter_(filter) {}
  bool operator()(std::uint32_t a, std::uint32_t b) {
    if (a == b) return surface_.patches()[a].deforms && surface_.patches()[a].radius == 0;
    if (a == a_ && b == b_) return answer_;
    a_ = a;
    b_ = b;
    return answer_ = filter_(a, b);
  }

 private:
  const ContactSurface& surface_;
  const ContactCandidates::Filter& filter_;
  std::uint32_t a_ = ContactSurface::kNone, b_ = ContactSurface::kNone;
  bool answer_ = false;
};

}   // namespace

/// One search.
struct ContactCandidates::Finder {
  const ContactSurface& surface;
  const ElementList& elements;
  std::vector<Aabb> point_boxes, edge_boxes;   ///< with range
  ContactCandidates& out;

  void try_point_triangle(std::uint32_t p, std::uint32_t t, const Aabb& box) const {
    const auto& corners = surface.triangles()[t].points;
    if (p == corners[0] || p == corners[1] || p == corners[2] || !AabbTree::overlap(point_boxes[p], box)) return;
    if (surface.hold_each_other({&p, 1}, corners)) return;
    out.point_triangle.push_back({p, t});
  }
  void try_edges(std::uint32_t a, std::uint32_t b) const {
    const auto &pa = surface.edges()[a].points, &pb = surface.edges()[b].points;
    if (pa[0] == pb[0] || pa[0] == pb[1] || pa[1] == pb[0] || pa[1] == pb[1]) return;
    if (!AabbTree::overlap(edge_boxes[a], edge_boxes[b]) || surface.hold_each_other(pa, pb)) return;
    out.edge_edge.push_back({std::min(a, b), std::max(a, b)});
  }
  /// Edges that an element brings.
  void for_each_edge(std::uint32_t e, auto&& f) const {
    if (elements.is_edge(e)) f(surface.lone_edges()[e - elements.first_edge]);
    if (!elements.is_triangle(e)) return;
    const ContactSurface::Triangle& t = surface.triangles()[e];
    for (int k = 0; k < 3; ++k)
      if (t.owned & (8 << k)) f(t.edges[k]);
  }
  /// Points that an element brings.
  void for_each_point(std::uint32_t e, auto&& f) const {
    const auto points = elements.points_of(e);
    const int owned = elements.is_triangle(e) ? surface.triangles()[e].owned : 7;
    for (std::size_t k = 0; k < points.size(); ++k)
      if (owned & (1 << k)) f(points[k]);
  }
  void meet(std::uint32_t a, std::uint32_t b, std::span<const Aabb> boxes) const {
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)})
      if (elements.is_triangle(y)) for_each_point(x, [&](std::uint32_t p) { try_point_triangle(p, y, boxes[y]); });
    for_each_edge(a, [&](std::uint32_t ea) { for_each_edge(b, [&](std::uint32_t eb) { try_edges(ea, eb); }); });
    if (elements.is_triangle(a) || elements.is_edge(b)) return;   // b is the later one
    if (surface.hold_each_other(elements.points_of(a), elements.points_of(b))) return;
    const std::uint32_t point = elements.points_of(b)[0];
    if (elements.is_edge(a)) out.point_edge.push_back({point, surface.lone_edges()[a - elements.first_edge]});
    else out.point_point.push_back({elements.points_of(a)[0], point});
  }
};

void ContactCandidates::clear_pairs() {
  for (Pairs* list : {&point_triangle, &edge_edge, &point_edge, &point_point, &point_plane}) list->clear();
}

void ContactCandidates::find(const ContactSurface& surface, std::span<const Vec3> from, std::span<const Vec3> to,
                             std::span<const double> bends, double slack, const Filter& filter) {
  clear_pairs();
  const ElementList elements(surface);
  Finder finder{surface, elements, {}, {}, *this};
  const bool more = boxes_.size() == surface.points();
  boxes_.resize(surface.points());
  finder.point_boxes.resize(surface.points());
  for (std::uint32_t p = 0; p < surface.points(); ++p) {
    const ContactSurface::Patch& patch = surface.patch_of(p);
    const double beyond = kBeyond * (to[p] - from[p]).norm() + (bends.empty() ? 0 : bends[p] / 8);
    const Aabb box = box_of_two(from[p], to[p]).grown(slack + beyond);
    boxes_[p] = more ? boxes_[p].merged(box) : box;
    finder.point_boxes[p] = boxes_[p].grown(patch.range + patch.radius);
  }
  for (const ContactSurface::Edge& e : surface.edges())
    finder.edge_boxes.push_back(finder.point_boxes[e.points[0]].merged(finder.point_boxes[e.points[1]]));
  std::vector<Aabb> boxes(elements.count);
  for (std::uint32_t e = 0; e < elements.count; ++e)
    for (const std::uint32_t p : elements.points_of(e)) boxes[e] = boxes[e].merged(finder.point_boxes[p]);
  AskOnce may_meet(surface, filter);
  for_each_overlap(elements, boxes, [&](std::uint32_t a, std::uint32_t b) {
    if (may_meet(elements.patch_of(a), elements.patch_of(b))) finder.meet(a, b, boxes);
  });
  for (std::uint32_t k = 0; k < surface.planes().size(); ++k) {
    const ContactSurface::Plane& plane = surface.planes()[k];
    AskOnce may_stand(surface, filter);
    for (std::uint32_t p = 0; p < surface.points(); ++p) {
      const Aabb& box = finder.point_boxes[p];
      // One that moves may come from anywhere.
      const double lowest = plane.moves() ? -1
                                          : plane.normal.dot(0.5 * (box.lower + box.upper)) -
                                                0.5 * plane.normal.cwiseAbs().dot(box.upper - box.lower) - plane.offset;
      if (lowest < 0 && may_stand(surface.patch_number(p), plane.patch) &&
          !surface.any_held({&p, 1}, surface.patches()[plane.patch].body))
        point_plane.push_back({p, k});
    }
  }
  for (Pairs* list : {&point_triangle, &edge_edge, &point_edge, &point_point, &point_plane})
    std::sort(list->begin(), list->end());
}

bool ContactCandidates::cover(std::span<const Vec3> x, std::span<const double> bends) const {
  if (boxes_.size() != x.size()) return false;
  for (std::size_t p = 0; p < x.size(); ++p) {
    const double bend = bends.empty() ? 0 : bends[p] / 8;
    if (((x[p].array() - bend) < boxes_[p].lower.array()).any() || ((x[p].array() + bend) > boxes_[p].upper.array()).any())
      return false;
  }
  return true;
}

namespace {

double edge_distance(const ContactSurface& s, std::span<const Vec3> x, std::uint32_t a, std::uint32_t b) {
  const auto &pa = s.edges()[a].points, &pb = s.edges()[b].points;
  return std::sqrt(closest_of_edges(x[pa[0]], x[pa[1]], x[pb[0]], x[pb[1]]).squared_distance);
}

/// Gap of two elements that are not both triangles, at least one of them round.
double gap_of_round(const ElementList& elements, std::span<const Vec3> x, std::uint32_t a, std::uint32_t b) {
  const ContactSurface& s = elements.surface;
  const double radii = s.patches()[elements.patch_of(a)].radius + s.patches()[elements.patch_of(b)].radius;
  const auto pa = elements.points_of(a), pb = elements.points_of(b);
  double squared = 0;
  if (pa.size() == 3) {
    const auto to_triangle = [&](std::uint32_t p) {
      return closest_on_triangle(x[p], x[pa[0]], x[pa[1]], x[pa[2]]).squared_distance;
    };
    squared = to_triangle(pb[0]);
    if (pb.size() == 2) {
      squared = std::min(squared, to_triangle(pb[1]));
      for (int k = 0; k < 3; ++k)
        squared = std::min(squared, closest_of_edges(x[pa[k]], x[pa[(k + 1) % 3]], x[pb[0]], x[pb[1]]).squared_distance);
      if (edge_meets_triangle(x[pb[0]], x[pb[1]], {x[pa[0]], x[pa[1]], x[pa[2]]})) squared = 0;
    }
  } else if (pa.size() == 2 && pb.size() == 2) {
    squared = closest_of_edges(x[pa[0]], x[pa[1]], x[pb[0]], x[pb[1]]).squared_distance;
  } else if (pa.size() == 2) {
    squared = closest_on_edge(x[pb[0]], x[pa[0]], x[pa[1]]).squared_distance;
  } else {
    squared = (x[pa[0]] - x[pb[0]]).squaredNorm();
  }
  return std::sqrt(squared) - radii;
}

bool share_a_point(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  return std::ranges::any_of(a, [&](std::uint32_t p) { return std::ranges::find(b, p) != b.end(); });
}

}   // namespace

std::vector<NearPair> find_intersections(const ContactSurface& surface, std::span<const Vec3> x,
                                         const ContactCandidates::Filter& filter) {
  const ElementList elements(surface);
  std::vector<Aabb> boxes(elements.count);
  for (std::uint32_t e = 0; e < elements.count; ++e) {
    for (const std::uint32_t p : elements.points_of(e)) boxes[e] = boxes[e].merged({x[p], x[p]});
    boxes[e] = boxes[e].grown(surface.patches()[elements.patch_of(e)].radius);
  }
  std::vector<NearPair> found;
  AskOnce may_meet(surface, filter);
  for_each_overlap(elements, boxes, [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t pa = elements.patch_of(a), pb = elements.patch_of(b);
    const auto points_a = elements.points_of(a), points_b = elements.points_of(b);
    if (!may_meet(pa, pb) || share_a_point(points_a, points_b) || surface.hold_each_other(points_a, points_b)) return;
    const auto corners = [&](std::span<const std::uint32_t> p) { return std::array<Vec3, 3>{x[p[0]], x[p[1]], x[p[2]]}; };
    const bool meet =
        elements.is_triangle(b) ? triangles_meet(corners(points_a), corners(points_b)) : gap_of_round(elements, x, a, b) <= 0;
    if (meet) found.push_back({std::min(pa, pb), std::max(pa, pb), 0});
  });
  for (const ContactSurface::Plane& any : surface.planes())
    for (std::uint32_t p = 0; p < surface.points(); ++p) {
      const ContactSurface::Plane plane = any.at(x);
      const double gap = signed_distance_to_half_space(x[p], plane.normal, plane.offset) - surface.patch_of(p).radius;
      if (gap <= 0 && filter(surface.patch_number(p), plane.patch) &&
          !surface.any_held({&p, 1}, surface.patches()[plane.patch].body))
        found.push_back({std::min(surface.patch_number(p), plane.patch), std::max(surface.patch_number(p), plane.patch), gap});
    }
  const auto key = [](const NearPair& n) { return std::tuple(n.patch_a, n.patch_b, n.distance); };
  std::sort(found.begin(), found.end(), [&](const NearPair& a, const NearPair& b) { return key(a) < key(b); });
  found.erase(
      std::unique(found.begin(), found.end(),
                  [](const NearPair& a, const NearPair& b) { return a.patch_a == b.patch_a && a.patch_b == b.patch_b; }),
      found.end());
  return found;
}

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
