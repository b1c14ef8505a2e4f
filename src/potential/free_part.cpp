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
template <int N, int A, class Apart, auto Query>
class Walk {
 public:
  Walk(const PointPaths& paths, const std::array<std::uint32_t, N>& points, double offset, double range, double reach)
      : paths_(paths), points_(points), offset_(offset), reach_(reach) {
    for (int i = 0; i < N; ++i) start_[i] = paths.start[points[i]];
    const Vec3 difference = Apart()(start_);
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
  bool is_within_reach() const { return is_near() || nearest() < reach_; }
  /// How far both sides together have to move at least before they are within reach, or near [m].
  double beyond() const { return reach_ > 0 ? gap_ - reach_ : 0.5 * gap_; }
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
      if (const std::optional<Impact> impact = Query(start_, end, options)) return from + part * impact->time;
      from = bend > 0 ? from + part : limit;
      start_ = end;
      gap = Apart()(start_).norm() - offset_;
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
  double offset_, reach_, gap_, kept_, doubt_;
  Vec3 normal_;   ///< from the first side to the second
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
  PlaneWalk(const PointPaths& paths, std::uint32_t p, const ContactSurface::Plane& plane, double radius, double range,
            double reach)
      : paths_(paths),
        p_(p),
        plane_(plane),
        radius_(radius),
        reach_(reach),
        gap_(gap_at(0)),
        kept_(kept_of(gap_, range, size())),
        bend_(bend_of(paths, p) + (plane.moves() ? bend_of_plane(paths, p, plane) : 0)),
        closing_(gap_ - gap_at(1) + bend_ / 2) {}

  bool is_near() const { return !(nearest() > kept_); }
  bool is_within_reach() const { return is_near() || nearest() < reach_; }
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
  double radius_, reach_, gap_, kept_;
  double bend_;      ///< of the distance over the path, at most [m]
  double closing_;   ///< of the chord, and what the arc may be below it [m]
};

// From the closest point of the first side to that of the second.
struct ToTriangle {
  Vec3 operator()(const PointsAt<4>& x) const {
    const Vec3 w = closest_on_triangle(x[0], x[1], x[2], x[3]).weights;
    return w[0] * (x[1] - x[0]) + w[1] * (x[2] - x[0]) + w[2] * (x[3] - x[0]);
  }
};
struct BetweenEdges {
  Vec3 operator()(const PointsAt<4>& x) const {
    const ClosestOfEdges c = closest_of_edges(x[0], x[1], x[2], x[3]);
    return (x[2] - x[0]) + c.weight_b * (x[3] - x[2]) - c.weight_a * (x[1] - x[0]);
  }
};
struct ToEdge {
  Vec3 operator()(const PointsAt<3>& x) const {
    return (x[1] - x[0]) + closest_on_edge(x[0], x[1], x[2]).weight * (x[2] - x[1]);
  }
};
struct BetweenPoints {
  Vec3 operator()(const PointsAt<2>& x) const { return x[1] - x[0]; }
};

/// Candidates on their ways.
class Walks {
 public:
  using Pair = std::array<std::uint32_t, 2>;
  Walks(const ContactSurface& s, const PointPaths& paths) : s_(s), paths_(paths) {}

  auto point_triangle(const Pair& pair) const {
    const auto& c = s_.triangles()[pair[1]].points;
    return walk<1, ToTriangle, vertex_face_impact>(std::array{pair[0], c[0], c[1], c[2]});
  }
  auto edge_edge(const Pair& pair) const {
    const auto &a = s_.edges()[pair[0]].points, &b = s_.edges()[pair[1]].points;
    return walk<2, BetweenEdges, edge_edge_impact>(std::array{a[0], a[1], b[0], b[1]});
  }
  auto point_edge(const Pair& pair) const {
    const auto& c = s_.edges()[pair[1]].points;
    return walk<1, ToEdge, point_edge_impact>(std::array{pair[0], c[0], c[1]});
  }
  auto point_point(const Pair& pair) const { return walk<1, BetweenPoints, point_point_impact>(pair); }
  auto point_plane(const Pair& pair) const {
    const ContactSurface::Plane& plane = s_.planes()[pair[1]];
    const std::uint32_t of_point = s_.patch_number(pair[0]);
    return PlaneWalk(paths_, pair[0], plane, s_.patches()[of_point].radius, s_.range_of(of_point, plane.patch),
                     s_.reach_of(of_point, plane.patch));
  }
  // A point of each side.
  Pair sides_of_point_triangle(const Pair& pair) const { return {pair[0], s_.triangles()[pair[1]].points[0]}; }
  Pair sides_of_edges(const Pair& pair) const { return {s_.edges()[pair[0]].points[0], s_.edges()[pair[1]].points[0]}; }
  Pair sides_of_point_edge(const Pair& pair) const { return {pair[0], s_.edges()[pair[1]].points[0]}; }
  Pair sides_of_plane(const Pair& pair) const {
    const ContactSurface::Plane& plane = s_.planes()[pair[1]];
    return {pair[0], plane.moves() ? plane.points[0] : pair[0]};
  }

