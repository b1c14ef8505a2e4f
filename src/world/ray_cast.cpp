#include "stickslip/world/ray_cast.h"

#include <algorithm>

#include "stickslip/geometry/ray.h"
#include "stickslip/math/error.h"
#include "world/check_numbers.h"

namespace stickslip {

namespace {

/// Whether a ray passes within a radius of a point before a distance.
bool passes(const Vec3& from_center, const Vec3& direction, double range, double radius) {
  const double nearest = std::clamp(-from_center.dot(direction), 0.0, range);
  return (from_center + nearest * direction).squaredNorm() <= radius * radius;
}

/// Where a ray meets a triangle, in the plane of which it does not lie [m].
std::optional<double> triangle_distance(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& origin,
                                        const Vec3& direction) {
  const Vec3 ab = b - a, ac = c - a, across = direction.cross(ac), from = origin - a;
  const double volume = ab.dot(across);
  if (volume == 0) return {};
  const double u = from.dot(across) / volume;
  const Vec3 turned = from.cross(ab);
  const double v = direction.dot(turned) / volume, t = ac.dot(turned) / volume;
  return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 ? std::optional(t) : std::nullopt;
}

}   // namespace

std::optional<RayMeeting> cast_ray(const World& world, const Vec3& origin, const Vec3& given, double range, BodyId ignore) {
  require_finite(origin, "origin", "m");
  require_finite(given, "direction", "any length");
  if (!(given.norm() > 0)) throw Error("[0, 0, 0] is not a direction. Give one such as [0, 0, -1].").at("direction");
  const Vec3 direction = given.normalized();
  std::optional<RayMeeting> first;
  double nearest = range;
  const auto meet = [&](std::uint32_t body, std::optional<double> distance) {
    if (!distance || *distance > nearest || (first && *distance == nearest)) return;
    nearest = *distance;
    first = RayMeeting{world.id_of(body), nearest};
  };
  for (const Collider& c : world.colliders()) {
    if (!c.alive || c.deforms || (ignore != BodyId{} && c.body == ignore.index)) continue;
    const Body& body = world.bodies()[c.body];
    Pose center{body.position, body.orientation};
    if (c.node != kNoNode) center = {world.nodal_bodies()[body.place].positions[c.node], Quat::Identity()};
    if (!passes(origin - center.position, direction, nearest, c.reach)) continue;
    const Pose shape = center * c.local;
    meet(c.body, ray_distance(c.shape, shape.inverse() * origin, shape.orientation.conjugate() * direction, nearest));
  }
  for (const NodalBody& nodes : world.nodal_bodies()) {
    if (!nodes.is_soft() || (ignore != BodyId{} && nodes.body == ignore.index)) continue;
    for (const auto& [a, b, c] : nodes.triangles)
      meet(nodes.body, triangle_distance(nodes.positions[a], nodes.positions[b], nodes.positions[c], origin, direction));
  }
  return first;
}

}   // namespace stickslip
