#include "stickslip/geometry/mesh_distance.h"

#include <algorithm>

#include <fmt/format.h>

#include "geometry/triangle_check.h"
#include "stickslip/math/error.h"

namespace stickslip {

void MeshSurface::move(std::span<const Vec3> vertices) {
  if (vertices.size() != mesh_.vertices.size())
    throw Error(fmt::format("{} places are given for {} vertices. Give one for each.", vertices.size(), mesh_.vertices.size()));
  require_finite_triangles(vertices, mesh_.triangles);
  std::copy(vertices.begin(), vertices.end(), mesh_.vertices.begin());
  tree_.refit(mesh_, moments_);
  edges_.update(mesh_);
}

std::size_t MeshSurface::bytes() const {
  return mesh_.vertices.size() * sizeof(Vec3) + mesh_.triangles.size() * sizeof(mesh_.triangles[0]) + tree_.bytes() +
         edges_.bytes();
}

Vec3 normal_at(const MeshSurface& surface, const MeshPoint& p) {
  switch (p.feature) {
    case Feature::vertex:
      return surface.edges().vertex_normal(surface.mesh().triangles[p.triangle][p.corner]);
    case Feature::edge:
      return edge_normal(surface.mesh(), surface.edges(), surface.edges().edges_of_face(p.triangle)[p.corner]);
    case Feature::face:
      break;
  }
  return face_normal(surface.mesh(), p.triangle);
}

std::optional<SignedDistance> signed_distance(const MeshSurface& surface, const Vec3& from, SignRule rule, double reach,
                                              std::uint32_t hint) {
  const std::optional<MeshPoint> nearest = closest_point(surface.mesh(), surface.tree(), from, reach, hint);
  if (!nearest) return std::nullopt;
  if (rule == SignRule::automatic) rule = surface.edges().closed() ? SignRule::normals : SignRule::winding;
  const Vec3 away = from - nearest->point;
  const double length = away.norm();
  SignedDistance result{nearest->distance, Vec3::Zero(), *nearest};
  Vec3 normal = Vec3::Zero();
  if (rule == SignRule::normals || length == 0) normal = normal_at(surface, *nearest);
  const bool inside =
      rule == SignRule::normals ? away.dot(normal) < 0 : winding_number(surface.mesh(), surface.tree(), from) > 0.5;
  if (inside) result.distance = -result.distance;
  result.gradient = length > 0 ? Vec3(away / (inside ? -length : length)) : normal;
  return result;
}

}   // namespace stickslip
