// Bounded shapes against a half-space: the points of the shape that can touch a plane first, those within the margin of it.
#include <cmath>

#include "collide/pairs.h"

namespace stickslip::narrow {
namespace {

// The plane of a half-space seen from the local frame of the other shape.
struct Plane {
  Vec3 up;         // outward normal of the half-space, local
  double offset;   // height of a local point x over the plane is up · x + offset

  Plane(const Pose& half_space, const Pose& shape) {
    const Vec3 world_up = half_space.orientation * Vec3::UnitZ();
    up = shape.orientation.conjugate() * world_up;
    offset = world_up.dot(shape.position - half_space.position);
  }
  double height(const Vec3& local) const { return up.dot(local) + offset; }
};

// A point of the surface whose lowest point in the plane's direction lies `radius` below it.
void add_if_near(const Plane& plane, const Pose& pose, const Vec3& local, double radius, double margin, std::uint32_t feature,
                 ContactSink& sink) {
  const double gap = plane.height(local) - radius;
  if (gap > margin) return;
  sink.add(pose * Vec3(local - plane.up * (radius + 0.5 * gap)), pose.orientation * Vec3(-plane.up), gap, feature);
}

}   // namespace

void collide(const Sphere& sphere, const Pose& pose, const HalfSpace&, const Pose& half_space, double margin,
             ContactSink& sink) {
  add_if_near(Plane(half_space, pose), pose, Vec3::Zero(), sphere.radius, margin, 0, sink);
}

void collide(const Box& box, const Pose& pose, const HalfSpace&, const Pose& half_space, double margin, ContactSink& sink) {
  const Plane plane(half_space, pose);
  if (plane.offset - plane.up.cwiseAbs().dot(box.half_extents) > margin) return;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    add_if_near(plane, pose, sign.cwiseProduct(box.half_extents), 0, margin, corner, sink);
  }
}

void collide(const Capsule& capsule, const Pose& pose, const HalfSpace&, const Pose& half_space, double margin,
             ContactSink& sink) {
  const Plane plane(half_space, pose);
  add_if_near(plane, pose, Vec3(0, 0, -capsule.half_height), capsule.radius, margin, 0, sink);
  if (capsule.half_height > 0) add_if_near(plane, pose, Vec3(0, 0, capsule.half_height), capsule.radius, margin, 1, sink);
}

// The lower cap offers four points of its rim a quarter turn apart, the upper one its lowest point, and those within the
// margin touch: four for a standing cylinder, the two lowest points of the caps for a lying one, one for a cylinder on its
// rim. One of the four is the lowest point of the rim, so a tilted cylinder has its exact gap. While the cap is parallel to
// the plane the lowest point is a matter of rounding, and the points stay with the body's axes instead.
void collide(const Cylinder& cylinder, const Pose& pose, const HalfSpace&, const Pose& half_space, double margin,
             ContactSink& sink) {
  constexpr double parallel = 1e-4;   // sine of the tilt below which the lowest point is off by less than 3e-5 radii
  const Plane plane(half_space, pose);
  const double tilt = std::hypot(plane.up.x(), plane.up.y());
  if (plane.offset - cylinder.radius * tilt - cylinder.half_height * std::abs(plane.up.z()) > margin) return;

  Vec2 down(1, 0);
  if (tilt > parallel) down = -plane.up.head<2>() / tilt;
  const Vec2 rim[4] = {down, Vec2(-down.y(), down.x()), -down, Vec2(down.y(), -down.x())};
  // Of a cylinder on its side only the lowest line touches; its neighbours would lie half a radius inside a deep plane.
  const bool lying = std::abs(plane.up.z()) < 0.5;
  for (int cap = 0; cap < 2; ++cap) {
    const double z = cap ? cylinder.half_height : -cylinder.half_height;
    const bool upper = plane.up.z() * z > 0;
    if (upper && tilt <= parallel) continue;
    for (int k = 0; k < (lying || upper ? 1 : 4); ++k) {
      const Vec3 local(cylinder.radius * rim[k].x(), cylinder.radius * rim[k].y(), z);
      add_if_near(plane, pose, local, 0, margin, 4 * cap + k, sink);
    }
  }
}

void collide(const ConvexHull& hull, const Pose& pose, const HalfSpace&, const Pose& half_space, double margin,
             ContactSink& sink) {
  const Plane plane(half_space, pose);
  if (plane.offset - hull.polytope->radius > margin) return;
  const std::vector<Vec3>& vertices = hull.polytope->vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    add_if_near(plane, pose, vertices[i], 0, margin, static_cast<std::uint32_t>(i), sink);
}

}   // namespace stickslip::narrow
