// Bodies of nodes: made, counted, and told as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stickslip/geometry/surface_part.h"
#include "stickslip/math/error.h"
#include "stickslip/world/stencil.h"
#include "world/check_numbers.h"

namespace stickslip {

namespace {

/// Weights of the corners of a triangle whose combination is nearest to x in its plane.
Vec3 barycentric(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& x) {
  const Vec3 u = b - a, v = c - a, w = x - a;
  const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), wu = w.dot(u), wv = w.dot(v), square = uu * vv - uv * uv;
  if (!(square > 0)) return {1, 0, 0};   // without area: any corner
  const double of_b = (vv * wu - uv * wv) / square, of_c = (uu * wv - uv * wu) / square;
  return {1 - of_b - of_c, of_b, of_c};
}

}   // namespace

void validate_nodes(const NodalDescription& d) {
  if (d.positions.empty()) throw Error("A body of nodes needs at least one.").at("positions");
  for (std::size_t i = 0; i < d.positions.size(); ++i) try {
      require_finite(d.positions[i], std::to_string(i), "m");
    } catch (Error& e) {
      throw e.at("positions");
    }
  if (!(std::isfinite(d.radius) && d.radius > 0))
    throw Error(fmt::format("{} is not a length. The radius of beads must be finite and greater than 0 m.", d.radius))
        .at("radius");
  if (d.mass && !(std::isfinite(*d.mass) && *d.mass > 0))
    throw Error(fmt::format("{} is not a mass. It must be finite and greater than 0 kg.", *d.mass)).at("mass");
  for (std::size_t i = 0; i < d.triangles.size(); ++i)
    for (const std::uint32_t node : d.triangles[i])
      if (node >= d.positions.size())
        throw Error(fmt::format("There is no node {}; the body has {}, counted from 0.", node, d.positions.size()))
            .at(std::to_string(i))
            .at("triangles");
}

BodyId World::add_nodal(NodalDescription d) {
  validate_nodes(d);
  require_finite(d.velocity, "velocity", "m/s");
  require_finite(d.force, "force", "N");
  if (d.material.index >= materials.size()) throw Error("There is no such material in this world.").at("material");
  const Sphere bead{d.radius};
  const double mass = d.mass ? *d.mass : mass_properties(bead, materials[d.material].density).mass;
  const BodyId id = take_slot(std::move(d.name));
  Body& b = bodies_[id.index];
  b.kind = BodyKind::nodal;
  b.can_sleep = d.can_sleep;
  b.force = d.force;
  b.place = static_cast<std::uint32_t>(nodal_bodies_.size());
  const std::size_t count = d.positions.size();
  for (std::uint32_t i = 0; i < count; ++i) add_collider(id.index, {bead, Pose{}, d.material, d.colour}, i);
  nodal_bodies_.push_back({id.index, std::move(d.positions), std::vector<Vec3>(count, d.velocity),
                           std::vector<double>(count, mass), d.radius, std::move(d.triangles)});
  number_nodes();
  summarise_nodes();
  return id;
}

const NodalBody& World::nodal_body(BodyId id) const {
  const Body& b = body(id);
  if (b.is_rigid()) throw Error(fmt::format("'{}' is a rigid body, and has no nodes.", b.name));
  return nodal_bodies_[b.place];
}

std::pair<const NodalBody*, std::uint32_t> World::node(std::uint32_t mover) const {
  const auto number = mover - static_cast<std::uint32_t>(bodies_.size());
  const auto after = std::upper_bound(nodal_bodies_.begin(), nodal_bodies_.end(), number,
                                      [](std::uint32_t n, const NodalBody& b) { return n < b.first_node; });
  const NodalBody& nodes = *std::prev(after);
  return {&nodes, number - nodes.first_node};
}

void World::number_nodes() {
  node_count_ = 0;
  for (std::uint32_t i = 0; i < nodal_bodies_.size(); ++i) {
    NodalBody& nodes = nodal_bodies_[i];
    bodies_[nodes.body].place = i;
    nodes.first_node = static_cast<std::uint32_t>(node_count_);
    node_count_ += nodes.size();
  }
}

void World::summarise_nodes() {
  for (const NodalBody& nodes : nodal_bodies_) {
    Body& b = bodies_[nodes.body];
    b.mass = {};
    Vec3 position = Vec3::Zero(), momentum = Vec3::Zero();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      b.mass.mass += nodes.masses[i];
      position += nodes.masses[i] * nodes.positions[i];
      momentum += nodes.masses[i] * nodes.velocities[i];
    }
    b.inverse_mass = 1 / b.mass.mass;
    b.position = position * b.inverse_mass;
    b.velocity = momentum * b.inverse_mass;
  }
}

Motion motion_of_node(const World& world, std::uint32_t mover) {
  const auto [nodes, i] = world.node(mover);
  return {{nodes->positions[i], Quat::Identity()}, nodes->velocities[i], Vec3::Zero()};
}

Stencil stencil_of_surface(const World& world, const Collider& c, std::uint32_t number, const Vec3& place) {
  Stencil s;
  const NodalBody& nodes = world.nodal_bodies()[world.bodies()[c.body].place];
  const std::uint32_t first = static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node;
  const SurfacePart part = SurfacePart::of(number);
  const auto at = [&](std::uint32_t node) -> const Vec3& { return nodes.positions[node]; };
  switch (part.kind) {
    case SurfacePartKind::vertex:
      s.add(first + part.index, 1);
      break;
    case SurfacePartKind::edge: {
      const auto& corner = nodes.triangles[part.index / 3];
      const std::uint32_t from = corner[part.index % 3], to = corner[(part.index % 3 + 1) % 3];
      const Vec3 along = at(to) - at(from);
      const double square = along.squaredNorm(), weight = square > 0 ? along.dot(place - at(from)) / square : 0;
      s.add(first + from, 1 - weight);
      s.add(first + to, weight);
      break;
    }
    case SurfacePartKind::triangle: {
      const auto& corner = nodes.triangles[part.index];
      const Vec3 weights = barycentric(at(corner[0]), at(corner[1]), at(corner[2]), place);
      for (int k = 0; k < 3; ++k) s.add(first + corner[k], weights[k]);
    }
  }
  return s;
}

}   // namespace stickslip
