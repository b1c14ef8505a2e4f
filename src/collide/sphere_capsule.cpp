#include <algorithm>
#include <cmath>

#include "collide/sphere_point.h"

namespace stickslip::narrow {

void collide(const Sphere& sphere, const Pose& sphere_pose, const Capsule& capsule, const Pose& capsule_pose, double margin,
             ContactSink& sink) {
  const Vec3 c = capsule_pose.to_local(sphere_pose.position);
  const Vec3 nearest(0, 0, std::clamp(c.z(), -capsule.half_height, capsule.half_height));
  const Vec3 d = nearest - c;
  const double reach = sphere.radius + capsule.radius + margin;
  const double squared = d.squaredNorm();
  if (squared > reach * reach) return;
  const double distance = std::sqrt(squared);
  // A centre on the capsule's axis: any direction across the axis is nearest; take the capsule's x axis.
  const bool on_axis = distance <= kConcentric * (sphere.radius + capsule.radius);
  const Vec3 normal = on_axis ? Vec3(-Vec3::UnitX()) : Vec3(d / distance);
  add_sphere_contact(sphere_pose.position, sphere.radius, capsule_pose.orientation * normal, distance - capsule.radius, sink);
}

}   // namespace stickslip::narrow
