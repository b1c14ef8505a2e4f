// Reduction of a manifold: four points for the patch that touches or lands next, and a few more for what turns can bring down.
//
// The wrenches a patch can transmit shrink with the area of its support polygon. One corner is given, the deepest point p₀.
// For every other point p₁ the best partners are those farthest from the line p₀p₁ on either side, and the quadrilateral
// has the area |p₀p₁| (h₊ + h₋) / 2. Let p₁ be farthest from a supporting line of the polygon at p₀: then the polygon lies
// in a parallelogram of twice that area (between the two parallel supporting lines, and between the parallels to p₀p₁ at
// h₊ and h₋). So the best quadrilateral keeps at least half of the area of any convex patch.
//
// A patch at rest is all there is, and has one plane. While shapes fly towards each other their gaps differ: drawn over the plane
// across the normal, points and gaps make the lower side of a polytope. The facet at p₀ that is tilted least lands most easily; it is
// the patch. Another point i comes down only if the shapes turn: a turn by θ brings it below a kept point s by θ |rᵢ − rₛ| − (gᵢ − gₛ)
// at most. If that is negative for some s, then s holds it up; otherwise it is kept too, the worst first.
#include "stickslip/collide/collide.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {
namespace {

// Differences below this part of the patch's size are noise: ties go to the smaller feature, so that a patch at rest keeps
// the same points from step to step.
constexpr double kTie = 1e-6;

// Points above the plane of a facet by less than this part of the patch's size lie on it.
constexpr double kCoplanar = 1e-5;

// The shapes turn by what uses up their motion this many times at the ends of the patch: a blow that stops one end can set the other
// end moving twice as fast.
constexpr double kTurns = 2;

// Facets that are tilted more (tangent) stand rather than land.
constexpr double kSteepest = 3;

// Facets at the deepest point that are looked at on either side of its flattest edge.
constexpr int kMaxFacets = 4;

// Most points that are weighed against each other.
constexpr int kMaxCandidates = 64;

struct Candidate {
  int index;
  Vec3 lever;   // from the deepest point, across the normal [m]
};

struct Candidates {
  std::array<Candidate, kMaxCandidates> list;
  int count = 0;
};

// Keeps the order of the points; of more than there is room for, those with the longest levers.
void add_candidate(Candidates& found, int index, const Vec3& lever) {
  if (found.count < kMaxCandidates) {
    found.list[found.count++] = {index, lever};
    return;
  }
  int shortest = 0;
  for (int k = 1; k < kMaxCandidates; ++k)
    if (found.list[k].lever.squaredNorm() < found.list[shortest].lever.squaredNorm()) shortest = k;
  if (lever.squaredNorm() <= found.list[shortest].lever.squaredNorm()) return;
  std::move(found.list.begin() + shortest + 1, found.list.end(), found.list.begin() + shortest);
  found.list.back() = {index, lever};
}

struct Patch {
  const std::vector<ContactPoint>& points;
  int deepest;
  double extent;   // [m]

  Vec3 lever(int i) const {
    const Vec3 r = points[i].position - points[deepest].position;
    return r - r.dot(points[deepest].normal) * points[deepest].normal;
  }
  double higher(int i) const { return points[i].gap - points[deepest].gap; }
};

// Gradient of the gap over the facet of the lower hull that touches the deepest point and is tilted least, across the normal.
// The planes through p₀ that no point lies below have gradients m with m · rᵢ ≤ Δᵢ for all i: a polygon around zero. Its sides belong
// to the edges at p₀, its corners to the facets. The walk starts at the side nearest to zero, the flattest edge, and goes from side to side.
Vec3 landing_gradient(const Patch& patch) {
  const int n = static_cast<int>(patch.points.size());
  const double tiny = kTie * patch.extent;
  double slope = std::numeric_limits<double>::infinity();   // of the edge
  Vec3 along = Vec3::Zero();                                // the edge, seen along the normal, unit
  for (int i = 0; i < n; ++i) {
    const Vec3 r = patch.lever(i);
    const double length = r.norm();
    if (length > tiny && patch.higher(i) < slope * length) slope = patch.higher(i) / length, along = r / length;
  }
  if (!(slope < kSteepest)) return Vec3::Zero();
  Vec3 flattest = slope * along;
  double least = std::numeric_limits<double>::infinity();
  for (int turn = -1; turn <= 1; turn += 2) {
    Vec3 edge = along;
    double edge_slope = slope;
    for (int facet = 0; facet < kMaxFacets; ++facet) {
      const Vec3 across = turn * patch.points[patch.deepest].normal.cross(edge);
      double steepness = kSteepest;
      int next = -1;
      for (int i = 0; i < n; ++i) {
        const Vec3 r = patch.lever(i);
        const double y = across.dot(r), above = patch.higher(i) - edge_slope * edge.dot(r);
        if (y > tiny && above < steepness * y) steepness = above / y, next = i;
      }
      if (next < 0) break;
      const Vec3 gradient = edge_slope * edge + steepness * across;
      if (gradient.squaredNorm() < least) least = gradient.squaredNorm(), flattest = gradient;
      edge = patch.lever(next).normalized();
      edge_slope = patch.higher(next) / patch.lever(next).norm();
      if (edge_slope > kSteepest) break;
    }
  }
  return flattest;
}

// The facet that lands next.
struct Landing {
  Vec3 gradient;   // of the gap over the facet, across the normal

