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

bool is_beside(const MeshSolid& solid, std::uint32_t facet, std::uint32_t edge) {
  if (edge >= solid.surface().edges().size()) return false;
  return std::ranges::any_of(solid.surface().edges().faces(edge), [&](std::uint32_t face) {
    return face != MeshEdges::kNoFace && facet_part(solid.facet_of(face)) == facet;
  });
}

/// Whether the pair function of two meshes took B first: the parts are in the order of A and B, the feature is not.
bool meshes_are_exchanged(const TouchingSide& a, const TouchingSide& b, std::uint64_t feature) {
  const std::uint32_t first = first_of_feature(feature), second = second_of_feature(feature);
  switch (kind_of_feature(feature)) {
    case MeshFeature::vertex_on_face:
      return b.part != facet_part(second);
    case MeshFeature::face_under_vertex:
      return a.part != facet_part(first);
    case MeshFeature::edges:
      if (is_edge_part(a.part)) return a.part != edge_part(first);
      return a.part != 0 ? !is_beside(*a.solid, a.part, first) : !is_beside(*b.solid, b.part, second);
    default:
      return false;
  }
}

/// A convex shape comes before a mesh, a mesh before a half-space (collide/pairs.h).
bool is_exchanged(const World& world, const ContactKey& key, const TouchingSide& a, const TouchingSide& b) {
  if (a.solid && b.solid) return meshes_are_exchanged(a, b, key.feature);
  const std::uint32_t other = a.solid ? key.b : key.a;
  const bool mesh_first = std::holds_alternative<HalfSpace>(world.colliders()[other].shape);
  return mesh_first == (a.solid == nullptr);
}

void give_roles(TouchingSide& first, TouchingSide& second, std::uint64_t feature) {
  constexpr Role roles[][2] = {
      {Role::vertex, Role::face}, {Role::face, Role::vertex}, {Role::edge, Role::edge}, {Role::unknown, Role::unknown}};
  const auto kind = static_cast<std::size_t>(kind_of_feature(feature));
  first.role = roles[kind][0], second.role = roles[kind][1];
  first.id = first_of_feature(feature), second.id = second_of_feature(feature);
  // The round surface of a ball or capsule at a vertex of the mesh.
  if (is_vertex_part(second.part)) first.role = Role::face, second.role = Role::vertex;
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
  if (is_exchanged(world, key, a, b)) give_roles(b, a, key.feature);
  else give_roles(a, b, key.feature);
  return {touch_of(a.role, b.role), touched_facet(a), touched_facet(b), number_in_body(world, key.a),
          number_in_body(world, key.b)};
}

bool has_meshes(const World& world) {
  return std::ranges::any_of(world.colliders(),
                             [](const Collider& c) { return c.alive && std::holds_alternative<Mesh>(c.shape); });
}

}   // namespace stickslip
