#include "volume/finish.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// Ratio of sides from which on an overlap is thin.
constexpr double kThinOverlap = 1e-3;
/// Mean depth over size that rounding alone can make.
constexpr double kNoDepth = 1e-15;
/// Points that are sorted into a hull at most; of more, the farthest in sixteen directions are taken first.
constexpr std::size_t kManyPoints = 40;

double turn_of(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// Points of `seen`, by index, that are farthest in each of sixteen directions.
void keep_farthest(const std::vector<Vec2>& seen, std::vector<std::size_t>& kept) {
  kept.clear();
  for (int k = 0; k < 16; ++k) {
    const Vec2 direction(std::cos(k * std::numbers::pi / 8), std::sin(k * std::numbers::pi / 8));
    std::size_t best = 0;
    for (std::size_t i = 1; i < seen.size(); ++i)
      if (direction.dot(seen[i]) > direction.dot(seen[best])) best = i;
    kept.push_back(best);
  }
}

/// Corners of the hull of the points at these places, counter-clockwise (Andrew's chains).
void hull_corners(const std::vector<Vec2>& seen, std::vector<std::size_t>& corners) {
  const auto before = [&](std::size_t i, std::size_t j) {
    return seen[i].x() != seen[j].x() ? seen[i].x() < seen[j].x() : seen[i].y() < seen[j].y();
  };
  std::sort(corners.begin(), corners.end(), before);
  const auto same = [&](std::size_t i, std::size_t j) { return seen[i] == seen[j]; };
  corners.erase(std::unique(corners.begin(), corners.end(), same), corners.end());
  const std::size_t n = corners.size();
  if (n < 3) return;
  const auto grow = [&](std::size_t base, std::size_t place) {
    while (corners.size() >= base + 2 &&
           turn_of(seen[corners[corners.size() - 2]], seen[corners.back()], seen[corners[place]]) <= 0)
      corners.pop_back();
    corners.push_back(corners[place]);
  };
  // Both chains are built behind the sorted points, which are then removed.
  for (std::size_t i = 0; i < n; ++i) grow(n, i);
  const std::size_t upper = corners.size() - 1;
  for (std::size_t i = n - 1; i-- > 0;) grow(upper, i);
  corners.pop_back();
  corners.erase(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(n));
}

/// Drops the corner that covers least until so many are left.
void thin_out(const std::vector<Vec2>& seen, std::vector<std::size_t>& corners, std::size_t most) {
  while (corners.size() > most) {
    std::size_t least = 0;
    double least_area = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0, n = corners.size(); i < n; ++i) {
      const double area = turn_of(seen[corners[(i + n - 1) % n]], seen[corners[i]], seen[corners[(i + 1) % n]]);
      if (area < least_area) least_area = area, least = i;
    }
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

}   // namespace

void choose_points(const Vec3& normal, OverlapScratch::Memory& memory, OverlapVolume& overlap) {
  overlap.point_count = 0;
  if (memory.points.empty()) return;
  const Mat3 frame = frame_from_normal(normal);
  memory.outline.clear();
  std::size_t low = 0, high = 0;
  for (std::size_t i = 0; i < memory.points.size(); ++i) {
    const Vec3 x = memory.points[i] - overlap.centroid;
    memory.outline.push_back({frame.col(1).dot(x), frame.col(2).dot(x)});
    if (normal.dot(x) < normal.dot(memory.points[low] - overlap.centroid)) low = i;
    if (normal.dot(x) > normal.dot(memory.points[high] - overlap.centroid)) high = i;
  }
  auto& corners = memory.corners;
  if (memory.points.size() > kManyPoints) {
    keep_farthest(memory.outline, corners);
  } else {
    corners.resize(memory.points.size());
    for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = i;
  }
  hull_corners(memory.outline, corners);
  thin_out(memory.outline, corners, OverlapVolume::kMaxPoints - 2);
  for (const std::size_t i : corners) overlap.points[overlap.point_count++] = memory.points[i];
  overlap.points[overlap.point_count++] = memory.points[low];
  overlap.points[overlap.point_count++] = memory.points[high];
}

Degeneracy named_by_shape(const OverlapVolume& overlap) {
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(overlap.second_moment, Eigen::EigenvaluesOnly);
  const Vec3 squares =
      principal.eigenvalues().cwiseMax(0);   // of the sides of the cuboid with the same moments, but for a factor
  constexpr double thin = kThinOverlap * kThinOverlap;
  if (squares[1] < thin * squares[2]) return Degeneracy::needle;
  if (squares[0] < thin * squares[1]) return Degeneracy::sheet;
  return Degeneracy::none;
}

OverlapVolume nothing_because(Degeneracy why, const Vec3& where) {
  OverlapVolume none;
  none.degeneracy = why;
  none.centroid = where.allFinite() ? where : Vec3(Vec3::Zero());
  none.points.fill(none.centroid);
  return none;
}

OverlapVolume finished(const MomentSums& sums, OverlapScratch::Memory& memory) {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  for (const Vec3& p : memory.points) lower = lower.cwiseMin(p), upper = upper.cwiseMax(p);
  const Vec3 middle = memory.points.empty() ? sums.origin : Vec3(0.5 * (lower + upper));
  OverlapVolume o = nothing_because(Degeneracy::none, middle);
  const double size = memory.points.empty() ? 0 : (upper - lower).norm();
  const bool inside = !sums.of_a || !sums.of_b;
  const bool deep = sums.volume > kNoDepth * size * (inside ? size * size : sums.force.norm()) && sums.volume > 0;
  if (!deep || !(sums.volume > std::numeric_limits<double>::min())) {
    o.degeneracy = Degeneracy::touching;
    choose_points(Vec3::UnitZ(), memory, o);
    return o;
  }
  const Vec3 arm = sums.first / sums.volume;
  o.volume = sums.volume;
  o.centroid = sums.origin + arm;
  o.second_moment = sums.second - sums.volume * arm * arm.transpose();
  if (!inside) o.gradient = sums.force, o.turning = sums.torque - arm.cross(sums.force);
  o.degeneracy = inside ? (sums.of_a ? Degeneracy::a_inside_b : Degeneracy::b_inside_a) : named_by_shape(o);
  const double pull = o.gradient.norm();
  choose_points(pull > 0 ? Vec3(-o.gradient / pull) : Vec3::UnitZ(), memory, o);
  return o;
}

bool is_rigid(const Pose& pose) {
  return pose.position.allFinite() && std::abs(pose.orientation.norm() - 1) < 1e-6;   // false for what is not a number
}

bool swapped_order(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  if (a.index() != b.index()) return a.index() > b.index();
  if (const auto* mesh_a = std::get_if<Mesh>(&a), *mesh_b = std::get_if<Mesh>(&b); mesh_a && mesh_a->solid != mesh_b->solid)
    return mesh_a->solid->checksum() > mesh_b->solid->checksum();
  const auto less = [](const auto& x, const auto& y) {
    return std::lexicographical_compare(x.data(), x.data() + x.size(), y.data(), y.data() + y.size());
  };
  const auto numbers = [](const Shape& s) { return std::visit([](const auto& shape) { return numbers_of(shape, 0.0); }, s); };
  const Vec3 of_a = numbers(a), of_b = numbers(b);
  if (of_a != of_b) return less(of_b, of_a);
  if (pose_a.position != pose_b.position) return less(pose_b.position, pose_a.position);
  return less(pose_b.orientation.coeffs(), pose_a.orientation.coeffs());
}

void mirror(OverlapVolume& o) {
  o.gradient = -o.gradient, o.turning = -o.turning;
  if (o.degeneracy == Degeneracy::a_inside_b) o.degeneracy = Degeneracy::b_inside_a;
  else if (o.degeneracy == Degeneracy::b_inside_a) o.degeneracy = Degeneracy::a_inside_b;
}

void check(const OverlapOptions& options) {
  if (options.round_facets < 4 || options.round_facets > 256)
    throw Error(fmt::format("{} is not a number of facets. It must be from 4 to 256.", options.round_facets))
        .at("round_facets");
  if (options.rays < 4 || options.rays > 1024)
    throw Error(fmt::format("{} is not a number of rays. It must be from 4 to 1024.", options.rays)).at("rays");
}

}   // namespace stickslip
