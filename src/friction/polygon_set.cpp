#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "friction/directions.h"
#include "friction/planar_polygon.h"
#include "math/infinity.h"
#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

namespace stickslip {

using friction_detail::closest_on_polygon, friction_detail::ClosestOnPolygon, friction_detail::planar_hull;

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
    corners_ = planar_hull(std::move(corners_));
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
  return closest_on_polygon(corners_, std::max(normal, 0.0), trial).point;
}

Vec2 PolygonSet::support_point(const Vec2& direction) const { return friction_detail::farthest_corner(corners_, direction); }

ProjectionDerivative<2> PolygonSet::differentiate(double normal, const Vec2& trial) const {
  const ClosestOnPolygon closest = closest_on_polygon(corners_, std::max(normal, 0.0), trial);
  ProjectionDerivative<2> d{closest.point, Mat2::Identity(), Vec2::Zero()};
  if (closest.where == ClosestOnPolygon::inside) return d;
  const Vec2& corner = corners_[closest.first];
  d.by_point.setZero();
  d.by_normal = corner;
  if (closest.where == ClosestOnPolygon::corner) return d;
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
