#include "friction/planar_polygon.h"

#include <algorithm>
#include <limits>

#include "math/infinity.h"

namespace stickslip::friction_detail {
namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

}   // namespace

// Andrew's monotone chain.
std::vector<Vec2> planar_hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y()); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Vec2> chain;
  const auto turns_left = [](const Vec2& a, const Vec2& b, const Vec2& c) {
    return cross(b - a, c - b) > 8 * std::numeric_limits<double>::epsilon() * (b - a).norm() * (c - b).norm();
  };
  const auto extend = [&](const Vec2& point, std::size_t least) {
    while (chain.size() >= least && !turns_left(chain[chain.size() - 2], chain.back(), point)) chain.pop_back();
    chain.push_back(point);
  };
  for (const Vec2& point : points) extend(point, 2);
  const std::size_t upper = chain.size() + 1;
  for (auto point = points.rbegin() + 1; point != points.rend(); ++point) extend(*point, upper);
  chain.pop_back();
  return chain;
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
