// Spheres and capsules against meshes: balls against faces, active edges and active vertices in closed form, the straight
// part of a capsule against edges and vertices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "collide/field_pairs.h"
#include "collide/mesh_side.h"
#include "collide/pairs.h"
#include "collide/tolerances.h"
#include "geometry/nearest_on_triangle.h"

namespace stickslip::narrow {
namespace {

// Sine of the angle by which rounding may turn a direction out of the cone of the feature that it belongs to.
constexpr double kRounding = 1e-7;

// Part of a triangle's size by which a centre in front of it may lie beside it: there edges and corners are as near as faces.
constexpr double kBesideFace = 1e-9;

/// Contacts of a round shape with a mesh, in the frame of the mesh.
class RoundContacts {
 public:
  RoundContacts(const MeshSolid& solid, const Pose& mesh, double radius, double margin, MeshContacts& contacts)
      : solid_(solid), mesh_(mesh), radius_(radius), margin_(margin), contacts_(contacts) {}

  /// A ball against one triangle: against the face if it lies over it, against an edge or vertex if the triangle is nearest
  /// there.
  void add_ball(const Vec3& center, std::uint32_t ball, std::uint32_t triangle) {
    const TriangleMesh& mesh = solid_.mesh();
    const auto& t = mesh.triangles[triangle];
    const MeshFacet& facet = solid_.facets()[solid_.facet_of(triangle)];
    const double reach = radius_ + margin_, height = facet.normal.dot(center) - facet.offset;
    if (height > reach || facet.normal.isZero(0)) return;
    if (is_over(solid_, triangle, center, height < 0 ? kClipTolerance : kBesideFace)) {
      if (height >= 0 || is_nearest(solid_, center, -height, triangle))
        add(facet_part(solid_.facet_of(triangle)), center, facet.normal, height, ball, solid_.facet_of(triangle));
      return;
    }
    const TrianglePoint found = nearest_on_triangle(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], center);
    if (found.distance_squared > reach * reach) return;
    const int zeros = static_cast<int>((found.weights.array() == 0).count());
    if (zeros == 1) {
      int opposite;
      found.weights.minCoeff(&opposite);
      add_at_edge(center, ball, solid_.surface().edges().edges_of_face(triangle)[(opposite + 1) % 3]);
    } else if (zeros == 2) {
      int corner;
      found.weights.maxCoeff(&corner);
      add_at_vertex(center, ball, t[corner]);
    }
  }

  /// The inside of a segment against an active edge.
  void add_segment_at_edge(const Vec3& start, const Vec3& along, std::uint32_t id) {
    const MeshEdge edge = edge_of(solid_, id);
    const Vec3 cross = along.cross(edge.along);
    const double length = cross.norm();
    if (length <= 1e-6 * along.norm() * edge.along.norm()) return;
    const Vec3 between = edge.start - start;
    const double s = between.cross(edge.along).dot(cross) / (length * length),
                 u = between.cross(along).dot(cross) / (length * length);
    if (!(s > 0 && s < 1 && u >= 0 && u <= 1)) return;
    const Vec3 out = cross / length * (cross.dot(edge.normal[0] + edge.normal[1]) < 0 ? -1 : 1);
    if (!is_touched_from(edge, out, kFeatureCone)) return;
    const Vec3 on_axis = start + s * along;
    const double height = out.dot(on_axis - (edge.start + u * edge.along));
    if (height - radius_ > margin_ || (height < 0 && !is_inside_beside(edge, on_axis, -height))) return;
    add(edge_part(id), on_axis, out, height, 2, id);
  }

  /// The inside of a segment against an active vertex.
  void add_segment_at_vertex(const Vec3& start, const Vec3& along, std::uint32_t vertex) {
    const Vec3& at = solid_.mesh().vertices[vertex];
    const double s = along.dot(at - start) / along.squaredNorm();
    if (!(s > 0 && s < 1)) return;
    add_at_vertex(start + s * along, 3, vertex);
  }

 private:
  void add_at_edge(const Vec3& center, std::uint32_t ball, std::uint32_t id) {
    const MeshEdge edge = edge_of(solid_, id);
    const double u = std::clamp(edge.along.dot(center - edge.start) / edge.along.squaredNorm(), 0.0, 1.0);
    const Vec3 away = center - (edge.start + u * edge.along);
    const double distance = away.norm();
    const Vec3 out =
        distance > 1e-9 * radius_ ? Vec3(away / distance) : edge_normal(solid_.mesh(), solid_.surface().edges(), id);
    // A centre over the seam of two triangles of a facet to rounding is over the facet.
    for (const int side : {0, 1})
      if (!solid_.active_edge(id) && edge.facet[0] == edge.facet[1] && out.dot(edge.normal[side]) > 1 - 1e-12)
        return add(facet_part(edge.facet[side]), center, edge.normal[side], distance, ball, edge.facet[side]);
    if (solid_.active_edge(id) && is_touched_from(edge, out, kRounding)) add(edge_part(id), center, out, distance, ball, id);
  }

