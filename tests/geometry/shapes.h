// Shapes, points and rotations that the geometry tests share.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "stickslip/geometry/shape.h"

namespace stickslip {

/// Sizes that every test of lengths runs at: 1 mm, 1 m, 100 m.
inline const std::vector<double> kScales = {1e-3, 1, 100};

inline Vec3 random_direction(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Vec3(normal(random), normal(random), normal(random)).normalized();
}

inline Quat random_rotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Quat(normal(random), normal(random), normal(random), normal(random)).normalized();
}

inline std::vector<Vec3> box_corners(const Vec3& half) {
  std::vector<Vec3> corners;
  for (double x : {-1.0, 1.0})
    for (double y : {-1.0, 1.0})
      for (double z : {-1.0, 1.0}) corners.push_back(half.cwiseProduct(Vec3(x, y, z)));
  return corners;
}

/// Nearly even points on a unit sphere (golden-angle spiral).
inline std::vector<Vec3> sphere_points(int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2.0 * i + 1) / count, r = std::sqrt(1 - z * z), angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    points.push_back({r * std::cos(angle), r * std::sin(angle), z});
  }
  return points;
}

/// A prism over a regular polygon inscribed in the unit circle, z from −half_height to half_height.
inline std::vector<Vec3> prism_points(int sides, double half_height) {
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i)
    for (double z : {-half_height, half_height}) {
      const double angle = 2 * std::numbers::pi * i / sides;
      points.push_back({std::cos(angle), std::sin(angle), z});
    }
  return points;
}

/// One of each bounded kind, of size about `scale`.
inline std::vector<Shape> bounded_shapes(double scale) {
  std::vector<Vec3> wedge = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 1}, {1, 0, 1}};
  for (Vec3& p : wedge) p *= scale;
  return {Sphere{0.7 * scale},     Box{Vec3(0.2, 0.5, 1) * scale},     Capsule{0.3 * scale, 0.8 * scale},
          Capsule{0.4 * scale, 0}, Cylinder{0.5 * scale, 0.1 * scale}, make_convex_hull(wedge)};
}

/// Whether a local point is in the shape, from the definition of the shape.
inline bool inside(const Shape& shape, const Vec3& x, double slack) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return x.norm() <= s->radius + slack;
  if (const auto* b = std::get_if<Box>(&shape)) return (x.cwiseAbs() - b->half_extents).maxCoeff() <= slack;
  if (const auto* c = std::get_if<Capsule>(&shape)) {
    const Vec3 on_axis(0, 0, std::clamp(x.z(), -c->half_height, c->half_height));
    return (x - on_axis).norm() <= c->radius + slack;
  }
  if (const auto* c = std::get_if<Cylinder>(&shape))
    return std::abs(x.z()) <= c->half_height + slack && std::hypot(x.x(), x.y()) <= c->radius + slack;
  for (const auto& face : std::get<ConvexHull>(shape).polytope->faces)
    if (face.normal.dot(x) > face.offset + slack) return false;
  return true;
}

}   // namespace stickslip
