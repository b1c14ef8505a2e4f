#include "stickslip/volume/patch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "stickslip/math/error.h"
#include "volume/outline.h"

namespace stickslip {

namespace {

/// By which the mean depth of an overlap with a direction may seem longer than it is, as rays see it.
constexpr double kLonger = 1.5;

/// Cosine up to which the gradient of an overlap may lean from the direction in which its surfaces face each other.
constexpr double kAgrees = 0.906;

double cross_of(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

double area_of(std::span<const Vec2> p) {
  double twice = 0;
  for (std::size_t i = 1; i + 1 < p.size(); ++i) twice += cross_of(p[i] - p[0], p[i + 1] - p[0]);
  return twice / 2;
}

double factor_of(EquivalentForm form) {
  constexpr double squared[] = {3, 4, 5, 6};
  return std::sqrt(squared[static_cast<int>(form)]);
}

}   // namespace

void make_convex(SmallPolygon& p) {
  const auto before = [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); };
  std::sort(p.corners.begin(), p.corners.begin() + p.count, before);
  p.count = static_cast<int>(std::unique(p.corners.begin(), p.corners.begin() + p.count) - p.corners.begin());
  if (p.count < 3) return;
  std::array<Vec2, 2 * SmallPolygon::kRoom> chain;
  int size = 0;
  const auto grow = [&](const Vec2& x, int base) {
    while (size >= base + 2 && cross_of(chain[size - 1] - chain[size - 2], x - chain[size - 2]) <= 0) --size;
    chain[size++] = x;
  };
  for (int i = 0; i < p.count; ++i) grow(p.corners[i], 0);
  const int lower = size - 1;
  for (int i = p.count - 1; i-- > 0;) grow(p.corners[i], lower);
  p.count = std::min(size - 1, SmallPolygon::kRoom);
  std::copy(chain.begin(), chain.begin() + p.count, p.corners.begin());
}

void thin_out_polygon(SmallPolygon& p, int most) {
  for (const double whole = area_of({p.corners.data(), static_cast<std::size_t>(p.count)}); p.count > 3;) {
    int least = 0;
    double least_area = std::numeric_limits<double>::infinity();
    for (int i = 0; i < p.count; ++i) {
      const Vec2 &before = p.corners[(i + p.count - 1) % p.count], &after = p.corners[(i + 1) % p.count];
      const double area = cross_of(p.corners[i] - before, after - before);
      if (area < least_area) least_area = area, least = i;
    }
    if (p.count <= most && least_area > 1e-9 * whole) return;   // else two corners are one but for rounding
    std::copy(p.corners.begin() + least + 1, p.corners.begin() + p.count, p.corners.begin() + least);
    --p.count;
  }
}

void set_outline(Patch& patch, SmallPolygon polygon) {
  make_convex(polygon);
  thin_out_polygon(polygon, Patch::kMaxCorners);
  patch.outline.fill(Vec2::Zero());
  patch.corner_count = polygon.count;
  std::copy(polygon.corners.begin(), polygon.corners.begin() + polygon.count, patch.outline.begin());
  patch.outline_area = std::max(0.0, area_of(patch.corners()));
  if (patch.outline_area > 0) {
    patch.spin_radius = distance_integral(patch.corners()) / patch.outline_area;
  } else if (patch.corner_count == 2) {   // an edge: the mean of |x| along it
    const Vec2 p = patch.outline[0], e = patch.outline[1] - p;
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += (p + (k + 0.5) / 8 * e).norm() / 8;
    patch.spin_radius = sum;
  }
}

void set_spread(Patch& patch, const Vec3& normal, const Mat3& covariance) {
  const Mat3 start = frame_from_normal(normal);
  const Eigen::Matrix<double, 3, 2> across = start.rightCols<2>();
  const Mat2 c = across.transpose() * covariance * across;
  const double mean = 0.5 * (c(0, 0) + c(1, 1)), half = 0.5 * (c(0, 0) - c(1, 1)), mixed = 0.5 * (c(0, 1) + c(1, 0));
  const double radius = std::hypot(half, mixed), turn = 0.5 * std::atan2(mixed, half);
  // Where both spreads are alike the tangents of the normal alone are as good, and do not jump about.
  double angle = radius > 1e-9 * mean ? turn : 0;
  // Of the two directions of an axis the one nearer to a direction that nothing in a scene is likely to lie along.
  if (std::cos(angle - 0.4) < 0) angle += std::numbers::pi;
  patch.frame.col(0) = normal;
  patch.frame.col(1) = std::cos(angle) * start.col(1) + std::sin(angle) * start.col(2);
  patch.frame.col(2) = normal.cross(patch.frame.col(1));
  patch.deviations = {std::sqrt(std::max(0.0, mean + radius)), std::sqrt(std::max(0.0, mean - radius))};
}

Vec2 seen(const Patch& patch, const Vec3& x) {
  const Vec3 from = x - patch.origin;
  return {patch.frame.col(1).dot(from), patch.frame.col(2).dot(from)};
}

Vec2 Patch::semi_axes(EquivalentForm form) const { return factor_of(form) * deviations; }

double Patch::spin_radius_of_ellipse(EquivalentForm form) const {
  const Vec2 axes = semi_axes(form);
  constexpr int n = 32;   // the trapezoidal rule of a periodic function
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    const double turn = 2 * std::numbers::pi * k / n;
    sum += std::hypot(axes.x() * std::cos(turn), axes.y() * std::sin(turn)) / n;
  }
  return 2.0 / 3 * sum;
}

