#include "volume/round.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip {

namespace {

/// Planes that narrow the range of directions once: a fixed number, so that results are continuous.
constexpr int kNarrowingPlanes = 6;

/// The angles about the axis of a tube at which a polyhedron lies; the full turn if they do not fit into half of one.
struct AngleRange {
  double from, sweep;
  bool full;
};

AngleRange angles_of(const Polyhedron& p, const Tube& tube) {
  constexpr AngleRange everything = {0, 2 * std::numbers::pi, true};
  double first = 0, low = 0, high = 0;
  for (std::size_t i = 0; i < p.vertices().size(); ++i) {
    const Vec3 x = p.vertices()[i] - tube.center;
    const double u = tube.frame.col(0).dot(x), v = tube.frame.col(1).dot(x);
    if (u == 0 && v == 0) return everything;
    const double angle = std::atan2(v, u);
    if (i == 0) first = angle;
    const double off = std::remainder(angle - first, 2 * std::numbers::pi);
    low = std::min(low, off), high = std::max(high, off);
  }
  if (high - low >= 0.95 * std::numbers::pi) return everything;
  return {first + low, high - low, false};
}

/// Of a polygon that has the same area as the circle over each step.
double even_apothem(double radius, double step) {
  const double half = step / 2;
  return radius * (half > 1e-4 ? std::sqrt(half / std::tan(half)) : 1 - half * half / 6);
}

bool cut_by_sides(Polyhedron& p, const Tube& tube, const AngleRange& range, int count, double apothem) {
  const double step = range.sweep / count;
  for (int k = 0; k < count; ++k) {
    const double angle = range.from + (k + 0.5) * step;
    const Vec3 normal = std::cos(angle) * tube.frame.col(0) + std::sin(angle) * tube.frame.col(1);
    if (!p.cut({normal, normal.dot(tube.center) + apothem, tube.owner})) return false;
  }
  return true;
}

/// A cone of directions from the centre of a ball that holds a polyhedron.
struct DirectionCone {
  Vec3 axis;
  double angle;
  bool full;
};

DirectionCone directions_of(const Polyhedron& p, const Ball& ball) {
  MomentSums sums;
  add_moments(p, sums);
  const Vec3 middle = sums.volume > 0 ? Vec3(sums.origin + sums.first / sums.volume) : p.vertices()[0];
  const Vec3 out = middle - ball.center;
  if (!(out.norm() > 0)) return {Vec3::UnitZ(), 0, true};
  const Vec3 axis = out.normalized();
  double sine = 0, least = 1;
  for (const Vec3& v : p.vertices()) {
    const Vec3 x = v - ball.center;
    if (!(x.norm() > 0)) return {axis, 0, true};
    least = std::min(least, axis.dot(x) / x.norm());
    sine = std::max(sine, axis.cross(x).norm() / x.norm());
  }
  if (least < 0.2) return {axis, 0, true};
  return {axis, std::asin(std::min(sine, 1.0)), false};
}

bool cut_by_cone(Polyhedron& p, const Ball& ball, const DirectionCone& cone, int rings, double reach) {
  const Mat3 frame = frame_from_normal(cone.axis);
  const double spacing = cone.angle / (rings + 0.5);
  for (int ring = 0; ring <= rings; ++ring)
    for (int k = 0; k < std::max(1, 6 * ring); ++k) {
      const double polar = ring * spacing, turn = ring == 0 ? 0 : 2 * std::numbers::pi * (k + 0.5 * (ring % 2)) / (6 * ring);
      const Vec3 normal =
          std::cos(polar) * frame.col(0) + std::sin(polar) * (std::cos(turn) * frame.col(1) + std::sin(turn) * frame.col(2));
      if (!p.cut({normal, normal.dot(ball.center) + reach, ball.owner})) return false;
    }
  return true;
}

int rings_of(int facets) { return std::max(2, facets / 4); }
/// (angle)² of a face, nearly a disc, of a cone that is covered by so many rings: a tangent plane is a quarter of it above the
/// sphere on average.
double face_squared(const DirectionCone& cone, int rings) { return cone.angle * cone.angle / (1 + 3 * rings * (rings + 1)); }

/// All around, along a spiral that gives every plane the same area.
bool cut_all_around(Polyhedron& p, const Ball& ball, const Mat3& frame, int count) {
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0)), reach = ball.radius * (1 - 1.0 / count);
  for (int k = 0; k < count; ++k) {
    const double z = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - z * z);
    const Vec3 normal = frame * Vec3(r * std::cos(k * golden), r * std::sin(k * golden), z);
    if (!p.cut({normal, normal.dot(ball.center) + reach, ball.owner})) return false;
  }
  return true;
}

}   // namespace

bool narrow_to_tube(Polyhedron& p, const Tube& tube, int facets) {
  if (p.empty()) return false;
  const AngleRange range = angles_of(p, tube);
  const double half = range.sweep / (2 * facets);
  return range.full || cut_by_sides(p, tube, range, kNarrowingPlanes, tube.radius * (1 + half * half / 2));
}

bool narrow_to_ball(Polyhedron& p, const Ball& ball, int facets) {
  if (p.empty()) return false;
  const DirectionCone cone = directions_of(p, ball);
  return cone.full || cut_by_cone(p, ball, cone, 1, ball.radius * (1 + 0.6 * face_squared(cone, rings_of(facets))));
}

bool cut_by_tube(Polyhedron& p, const Tube& tube, int facets) {
  if (p.empty()) return false;
  const AngleRange range = angles_of(p, tube);
  const int count = range.full ? 2 * facets : facets;
  return cut_by_sides(p, tube, range, count, even_apothem(tube.radius, range.sweep / count));
}

bool cut_by_ball(Polyhedron& p, const Ball& ball, const Mat3& frame, int facets) {
  if (p.empty()) return false;
  const DirectionCone cone = directions_of(p, ball);
  if (cone.full) return cut_all_around(p, ball, frame, facets * facets / 2);
  return cut_by_cone(p, ball, cone, rings_of(facets), ball.radius * (1 - face_squared(cone, rings_of(facets)) / 4));
}

}   // namespace stickslip
