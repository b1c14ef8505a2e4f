// Reduction of a manifold: four points and the corners that stand out of them for the patch that touches or lands next, and a
// few more for what turns can bring down.
//
// The wrenches a patch can transmit shrink with the area of its support polygon. One corner is given, the deepest point p₀.
// For every other point p₁ the best partners are those farthest from the line p₀p₁ on either side, and the quadrilateral
// has the area |p₀p₁| (h₊ + h₋) / 2. Let p₁ be farthest from a supporting line of the polygon at p₀: then the polygon lies
// in a parallelogram of twice that area (between the two parallel supporting lines, and between the parallels to p₀p₁ at
// h₊ and h₋). So the best quadrilateral keeps at least half of the area of any convex patch.
//
// A patch at rest is all there is, and has one plane. While shapes fly towards each other their gaps differ: drawn over the
// plane across the normal, points and gaps make the lower side of a polytope. The facet at p₀ that is tilted least lands most
// easily; it is the patch. Another point i comes down only if the shapes turn: a turn by θ brings it below a kept point s by
// θ |rᵢ − rₛ| − (gᵢ − gₛ) at most. If that is negative for some s, then s holds it up; otherwise it is kept too, the worst
// first.
#include "stickslip/collide/collide.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace stickslip {
namespace {

// Differences below this part of the patch's size are noise: ties go to the smaller feature, so that a patch at rest keeps
// the same points from step to step.
constexpr double kTie = 1e-6;

// Points above the plane of a facet by less than this part of the patch's size lie on it.
constexpr double kCoplanar = 1e-5;

// The shapes turn by what uses up their motion this many times at the ends of the patch: a blow that stops one end can set
// the other end moving twice as fast.
constexpr double kTurns = 2;

// Corners of the patch that stand out of those kept by this part of its size are kept too.
constexpr double kStandsOut = 0.08;

// Facets that are tilted more (tangent) stand rather than land.
constexpr double kSteepest = 3;

// Facets at the deepest point that are looked at on either side of its flattest edge.
constexpr int kMaxFacets = 4;

// Most points that are weighed against each other; of more, those nearest to the deepest one are left out.
constexpr int kMaxPatchCandidates = 128;

struct Candidate {
  int index;       // of the point
  Vec2 lever;      // from the deepest point, in the plane across the normal [m]
  double higher;   // gap above the deepest point's [m]
  bool lands;      // belongs to the patch that touches or lands next
};

// The points of a manifold without the deepest one.
struct Patch {
  std::array<Candidate, kMaxPatchCandidates> list;
  int count = 0;
  int deepest;
  double extent;   // [m]

  std::span<const Candidate> others() const { return {list.data(), static_cast<std::size_t>(count)}; }
};

Patch patch_of(const std::vector<ContactPoint>& points, int deepest, double extent) {
  Patch patch;
  patch.deepest = deepest;
  patch.extent = extent;
  const Mat3 frame = frame_from_normal(points[deepest].normal);
  const auto candidate = [&](int i) {
    const Vec3 r = points[i].position - points[deepest].position;
    return Candidate{i, Vec2(frame.col(1).dot(r), frame.col(2).dot(r)), points[i].gap - points[deepest].gap,
                     points[i].gap <= 0};
  };
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    if (i == deepest) continue;
    const Candidate c = candidate(i);
    if (patch.count < kMaxPatchCandidates) {
      patch.list[patch.count++] = c;
      continue;
    }
    const auto nearest = std::min_element(patch.list.begin(), patch.list.end(), [](const Candidate& p, const Candidate& q) {
      return p.lever.squaredNorm() < q.lever.squaredNorm();
    });
    if (c.lever.squaredNorm() <= nearest->lever.squaredNorm()) continue;
    std::move(nearest + 1, patch.list.end(), nearest);
    patch.list.back() = c;
  }
  return patch;
}

