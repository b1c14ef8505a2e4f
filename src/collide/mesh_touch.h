// What a corner can touch. At the rim of a face others are as near: a corner that stands there on a face is beside the next
// one too, but does not look at it.
#pragma once

#include <algorithm>

#include "collide/mesh_side.h"

namespace stickslip::narrow {

/// Whether a vertex of a mesh can touch something in a unit direction: a face beside it looks there, or none of its edges
/// goes there, as at the tip of a needle.
inline bool can_touch(const MeshSolid& solid, std::uint32_t vertex, const Vec3& direction) {
  const auto around = solid.surface().edges().faces_of_vertex(vertex);
  return std::any_of(
             around.begin(), around.end(),
             [&](std::uint32_t face) { return solid.facets()[solid.facet_of(face)].normal.dot(direction) > kFeatureCone; }) ||
         is_touched_from(solid, vertex, direction, kFeatureCone);
}

/// Whether a face holds a corner that lies so deep behind it: of the faces that the corner can touch none is nearer. Where one
/// is that it cannot touch, the face has its rim there, and the place beside that counts.
/// @param triangle of the facet, behind which the point lies
/// @param touches whether the corner can touch a face with an outward normal, as bool(const Vec3&)
bool is_held_by_face(const MeshSolid& solid, std::uint32_t triangle, const Vec3& point, double depth, auto&& touches) {
  if (is_nearest(solid, point, depth, triangle)) return true;
  const std::uint32_t facet = solid.facet_of(triangle);
  const Vec3& normal = solid.facets()[facet].normal;
  const double slack = slack_behind(solid, depth) + 1e-12 * solid.radius();
  Vec3 at = point;
  for (int rims = 0; rims < 3; ++rims) {
    const auto near = nearest_facet(solid, at, depth + slack, triangle);
    if (!near) return false;   // beyond the rim
    if (near->facet == facet) return near->distance >= depth - slack;
    const Vec3& other = solid.facets()[near->facet].normal;
    const Vec3 beside = other.dot(normal) * normal - other;
    const double length = beside.norm();
    if (touches(other) || length < kFeatureCone) return false;   // that one holds it, or it is the other side of a wall
    at += 2 * depth / length * beside;
  }
  return false;
}

}   // namespace stickslip::narrow
