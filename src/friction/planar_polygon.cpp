#include "friction/planar_polygon.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "math/infinity.h"

namespace stickslip::friction_detail {
namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

}   // namespace

namespace {

/// Andrew's monotone chain. @param chain room for twice as many points and one @returns how many of it are corners
std::size_t monotone_chain(std::span<Vec2> points, Vec2* chain) {
  // Sides along y at both ends: the points of one are in the order of y whatever rounding does to their x. Else one in the
  // middle of the side would be the first, and the way to a corner and back would look straight.
  const auto [left, right] = std::ranges::minmax(points, {}, [](const Vec2& p) { return p.x(); });
  const double first = left.x(), last = right.x();
  const double same = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(first), std::abs(last));
  const auto place = [&](const Vec2& p) {
    const double x = p.x() - first <= same ? first : last - p.x() <= same ? last : p.x();
    return std::pair(x, p.y());
  };
  std::sort(points.begin(), points.end(), [&](const Vec2& a, const Vec2& b) { return place(a) < place(b); });
  points = points.first(std::unique(points.begin(), points.end()) - points.begin());
  if (points.size() < 3) return std::copy(points.begin(), points.end(), chain) - chain;
  std::size_t size = 0;
  const auto turns_left = [](const Vec2& a, const Vec2& b, const Vec2& c) {
    return cross(b - a, c - b) > 8 * std::numeric_limits<double>::epsilon() * (b - a).norm() * (c - b).norm();
  };
  const auto extend = [&](const Vec2& point, std::size_t least) {
    while (size >= least && !turns_left(chain[size - 2], chain[size - 1], point)) --size;
    chain[size++] = point;
  };
  for (const Vec2& point : points) extend(point, 2);
  const std::size_t upper = size + 1;
  for (auto point = points.rbegin() + 1; point != points.rend(); ++point) extend(*point, upper);
  return size - 1;
}

}   // namespace

bool make_planar_hull(std::vector<Vec2>& points) {
  constexpr std::size_t kFew = 16;
  std::array<Vec2, 3 * kFew + 1> few;
  std::vector<Vec2> many;
  const std::size_t count = points.size();
  if (count > kFew) many.resize(3 * count + 1);
  Vec2 *const before = count > kFew ? many.data() : few.data(), *const chain = before + count;
  std::copy(points.begin(), points.end(), before);
  const std::size_t corners = monotone_chain(points, chain);
  const bool changed = corners != count || !std::equal(chain, chain + corners, before);
  points.assign(chain, chain + corners);
  return changed;
}

std::vector<Vec2> planar_hull(std::vector<Vec2> points) {
  make_planar_hull(points);
  return points;
}

ClosestOnPolygon closest_on_polygon(const std::vector<Vec2>& corners, double n, const Vec2& trial) {
  const std::size_t count = corners.size();
  if (count == 1 || !(n > 0)) return {n * corners[0], ClosestOnPolygon::corner, 0};
  ClosestOnPolygon best{trial, ClosestOnPolygon::inside};
  double best_squared = kInfinity;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = i + 1 == count ? 0 : i + 1;
    const Vec2 start = n * corners[i], along = n * corners[j] - start, to_trial = trial - start;
    if (count > 2 && cross(along, to_trial) >= 0) continue;   // on the inner side of this edge
    const double length_squared = along.squaredNorm(), t = length_squared > 0 ? to_trial.dot(along) / length_squared : 0;
    ClosestOnPolygon here{start, ClosestOnPolygon::corner, i};
    if (t >= 1) here = {n * corners[j], ClosestOnPolygon::corner, j};
    else if (t > 0) here = {start + t * along, ClosestOnPolygon::edge, i};
    const double squared = (trial - here.point).squaredNorm();
    if (squared < best_squared) best = here, best_squared = squared;
  }
  return best;
}

const Vec2& farthest_corner(const std::vector<Vec2>& corners, const Vec2& direction) {
  const Vec2* best = &corners[0];
  for (const Vec2& corner : corners)
    if (corner.dot(direction) > best->dot(direction)) best = &corner;
  return *best;
}

}   // namespace stickslip::friction_detail
