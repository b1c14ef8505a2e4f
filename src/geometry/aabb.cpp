#include "stickslip/geometry/aabb.h"

#include <cmath>

namespace stickslip {

namespace {

/// Half the extent of a shape along each world axis, for shapes that are symmetric about their origin.
Vec3 half_extent(const Sphere& s, const Mat3&) { return Vec3::Constant(s.radius); }

Vec3 half_extent(const Box& b, const Mat3& rotation) { return rotation.cwiseAbs() * b.half_extents; }

Vec3 half_extent(const Capsule& c, const Mat3& rotation) {
  return rotation.col(2).cwiseAbs() * c.half_height + Vec3::Constant(c.radius);
}

Vec3 half_extent(const Cylinder& c, const Mat3& rotation) {
  // A disc with unit normal a reaches √(1 − aᵢ²) along axis i: the length of the other two entries of row i.
  const Vec3 disc = rotation.leftCols<2>().rowwise().norm();
  return rotation.col(2).cwiseAbs() * c.half_height + disc * c.radius;
}

Aabb box_of(const HalfSpace&, const Pose&) {
  const Vec3 everywhere = Vec3::Constant(std::numeric_limits<double>::infinity());
  return {-everywhere, everywhere};
}

Aabb box_of(const ConvexHull& hull, const Pose& pose) {
  const Mat3 rotation = pose.rotation();
  Aabb box;
  for (const Vec3& vertex : hull.polytope->vertices) {
    const Vec3 x = rotation * vertex;
    box.lower = box.lower.cwiseMin(x);
    box.upper = box.upper.cwiseMax(x);
  }
  return {box.lower + pose.position, box.upper + pose.position};
}

template <class Symmetric>
Aabb box_of(const Symmetric& shape, const Pose& pose) {
  const Vec3 half = half_extent(shape, pose.rotation());
  return {pose.position - half, pose.position + half};
}

}   // namespace

Aabb bounding_box(const Shape& shape, const Pose& pose) {
  return std::visit([&](const auto& s) { return box_of(s, pose); }, shape);
}

}   // namespace stickslip
