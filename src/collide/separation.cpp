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

/// How far the faces of a box keep a triangle from it, at least [m].
double kept_apart(const Aabb& box, const Vec3& x, const Vec3& y, const Vec3& z) {
  const Vec3 lower = x.cwiseMin(y).cwiseMin(z), upper = x.cwiseMax(y).cwiseMax(z);
  return (lower - box.upper).cwiseMax(box.lower - upper).maxCoeff();
}

/// A convex shape against the triangles of a mesh. From far away its bounding ball is near enough.
/// @param triangle that may be the nearest, then the one that is
template <class S>
double above_mesh(const S& shape, const Pose& pose, const MeshSolid& solid, const Pose& mesh, std::uint32_t* likely) {
  const Pose local = mesh.inverse() * pose;
  const Shape whole(shape);
  const double radius = bounding_radius(whole);
  const auto middle = closest_point(solid.mesh(), solid.surface().tree(), local.position);
  const double far = middle->distance - radius;
  if (std::is_same_v<S, Sphere> || far > radius) return far;
  const Mat3 rotation = local.rotation();
  const narrow::ConvexCore core(as_core(shape), rotation, local.position, 0);
  const Aabb around = bounding_box(whole, Pose{});
  const Mat3 turned_back = rotation.transpose();
  const Vec3 back = turned_back * local.position;
  double nearest = kAnywhere;
  std::uint32_t nearest_triangle = 0;
  const auto look_at = [&](std::uint32_t index) {
    const std::array<Vec3, 3> corners = corners_of(solid.mesh(), index);
    if (narrow::kSurely * kept_apart(around, turned_back * corners[0] - back, turned_back * corners[1] - back,
                                     turned_back * corners[2] - back) >=
        nearest)
      return;
    const MeshFacet& facet = solid.facets()[solid.facet_of(index)];
    const double in_front = -core.extent(-facet.normal) - facet.offset, behind = facet.offset - core.extent(facet.normal);
    if (narrow::kSurely * std::max(in_front, behind) >= nearest) return;   // the plane of the triangle keeps them so far apart
    const narrow::ConvexCore triangle(corners);
    const auto direction = narrow::core_direction(triangle, core, kAnywhere);
    const double room = room_along(triangle, core, direction.normal).distance;
    if (room < nearest) nearest = room, nearest_triangle = index;
  };
  if (likely != nullptr) look_at(*likely);
  look_at(middle->triangle);
  std::vector<std::uint32_t>& near = narrow::MeshScratch::of_thread().triangles;
  overlapping(solid.mesh(), solid.surface().tree(), bounding_box(whole, local).grown(std::max(nearest, 0.0)), near);
  for (const std::uint32_t triangle : near) look_at(triangle);
  if (likely != nullptr) *likely = nearest_triangle;
  return nearest;
}

template <class S>
constexpr bool kConvex = !std::is_same_v<S, HalfSpace> && !std::is_same_v<S, Mesh>;

}   // namespace

bool has_separation(const Shape& a, const Shape& b) {
  return !std::holds_alternative<HalfSpace>(a) || !std::holds_alternative<HalfSpace>(b);
}

ShapeSeparation separation(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, NearestPlace* last) {
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
          return {above_mesh(shape_b, pose_b, *shape_a.solid, pose_a, last ? &last->triangle_a : nullptr), Vec3::Zero()};
        } else if constexpr (kConvex<A>) {
          return {above_mesh(shape_a, pose_a, *shape_b.solid, pose_b, last ? &last->triangle_b : nullptr), Vec3::Zero()};
        } else {
          const auto gap = narrow::gap_of(*shape_a.solid, *shape_b.solid, pose_a.inverse() * pose_b, kAnywhere, last);
          if (last != nullptr) *last = {gap->triangle_a, gap->triangle_b};
          return {gap->distance, Vec3::Zero()};
        }
      },
      a, b);
}

}   // namespace stickslip
