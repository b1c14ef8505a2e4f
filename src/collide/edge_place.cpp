#include "collide/edge_place.h"

#include <algorithm>
#include <cmath>

#include "stickslip/distance/triangles.h"

namespace stickslip::narrow {
namespace {

/// Halvings of an edge: beyond them places do not change.
constexpr int kHalvings = 60;

/// Signed distance of a point from a cylinder, which is a convex function, with a subgradient.
struct FromCylinder {
  double distance;
  Vec3 gradient;
};
FromCylinder from_cylinder(const Cylinder& c, const Vec3& x) {
  const double away = std::hypot(x.x(), x.y()), side = away - c.radius, cap = std::abs(x.z()) - c.half_height;
  const Vec3 out = away > 0 ? Vec3(x.x() / away, x.y() / away, 0) : Vec3::UnitX(), up(0, 0, std::copysign(1.0, x.z()));
  if (side > 0 && cap > 0) {
    const double distance = std::hypot(side, cap);
    return {distance, (side * out + cap * up) / distance};
  }
  return side > cap ? FromCylinder{side, out} : FromCylinder{cap, up};
}

}   // namespace

// The way from the nearest point of a convex solid to the edge is a sum of outward normals of the faces there: of these the
// edge is in front of one at least, and no nearer to the solid than to its plane.
std::optional<EdgePlace> nearest_of_edge(const PolytopeView& polytope, const Vec3& from, const Vec3& to, double reach) {
  const std::array<Vec3, 3> edge{from, to, to};
  std::optional<EdgePlace> nearest;
  for (const Polytope::Face& face : polytope.faces) {
    const double start = face.normal.dot(from) - face.offset, end = face.normal.dot(to) - face.offset;
    if (std::max(start, end) <= 0 || std::min(start, end) > reach) continue;
    for (int k = 1; k + 1 < face.count; ++k) {
      const std::array<Vec3, 3> triangle{polytope.vertices[polytope.loops[face.first]],
                                         polytope.vertices[polytope.loops[face.first + k]],
                                         polytope.vertices[polytope.loops[face.first + k + 1]]};
      const ClosestOfTriangles closest = closest_of_triangles(triangle, edge);
      const double gap = std::sqrt(closest.squared_distance);
      if (!(gap > 0) || gap > reach) continue;
      const Vec3& w = closest.weights_a;
      const Vec3 on_shape = w[0] * triangle[0] + w[1] * triangle[1] + w[2] * triangle[2];
      const Vec3 on_edge = closest.weights_b[0] * from + (closest.weights_b[1] + closest.weights_b[2]) * to;
      reach = gap;
      nearest = {on_shape, on_edge, (on_edge - on_shape).normalized(), gap};
    }
  }
  return nearest;
}

EdgePlace nearest_of_edge(const Cylinder& cylinder, const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  double low = 0, high = 1;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (from_cylinder(cylinder, from + middle * along).gradient.dot(along) > 0 ? high : low) = middle;
  }
  const Vec3 x = from + high * along;
  const FromCylinder at = from_cylinder(cylinder, x);
  return {x - at.distance * at.gradient, x, at.gradient, at.distance};
}

}   // namespace stickslip::narrow
