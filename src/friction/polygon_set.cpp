#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "friction/directions.h"
#include "math/infinity.h"
#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Corners of the hull, counter-clockwise from the lowest x (Andrew's monotone chain). Points on edges, or off them by no more
/// than rounding, are dropped: points on a line make a segment.
std::vector<Vec2> hull_of(std::vector<Vec2> points) {
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

/// Closest point of a polygon, and on what it lies.
struct Closest {
  Vec2 point;
  enum { inside, edge, corner } where;
  std::size_t first = 0;   ///< the corner, or the one where the edge starts
};

Closest closest_point(const std::vector<Vec2>& corners, double n, const Vec2& trial) {
  const std::size_t count = corners.size();
  if (count == 1 || !(n > 0)) return {n * corners[0], Closest::corner, 0};
  Closest best{trial, Closest::inside};
  double best_squared = kInfinity;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = i + 1 == count ? 0 : i + 1;
    const Vec2 start = n * corners[i], along = n * corners[j] - start, to_trial = trial - start;
    if (count > 2 && cross(along, to_trial) >= 0) continue;   // on the inner side of this edge
    const double length_squared = along.squaredNorm(), t = length_squared > 0 ? to_trial.dot(along) / length_squared : 0;
    Closest here{start, Closest::corner, i};
    if (t >= 1) here = {n * corners[j], Closest::corner, j};
    else if (t > 0) here = {start + t * along, Closest::edge, i};
    const double squared = (trial - here.point).squaredNorm();
    if (squared < best_squared) best = here, best_squared = squared;
  }
  return best;
}

}   // namespace

PolygonSet::PolygonSet(const std::vector<Vec2>& points) {
  if (points.empty()) throw Error("A polygon without points is not a friction set. Give at least one point.").at("points");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      throw Error(fmt::format("({}, {}) is not a point. Coordinates must be finite.", points[i].x(), points[i].y()))
          .at(std::to_string(i))
          .at("points");
  corners_ = points;
  // Repeated until nothing changes, so that the hull of the corners has the same corners in spite of rounding.
  for (std::vector<Vec2> before; before != corners_;) {
    before = corners_;
    corners_.push_back(Vec2::Zero());
    corners_ = hull_of(std::move(corners_));
  }
}

PolygonSet PolygonSet::regular(double mu, int k) {
  if (k < 3) throw Error(fmt::format("{} is not a number of corners. A polygon needs at least 3.", k)).at("k");
  if (!(mu >= 0) || !std::isfinite(mu))
    throw Error(fmt::format("{} is not a coefficient of friction. It must be finite and at least 0.", mu)).at("mu");
  std::vector<Vec2> corners;
  for (int i = 0; i < k; ++i) corners.push_back(mu * friction_detail::direction_in_plane(i, k));
  return PolygonSet(corners);
}

PolygonSet PolygonSet::box(const Vec2& lower, const Vec2& upper) {
  for (int i = 0; i < 2; ++i)
    if (!(lower[i] <= 0 && upper[i] >= 0))
      throw Error(fmt::format("{} … {} are not bounds of friction. Zero must lie between them.", lower[i], upper[i]))
          .at(i == 0 ? "t" : "b");
  return PolygonSet({lower, {upper.x(), lower.y()}, upper, {lower.x(), upper.y()}});
}

std::vector<double> PolygonSet::parameters() const {
  std::vector<double> numbers;
  for (const Vec2& corner : corners_) numbers.insert(numbers.end(), {corner.x(), corner.y()});
  return numbers;
}

Vec2 PolygonSet::project(double normal, const Vec2& trial) const {
  return closest_point(corners_, std::max(normal, 0.0), trial).point;
}

Vec2 PolygonSet::support_point(const Vec2& direction) const {
  const Vec2* best = &corners_[0];
  for (const Vec2& corner : corners_)
    if (corner.dot(direction) > best->dot(direction)) best = &corner;
  return *best;
}

ProjectionDerivative<2> PolygonSet::differentiate(double normal, const Vec2& trial) const {
  const Closest closest = closest_point(corners_, std::max(normal, 0.0), trial);
  ProjectionDerivative<2> d{closest.point, Mat2::Identity(), Vec2::Zero()};
  if (closest.where == Closest::inside) return d;
  const Vec2& corner = corners_[closest.first];
  d.by_point.setZero();
  d.by_normal = corner;
  if (closest.where == Closest::corner) return d;
  const Vec2 along = (corners_[(closest.first + 1) % corners_.size()] - corner).normalized();
  d.by_point = along * along.transpose();
  d.by_normal -= along * along.dot(corner);
  return d;
}

// N(x) is the largest ⟨ν, x⟩ / ⟨ν, corner⟩ over the edges, ν their outward normals. Through an edge that passes through the
// origin no multiple of F(1) reaches.
ImplicitValue<2> PolygonSet::implicit(double normal, const Vec2& x) const {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  ImplicitValue<2> f;
  double gauge = 0;
  const auto bound = [&](const Vec2& outward, double reach, double reach_rounding) {
    const double along = outward.dot(x);
    if (reach > reach_rounding) {
      if (along / reach > gauge) gauge = along / reach, f.gradient = outward / reach;
    } else if (along > 4 * epsilon * outward.norm() * x.norm()) {
      gauge = kInfinity;
      f.gradient.setZero();
    }
  };
  for (std::size_t i = 0, count = corners_.size(); i < count; ++i) {
    const Vec2 &corner = corners_[i], along = corners_[(i + 1) % count] - corner, outward(along.y(), -along.x());
    bound(outward, outward.dot(corner), 4 * epsilon * outward.norm() * corner.norm());
  }
  if (corners_.size() == 2) {   // a segment: both sides are edges above; here are its ends
    const Vec2 along = corners_[1] - corners_[0];
    bound(along, along.dot(corners_[1]), 0);
    bound(-along, -along.dot(corners_[0]), 0);
  }
  if (corners_.size() == 1 && !x.isZero(0)) gauge = kInfinity;
  f.value = gauge - normal;
  return f;
}

}   // namespace stickslip
