#include "record/contact_features.h"

#include <algorithm>

#include "stickslip/geometry/mesh_names.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip {

namespace {

enum class Role { vertex, face, edge, unknown };

/// One of the two shapes, as the name of the contact knows it.
struct TouchingSide {
  const MeshSolid* solid = nullptr;   ///< null: no mesh
  std::uint32_t part = 0;             ///< of the key
  std::uint32_t id = 0;               ///< of the feature: a vertex, facet or edge, as the role says
  Role role = Role::unknown;
};

const MeshSolid* mesh_of_collider(const World& world, std::uint32_t collider) {
  const auto* mesh = std::get_if<Mesh>(&world.colliders()[collider].shape);
  return mesh ? mesh->solid.get() : nullptr;
}

/// A facet beside an edge or vertex, from 1; 0 if there is none.
std::uint32_t facet_at_edge(const MeshSolid& solid, std::uint32_t edge) {
  const MeshEdges& edges = solid.surface().edges();
  return edge < edges.size() ? facet_part(solid.facet_of(edges.faces(edge)[0])) : 0;
}
std::uint32_t facet_at_vertex(const MeshSolid& solid, std::uint32_t vertex) {
  if (vertex >= solid.mesh().vertices.size()) return 0;
  const auto faces = solid.surface().edges().faces_of_vertex(vertex);
  return faces.empty() ? 0 : facet_part(solid.facet_of(faces.front()));
}

void give_roles(TouchingSide& a, TouchingSide& b, std::uint64_t feature) {
  constexpr Role roles[][2] = {
      {Role::vertex, Role::face}, {Role::face, Role::vertex}, {Role::edge, Role::edge}, {Role::unknown, Role::unknown}};
  const auto kind = static_cast<std::size_t>(kind_of_feature(feature));
  a.role = roles[kind][0], b.role = roles[kind][1];
  a.id = first_of_feature(feature), b.id = second_of_feature(feature);
}

std::uint32_t touched_facet(const TouchingSide& side) {
  if (!side.solid) return 0;
  if (is_facet_part(side.part)) return side.part;
  if (is_edge_part(side.part)) return facet_at_edge(*side.solid, number_of_part(side.part));
  if (is_vertex_part(side.part)) return facet_at_vertex(*side.solid, number_of_part(side.part));
  if (side.role == Role::edge) return facet_at_edge(*side.solid, side.id);
  return side.role == Role::vertex ? facet_at_vertex(*side.solid, side.id) : 0;
}

Touch touch_of(Role a, Role b) {
  if (a == Role::edge && b == Role::edge) return Touch::edge_edge;
  if (a == Role::vertex && b == Role::face) return Touch::vertex_face;
  if (a == Role::face && b == Role::vertex) return Touch::face_vertex;
  return Touch::other;
}

std::uint32_t number_in_body(const World& world, std::uint32_t collider) {
  const std::vector<std::uint32_t>& own = world.bodies()[world.colliders()[collider].body].colliders;
  return static_cast<std::uint32_t>(std::find(own.begin(), own.end(), collider) - own.begin());
}

}   // namespace

ContactFeatures features_of(const World& world, const ContactRecord& contact) {
  const ContactKey& key = contact.key;
  TouchingSide a{mesh_of_collider(world, key.a), static_cast<std::uint32_t>(key.parts >> 32)},
      b{mesh_of_collider(world, key.b), static_cast<std::uint32_t>(key.parts)};
  if (!a.solid && !b.solid) return {};
  // Fields name what touches their own way.
  const bool by_field = (a.solid && a.solid->field()) || (b.solid && b.solid->field());
  if (!by_field) give_roles(a, b, key.feature);
  return {touch_of(a.role, b.role), touched_facet(a), touched_facet(b), number_in_body(world, key.a),
          number_in_body(world, key.b)};
}

double mean_depth(const ContactOutline& outline) {
  const std::vector<Vec3>& corners = outline.corners;
  Vec3 twice_area = Vec3::Zero();
  for (std::size_t i = 2; i < corners.size(); ++i) twice_area += (corners[i - 1] - corners[0]).cross(corners[i] - corners[0]);
  const double area = 0.5 * twice_area.norm();
  return area > 0 ? outline.volume / area : 0;
}

bool has_meshes(const World& world) {
  return std::ranges::any_of(world.colliders(),
                             [](const Collider& c) { return c.alive && std::holds_alternative<Mesh>(c.shape); });
}

}   // namespace stickslip