// Gradient of the gap over the facet of the lower hull that touches the deepest point and is tilted least, across the normal.
// The planes through p₀ that no point lies below have gradients m with m · rᵢ ≤ Δᵢ for all i: a polygon around zero. Its
// sides belong to the edges at p₀, its corners to the facets. The walk starts at the side nearest to zero, the flattest edge,
// and goes from side to side.
Vec2 landing_gradient(const Patch& patch) {
  const double tiny = kTie * patch.extent;
  double slope = std::numeric_limits<double>::infinity();   // of the edge
  Vec2 along = Vec2::Zero();                                // the edge, seen along the normal, unit
  for (const Candidate& c : patch.others()) {
    const double length = c.lever.norm();
    if (length > tiny && c.higher < slope * length) slope = c.higher / length, along = c.lever / length;
  }
  if (!(slope < kSteepest)) return Vec2::Zero();
  Vec2 flattest = slope * along;
  double least = std::numeric_limits<double>::infinity();
  for (int turn = -1; turn <= 1; turn += 2) {
    Vec2 edge = along;
    double edge_slope = slope;
    for (int facet = 0; facet < kMaxFacets; ++facet) {
      const Vec2 across = turn * Vec2(-edge.y(), edge.x());
      double steepness = kSteepest, highest = 0;
      const Candidate* next = nullptr;
      for (const Candidate& c : patch.others()) {
        const double y = across.dot(c.lever), above = c.higher - edge_slope * edge.dot(c.lever);
        if (y > tiny && above < steepness * y) steepness = above / y, next = &c;
      }
      if (!next) break;
      const Vec2 gradient = edge_slope * edge + steepness * across;
      if (gradient.squaredNorm() < least) least = gradient.squaredNorm(), flattest = gradient;
      for (const Candidate& c : patch.others()) highest = std::max(highest, c.higher - gradient.dot(c.lever));
      if (highest <= kCoplanar * patch.extent) return gradient;   // the only facet
      edge = next->lever.normalized();
      edge_slope = next->higher / next->lever.norm();
      if (edge_slope > kSteepest) break;
    }
  }
  return flattest;
}

// Marks the points of the patch that lands next. Most patches are level, and all of them lands.
void mark_landing(Patch& patch) {
  const double coplanar = kCoplanar * patch.extent;
  const auto all = patch.others();
  const bool level = std::all_of(all.begin(), all.end(), [&](const Candidate& c) { return c.lands || c.higher <= coplanar; });
  const Vec2 gradient = level ? Vec2(Vec2::Zero()) : landing_gradient(patch);
  for (int k = 0; k < patch.count; ++k) {
    Candidate& c = patch.list[k];
    c.lands = c.lands || c.higher - gradient.dot(c.lever) <= coplanar;
  }
}

// Places of the points that stay.
struct Kept {
  std::array<int, kMaxManifoldPoints> index;
  int count = 0;

  void add(int i) {
    if (i >= 0 && std::find(index.begin(), index.begin() + count, i) == index.begin() + count) index[count++] = i;
  }
};

// The deepest point and those that make the largest quadrilateral with it. Empty if they lie on a line.
Kept largest_quad(const Patch& patch) {
  int corner[3] = {-1, -1, -1};
  double best = 0, extent_squared = 0;
  for (const Candidate& c : patch.others()) {
    if (!c.lands) continue;
    const Vec2 across(-c.lever.y(), c.lever.x());
    extent_squared = std::max(extent_squared, across.squaredNorm());
    double above = 0, below = 0;
    int highest = -1, lowest = -1;
    for (const Candidate& d : patch.others()) {
      if (!d.lands) continue;
      const double height = across.dot(d.lever);
      if (height > above * (1 + kTie)) above = height, highest = d.index;
      if (height < below * (1 + kTie)) below = height, lowest = d.index;
    }
    const double area = (above - below) / 2;
    if (area > best * (1 + kTie)) best = area, corner[0] = c.index, corner[1] = highest, corner[2] = lowest;
  }
  Kept kept;
  if (best <= kTie * extent_squared) return kept;
  kept.add(patch.deepest);
  for (const int c : corner) kept.add(c);   // to rounding a corner may lie beside its own line
  return kept;
}

// For points on a line: the deepest and the two ends.
Kept ends_of_line(const Patch& patch) {
  Kept kept;
  kept.add(patch.deepest);
  const Candidate *far = nullptr, *other = nullptr;
  double longest = 0;
  for (const Candidate& c : patch.others())
    if (c.lands && c.lever.squaredNorm() > longest) longest = c.lever.squaredNorm(), far = &c;
  if (!far) return kept;
  kept.add(far->index);
  for (const Candidate& c : patch.others()) {
    const double d = (c.lever - far->lever).squaredNorm();
    if (c.lands && d > longest * (1 + kTie)) longest = d, other = &c;
  }
  if (other) kept.add(other->index);
  return kept;
}

