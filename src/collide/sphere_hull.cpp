// Sphere against hull. From inside, the face whose plane is nearest; from outside, the nearest point of the faces that
// look at the centre.
#include <algorithm>
#include <cmath>
#include <limits>

#include "collide/sphere_point.h"

namespace stickslip::narrow {
namespace {

// Nearest point of a face to `c`, which lies in front of the face's plane by `height`. If `c` projects into the polygon it
// is the projection, otherwise a point of the border.
Vec3 nearest_on_face(const Polytope& hull, const Polytope::Face& face, const Vec3& c, double height) {
  Vec3 nearest = c - height * face.normal;
  double best = std::numeric_limits<double>::infinity();
  bool inside = true;
  Vec3 on_border = nearest;
  for (int k = 0; k < face.count; ++k) {
    const Vec3& p = hull.vertices[hull.loops[face.first + k]];
    const Vec3& q = hull.vertices[hull.loops[face.first + (k + 1) % face.count]];
    const Vec3 edge = q - p;
    if (edge.cross(c - p).dot(face.normal) >= 0) continue;
    inside = false;
    const Vec3 foot = p + std::clamp(edge.dot(c - p) / edge.squaredNorm(), 0.0, 1.0) * edge;
    const double squared = (foot - c).squaredNorm();
    if (squared < best) best = squared, on_border = foot;
  }
  return inside ? nearest : on_border;
}

}   // namespace

void collide(const Sphere& sphere, const Pose& sphere_pose, const ConvexHull& shape, const Pose& hull_pose, double margin,
             ContactSink& sink) {
  const Polytope& hull = *shape.polytope;
  const Vec3 c = hull_pose.to_local(sphere_pose.position);
  const double reach = sphere.radius + margin;

  const Polytope::Face* front = nullptr;
  double highest = -std::numeric_limits<double>::infinity();
  for (const Polytope::Face& face : hull.faces) {
    const double height = face.normal.dot(c) - face.offset;
    if (height > reach) return;
    if (height > highest) highest = height, front = &face;
  }

  Vec3 normal = -front->normal;   // into the hull
  double distance = highest;
  if (highest > 0) {
    double best = std::numeric_limits<double>::infinity();
    Vec3 nearest = c;
    for (const Polytope::Face& face : hull.faces) {
      const double height = face.normal.dot(c) - face.offset;
      if (height <= 0) continue;
      const Vec3 p = nearest_on_face(hull, face, c, height);
      const double squared = (p - c).squaredNorm();
      if (squared < best) best = squared, nearest = p;
    }
    const double outside = std::sqrt(best);
    // So close to the surface that the difference of the points is mostly rounding, the front face speaks for itself.
    if (outside > 1e-9 * (sphere.radius + hull.radius)) {
      distance = outside;
      normal = (nearest - c) / outside;
    }
  }
  if (distance > reach) return;
  add_sphere_contact(sphere_pose.position, sphere.radius, hull_pose.orientation * normal, distance, sink);
}

}   // namespace stickslip::narrow
