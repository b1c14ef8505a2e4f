// Sphere against cylinder, in the half plane through the axis and the centre: a rectangle and a point. Outside, the nearest
// point lies on the side, a cap or the rim; inside, on the nearer of side and cap.
#include <cmath>

#include "collide/sphere_point.h"

namespace stickslip::narrow {

void collide(const Sphere& sphere, const Pose& sphere_pose, const Cylinder& cylinder, const Pose& cylinder_pose, double margin,
             ContactSink& sink) {
  const double r = cylinder.radius, h = cylinder.half_height;
  const Vec3 c = cylinder_pose.to_local(sphere_pose.position);
  const double radial = std::hypot(c.x(), c.y());
  const Vec3 outward = radial > kConcentric * r ? Vec3(c.x() / radial, c.y() / radial, 0) : Vec3::UnitX();
  const Vec3 up = c.z() >= 0 ? Vec3::UnitZ() : Vec3(-Vec3::UnitZ());

  const double beyond_side = radial - r, beyond_cap = std::abs(c.z()) - h;
  Vec3 normal;   // out of the cylinder, in its frame
  double distance;
  if (beyond_side > 0 && beyond_cap > 0) {
    distance = std::hypot(beyond_side, beyond_cap);
    normal = (outward * beyond_side + up * beyond_cap) / distance;
  } else if (beyond_side > beyond_cap) {
    distance = beyond_side;
    normal = outward;
  } else {
    distance = beyond_cap;
    normal = up;
  }
  if (distance > sphere.radius + margin) return;
  add_sphere_contact(sphere_pose.position, sphere.radius, cylinder_pose.orientation * Vec3(-normal), distance, sink);
}

}   // namespace stickslip::narrow
