// How far points may go before a pair of features comes too near: the filter of line searches.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "math/unions.h"
#include "potential/float_box.h"
#include "stickslip/ccd/inclusion.h"
#include "stickslip/potential/contact_surface.h"

namespace stickslip {

namespace {

constexpr double kKept = 0.5;         ///< part of a gap that a step leaves
constexpr double kWithin = 0.3;       ///< part of the range that is enough to leave: a blow presses about as near
constexpr double kRounded = 1e-13;    ///< of coordinates: gaps below this are not made smaller
constexpr double kBendShare = 0.25;   ///< of what is left of a gap that bends of paths may take
constexpr int kMostPieces = 200;      ///< that a bent path is looked at in

/// What a step leaves of a gap [m].
double kept_of(double gap, double range, double size) {
  const double part = kKept * gap;
  return std::max(range > 0 ? std::min(part, kWithin * range) : part, kRounded * size);
}

/// One pair on its way. N points, of which the first A are on one side.
template <int N, int A, class Apart, class Query>
class Walk {
 public:
  Walk(const PointPaths& paths, const std::array<std::uint32_t, N>& points, double offset, double range, const Apart& apart,
       const Query& query)
      : paths_(paths), points_(points), offset_(offset), apart_(apart), query_(query) {
    for (int i = 0; i < N; ++i) start_[i] = paths.start[points[i]];
    const Vec3 difference = apart_(start_);
    const double distance = difference.norm();
    normal_ = distance > 0 ? Vec3(difference / distance) : Vec3::Zero();
    gap_ = distance - offset_;
    double largest = 0;
    for (const Vec3& x : start_) largest = std::max(largest, x.lpNorm<Eigen::Infinity>());
    kept_ = kept_of(gap_, range, largest);
    // The direction of a tiny difference of large numbers is uncertain, and so is how far ways go along it.
    double way_of_sides = 0;
    for (int i = 0; i < N; ++i) way_of_sides = std::max(way_of_sides, way(i).norm());
    doubt_ = 2 * way_of_sides * std::min(1.0, kRounded * largest / std::max(distance, 1e-300));
  }

  /// Whether the sides may come too near if each goes any part of its way.
  bool is_near() const { return !(nearest() > kept_); }
  /// How near they may come [m]: both sides are convex, with a plane between them that neither comes nearer to than its points.
  double nearest() const { return gap_ - approach(0, A, 1) - approach(A, N, -1) - bend() / 8 - doubt_; }

  double free_until(double limit) {
    // Arcs may dip below chords that lead away.
    const double kept = kept_, bend = this->bend(), closing = std::max(0.0, farthest(0, A, 1) + farthest(A, N, -1));
    if (gap_ - limit * closing - bend / 8 - doubt_ > kept) return limit;
    if (!(gap_ > kept)) return 0;
    double from = 0, gap = gap_;
    for (int piece = 0; piece < kMostPieces && from < limit; ++piece) {
      double part = limit - from;
      if (bend > 0) part = std::min(part, std::sqrt(8 * kBendShare * (gap - kept) / bend));
      const PointsAt<N> end = places(from + part);
      ImpactOptions options;
      options.min_distance = offset_ + kept + bend * part * part / 8;
      options.resolve_start = true;
      if (const std::optional<Impact> impact = query_(start_, end, options)) return from + part * impact->time;
      from = bend > 0 ? from + part : limit;
      start_ = end;
      gap = apart_(start_).norm() - offset_;
      if (!(gap > kept)) break;
    }
    return std::min(from, limit);
  }

