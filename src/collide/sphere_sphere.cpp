#include <cmath>

#include "collide/sphere_point.h"

namespace stickslip::narrow {

void collide(const Sphere& a, const Pose& pose_a, const Sphere& b, const Pose& pose_b, double margin, ContactSink& sink) {
  const Vec3 d = pose_b.position - pose_a.position;
  const double reach = a.radius + b.radius + margin;
  const double squared = d.squaredNorm();
  if (squared > reach * reach) return;
  const double distance = std::sqrt(squared);
  const Vec3 normal = distance > kConcentric * (a.radius + b.radius) ? Vec3(d / distance) : Vec3::UnitZ();
  add_sphere_contact(pose_a.position, a.radius, normal, distance - b.radius, sink);
}

}   // namespace stickslip::narrow
