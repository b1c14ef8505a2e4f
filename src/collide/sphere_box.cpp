// Sphere against box [course §2.1.2]: the nearest point of the box by clamping; from inside, the nearest face.
#include <cmath>

#include "collide/sphere_point.h"

namespace stickslip::narrow {

void collide(const Sphere& sphere, const Pose& sphere_pose, const Box& box, const Pose& box_pose, double margin,
             ContactSink& sink) {
  const Vec3& h = box.half_extents;
  const Vec3 c = box_pose.to_local(sphere_pose.position);
  const Vec3 nearest = c.cwiseMax(-h).cwiseMin(h);
  const Vec3 outside = c - nearest;   // from the box to the centre
  const double squared = outside.squaredNorm();
  const double reach = sphere.radius + margin;
  if (squared > reach * reach) return;

  const double distance = std::sqrt(squared);
  if (distance > kConcentric * (sphere.radius + h.minCoeff())) {
    add_sphere_contact(sphere_pose.position, sphere.radius, box_pose.orientation * Vec3(outside / -distance), distance, sink);
    return;
  }
  int axis;
  const double depth = (h - c.cwiseAbs()).minCoeff(&axis);
  Vec3 normal = Vec3::Zero();   // into the box
  normal[axis] = c[axis] >= 0 ? -1 : 1;
  add_sphere_contact(sphere_pose.position, sphere.radius, box_pose.orientation * normal, -depth, sink);
}

}   // namespace stickslip::narrow