 private:
  double bend_of_side(int first, int last) const {
    double largest = 0;
    if (!paths_.bends.empty())
      for (int i = first; i < last; ++i) largest = std::max(largest, paths_.bends[points_[i]]);
    return largest;
  }
  double bend() const { return bend_of_side(0, A) + bend_of_side(A, N); }
  /// Of the ways of a side along the normal, or against it, the farthest; negative if all go back [m].
  double farthest(int first, int last, double sign) const {
    double most = -std::numeric_limits<double>::infinity();
    for (int i = first; i < last; ++i) most = std::max(most, sign * normal_.dot(way(i)));
    return most;
  }
  double approach(int first, int last, double sign) const { return std::max(0.0, farthest(first, last, sign)); }
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
  double offset_, gap_, kept_, doubt_;
  Vec3 normal_;   ///< from the first side to the second
  const Apart& apart_;
  const Query& query_;
  PointsAt<N> start_;
};

/// Where a point is on its path.
Vec3 place_on_path(const PointPaths& paths, std::uint32_t p, double time) {
  if (!paths.bends.empty() && paths.bends[p] > 0) return paths.at(p, time);
  return time == 1 ? paths.end[p] : Vec3(paths.start[p] + time * (paths.end[p] - paths.start[p]));
}

double bend_of(const PointPaths& paths, std::uint32_t p) { return paths.bends.empty() ? 0 : paths.bends[p]; }

/// How a half-space that moves changes the distance of a point: g = n·(p − q), whose second derivative is at most
/// ω²|p − q| + 2ω|(p − q)'| + |p''| + |q''| for a turn by ω. @returns that but for |p''| [m]
double bend_of_plane(const PointPaths& paths, std::uint32_t p, const ContactSurface::Plane& plane) {
  const auto frame = [&](std::span<const Vec3> x) {
    const Vec3 &a = x[plane.points[0]], &b = x[plane.points[1]], &c = x[plane.points[2]];
    Mat3 f;
    f.col(0) = (b - a).normalized();
    f.col(2) = (b - a).cross(c - a).normalized();
    f.col(1) = f.col(2).cross(f.col(0));
    return f;
  };
  const std::uint32_t q = plane.points[0];
  const double own = bend_of(paths, q);
  if (own == 0 && bend_of(paths, plane.points[1]) == 0) return 0;   // it does not turn
  // |R − 1| = 2√2 sin(ω/2) of a turn by less than half a circle
  const double chord = (frame(paths.end) - frame(paths.start)).norm() / (2 * std::numbers::sqrt2);
  const double turn = 2 * std::asin(std::min(1.0, chord)) + kRounded;
  const double speed =
      (paths.end[p] - paths.start[p]).norm() + (paths.end[q] - paths.start[q]).norm() + 0.5 * (bend_of(paths, p) + own);
  const double distance = (paths.start[p] - paths.start[q]).norm() + speed;
  return turn * turn * distance + 2 * turn * speed + own;
}

/// Against a half-space distances are linear but for bends.
class PlaneWalk {
 public:
  PlaneWalk(const PointPaths& paths, std::uint32_t p, const ContactSurface::Plane& plane, double radius, double range)
      : paths_(paths),
        p_(p),
        plane_(plane),
        radius_(radius),
        gap_(gap_at(0)),
        kept_(kept_of(gap_, range, size())),
        bend_(bend_of(paths, p) + (plane.moves() ? bend_of_plane(paths, p, plane) : 0)),
        closing_(gap_ - gap_at(1) + bend_ / 2) {}

  bool is_near() const { return !(nearest() > kept_); }
  /// How near they may come [m] if each goes any part of its way: along that of one of them the distance bends as above.
  double nearest() const {
    double least = gap_;
    for (const auto& [point, plane] : {std::pair(0.0, 1.0), {1.0, 0.0}, {1.0, 1.0}})
      least = std::min(least, gap_at(point, plane));
    return least - bend_ / 8;
  }

  double free_until(double limit) const {
    const double kept = kept_;
    if (gap_ - limit * closing_ > kept) return limit;
    if (!(gap_ > kept)) return 0;
    if (bend_ == 0) return std::min(limit, (gap_ - kept) / closing_);
    double from = 0, now = gap_;
    for (int piece = 0; piece < kMostPieces && from < limit; ++piece) {
      const double part = std::min(limit - from, std::sqrt(8 * kBendShare * (now - kept) / bend_));
      const double next = gap_at(from + part), sag = bend_ * part * part / 8;
      if (next - sag <= kept) return from + part * std::clamp((now - sag - kept) / std::max(now - next, 1e-300), 0.0, 1.0);
      from += part;
      now = next;
    }
    return std::min(from, limit);
  }

 private:
  double gap_at(double time) const { return gap_at(time, time); }
  double gap_at(double time_of_point, double time_of_plane) const {
    ContactSurface::Plane plane = plane_;
    const auto corner = [&](int k) { return place_on_path(paths_, plane_.points[k], time_of_plane); };
    if (plane.moves()) plane = plane.at(corner(0), corner(1), corner(2));
    return signed_distance_to_half_space(place_on_path(paths_, p_, time_of_point), plane.normal, plane.offset) - radius_;
  }
  /// Of the largest coordinate that distances come from.
  double size() const {
    double largest = paths_.start[p_].lpNorm<Eigen::Infinity>();
    if (plane_.moves())
      for (const std::uint32_t q : plane_.points) largest = std::max(largest, paths_.start[q].lpNorm<Eigen::Infinity>());
    return largest;
  }