  /// Calls f(list, a walk of a pair of it, a point of each side of a pair) for every kind but half-spaces.
  void for_each_grouped(auto&& f) const {
    f(
        0, [this](const Pair& p) { return point_triangle(p); }, [this](const Pair& p) { return sides_of_point_triangle(p); });
    f(
        1, [this](const Pair& p) { return edge_edge(p); }, [this](const Pair& p) { return sides_of_edges(p); });
    f(
        2, [this](const Pair& p) { return point_edge(p); }, [this](const Pair& p) { return sides_of_point_edge(p); });
    f(
        3, [this](const Pair& p) { return point_point(p); }, [](const Pair& p) { return p; });
  }

 private:
  template <int A, class Apart, auto Query, std::size_t N>
  Walk<N, A, Apart, Query> walk(const std::array<std::uint32_t, N>& points) const {
    const std::uint32_t a = s_.patch_number(points[0]), b = s_.patch_number(points[A]);
    return {paths_, points, s_.patches()[a].radius + s_.patches()[b].radius, s_.range_of(a, b), s_.reach_of(a, b)};
  }

  const ContactSurface& s_;
  const PointPaths& paths_;
};

}   // namespace

/// Finds candidates that may come within reach on their ways.
class NearFinder {
 public:
  NearFinder(const ContactSurface& s, ContactCandidates& all, const PointPaths& paths)
      : s_(s), all_(all), paths_(paths), ways_(s.patches().size(), 0.0), boxes_(s.points()), made_(s.patches().size(), false) {
    const auto start = paths.start.first(s.points());
    all.follow(s, start);
    double largest = 0;
    for (std::uint32_t k = 0; k < ways_.size(); ++k) {
      const ContactSurface::Patch& patch = s.patches()[k];
      double squared = 0, bend = 0;
      for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p) {
        squared = std::max(squared, (paths.end[p] - start[p]).squaredNorm());
        bend = std::max(bend, bend_of(paths, p));
        largest = std::max(largest, start[p].lpNorm<Eigen::Infinity>());
      }
      ways_[k] = std::sqrt(squared) + bend / 8;
    }
    doubt_ = kDoubt * largest;
  }

  /// Calls found(a point of each side) for all that it adds to the lists.
  void find(ContactCandidates& near, auto&& found) {
    near.clear_pairs();
    const Walks walks(s_, paths_);
    walks.for_each_grouped([&](std::size_t kind, auto&& walk_of, auto&& sides_of) {
      const ContactCandidates::Pairs& pairs = all_.*ContactCandidates::kGrouped[kind];
      std::vector<double>& beyond = all_.beyond_[kind];
      for (std::size_t g = 0; g < all_.groups_.size(); ++g) {
        const ContactCandidates::Group& group = all_.groups_[g];
        const std::size_t end = g + 1 < all_.groups_.size() ? all_.groups_[g + 1].first[kind] : pairs.size();
        const double reach = group.moved + ways_[group.patch_a] + ways_[group.patch_b] + doubt_;
        // Where ways are long beside edges it does not last what is known of distances, and boxes cost less.
        const double edges = s_.patches()[group.patch_a].mean_edge + s_.patches()[group.patch_b].mean_edge;
        const bool far = ways_[group.patch_a] + ways_[group.patch_b] > kFar * edges;
        for (std::size_t i = group.first[kind]; i < end; ++i) {
          if (beyond[i] > reach || (far && !boxes_overlap(kind, group, pairs[i]))) continue;
          const auto walk = walk_of(pairs[i]);
          beyond[i] = walk.beyond() + group.moved;
          if (!walk.is_within_reach() || !(far || boxes_overlap(kind, group, pairs[i]))) continue;
          (near.*ContactCandidates::kGrouped[kind]).push_back(pairs[i]);
          found(sides_of(pairs[i]));
        }
      }
    });
    for (const auto& pair : all_.point_plane) {   // of planes that move nothing is known
      const ContactSurface::Plane& plane = s_.planes()[pair[1]];
      if ((!plane.moves() && plane.is_below(box_of_point(pair[0]))) || !walks.point_plane(pair).is_within_reach()) continue;
      near.point_plane.push_back(pair);
      found(walks.sides_of_plane(pair));
    }
    near.sort_pairs();
  }

 private:
  static constexpr double kFar = 0.1;       ///< of the edges of both sides
  static constexpr double kDoubt = 1e-11;   ///< of coordinates: more than is lost in rounding

  /// Around the way of a point, with its reach.
  Aabb box_of_point(std::uint32_t p) const {
    const ContactSurface::Patch& patch = s_.patch_of(p);
    const Vec3 &from = paths_.start[p], &to = paths_.end[p];
    return Aabb{from.cwiseMin(to), from.cwiseMax(to)}.grown(patch.reach + patch.radius + bend_of(paths_, p) / 8);
  }
  void make_boxes(std::uint32_t number) {
    if (made_[number]) return;
    made_[number] = true;
    const ContactSurface::Patch& patch = s_.patches()[number];
    for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p) boxes_[p] = FloatBox(box_of_point(p));
  }
  FloatBox box_of_points(std::span<const std::uint32_t> points) const {
    FloatBox box = boxes_[points[0]];
    for (const std::uint32_t p : points.subspan(1)) box = box.merged(boxes_[p]);
    return box;
  }
  /// Of a side of a pair.
  FloatBox box(std::size_t kind, std::uint32_t number, bool first) const {
    if (kind == 0 && !first) return box_of_points(s_.triangles()[number].points);
    if (kind == 1 || (kind == 2 && !first)) return box_of_points(s_.edges()[number].points);
    return boxes_[number];
  }
  /// Searches find those whose boxes overlap, and others by chance.
  bool boxes_overlap(std::size_t kind, const ContactCandidates::Group& group, const std::array<std::uint32_t, 2>& pair) {
    make_boxes(group.patch_a);
    make_boxes(group.patch_b);
    return box(kind, pair[0], true).overlaps(box(kind, pair[1], false));
  }

  const ContactSurface& s_;
  ContactCandidates& all_;
  const PointPaths& paths_;
  std::vector<double> ways_;      ///< of each patch: how far a point of it goes, at most [m]
  double doubt_ = 0;              ///< [m]
  std::vector<FloatBox> boxes_;   ///< of points of patches for which they are made
  std::vector<bool> made_;
};

