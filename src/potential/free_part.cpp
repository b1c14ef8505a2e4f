// How far points may go before a pair of features comes too near: the filter of line searches.
#include <algorithm>
#include <cmath>

#include "stickslip/ccd/inclusion.h"
#include "stickslip/potential/contact_surface.h"

namespace stickslip {

namespace {

constexpr double kKept = 0.1;      ///< part of a gap that a step leaves
constexpr double kBendShare = 0.25;   ///< of what is left of a gap that bends of paths may take
constexpr int kMostPieces = 200;   ///< that a bent path is looked at in

/// One pair on its way. N points, of which the first A are on one side.
template <int N, int A>
class Walk {
 public:
  Walk(const PointPaths& paths, const std::array<std::uint32_t, N>& points, double offset)
      : paths_(paths), points_(points), offset_(offset) {
    for (int i = 0; i < N; ++i) start_[i] = paths.start[points[i]];
  }

  template <class Distance, class Query>
  double free_until(double limit, const Distance& distance, const Query& query) {
    double gap = distance(start_) - offset_;
    if (!(gap > 0)) return 0;
    const double kept = kKept * gap, bend = bend_of_sides();
    if (gap - limit * relative_way() - bend / 8 > kept) return limit;
    double from = 0;
    for (int piece = 0; piece < kMostPieces && from < limit; ++piece) {
      double part = limit - from;
      if (bend > 0) part = std::min(part, std::sqrt(8 * kBendShare * (gap - kept) / bend));
      const PointsAt<N> end = places(from + part);
      ImpactOptions options;
      options.min_distance = offset_ + kept + bend * part * part / 8;
      options.resolve_start = true;
      if (const std::optional<Impact> impact = query(start_, end, options)) return from + part * impact->time;
      from = bend > 0 ? from + part : limit;
      start_ = end;
      gap = distance(start_) - offset_;
      if (!(gap > kept)) break;
    }
    return std::min(from, limit);
  }

 private:
  double bend_of_sides() const {
    if (paths_.bends.empty()) return 0;
    double sides[2] = {0, 0};
    for (int i = 0; i < N; ++i) sides[i >= A] = std::max(sides[i >= A], paths_.bends[points_[i]]);
    return sides[0] + sides[1];
  }
  /// How far a point of one side may move against one of the other, at most [m].
  double relative_way() const {
    double farthest = 0;
    for (int i = 0; i < A; ++i)
      for (int j = A; j < N; ++j) farthest = std::max(farthest, (way(i) - way(j)).squaredNorm());
    return std::sqrt(farthest);
  }
  Vec3 way(int i) const { return paths_.end[points_[i]] - paths_.start[points_[i]]; }
  PointsAt<N> places(double time) const {
    PointsAt<N> out;
    for (int i = 0; i < N; ++i) {
      const std::uint32_t p = points_[i];
      if (!paths_.bends.empty() && paths_.bends[p] > 0) out[i] = paths_.at(p, time);
      else out[i] = time == 1 ? paths_.end[p] : Vec3(paths_.start[p] + time * way(i));
    }
    return out;
  }

  const PointPaths& paths_;
  std::array<std::uint32_t, N> points_;
  double offset_;
  PointsAt<N> start_;
};

/// Against a half-space distances are linear but for bends.
double free_of_plane(const PointPaths& paths, std::uint32_t p, const ContactSurface::Plane& plane, double radius,
                     double limit) {
  const auto gap_at = [&](const Vec3& x) { return signed_distance_to_half_space(x, plane.normal, plane.offset) - radius; };
  const double gap = gap_at(paths.start[p]);
  if (!(gap > 0)) return 0;
  const double bend = paths.bends.empty() ? 0 : paths.bends[p], kept = kKept * gap;
  const double closing = gap - gap_at(paths.end[p]) + bend / 2;   // of the chord, and what the arc may be below it
  if (gap - limit * closing > kept) return limit;
  if (bend == 0) return std::min(limit, (gap - kept) / closing);
  double from = 0, now = gap;
  for (int piece = 0; piece < kMostPieces && from < limit; ++piece) {
    const double part = std::min(limit - from, std::sqrt(8 * kBendShare * (now - kept) / bend));
    const double next = gap_at(paths.at(p, from + part)), sag = bend * part * part / 8;
    if (next - sag <= kept) return from + part * std::max(0.0, (now - sag - kept) / std::max(now - next, 1e-300));
    from += part;
    now = next;
  }
  return std::min(from, limit);
}

}   // namespace

double free_part(const ContactSurface& s, const ContactCandidates& candidates, const PointPaths& paths, double limit) {
  const auto radii = [&](std::uint32_t p, std::uint32_t q) { return s.patch_of(p).radius + s.patch_of(q).radius; };
  for (const auto& [p, k] : candidates.point_plane)
    limit = free_of_plane(paths, p, s.planes()[k], s.patch_of(p).radius, limit);
  for (const auto& [p, t] : candidates.point_triangle) {
    const auto& c = s.triangles()[t].points;
    limit = Walk<4, 1>(paths, {p, c[0], c[1], c[2]}, radii(p, c[0]))
                .free_until(
                    limit,
                    [](const PointsAt<4>& x) { return std::sqrt(closest_on_triangle(x[0], x[1], x[2], x[3]).squared_distance); },
                    vertex_face_impact);
  }
  for (const auto& [a, b] : candidates.edge_edge) {
    const auto &pa = s.edges()[a].points, &pb = s.edges()[b].points;
    limit = Walk<4, 2>(paths, {pa[0], pa[1], pb[0], pb[1]}, radii(pa[0], pb[0]))
                .free_until(
                    limit,
                    [](const PointsAt<4>& x) { return std::sqrt(closest_of_edges(x[0], x[1], x[2], x[3]).squared_distance); },
                    edge_edge_impact);
  }
  for (const auto& [p, e] : candidates.point_edge) {
    const auto& c = s.edges()[e].points;
    limit = Walk<3, 1>(paths, {p, c[0], c[1]}, radii(p, c[0]))
                .free_until(
                    limit, [](const PointsAt<3>& x) { return std::sqrt(closest_on_edge(x[0], x[1], x[2]).squared_distance); },
                    point_edge_impact);
  }
  for (const auto& [p, q] : candidates.point_point)
    limit = Walk<2, 1>(paths, {p, q}, radii(p, q))
                .free_until(
                    limit, [](const PointsAt<2>& x) { return (x[0] - x[1]).norm(); }, point_point_impact);
  return limit;
}

}   // namespace stickslip
