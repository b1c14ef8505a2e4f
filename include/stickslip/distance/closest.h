// Closest points of points, lines, edges, planes and triangles, with the feature that is nearest.
//
// Every function takes any input whose lengths are zero or between 1e-70 and 1e70 m: edges without length, triangles without
// area, parallel and coincident edges. Results are finite then, and the distance is right to a few rounding errors of the
// largest coordinate difference. A squared distance is that of the two points that the weights name: never smaller than the
// true one by more than rounding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "stickslip/math/types.h"

namespace stickslip {

/// Where on an edge (x₀, x₁) the closest point lies.
enum class OnEdge : std::uint8_t { vertex_0, vertex_1, inside };

/// Where on a triangle (x₀, x₁, x₂) the closest point lies.
enum class OnTriangle : std::uint8_t { vertex_0, vertex_1, vertex_2, edge_01, edge_12, edge_20, inside };

/// Closest point x₀ + weight (x₁ − x₀) of a line or an edge.
struct ClosestOnEdge {
  double squared_distance = 0;   ///< [m²]
  double weight = 0;             ///< in [0, 1] for an edge, any number for a line
  OnEdge on = OnEdge::inside;    ///< a line: always inside
};

/// Closest point Σ weights[i] xᵢ of a plane or a triangle; the weights add up to 1.
struct ClosestOnTriangle {
  double squared_distance = 0;    ///< [m²]
  Vec3 weights = Vec3::UnitX();   ///< not negative for a triangle, any numbers for a plane
  OnTriangle on = OnTriangle::inside;
};

/// Closest points a₀ + weight_a (a₁ − a₀) and b₀ + weight_b (b₁ − b₀) of two lines or edges.
struct ClosestOfEdges {
  double squared_distance = 0;   ///< [m²]
  double weight_a = 0, weight_b = 0;
  OnEdge on_a = OnEdge::inside, on_b = OnEdge::inside;   ///< parallel edges: at most one is inside; lines: both
  bool parallel = false;                                 ///< the angle between them is lost in rounding, or one has no length
};

namespace closest_detail {

/// Edges at an angle with sin² below this, and triangles as thin, have no normal: it is all rounding.
inline constexpr double kFlat = 1e-30;
/// Triangles with sin² of the angle below this have uncertain weights: they are placed with care, and their edges are asked
/// too.
inline constexpr double kSliver = 1e-4;

inline OnEdge place_on_edge(double weight) {
  return weight <= 0 ? OnEdge::vertex_0 : weight >= 1 ? OnEdge::vertex_1 : OnEdge::inside;
}

/// Weight of the point of the edge that is nearest to x₀ + d.
inline double edge_weight(const Vec3& d, const Vec3& edge, double squared_length) {
  return squared_length > 0 ? std::clamp(d.dot(edge) / squared_length, 0.0, 1.0) : 0.0;
}

/// Weights of a thin triangle: that of the corner opposite the longest edge is uncertain, but hardly moves the point; the
/// others are chosen for it, along the edge.
inline void place_along(double longest, const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2, double& w0, double& w1,
                        double& w2) {
  const auto along = [&](const Vec3& a, const Vec3& b, const Vec3& c, double& wa, double& wb, double wc) {
    wb = (p - a - wc * (c - a)).dot(b - a) / longest;
    wa = 1 - wb - wc;
  };
  if ((x1 - x0).squaredNorm() == longest) along(x0, x1, x2, w0, w1, w2);
  else if ((x2 - x1).squaredNorm() == longest) along(x1, x2, x0, w1, w2, w0);
  else along(x2, x0, x1, w2, w0, w1);
}

}   // namespace closest_detail

inline double squared_distance_of_points(const Vec3& p, const Vec3& q) { return (p - q).squaredNorm(); }   ///< [m²]

/// Point p against the line through x₀ and x₁; if they are one, against that point.
inline ClosestOnEdge closest_on_line(const Vec3& p, const Vec3& x0, const Vec3& x1) {
  const Vec3 edge = x1 - x0, d = p - x0;
  const double squared_length = edge.squaredNorm();
  const double weight = squared_length > 0 ? d.dot(edge) / squared_length : 0.0;
  return {(d - weight * edge).squaredNorm(), weight, OnEdge::inside};
}

/// Point p against the edge (x₀, x₁).
inline ClosestOnEdge closest_on_edge(const Vec3& p, const Vec3& x0, const Vec3& x1) {
  const Vec3 edge = x1 - x0, d = p - x0;
  const double weight = closest_detail::edge_weight(d, edge, edge.squaredNorm());
  const Vec3 apart = weight >= 1 ? Vec3(p - x1) : Vec3(d - weight * edge);
  return {apart.squaredNorm(), weight, closest_detail::place_on_edge(weight)};
}

/// Point p against the plane through the three points; if they are on a line, against their longest edge's line.
inline ClosestOnTriangle closest_on_plane(const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2) {
  const Vec3 e1 = x1 - x0, e2 = x2 - x0, d = p - x0, n = e1.cross(e2);
  const double nn = n.squaredNorm(), e11 = e1.squaredNorm(), e22 = e2.squaredNorm();
  if (nn > closest_detail::kFlat * e11 * e22) {
    const double w1 = d.cross(e2).dot(n) / nn, w2 = e1.cross(d).dot(n) / nn, height = n.dot(d);
    return {height * height / nn, {1 - w1 - w2, w1, w2}, OnTriangle::inside};
  }
  const double e12 = (x2 - x1).squaredNorm();
  ClosestOnEdge line;
  ClosestOnTriangle result;
  if (e12 > e11 && e12 > e22) {
    line = closest_on_line(p, x1, x2);
    result.weights = {0, 1 - line.weight, line.weight};
  } else if (e22 > e11) {
    line = closest_on_line(p, x0, x2);
    result.weights = {1 - line.weight, 0, line.weight};
  } else {
    line = closest_on_line(p, x0, x1);
    result.weights = {1 - line.weight, line.weight, 0};
  }
  result.squared_distance = line.squared_distance;
  return result;
}

/// Point p against the triangle (x₀, x₁, x₂).
inline ClosestOnTriangle closest_on_triangle(const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2) {
  const Vec3 e1 = x1 - x0, e2 = x2 - x0, e12 = x2 - x1, d = p - x0, n = e1.cross(e2);
  const double nn = n.squaredNorm();
  const double longest = std::max({e1.squaredNorm(), e2.squaredNorm(), e12.squaredNorm()});
  const bool sliver = !(nn > closest_detail::kSliver * longest * longest);
  double w1 = d.cross(e2).dot(n) / nn, w2 = e1.cross(d).dot(n) / nn, w0 = 1 - w1 - w2;
  if (sliver && nn > 0) closest_detail::place_along(longest, p, x0, x1, x2, w0, w1, w2);
  ClosestOnTriangle best;
  best.squared_distance = std::numeric_limits<double>::infinity();
  if (nn > 0 && w0 >= 0 && w1 >= 0 && w2 >= 0) {
    best = {(d - w1 * e1 - w2 * e2).squaredNorm(), {w0, w1, w2}, OnTriangle::inside};
    if (!sliver) return best;
  }
  // From outside, the nearest point lies on an edge that is seen: one whose opposite corner has a negative weight.
  const auto ask = [&](int from, int to, const Vec3& a, const Vec3& b, OnTriangle edge) {
    const ClosestOnEdge found = closest_on_edge(p, a, b);
    if (!(found.squared_distance < best.squared_distance)) return;
    best.squared_distance = found.squared_distance;
    best.weights.setZero();
    best.weights[from] = 1 - found.weight;
    best.weights[to] = found.weight;
    best.on = found.on == OnEdge::inside ? edge : static_cast<OnTriangle>(found.on == OnEdge::vertex_0 ? from : to);
  };
  if (sliver || w2 < 0) ask(0, 1, x0, x1, OnTriangle::edge_01);
  if (sliver || w0 < 0) ask(1, 2, x1, x2, OnTriangle::edge_12);
  if (sliver || w1 < 0) ask(2, 0, x2, x0, OnTriangle::edge_20);
  return best;
}

/// The lines through a₀, a₁ and b₀, b₁. Of parallel ones the points nearest to a₀ (or b₀, if a has no direction).
inline ClosestOfEdges closest_of_lines(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 a = a1 - a0, b = b1 - b0, r = b0 - a0, n = a.cross(b);
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), nn = n.squaredNorm();
  if (nn > closest_detail::kFlat * aa * bb) {
    const double height = n.dot(r);
    return {height * height / nn, r.cross(b).dot(n) / nn, r.cross(a).dot(n) / nn, OnEdge::inside, OnEdge::inside, false};
  }
  const double weight_a = bb > 0 || !(aa > 0) ? 0.0 : r.dot(a) / aa;
  const double weight_b = bb > 0 ? -r.dot(b) / bb : 0.0;
  return {(r + weight_b * b - weight_a * a).squaredNorm(), weight_a, weight_b, OnEdge::inside, OnEdge::inside, true};
}

