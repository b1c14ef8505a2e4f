// What a patch is over its area: its depth there, whether it is round, and several as one.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "volume/outline.h"

namespace stickslip {

namespace {

constexpr double kAlike = 0.906;      ///< cosine of the angle between normals of patches that are joined, 25°
constexpr double kDotAlike = 0.643;   ///< the same of what one ray met of an edge: one of the faces beside it, 50°
constexpr double kOneHeight = 0.2;    ///< of their reach: how far planes of patches that are joined are apart
/// Part of an outline that its area leaves open, from which on that counts, and from which on it alone. Rays see convex areas
/// with an outline that is off by up to a cell.
constexpr double kOpen = 0.05, kWideOpen = 0.15;
/// Part of its area that an outline must hold for the depth to have a slope, and from which on it has all of it: of what is
/// thinner than the rays are apart an outline says nothing.
constexpr double kUnseen = 0.5, kSeen = 0.75;
/// Times the mean depth that a linear one can reach where it is nowhere below 0: at the corner of a triangle.
constexpr double kSteepest = 3;

/// Area, centroid and second moments about it of a polygon.
struct AreaMoments {
  double area = 0;
  Vec2 middle = Vec2::Zero();
  Mat2 spread = Mat2::Zero();   ///< ∫ (x − middle)(x − middle)ᵀ dA [m⁴]
};

AreaMoments moments_of(std::span<const Vec2> p) {
  AreaMoments m;
  Vec2 first = Vec2::Zero();
  Mat2 second = Mat2::Zero();
  for (std::size_t i = 1; i + 1 < p.size(); ++i) {
    const Vec2 u = p[i] - p[0], v = p[i + 1] - p[0], sum = u + v;
    const double part = (u.x() * v.y() - u.y() * v.x()) / 2;
    m.area += part;
    first += part / 3 * sum;
    second += part / 12 * (u * u.transpose() + v * v.transpose() + sum * sum.transpose());
  }
  if (!(m.area > 0)) {
    for (const Vec2& x : p) m.middle += x / static_cast<double>(p.size());
    return m;
  }
  const Vec2 arm = first / m.area;
  m.middle = p[0] + arm;
  m.spread = second - m.area * arm * arm.transpose();
  return m;
}

double volume_of(const Patch& p) { return p.depth * p.area; }

double reach_of_outline(const Patch& p) {
  double reach = 0;
  for (const Vec2& x : p.corners()) reach = std::max(reach, x.norm());
  return reach;
}

bool are_alike(const Patch& p, const Patch& q) {
  const Vec3 between = q.origin - p.origin;
  const bool is_dot = p.corner_count < 3 || q.corner_count < 3;
  if (p.normal().dot(q.normal()) < (is_dot ? kDotAlike : kAlike)) return false;
  const double reach = between.norm() + reach_of_outline(p) + reach_of_outline(q);
  return std::abs((p.normal() + q.normal()).normalized().dot(between)) < kOneHeight * reach;
}

}   // namespace

PatchDepth depth_over(const Patch& patch) {
  const AreaMoments m = moments_of(patch.corners());
  PatchDepth d{m.middle, patch.depth, Vec2::Zero()};
  if (!(m.area > 0)) return d;
  const double open = std::clamp((1 - patch.area / m.area - kOpen) / (kWideOpen - kOpen), 0.0, 1.0);
  d.middle += open * (patch.area_middle - m.middle);
  // About the middle of its area a volume has the second moments of that times the depth there, but for third moments.
  const Mat2 of_volume = patch.deviations.cwiseAbs2().asDiagonal().toDenseMatrix() + d.middle * d.middle.transpose();
  const Mat2 spread = (1 - open) / m.area * m.spread + open * of_volume;
  // ∫ depth (x − middle) dA = slope · spread · A = V (centroid − middle), and the centroid of the volume is the origin.
  const double determinant = spread.determinant(), size = spread.trace();
  if (!(determinant > 1e-10 * size * size)) return d;
  Mat2 inverse;
  inverse << spread(1, 1), -spread(0, 1), -spread(1, 0), spread(0, 0);
  const double seen = std::clamp((m.area / patch.area - kUnseen) / (kSeen - kUnseen), 0.0, 1.0);
  d.slope = inverse / determinant * (-seen * patch.depth * d.middle);
  double least = patch.depth, most = patch.depth;
  for (const Vec2& x : patch.corners()) least = std::min(least, d.at(x)), most = std::max(most, d.at(x));
  const double past_nothing = least < 0 ? patch.depth / (patch.depth - least) : 1;
  const double past_most = most > kSteepest * patch.depth ? (kSteepest - 1) * patch.depth / (most - patch.depth) : 1;
  d.slope *= std::min(past_nothing, past_most);
  return d;
}

std::optional<RoundOutline> round_outline(const Patch& patch, double tolerance) {
  for (const EquivalentForm form : {EquivalentForm::sheet, EquivalentForm::cap}) {
    const Vec2 axes = patch.semi_axes(form);
    const double area = std::numbers::pi * axes.prod();
    if (std::abs(area / patch.area - 1) < tolerance) return RoundOutline{form, std::sqrt(patch.area / area) * axes};
  }
  return std::nullopt;
}

Patch joined(std::span<const Patch> patches) {
  if (patches.size() == 1) return patches.front();
  Patch all;
  all.degeneracy = patches.front().degeneracy;
  double volume = 0;
  Vec3 push = Vec3::Zero();
  double area = 0;
  Vec3 area_first = Vec3::Zero();
  for (const Patch& p : patches) {
    volume += volume_of(p);
    push += p.area * p.normal();
    area += p.area, area_first += p.area * (p.origin + p.frame.rightCols<2>() * p.area_middle);
    all.origin += volume_of(p) * p.origin;
    if (p.degeneracy != all.degeneracy) all.degeneracy = Degeneracy::none;
  }
  all.origin /= volume;
  all.area = push.norm();
  all.depth = volume / all.area;
  Mat3 covariance = Mat3::Zero();
  for (const Patch& p : patches) {
    const Vec3 arm = p.origin - all.origin, t = p.deviations.x() * p.frame.col(1), b = p.deviations.y() * p.frame.col(2);
    covariance += volume_of(p) / volume * (arm * arm.transpose() + t * t.transpose() + b * b.transpose());
  }
  set_spread(all, push / all.area, covariance);
  all.area_middle = seen(all, area_first / area);
  SmallPolygon polygon;
  for (const Patch& p : patches) {
    // The hull of what there is keeps the room: a rough face has more pieces than a polygon has corners.
    if (polygon.count + p.corner_count > SmallPolygon::kRoom) make_convex(polygon);
    if (polygon.count + p.corner_count > SmallPolygon::kRoom) thin_out_polygon(polygon, SmallPolygon::kRoom / 2);
    for (const Vec2& x : p.corners()) polygon.add(seen(all, p.origin + x.x() * p.frame.col(1) + x.y() * p.frame.col(2)));
  }
  set_outline(all, polygon);
  return all;
}

void join_alike(std::vector<Patch>& patches) {
  const auto larger = [](const Patch& p, const Patch& q) { return volume_of(p) > volume_of(q); };
  std::stable_sort(patches.begin(), patches.end(), larger);
  for (auto first = patches.begin(); first != patches.end(); ++first) {
    const auto end = std::stable_partition(first + 1, patches.end(), [&](const Patch& p) { return are_alike(*first, p); });
    if (end == first + 1) continue;
    *first = joined({first, end});
    first = patches.erase(first + 1, end) - 1;
  }
  std::stable_sort(patches.begin(), patches.end(), larger);
}

}   // namespace stickslip
