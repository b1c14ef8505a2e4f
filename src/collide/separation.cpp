#include "stickslip/collide/separation.h"

#include <limits>
#include <type_traits>

#include "collide/gjk.h"
#include "collide/mesh_gap.h"
#include "collide/mesh_side.h"
#include "stickslip/geometry/aabb.h"

namespace stickslip {
namespace {

// Part of the thinner shape's inner radius by which cores lie inside where sharp shapes touch: their nearest points say nothing
// about a direction then.
constexpr double kTouchingInset = 0.1;

constexpr double kAnywhere = std::numeric_limits<double>::infinity();

/// A ball is a capsule without length.
Capsule as_core(const Sphere& s) { return {s.radius, 0}; }
template <class S>
const S& as_core(const S& s) {
  return s;
}

/// Room between the shapes along a direction. Whatever the direction, the distance is not less.
ShapeSeparation room_along(const narrow::ConvexCore& a, const narrow::ConvexCore& b, const Vec3& normal) {
  return {-b.extent(-normal) - a.extent(normal), normal};
}

template <class A, class B>
ShapeSeparation of_cores(const A& shape_a, const Pose& pose_a, const B& shape_b, const Pose& pose_b) {
  const Mat3 rotation_a = pose_a.rotation(), rotation_b = pose_b.rotation();
  const Vec3 between = pose_b.position - pose_a.position;
  const auto along_nearest = [&](double inset) {
    const narrow::ConvexCore a(shape_a, rotation_a, Vec3::Zero(), inset), b(shape_b, rotation_b, between, inset);
    const auto direction = narrow::core_direction(a, b, kAnywhere);
    ShapeSeparation room = room_along(a, b, direction.normal);
    if (direction.state != narrow::CoreDirection::State::apart) room.distance = std::min(room.distance, 0.0);
    return room;
  };
  const ShapeSeparation sharp = along_nearest(0);
  if (sharp.distance > 0) return sharp;
  return along_nearest(kTouchingInset * std::min(narrow::inner_radius(shape_a), narrow::inner_radius(shape_b)));
}

template <class S>
ShapeSeparation above(const Pose& plane, const S& shape, const Pose& pose) {
  const Vec3 up = plane.orientation * Vec3::UnitZ();
  const Vec3 lowest = pose * support(shape, pose.orientation.conjugate() * -up);
  return {up.dot(lowest - plane.position), up};
}

/// A convex shape against the triangles of a mesh. From far away its bounding ball is near enough.
template <class S>
double above_mesh(const S& shape, const Pose& pose, const MeshSolid& solid, const Pose& mesh) {
  const Pose local = mesh.inverse() * pose;
  const Shape whole(shape);
  const double radius = bounding_radius(whole);
  const auto middle = closest_point(solid.mesh(), solid.surface().tree(), local.position);
  const double far = middle->distance - radius;
  if (std::is_same_v<S, Sphere> || far > radius) return far;
  const Mat3 rotation = local.rotation();
  const narrow::ConvexCore core(as_core(shape), rotation, local.position, 0);
  const auto above_triangle = [&](std::uint32_t index) {
    const auto& corners = solid.mesh().triangles[index];
    const auto& vertices = solid.mesh().vertices;
    const narrow::ConvexCore triangle({vertices[corners[0]], vertices[corners[1]], vertices[corners[2]]});
    const auto direction = narrow::core_direction(triangle, core, kAnywhere);
    return room_along(triangle, core, direction.normal).distance;
  };
  double nearest = above_triangle(middle->triangle);
  std::vector<std::uint32_t>& near = narrow::MeshScratch::of_thread().triangles;
  overlapping(solid.mesh(), solid.surface().tree(), bounding_box(whole, local).grown(std::max(nearest, 0.0)), near);
  for (const std::uint32_t triangle : near) nearest = std::min(nearest, above_triangle(triangle));
  return nearest;
}

template <class S>
constexpr bool kConvex = !std::is_same_v<S, HalfSpace> && !std::is_same_v<S, Mesh>;

}   // namespace

bool has_separation(const Shape& a, const Shape& b) {
  return !std::holds_alternative<HalfSpace>(a) || !std::holds_alternative<HalfSpace>(b);
}

ShapeSeparation separation(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  return std::visit(
      [&]<class A, class B>(const A& shape_a, const B& shape_b) -> ShapeSeparation {
        if constexpr (kConvex<A> && kConvex<B>) {
          return of_cores(as_core(shape_a), pose_a, as_core(shape_b), pose_b);
        } else if constexpr (std::is_same_v<A, HalfSpace> && std::is_same_v<B, HalfSpace>) {
          return {};
        } else if constexpr (std::is_same_v<A, HalfSpace>) {
          return above(pose_a, shape_b, pose_b);
        } else if constexpr (std::is_same_v<B, HalfSpace>) {
          const ShapeSeparation flipped = above(pose_b, shape_a, pose_a);
          return {flipped.distance, -flipped.normal};
        } else if constexpr (kConvex<B>) {
          return {above_mesh(shape_b, pose_b, *shape_a.solid, pose_a), Vec3::Zero()};
        } else if constexpr (kConvex<A>) {
          return {above_mesh(shape_a, pose_a, *shape_b.solid, pose_b), Vec3::Zero()};
        } else {
          const auto gap = narrow::gap_of(*shape_a.solid, *shape_b.solid, pose_a.inverse() * pose_b, kAnywhere);
          return {gap->distance, Vec3::Zero()};
        }
      },
      a, b);
}

}   // namespace stickslip
