#include "record/contact_features.h"

#include <algorithm>

namespace stickslip {

namespace {

/// Where the kind of touch stands in the name of a contact of meshes: its two highest bits.
constexpr int kTouchShift = 62;
constexpr Touch kTouches[] = {Touch::vertex_face, Touch::face_vertex, Touch::edge_edge, Touch::other};

bool is_mesh(const World& world, std::uint32_t collider) {
  return std::holds_alternative<Mesh>(world.colliders()[collider].shape);
}

std::uint32_t number_in_body(const World& world, std::uint32_t collider) {
  const std::vector<std::uint32_t>& own = world.bodies()[world.colliders()[collider].body].colliders;
  return static_cast<std::uint32_t>(std::find(own.begin(), own.end(), collider) - own.begin());
}

}   // namespace

ContactFeatures features_of(const World& world, const ContactRecord& contact) {
  const ContactKey& key = contact.key;
  const bool mesh_a = is_mesh(world, key.a), mesh_b = is_mesh(world, key.b);
  if (!mesh_a && !mesh_b) return {};
  ContactFeatures features;
  features.touch = key.parts == 0 ? Touch::other : kTouches[key.feature >> kTouchShift];
  if (mesh_a) features.facet_a = static_cast<std::uint32_t>(key.parts >> 32);
  if (mesh_b) features.facet_b = static_cast<std::uint32_t>(key.parts);
  features.shape_a = number_in_body(world, key.a);
  features.shape_b = number_in_body(world, key.b);
  return features;
}

bool has_meshes(const World& world) {
  return std::ranges::any_of(world.colliders(),
                             [](const Collider& c) { return c.alive && std::holds_alternative<Mesh>(c.shape); });
}

}   // namespace stickslip