  const PointPaths& paths_;
  std::uint32_t p_;
  const ContactSurface::Plane& plane_;
  double radius_, gap_, kept_;
  double bend_;      ///< of the distance over the path, at most [m]
  double closing_;   ///< of the chord, and what the arc may be below it [m]
};

/// Boxes around the paths of features, with their ranges: pairs whose boxes do not overlap stay out of range.
class PathBoxes {
 public:
  PathBoxes(const ContactSurface& s, const PointPaths& paths) : s_(s) {
    points_.reserve(s.points());
    doubles_.reserve(s.planes().empty() ? 0 : s.points());
    for (std::uint32_t p = 0; p < s.points(); ++p) {
      const ContactSurface::Patch& patch = s.patch_of(p);
      const Vec3 &from = paths.start[p], &to = paths.end[p];
      const double reach = patch.reach + patch.radius + bend_of(paths, p) / 8;
      const Aabb box = Aabb{from.cwiseMin(to), from.cwiseMax(to)}.grown(reach);
      points_.emplace_back(box);
      if (!s.planes().empty()) doubles_.push_back(box);
    }
  }
  /// Those of all candidates whose boxes overlap.
  void keep_near(const ContactCandidates& all, ContactCandidates& out) const {
    const auto point = [&](std::uint32_t p) -> const FloatBox& { return points_[p]; };
    const auto edge = [&](std::uint32_t e) {
      const auto& ends = s_.edges()[e].points;
      return points_[ends[0]].merged(points_[ends[1]]);
    };
    const auto triangle = [&](std::uint32_t t) {
      const auto& c = s_.triangles()[t].points;
      return points_[c[0]].merged(points_[c[1]]).merged(points_[c[2]]);
    };
    const auto keep = [&](ContactCandidates::Pairs ContactCandidates::*list, auto&& of_a, auto&& of_b) {
      (out.*list).clear();
      for (const auto& pair : all.*list)
        if (of_a(pair[0]).overlaps(of_b(pair[1]))) (out.*list).push_back(pair);
    };
    keep(&ContactCandidates::point_triangle, point, triangle);
    keep(&ContactCandidates::edge_edge, edge, edge);
    keep(&ContactCandidates::point_edge, point, edge);
    keep(&ContactCandidates::point_point, point, point);
    out.point_plane.clear();
    for (const auto& pair : all.point_plane) {   // of planes that move nothing is known
      const ContactSurface::Plane& plane = s_.planes()[pair[1]];
      if (plane.moves() || !plane.is_below(doubles_[pair[0]])) out.point_plane.push_back(pair);
    }
  }