double distance_integral(std::span<const Vec2> polygon) {
  // Triangle of the origin and an edge at the distance d: in angles from its foot ∫ ⅓ d³/cos³φ dφ
  // = d³/6 (sin φ/cos² φ + asinh(tan φ)), and with s = d tan φ along the edge d (s √(d² + s²) + d² asinh(s/d))/6.
  const auto primitive = [](double d, double s) { return d * (s * std::hypot(d, s) + d * d * std::asinh(s / d)) / 6; };
  double sum = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()], e = q - p;
    const double length = e.norm();
    if (!(length > 0)) continue;
    const double d = cross_of(p, q) / length;   // signed: positive if the origin is on the left
    if (std::abs(d) < 1e-14 * length) continue;
    const double size = std::abs(d);
    sum += std::copysign(primitive(size, q.dot(e) / length) - primitive(size, p.dot(e) / length), d);
  }
  return sum;
}

bool has_direction(const OverlapVolume& o) {
  const double pull = o.gradient.norm();
  if (!o.has_volume() || !(pull > 0)) return false;
  const Vec3 n = o.gradient / pull;
  const double deviation = std::sqrt(std::max(0.0, n.dot(o.second_moment * n) / o.volume));
  return o.volume / pull < kLonger * std::sqrt(12.0) * deviation;
}

Patch patch_of(const OverlapVolume& o) {
  Patch patch;
  patch.origin = o.centroid;
  patch.degeneracy = o.degeneracy;
  patch.outline.fill(Vec2::Zero());
  const double pull = o.gradient.norm();
  Vec3 normal = Vec3::UnitZ();
  const Mat3 covariance = o.volume > 0 ? Mat3(o.second_moment / o.volume) : Mat3(Mat3::Zero());
  if (pull > 0) {
    normal = -o.gradient / pull;
    patch.depth = o.volume / pull;
    patch.area = pull;
  } else if (o.volume > 0) {
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(covariance);
    normal = principal.eigenvectors().col(0).normalized();
    patch.depth = std::sqrt(12 * std::max(0.0, principal.eigenvalues()[0]));
    patch.area = patch.depth > 0 ? o.volume / patch.depth : 0;
  }
  set_spread(patch, normal, covariance);
  // Of a flat overlap ∂V by rotations is ∫ (x − c) × (−n) dA.
  if (pull > 0) patch.area_middle = patch.frame.rightCols<2>().transpose() * (o.turning.cross(normal) / pull);
  SmallPolygon polygon;
  for (int i = 0; i < o.point_count; ++i) polygon.add(seen(patch, o.points[i]));
  set_outline(patch, polygon);
  return patch;
}

void split(const OverlapVolume& o, std::span<const OverlapSegment> segments, std::vector<Patch>& patches) {
  patches.clear();
  if (o.segment_count == 0) return patches.push_back(patch_of(o));
  const Vec3& facing = segments[o.first_segment].normal;
  const bool agrees = has_direction(o) && -o.gradient.dot(facing) > kAgrees * o.gradient.norm();
  if (o.segment_count == 1 && agrees && !o.is_seen_by_chance()) return patches.push_back(patch_of(o));
  for (const OverlapSegment& s : segments.subspan(o.first_segment, o.segment_count)) {
    Patch patch;
    const Vec3 arm = s.first / s.volume;
    patch.origin = o.centroid + arm;
    patch.degeneracy = o.degeneracy;
    patch.area = s.area;
    patch.depth = s.volume / s.area;
    set_spread(patch, s.normal, s.second / s.volume - arm * arm.transpose());
    patch.area_middle = seen(patch, o.centroid + s.area_first / s.area);
    SmallPolygon polygon;
    for (std::size_t k = 0; k < s.corners.size(); ++k)
      if (s.reaches[k] >= 0) polygon.add(seen(patch, o.centroid + s.corners[k]));
    set_outline(patch, polygon);
    patches.push_back(patch);
  }
}

void set_outline_to_dop(Patch& patch, int directions) {
  if (directions != 4 && directions != 8)
    throw Error(fmt::format("{} is not a number of directions. An outline has 4 or 8.", directions)).at("directions");
  if (patch.corner_count == 0) return;
  double reach = 0;
  for (const Vec2& p : patch.corners()) reach = std::max(reach, p.norm());
  SmallPolygon dop;
  for (const Vec2& p : {Vec2(-1, -1), Vec2(1, -1), Vec2(1, 1), Vec2(-1, 1)}) dop.add(2 * reach * p);
  for (int k = 0; k < directions; ++k) {
    const double turn = 2 * std::numbers::pi * k / directions;
    const Vec2 d(std::cos(turn), std::sin(turn));
    double limit = -std::numeric_limits<double>::infinity();
    for (const Vec2& p : patch.corners()) limit = std::max(limit, d.dot(p));
    SmallPolygon cut;
    for (int i = 0; i < dop.count; ++i) {
      const Vec2 &from = dop.corners[i], &to = dop.corners[(i + 1) % dop.count];
      const double a = d.dot(from) - limit, b = d.dot(to) - limit;
      if (a <= 0) cut.add(from);
      if ((a <= 0) != (b <= 0)) cut.add(from + a / (a - b) * (to - from));
    }
    dop = cut;
  }
  set_outline(patch, dop);
}

}   // namespace stickslip
