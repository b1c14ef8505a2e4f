#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/nearest_on_triangle.h"
#include "stickslip/field/distance_field.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip {

namespace {

/// Distance to a ball of a radius around a nearest point of a core.
FieldSample around_core(const Vec3& from_core, double radius) {
  const double length = from_core.norm();
  return {length - radius, length > 0 ? Vec3(from_core / length) : Vec3::UnitX()};
}

FieldSample field_of(const Sphere& s, const Vec3& p) { return around_core(p, s.radius); }

FieldSample field_of(const Capsule& c, const Vec3& p) {
  return around_core(p - Vec3(0, 0, std::clamp(p.z(), -c.half_height, c.half_height)), c.radius);
}

FieldSample field_of(const HalfSpace&, const Vec3& p) { return {p.z(), Vec3::UnitZ()}; }

FieldSample field_of(const Box& b, const Vec3& p) {
  const Vec3 out = p.cwiseAbs() - b.half_extents;
  int axis;
  const double most = out.maxCoeff(&axis);
  if (most <= 0) return {most, Vec3(std::copysign(1.0, p[axis]) * Vec3::Unit(axis))};
  const Vec3 beyond = out.cwiseMax(0);
  const double distance = beyond.norm();
  return {distance, Vec3(beyond.cwiseProduct(p.cwiseSign()) / distance)};
}

/// A rectangle in the plane of radius and height.
FieldSample field_of(const Cylinder& c, const Vec3& p) {
  const double radial = std::hypot(p.x(), p.y());
  const Vec3 outward = radial > 0 ? Vec3(p.x() / radial, p.y() / radial, 0) : Vec3::UnitX();
  const Vec3 up(0, 0, std::copysign(1.0, p.z()));
  const double side = radial - c.radius, cap = std::abs(p.z()) - c.half_height;
  if (side <= 0 || cap <= 0) return side > cap ? FieldSample{side, outward} : FieldSample{cap, up};
  const double distance = std::hypot(side, cap);
  return {distance, Vec3((side * outward + cap * up) / distance)};
}

FieldSample field_of(const Mesh& mesh, const Vec3& p) {
  const SignedDistance found = *signed_distance(mesh.solid->surface(), p);
  return {found.distance, found.gradient};
}

FieldSample field_of(const ConvexHull& hull, const Vec3& p) {
  const Polytope& polytope = *hull.polytope;
  FieldSample highest{-std::numeric_limits<double>::infinity(), Vec3::Zero()};
  for (const Polytope::Face& face : polytope.faces) {
    const double height = face.normal.dot(p) - face.offset;
    if (height > highest.value) highest = {height, face.normal};
  }
  if (highest.value <= 0) return highest;
  // Outside the nearest point lies on a face that is seen from p.
  double nearest = std::numeric_limits<double>::infinity();
  Vec3 point = Vec3::Zero();
  for (const Polytope::Face& face : polytope.faces) {
    const double height = face.normal.dot(p) - face.offset;
    if (height <= 0 || height * height >= nearest) continue;
    const auto corner = [&](int k) -> const Vec3& { return polytope.vertices[polytope.loops[face.first + k]]; };
    for (int k = 1; k + 1 < face.count; ++k) {
      const TrianglePoint found = nearest_on_triangle(corner(0), corner(k), corner(k + 1), p);
      if (found.distance_squared >= nearest) continue;
      nearest = found.distance_squared;
      point = found.weights[0] * corner(0) + found.weights[1] * corner(k) + found.weights[2] * corner(k + 1);
    }
  }
  const double distance = std::sqrt(nearest);
  // At less than the rounding of the nearest point, the face is the better direction.
  if (distance < 1e-12 * polytope.radius) return highest;
  return {distance, (p - point).normalized()};
}

}   // namespace

ShapeField::ShapeField(Shape shape, const Pose& pose) : shape_(std::move(shape)), pose_(pose) { validate(shape_); }

FieldSample ShapeField::sample(const Vec3& at) const {
  FieldSample s = std::visit([&](const auto& shape) { return field_of(shape, pose_.to_local(at)); }, shape_);
  s.gradient = pose_.orientation * s.gradient;
  return s;
}

double ShapeField::band() const { return std::numeric_limits<double>::infinity(); }

}   // namespace stickslip