 private:
  const ContactSurface& s_;
  std::vector<FloatBox> points_;
  std::vector<Aabb> doubles_;   ///< where there are half-spaces
};

/// Calls f(walk, a point of each side, reach) for all candidates, and drops those for which it returns false.
void for_each_walk(const ContactSurface& s, ContactCandidates& candidates, const PointPaths& paths, auto&& f) {
  const auto radii = [&](std::uint32_t p, std::uint32_t q) { return s.patch_of(p).radius + s.patch_of(q).radius; };
  const auto range = [&](std::uint32_t p, std::uint32_t q) { return s.range_of(s.patch_number(p), s.patch_number(q)); };
  const auto reach = [&](std::uint32_t p, std::uint32_t q) { return s.reach_of(s.patch_number(p), s.patch_number(q)); };
  // From the closest point of the first side to that of the second.
  const auto to_triangle = [](const PointsAt<4>& x) {
    const Vec3 w = closest_on_triangle(x[0], x[1], x[2], x[3]).weights;
    return Vec3(w[0] * (x[1] - x[0]) + w[1] * (x[2] - x[0]) + w[2] * (x[3] - x[0]));
  };
  const auto of_edges = [](const PointsAt<4>& x) {
    const ClosestOfEdges c = closest_of_edges(x[0], x[1], x[2], x[3]);
    return Vec3((x[2] - x[0]) + c.weight_b * (x[3] - x[2]) - c.weight_a * (x[1] - x[0]));
  };
  const auto to_edge = [](const PointsAt<3>& x) {
    return Vec3((x[1] - x[0]) + closest_on_edge(x[0], x[1], x[2]).weight * (x[2] - x[1]));
  };
  const auto of_points = [](const PointsAt<2>& x) { return Vec3(x[1] - x[0]); };
  std::erase_if(candidates.point_plane, [&](const auto& pair) {
    const auto [p, k] = pair;
    const ContactSurface::Plane& plane = s.planes()[k];
    const std::uint32_t q = plane.moves() ? plane.points[0] : p, of_point = s.patch_number(p);
    return !f(PlaneWalk(paths, p, plane, s.patch_of(p).radius, s.range_of(of_point, plane.patch)), p, q,
              s.reach_of(of_point, plane.patch));
  });
  std::erase_if(candidates.point_triangle, [&](const auto& pair) {
    const std::uint32_t p = pair[0];
    const auto& c = s.triangles()[pair[1]].points;
    return !f(Walk<4, 1, decltype(to_triangle), decltype(vertex_face_impact)>(paths, {p, c[0], c[1], c[2]}, radii(p, c[0]),
                                                                              range(p, c[0]), to_triangle, vertex_face_impact),
              p, c[0], reach(p, c[0]));
  });
  std::erase_if(candidates.edge_edge, [&](const auto& pair) {
    const auto &a = s.edges()[pair[0]].points, &b = s.edges()[pair[1]].points;
    return !f(Walk<4, 2, decltype(of_edges), decltype(edge_edge_impact)>(paths, {a[0], a[1], b[0], b[1]}, radii(a[0], b[0]),
                                                                         range(a[0], b[0]), of_edges, edge_edge_impact),
              a[0], b[0], reach(a[0], b[0]));
  });
  std::erase_if(candidates.point_edge, [&](const auto& pair) {
    const std::uint32_t p = pair[0];
    const auto& c = s.edges()[pair[1]].points;
    return !f(Walk<3, 1, decltype(to_edge), decltype(point_edge_impact)>(paths, {p, c[0], c[1]}, radii(p, c[0]), range(p, c[0]),
                                                                         to_edge, point_edge_impact),
              p, c[0], reach(p, c[0]));
  });
  std::erase_if(candidates.point_point, [&](const auto& pair) {
    const auto [p, q] = pair;
    return !f(Walk<2, 1, decltype(of_points), decltype(point_point_impact)>(paths, {p, q}, radii(p, q), range(p, q), of_points,
                                                                            point_point_impact),
              p, q, reach(p, q));
  });
}

}   // namespace

void find_near(const ContactSurface& s, const ContactCandidates& candidates, std::span<const Vec3> x, ContactCandidates& near) {
  PathBoxes(s, {x, x}).keep_near(candidates, near);
  near.sort_pairs();
}

std::uint32_t find_free_parts(const ContactSurface& s, const ContactCandidates& candidates, const PointPaths& paths,
                              std::span<const std::uint32_t> group_of_point,
                              std::span<const std::array<std::uint32_t, 2>> links, std::span<double> parts,
                              std::span<std::uint32_t> pieces, ContactCandidates& near) {
  PathBoxes(s, paths).keep_near(candidates, near);
  Unions unions(parts.size());
  for (const auto& [a, b] : links) unions.join(a, b);
  for_each_walk(s, near, paths, [&](auto&& walk, std::uint32_t p, std::uint32_t q, double reach) {
    const std::uint32_t a = group_of_point[p], b = group_of_point[q];
    const bool within = walk.is_near() || walk.nearest() < reach;
    if (a != ContactSurface::kNone && b != ContactSurface::kNone && within) unions.join(a, b);
    return within;
  });
  near.sort_pairs();
  for (std::uint32_t g = 0; g < parts.size(); ++g) {
    double& of_root = parts[unions.root(g)];
    of_root = std::min(of_root, parts[g]);
  }
  for_each_walk(s, near, paths, [&](auto&& walk, std::uint32_t p, std::uint32_t q, double) {
    const std::uint32_t group = group_of_point[p] != ContactSurface::kNone ? group_of_point[p] : group_of_point[q];
    if (group == ContactSurface::kNone || !walk.is_near()) return true;
    double& part = parts[unions.root(group)];
    part = walk.free_until(part);
    return true;
  });
  std::uint32_t count = 0;
  for (std::uint32_t g = 0; g < parts.size(); ++g) {   // roots come before what joined them
    const std::uint32_t root = unions.root(g);
    parts[g] = parts[root];
    pieces[g] = root == g ? count++ : pieces[root];
  }
  return count;
}

}   // namespace stickslip
