// Reduction of a manifold to four points.
//
// The wrenches a patch can transmit shrink with the area of its support polygon. One corner is given, the deepest point p₀.
// For every other point p₁ the best partners are those farthest from the line p₀p₁ on either side, and the quadrilateral
// has the area |p₀p₁| (h₊ + h₋) / 2. Let p₁ be farthest from a supporting line of the polygon at p₀: then the polygon lies
// in a parallelogram of twice that area (between the two parallel supporting lines, and between the parallels to p₀p₁ at
// h₊ and h₋). So the best quadrilateral keeps at least half of the area of any convex patch.
#include "stickslip/collide/collide.h"

#include <algorithm>
#include <cmath>

namespace stickslip {
namespace {

// Differences below this part of the patch's size are noise: ties go to the smaller feature, so that a patch at rest keeps
// the same points from step to step.
constexpr double kTie = 1e-6;

// The corners of the largest quadrilateral with corner `first`; corners that add no area are -1.
struct Quad {
  int corner[4];
  double area;
};

Quad largest_quad(const std::vector<ContactPoint>& points, int first) {
  const Vec3& origin = points[first].position;
  const Vec3& normal = points[first].normal;
  const int n = static_cast<int>(points.size());
  Quad best{{first, -1, -1, -1}, 0};
  for (int i = 0; i < n; ++i) {
    if (i == first) continue;
    const Vec3 across = normal.cross(points[i].position - origin);
    double above = 0, below = 0;
    int highest = -1, lowest = -1;
    for (int j = 0; j < n; ++j) {
      const double height = across.dot(points[j].position - origin);
      if (height > above * (1 + kTie)) above = height, highest = j;
      if (height < below * (1 + kTie)) below = height, lowest = j;
    }
    const double area = (above - below) / 2;
    if (area > best.area * (1 + kTie)) best = {{first, i, highest, lowest}, area};
  }
  return best;
}

// For points on a line: the deepest and the two ends.
Quad ends_of_line(const std::vector<ContactPoint>& points, int first) {
  const int n = static_cast<int>(points.size());
  int far = first;
  double longest = 0;
  for (int i = 0; i < n; ++i) {
    const double d = (points[i].position - points[first].position).squaredNorm();
    if (d > longest) longest = d, far = i;
  }
  int other = first;
  longest = 0;
  for (int i = 0; i < n; ++i) {
    const double d = (points[i].position - points[far].position).squaredNorm();
    if (d > longest * (1 + kTie)) longest = d, other = i;
  }
  return {{first, far, other, -1}, 0};
}

}  // namespace

void reduce_manifold(std::vector<ContactPoint>& points) {
  std::sort(points.begin(), points.end(), [](const ContactPoint& p, const ContactPoint& q) {
    return p.feature != q.feature ? p.feature < q.feature : p.gap < q.gap;
  });
  if (points.size() <= kMaxManifoldPoints) return;

  double extent_squared = 0;
  double lowest_gap = points[0].gap;
  for (const ContactPoint& p : points) {
    extent_squared = std::max(extent_squared, (p.position - points[0].position).squaredNorm());
    lowest_gap = std::min(lowest_gap, p.gap);
  }
  int deepest = 0;
  while (points[deepest].gap > lowest_gap + kTie * std::sqrt(extent_squared)) ++deepest;

  Quad quad = largest_quad(points, deepest);
  if (quad.area <= kTie * extent_squared) quad = ends_of_line(points, deepest);

  std::size_t kept = 0;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    if (std::find(quad.corner, quad.corner + 4, i) != quad.corner + 4) points[kept++] = points[i];
  }
  points.resize(kept);
}

}  // namespace stickslip