  void add_at_vertex(const Vec3& center, std::uint32_t ball, std::uint32_t vertex) {
    const Vec3 away = center - solid_.mesh().vertices[vertex];
    const double distance = away.norm();
    if (distance - radius_ > margin_ || !solid_.active_vertex(vertex)) return;
    const Vec3 out = distance > 1e-9 * radius_ ? Vec3(away / distance) : solid_.surface().edges().vertex_normal(vertex);
    if (is_touched_from(solid_, vertex, out, kRounding)) add(vertex_part(vertex), center, out, distance, ball, vertex);
  }

  /// Whether a point lies inside the solid, nearest to a face beside an edge that is so far away: behind the edge, a thin part
  /// may have ended long before.
  bool is_inside_beside(const MeshEdge& edge, const Vec3& point, double depth) const {
    const auto near = signed_distance(solid_.surface(), point, SignRule::normals, 1.001 * depth);
    if (!near || near->distance > 0) return false;
    const std::uint32_t facet = solid_.facet_of(near->nearest.triangle);
    return facet == edge.facet[0] || facet == edge.facet[1];
  }

  /// @param out of the mesh, unit @param height of the centre over the feature along it
  void add(std::uint32_t part, const Vec3& center, const Vec3& out, double height, std::uint32_t ball, std::uint32_t of_mesh) {
    const double gap = height - radius_;
    if (gap > margin_) return;
    const bool at_vertex = (part & 0xc0000000u) == 0xc0000000u, at_edge = (part & 0x80000000u) != 0;
    const MeshFeature kind = at_vertex ? MeshFeature::face_under_vertex
                             : at_edge ? MeshFeature::edges
                                       : MeshFeature::vertex_on_face;
    contacts_.add(pair_of_parts(0, part), mesh_ * Vec3(center - out * (radius_ + 0.5 * gap)), mesh_.orientation * Vec3(-out),
                  gap, mesh_feature(kind, ball, of_mesh));
  }

  const MeshSolid& solid_;
  const Pose& mesh_;
  double radius_, margin_;
  MeshContacts& contacts_;
};

/// The triangles within a reach of a box around some points.
void gather(const MeshSolid& solid, const Aabb& box, double reach, MeshScratch& scratch) {
  scratch.contacts.clear();
  overlapping(solid.mesh(), solid.surface().tree(), box.grown(reach), scratch.triangles);
}

}   // namespace

void collide(const Sphere& sphere, const Pose& pose, const Mesh& mesh, const Pose& pose_mesh, double margin,
             ContactSink& sink) {
  if (mesh.solid->field()) return collide_field(sphere, pose, mesh, pose_mesh, margin, sink);
  MeshScratch& scratch = MeshScratch::of_thread();
  const Vec3 center = pose_mesh.to_local(pose.position);
  gather(*mesh.solid, {center, center}, sphere.radius + margin, scratch);
  RoundContacts contacts(*mesh.solid, pose_mesh, sphere.radius, margin, scratch.contacts);
  for (const std::uint32_t triangle : scratch.triangles) contacts.add_ball(center, 0, triangle);
  scratch.contacts.emit(margin, sphere.radius, sink);
}

void collide(const Capsule& capsule, const Pose& pose, const Mesh& mesh, const Pose& pose_mesh, double margin,
             ContactSink& sink) {
  if (mesh.solid->field()) return collide_field(capsule, pose, mesh, pose_mesh, margin, sink);
  MeshScratch& scratch = MeshScratch::of_thread();
  const MeshSolid& solid = *mesh.solid;
  const Vec3 start = pose_mesh.to_local(pose * Vec3(0, 0, -capsule.half_height));
  const Vec3 end = pose_mesh.to_local(pose * Vec3(0, 0, capsule.half_height)), along = end - start;
  gather(solid, {start.cwiseMin(end), start.cwiseMax(end)}, capsule.radius + margin, scratch);
  RoundContacts contacts(solid, pose_mesh, capsule.radius, margin, scratch.contacts);
  for (const std::uint32_t triangle : scratch.triangles) {
    contacts.add_ball(start, 0, triangle);
    if (!(capsule.half_height > 0)) continue;
    contacts.add_ball(end, 1, triangle);
    for (int k = 0; k < 3; ++k) {
      if (solid.owned_by(triangle) & 1 << k) contacts.add_segment_at_vertex(start, along, solid.mesh().triangles[triangle][k]);
      if (solid.owned_by(triangle) & 8 << k)
        contacts.add_segment_at_edge(start, along, solid.surface().edges().edges_of_face(triangle)[k]);
    }
  }
  scratch.contacts.emit(margin, capsule.radius + capsule.half_height, sink);
}

}   // namespace stickslip::narrow
