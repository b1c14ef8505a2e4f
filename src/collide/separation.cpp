#include "stickslip/collide/separation.h"

#include <type_traits>

#include "collide/gjk.h"

namespace stickslip {
namespace {

// Part of the thinner shape's inner radius by which cores lie inside where sharp shapes touch: their nearest points say nothing
// about a direction then.
constexpr double kTouchingInset = 0.1;

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
    const auto direction = narrow::core_direction(a, b, std::numeric_limits<double>::infinity());
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

template <class S>
constexpr bool kConvex = !std::is_same_v<S, HalfSpace> && !std::is_same_v<S, Mesh>;

}   // namespace

bool has_separation(const Shape& a, const Shape& b) {
  const auto is_mesh = [](const Shape& s) { return std::holds_alternative<Mesh>(s); };
  const auto is_plane = [](const Shape& s) { return std::holds_alternative<HalfSpace>(s); };
  return !is_mesh(a) && !is_mesh(b) && !(is_plane(a) && is_plane(b));
}

ShapeSeparation separation(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  return std::visit(
      [&]<class A, class B>(const A& shape_a, const B& shape_b) -> ShapeSeparation {
        if constexpr (kConvex<A> && kConvex<B>) {
          return of_cores(as_core(shape_a), pose_a, as_core(shape_b), pose_b);
        } else if constexpr (std::is_same_v<A, HalfSpace> && kConvex<B>) {
          return above(pose_a, shape_b, pose_b);
        } else if constexpr (kConvex<A> && std::is_same_v<B, HalfSpace>) {
          const ShapeSeparation flipped = above(pose_b, shape_a, pose_a);
          return {flipped.distance, -flipped.normal};
        } else {
          return {};
        }
      },
      a, b);
}

}   // namespace stickslip
