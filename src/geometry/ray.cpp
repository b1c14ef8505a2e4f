#include "stickslip/geometry/ray.h"

#include <algorithm>
#include <cmath>

#include "stickslip/geometry/mesh_solid.h"

namespace stickslip {

namespace {

/// The part of a ray's line that is inside a convex solid; empty if from > to.
struct Inside {
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();

  static Inside nothing() { return {1, 0}; }
  bool empty() const { return !(from <= to); }
  /// Cuts by the half-space  height + t · slope ≤ 0.
  void cut(double height, double slope) {
    if (slope == 0) {
      if (height > 0) *this = nothing();
    } else if (slope > 0) {
      to = std::min(to, -height / slope);
    } else {
      from = std::max(from, -height / slope);
    }
  }
  void cut(const Inside& other) {
    from = std::max(from, other.from);
    to = std::min(to, other.to);
  }
  /// The hull of both.
  void join(const Inside& other) {
    if (other.empty()) return;
    if (empty()) *this = other;
    from = std::min(from, other.from);
    to = std::max(to, other.to);
  }
};

/// Inside a circle, cylinder or ball of a radius about the origin. @param x, d vectors of two or three numbers
template <class V>
Inside inside_ball(const V& x, const V& d, double radius) {
  const double square = d.squaredNorm();
  if (square == 0) return x.squaredNorm() <= radius * radius ? Inside{} : Inside::nothing();
  // About the nearest point of the line, where nothing cancels.
  const double middle = -x.dot(d) / square;
  const double missing = radius * radius - (x + middle * d).squaredNorm();
  if (missing < 0) return Inside::nothing();
  const double half = std::sqrt(missing / square);
  return {middle - half, middle + half};
}

Inside inside(const Sphere& s, const Vec3& x, const Vec3& d) { return inside_ball(x, d, s.radius); }

Inside inside(const Box& s, const Vec3& x, const Vec3& d) {
  Inside line;
  for (int k = 0; k < 3; ++k) {
    line.cut(x[k] - s.half_extents[k], d[k]);
    line.cut(-x[k] - s.half_extents[k], -d[k]);
  }
  return line;
}

Inside inside(const Cylinder& s, const Vec3& x, const Vec3& d) {
  Inside line = inside_ball(Vec2(x.head<2>()), Vec2(d.head<2>()), s.radius);
  line.cut(x.z() - s.half_height, d.z());
  line.cut(-x.z() - s.half_height, -d.z());
  return line;
}

/// Three convex parts of one convex whole: what is inside hangs together.
Inside inside(const Capsule& s, const Vec3& x, const Vec3& d) {
  const Vec3 end(0, 0, s.half_height);
  Inside line = inside(Cylinder{s.radius, s.half_height}, x, d);
  line.join(inside_ball(Vec3(x - end), d, s.radius));
  line.join(inside_ball(Vec3(x + end), d, s.radius));
  return line;
}

Inside inside(const HalfSpace&, const Vec3& x, const Vec3& d) {
  Inside line;
  line.cut(x.z(), d.z());
  return line;
}

Inside inside(const ConvexHull& s, const Vec3& x, const Vec3& d) {
  Inside line;
  for (const Polytope::Face& face : s.polytope->faces) line.cut(face.normal.dot(x) - face.offset, face.normal.dot(d));
  return line;
}

}   // namespace

std::optional<double> ray_distance(const Shape& shape, const Vec3& origin, const Vec3& direction, double range) {
  return std::visit(
      [&]<class S>(const S& s) -> std::optional<double> {
        if constexpr (std::is_same_v<S, Mesh>) {
          const auto hit = first_hit(s.solid->mesh(), s.solid->surface().tree(), origin, direction, range);
          return hit ? std::optional(hit->t) : std::nullopt;
        } else {
          const Inside line = inside(s, origin, direction);
          if (line.empty()) return {};
          const double at = line.from >= 0 ? line.from : line.to;
          return at >= 0 && at <= range ? std::optional(at) : std::nullopt;
        }
      },
      shape);
}

}   // namespace stickslip
