// The patch of contact points: moments of a depth that is linear over the hull of the points.
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "volume/outline.h"

namespace stickslip {

namespace {

/// A linear function over the tangent plane, at_middle + slope · x with x from the middle of the points.
struct LinearFit {
  double at_middle = 0;
  Vec2 slope = Vec2::Zero();

  double at(const Vec2& x) const { return at_middle + slope.dot(x); }
};

/// That nearest to the values at the places, by least squares.
template <class ValueOf>
LinearFit fitted(std::span<const PatchPoint> points, const Vec3& middle, const Mat3& frame, const ValueOf& value_of) {
  LinearFit fit;
  Mat2 spread = Mat2::Zero();
  Vec2 mixed = Vec2::Zero();
  const auto count = static_cast<double>(points.size());
  for (const PatchPoint& p : points) fit.at_middle += value_of(p) / count;
  for (const PatchPoint& p : points) {
    const Vec2 x(frame.col(1).dot(p.position - middle), frame.col(2).dot(p.position - middle));
    spread += x * x.transpose(), mixed += (value_of(p) - fit.at_middle) * x;
  }
  const double size = spread.trace();
  if (!(size > 0)) return fit;
  if (spread.determinant() > 1e-12 * size * size) {
    fit.slope = spread.inverse() * mixed;
  } else {   // across a row of points nothing is known of the slope: that of least size
    const Vec2 along = (spread.col(0).norm() > spread.col(1).norm() ? spread.col(0) : spread.col(1)).normalized();
    fit.slope = along * (along.dot(mixed) / size);
  }
  return fit;
}

/// Integrals over a polygon of depth · {1, x, xxᵀ}, and its area where the depth is positive.
struct DepthSums {
  double area = 0, volume = 0;
  Vec2 first = Vec2::Zero();
  Mat2 second = Mat2::Zero();

  void add_triangle(const std::array<Vec2, 3>& x, const std::array<double, 3>& d) {
    const Vec2 u = x[1] - x[0], v = x[2] - x[0];
    const double part = (u.x() * v.y() - u.y() * v.x()) / 2, sum = d[0] + d[1] + d[2];
    area += part, volume += part * sum / 3;
    // ∫ λᵢλⱼ = A (1 + δᵢⱼ)/12, and of three alike: A/10, two: A/30, none: A/60.
    for (int i = 0; i < 3; ++i) first += part / 12 * (sum + d[i]) * x[i];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double weight = i == j ? 2 * (sum + 2 * d[i]) : sum + d[i] + d[j];
        second += part / 60 * weight * x[i] * x[j].transpose();
      }
  }
};

struct DepthPolygon {
  std::array<Vec2, 64> at;
  std::array<double, 64> depth;
  int count = 0;
};

/// The part of a polygon where the depth is not negative.
DepthPolygon sunk_part(const DepthPolygon& p) {
  DepthPolygon kept;
  for (int i = 0; i < p.count; ++i) {
    const int j = (i + 1) % p.count;
    if (p.depth[i] >= 0) kept.at[kept.count] = p.at[i], kept.depth[kept.count++] = p.depth[i];
    if ((p.depth[i] >= 0) != (p.depth[j] >= 0)) {
      const double t = p.depth[i] / (p.depth[i] - p.depth[j]);
      kept.at[kept.count] = p.at[i] + t * (p.at[j] - p.at[i]), kept.depth[kept.count++] = 0;
    }
  }
  return kept;
}

}   // namespace

Patch patch_of_points(std::span<const PatchPoint> points, const Vec3& normal, double slack) {
  Patch patch;
  patch.outline.fill(Vec2::Zero());
  patch.degeneracy = Degeneracy::touching;
  if (points.empty()) return patch;
  const Mat3 frame = frame_from_normal(normal);
  for (const PatchPoint& p : points) patch.origin += p.position / static_cast<double>(points.size());
  const Vec3 middle = patch.origin;
  const LinearFit gap = fitted(points, middle, frame, [](const PatchPoint& p) { return p.gap; });
  const LinearFit height = fitted(points, middle, frame, [&](const PatchPoint& p) { return normal.dot(p.position - middle); });
  patch.frame = frame;
  SmallPolygon hull;
  for (const PatchPoint& p : points) hull.add(seen(patch, p.position));
  make_convex(hull);
  thin_out_polygon(hull, Patch::kMaxCorners);

  double deepest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < hull.count; ++i) deepest = std::min(deepest, gap.at(hull.corners[i]));
  const double sunk_by = std::max(slack + deepest, 0.0);   // until the deepest corner is `slack` deep
  DepthPolygon whole;
  for (; whole.count < hull.count; ++whole.count) {
    whole.at[whole.count] = hull.corners[whole.count];
    whole.depth[whole.count] = sunk_by - gap.at(hull.corners[whole.count]);
  }
  const DepthPolygon sunk = sunk_part(whole);
  DepthSums sums;
  for (int i = 1; i + 1 < sunk.count; ++i)
    sums.add_triangle({sunk.at[0], sunk.at[i], sunk.at[i + 1]}, {sunk.depth[0], sunk.depth[i], sunk.depth[i + 1]});
  const Eigen::Matrix<double, 3, 2> across = frame.rightCols<2>();
  Vec2 center = Vec2::Zero();
  Mat2 spread = Mat2::Zero();
  if (sums.volume > 0) {
    center = sums.first / sums.volume, spread = sums.second / sums.volume - center * center.transpose();
    patch.area = sums.area, patch.depth = sums.volume / sums.area - sunk_by;
    patch.degeneracy = deepest < 0 ? Degeneracy::sheet : Degeneracy::touching;
  } else {   // an edge or a point: corners weighted by their depth
    double weight = 0;
    for (int i = 0; i < sunk.count; ++i) weight += sunk.depth[i], center += sunk.depth[i] * sunk.at[i];
    if (weight > 0) center /= weight;
    for (int i = 0; i < sunk.count && weight > 0; ++i)
      spread += sunk.depth[i] / weight * (sunk.at[i] - center) * (sunk.at[i] - center).transpose() / 3;
    patch.depth = sunk.count > 0 ? weight / sunk.count - sunk_by : 0;
  }
  set_spread(patch, normal, across * spread * across.transpose());
  patch.origin = middle + across * center + height.at(center) * normal;
  SmallPolygon outline;
  for (int i = 0; i < sunk.count; ++i) outline.add(seen(patch, middle + across * sunk.at[i]));
  set_outline(patch, outline);
  patch.area_middle = depth_over(patch).middle;
  return patch;
}

}   // namespace stickslip
