// Which surfaces have points in common: the question that no step of a barrier may answer with yes.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "potential/element_pairs.h"
#include "stickslip/distance/intersection.h"

namespace stickslip {

namespace {

/// Gap of two elements that are not both triangles, at least one of them round. The first has no fewer corners.
double gap_of_round(const ContactSurface& s, std::span<const Vec3> x, std::span<const std::uint32_t> pa,
                    std::span<const std::uint32_t> pb) {
  const double radii = s.patch_of(pa[0]).radius + s.patch_of(pb[0]).radius;
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
  std::vector<NearPair> found;
  ElementPairs elements;
  elements.begin(surface, {}, [&](std::uint32_t p) { return Aabb{x[p], x[p]}.grown(surface.patch_of(p).radius); });
  elements.for_each(filter, {}, [&](const ElementPairs::Two& two) {
    const std::uint8_t ca = surface.patches()[two.patch_a].corners, cb = surface.patches()[two.patch_b].corners;
    const auto pa = surface.points_of(ca, two.a), pb = surface.points_of(cb, two.b);
    if (share_a_point(pa, pb) || surface.hold_each_other(pa, pb)) return;
    const auto corners = [&](std::span<const std::uint32_t> p) { return std::array<Vec3, 3>{x[p[0]], x[p[1]], x[p[2]]}; };
    const bool meet = cb == 3 ? triangles_meet(corners(pa), corners(pb)) : gap_of_round(surface, x, pa, pb) <= 0;
    if (meet) found.push_back({std::min(two.patch_a, two.patch_b), std::max(two.patch_a, two.patch_b), 0});
  });
  for (const ContactSurface::Plane& any : surface.planes()) {
    const ContactSurface::Plane plane = any.at(x);
    for (std::uint32_t p = 0; p < surface.points(); ++p) {
      const double gap = signed_distance_to_half_space(x[p], plane.normal, plane.offset) - surface.patch_of(p).radius;
      if (gap <= 0 && filter(surface.patch_number(p), plane.patch) &&
          !surface.any_held({&p, 1}, surface.patches()[plane.patch].body))
        found.push_back({std::min(surface.patch_number(p), plane.patch), std::max(surface.patch_number(p), plane.patch), gap});
    }
  }
  const auto key = [](const NearPair& n) { return std::tuple(n.patch_a, n.patch_b, n.distance); };
  std::sort(found.begin(), found.end(), [&](const NearPair& a, const NearPair& b) { return key(a) < key(b); });
  found.erase(
      std::unique(found.begin(), found.end(),
                  [](const NearPair& a, const NearPair& b) { return a.patch_a == b.patch_a && a.patch_b == b.patch_b; }),
      found.end());
  return found;
}

}   // namespace stickslip