void find_near(const ContactSurface& s, ContactCandidates& candidates, std::span<const Vec3> x, ContactCandidates& near) {
  const PointPaths paths{x, x};
  NearFinder(s, candidates, paths).find(near, [](const auto&) {});
}

std::uint32_t find_free_parts(const ContactSurface& s, ContactCandidates& candidates, const PointPaths& paths,
                              std::span<const std::uint32_t> group_of_point,
                              std::span<const std::array<std::uint32_t, 2>> links, std::span<double> parts,
                              std::span<std::uint32_t> pieces, ContactCandidates& near) {
  Unions unions(parts.size());
  for (const auto& [a, b] : links) unions.join(a, b);
  NearFinder(s, candidates, paths).find(near, [&](const std::array<std::uint32_t, 2>& sides) {
    const std::uint32_t a = group_of_point[sides[0]], b = group_of_point[sides[1]];
    if (a != ContactSurface::kNone && b != ContactSurface::kNone) unions.join(a, b);
  });
  for (std::uint32_t g = 0; g < parts.size(); ++g) {
    double& of_root = parts[unions.root(g)];
    of_root = std::min(of_root, parts[g]);
  }
  const auto shorten = [&](auto&& walk, const std::array<std::uint32_t, 2>& sides) {
    const std::uint32_t first = group_of_point[sides[0]],
                        group = first != ContactSurface::kNone ? first : group_of_point[sides[1]];
    if (group == ContactSurface::kNone || !walk.is_near()) return;
    double& part = parts[unions.root(group)];
    part = walk.free_until(part);
  };
  const Walks walks(s, paths);
  for (const auto& pair : near.point_plane) shorten(walks.point_plane(pair), walks.sides_of_plane(pair));
  const std::array lists = {&near.point_triangle, &near.edge_edge, &near.point_edge, &near.point_point};
  walks.for_each_grouped([&](std::size_t kind, auto&& walk_of, auto&& sides_of) {
    for (const auto& pair : *lists[kind]) shorten(walk_of(pair), sides_of(pair));
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