// Adds the corners of the patch that stand out of the polygon of those kept, the farthest first, as long as there is room.
// Left out, they would sink in until they are the deepest, and take the place of others: two boxes that lie crosswise on each
// other would rock from one four of eight corners to the other.
void add_corners(const Patch& patch, Kept& kept) {
  const auto landing =
      std::count_if(patch.list.begin(), patch.list.begin() + patch.count, [](const Candidate& c) { return c.lands; });
  if (landing < kept.count) return;              // all that land are kept: the deepest is not among them
  std::array<Vec2, kMaxManifoldPoints> corner;   // counter-clockwise
  int count = 0;
  const auto lever = [&](int i) {
    const auto all = patch.others();
    const auto c = std::find_if(all.begin(), all.end(), [&](const Candidate& d) { return d.index == i; });
    return c == all.end() ? Vec2(Vec2::Zero()) : c->lever;
  };
  for (; count < kept.count; ++count) corner[count] = lever(kept.index[count]);
  Vec2 middle = Vec2::Zero();
  for (int k = 0; k < count; ++k) middle += corner[k] / count;
  // Grows with the angle around the middle, from 0 to 4.
  const auto around = [&](const Vec2& p) {
    const Vec2 d = p - middle;
    const double along = d.x() / (std::abs(d.x()) + std::abs(d.y()));
    return d.y() >= 0 ? 1 - along : 3 + along;
  };
  for (int k = 1; k < count; ++k)   // at most four: insertion
    for (int i = k; i > 0 && around(corner[i]) < around(corner[i - 1]); --i) std::swap(corner[i], corner[i - 1]);
  while (count >= 3 && count < kMaxManifoldPoints) {
    double farthest = kStandsOut * patch.extent;
    int index = -1, after = 0;
    Vec2 place = Vec2::Zero();
    for (const Candidate& c : patch.others()) {
      if (!c.lands) continue;
      for (int k = 0; k < count; ++k) {
        const Vec2 side = corner[(k + 1) % count] - corner[k], r = c.lever - corner[k];
        const double length = side.norm();
        const double out = length > 0 ? (side.y() * r.x() - side.x() * r.y()) / length : 0;
        if (out > farthest * (1 + kTie)) farthest = out, index = c.index, after = k, place = c.lever;
      }
    }
    if (index < 0) return;
    kept.add(index);
    std::copy_backward(corner.begin() + after + 1, corner.begin() + count, corner.begin() + count + 1);
    corner[after + 1] = place;
    ++count;
  }
}

// Adds the points that no kept point holds up, the worst first, as long as there is room. @param turn largest turn [rad]
void add_unsupported(const std::vector<ContactPoint>& points, const Patch& patch, double turn, Kept& kept) {
  while (kept.count < kMaxManifoldPoints) {
    int lowest = -1;
    double worst = 0;
    for (const Candidate& c : patch.others()) {
      if (c.lands) continue;
      const ContactPoint& p = points[c.index];
      double below = std::numeric_limits<double>::infinity();
      for (int k = 0; k < kept.count && below > worst; ++k) {
        const ContactPoint& s = points[kept.index[k]];
        below = std::min(below, turn * (p.position - s.position).norm() - (p.gap - s.gap));
      }
      if (below > worst + kTie * patch.extent) worst = below, lowest = c.index;
    }
    if (lowest < 0) return;
    kept.add(lowest);
  }
}

}   // namespace

void reduce_manifold(std::vector<ContactPoint>& points, double margin) {
  std::sort(points.begin(), points.end(), [](const ContactPoint& p, const ContactPoint& q) {
    return p.feature != q.feature ? p.feature < q.feature : p.gap < q.gap;
  });
  if (points.size() <= 4) return;

  double extent_squared = 0;
  double lowest_gap = points[0].gap;
  for (const ContactPoint& p : points) {
    extent_squared = std::max(extent_squared, (p.position - points[0].position).squaredNorm());
    lowest_gap = std::min(lowest_gap, p.gap);
  }
  const double extent = std::sqrt(extent_squared);
  int deepest = 0;
  while (points[deepest].gap > lowest_gap + kTie * extent) ++deepest;

  Patch patch = patch_of(points, deepest, extent);
  mark_landing(patch);
  Kept kept = largest_quad(patch);
  if (kept.count == 0) kept = ends_of_line(patch);
  else add_corners(patch, kept);
  // What overlaps moves out of each other as well.
  add_unsupported(points, patch, kTurns * (margin + std::max(0.0, -lowest_gap)) / extent, kept);

  std::sort(kept.index.begin(), kept.index.begin() + kept.count);
  for (int k = 0; k < kept.count; ++k) points[k] = points[kept.index[k]];
  points.resize(kept.count);
}

}   // namespace stickslip