  /// Whether a point lies on the facet, or touches already.
  bool includes(const Patch& patch, int i) const {
    const double above = patch.higher(i) - gradient.dot(patch.lever(i));
    return i == patch.deepest || patch.points[i].gap <= 0 || above <= kCoplanar * patch.extent;
  }
};

// Places of the points that stay.
struct Kept {
  std::array<int, kMaxManifoldPoints> index;
  int count = 0;

  void add(int i) {
    if (i >= 0 && std::find(index.begin(), index.begin() + count, i) == index.begin() + count) index[count++] = i;
  }
};

// The deepest point and those that make the largest quadrilateral with it. Empty if they lie on a line.
Kept largest_quad(const Candidates& candidates, const Patch& patch) {
  int corner[3] = {-1, -1, -1};
  double best = 0, extent_squared = 0;
  for (int i = 0; i < candidates.count; ++i) {
    const Vec3 across = patch.points[patch.deepest].normal.cross(candidates.list[i].lever);
    extent_squared = std::max(extent_squared, across.squaredNorm());
    double above = 0, below = 0;
    int highest = -1, lowest = -1;
    for (int j = 0; j < candidates.count; ++j) {
      const double height = across.dot(candidates.list[j].lever);
      if (height > above * (1 + kTie)) above = height, highest = candidates.list[j].index;
      if (height < below * (1 + kTie)) below = height, lowest = candidates.list[j].index;
    }
    const double area = (above - below) / 2;
    if (area > best * (1 + kTie)) best = area, corner[0] = candidates.list[i].index, corner[1] = highest, corner[2] = lowest;
  }
  Kept kept;
  if (best <= kTie * extent_squared) return kept;
  kept.add(patch.deepest);
  for (const int c : corner) kept.add(c);   // to rounding a corner may lie beside its own line
  return kept;
}

// For points on a line: the deepest and the two ends.
Kept ends_of_line(const Candidates& candidates, const Patch& patch) {
  Kept kept;
  kept.add(patch.deepest);
  int far = -1, other = -1;
  double longest = 0;
  for (int i = 0; i < candidates.count; ++i) {
    const double d = candidates.list[i].lever.squaredNorm();
    if (d > longest) longest = d, far = i;
  }
  if (far < 0) return kept;
  kept.add(candidates.list[far].index);
  for (int i = 0; i < candidates.count; ++i) {
    const double d = (candidates.list[i].lever - candidates.list[far].lever).squaredNorm();
    if (d > longest * (1 + kTie)) longest = d, other = i;
  }
  if (other >= 0) kept.add(candidates.list[other].index);
  return kept;
}

// The points that stand for the patch that touches or lands next, four at most.
Kept best_quad(const Patch& patch, const Landing& landing) {
  Candidates facet;
  for (int i = 0; i < static_cast<int>(patch.points.size()); ++i)
    if (i != patch.deepest && landing.includes(patch, i)) add_candidate(facet, i, patch.lever(i));
  const Kept quad = largest_quad(facet, patch);
  return quad.count > 0 ? quad : ends_of_line(facet, patch);
}

// Adds the points that no kept point holds up, the worst first, as long as there is room. @param turn largest turn [rad]
void add_unsupported(const Patch& patch, const Landing& landing, double turn, Kept& kept) {
  while (kept.count < kMaxManifoldPoints) {
    int lowest = -1;
    double worst = 0;
    for (int i = 0; i < static_cast<int>(patch.points.size()); ++i) {
      if (landing.includes(patch, i)) continue;
      double below = std::numeric_limits<double>::infinity();
      for (int k = 0; k < kept.count && below > worst; ++k) {
        const ContactPoint& s = patch.points[kept.index[k]];
        below = std::min(below, turn * (patch.points[i].position - s.position).norm() - (patch.points[i].gap - s.gap));
      }
      if (below > worst + kTie * patch.extent) worst = below, lowest = i;
    }
    if (lowest < 0) return;
    kept.add(lowest);
  }
}

}  // namespace

void reduce_manifold(std::vector<ContactPoint>& points, double margin) {
  std::sort(points.begin(), points.end(), [](const ContactPoint& p, const ContactPoint& q) {
    return p.feature != q.feature ? p.feature < q.feature : p.gap < q.gap;
  });
  if (points.size() <= kMaxPatchPoints) return;

  double extent_squared = 0;
  double lowest_gap = points[0].gap;
  for (const ContactPoint& p : points) {
    extent_squared = std::max(extent_squared, (p.position - points[0].position).squaredNorm());
    lowest_gap = std::min(lowest_gap, p.gap);
  }
  const double extent = std::sqrt(extent_squared);
  int deepest = 0;
  while (points[deepest].gap > lowest_gap + kTie * extent) ++deepest;

  const Patch patch{points, deepest, extent};
  const Landing landing{landing_gradient(patch)};
  Kept kept = best_quad(patch, landing);
  // What overlaps moves out of each other as well.
  add_unsupported(patch, landing, kTurns * (margin + std::max(0.0, -lowest_gap)) / extent, kept);

  std::sort(kept.index.begin(), kept.index.begin() + kept.count);
  for (int k = 0; k < kept.count; ++k) points[k] = points[kept.index[k]];
  points.resize(kept.count);
}

}  // namespace stickslip