/// The edges (a₀, a₁) and (b₀, b₁).
inline ClosestOfEdges closest_of_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 a = a1 - a0, b = b1 - b0, r = b0 - a0, n = a.cross(b);
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), nn = n.squaredNorm();
  const bool parallel = !(nn > closest_detail::kFlat * aa * bb);
  // By the normal, not by aa bb − (a·b)²: that loses all digits at an angle of 1e-8, this one at 1e-16.
  double s = parallel ? 0.0 : std::clamp(r.cross(b).dot(n) / nn, 0.0, 1.0);
  double t = bb > 0 ? (s * a - r).dot(b) / bb : 0.0;
  if (!(bb > 0) || t < 0 || t > 1) {
    t = std::clamp(t, 0.0, 1.0);
    s = closest_detail::edge_weight(t >= 1 ? Vec3(b1 - a0) : Vec3(r + t * b), a, aa);
  }
  // At an end the difference from that end itself: the edge's own rounding stays out of it.
  const Vec3& from_a = s >= 1 ? a1 : a0;
  const Vec3& from_b = t >= 1 ? b1 : b0;
  Vec3 apart = from_b - from_a;
  if (s < 1) apart -= s * a;
  if (t < 1) apart += t * b;
  return {apart.squaredNorm(), s, t, closest_detail::place_on_edge(s), closest_detail::place_on_edge(t), parallel};
}

/// Signed distance n·p − offset of a point from the half-space n·x ≤ offset; negative inside [m].
/// @pre `normal` has length 1
inline double signed_distance_to_half_space(const Vec3& p, const Vec3& normal, double offset) { return normal.dot(p) - offset; }

}   // namespace stickslip
