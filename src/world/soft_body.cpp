// Soft bodies: made, held, and what they store.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stickslip/geometry/tet_mesh.h"
#include "stickslip/math/error.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/world/stencil.h"
#include "world/check_numbers.h"

namespace stickslip {

namespace {

void check(SoftDescription& d) {
  if (!d.solid) throw Error("A soft body needs a solid.").at("solid");
  if (!d.positions.empty() && d.positions.size() != d.solid->nodes())
    throw Error(fmt::format("There are {} positions, and the solid has {} nodes.", d.positions.size(), d.solid->nodes()))
        .at("positions");
  for (std::size_t i = 0; i < d.positions.size(); ++i) try {
      require_finite(d.positions[i], std::to_string(i), "m");
    } catch (Error& e) {
      throw e.at("positions");
    }
  take_pose(d.pose);
  require_finite(d.velocity, "velocity", "m/s");
  require_finite(d.angular_velocity, "angular_velocity", "rad/s");
  require_finite(d.force, "force", "N");
  if (!std::isfinite(d.pressure))
    throw Error(fmt::format("{} is not a pressure. It must be finite [Pa].", d.pressure)).at("pressure");
}

/// The surface of a solid at rest, with all its nodes as vertices.
Mesh rest_surface(const std::vector<Vec3>& rest, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  return Mesh{std::make_shared<const MeshSolid>(TriangleMesh{rest, triangles})};
}

}   // namespace

BodyId World::add_soft(SoftDescription d) {
  check(d);
  if (d.material.index >= materials.size()) throw Error("There is no such material in this world.").at("material");
  const ElasticSolid& solid = *d.solid;
  NodalBody nodes;
  nodes.positions = d.positions.empty() ? std::vector<Vec3>(solid.rest().begin(), solid.rest().end()) : std::move(d.positions);
  for (Vec3& x : nodes.positions) x = d.pose * x;
  nodes.masses = solid.lumped_masses();
  nodes.triangles = boundary_triangles(solid.tetrahedra());
  nodes.velocities.assign(nodes.size(), Vec3::Zero());
  nodes.solid = d.solid;
  nodes.pressure = d.pressure;
  nodes.self_contact = d.self_contact;
  hold(nodes, d.pins);

  const BodyId id = take_slot(std::move(d.name));
  Body& b = bodies_[id.index];
  b.kind = BodyKind::nodal;
  b.can_sleep = d.can_sleep;
  b.force = d.force;
  b.place = static_cast<std::uint32_t>(nodal_bodies_.size());
  nodes.body = id.index;
  Shape surface = rest_surface({solid.rest().begin(), solid.rest().end()}, nodes.triangles);
  add_collider(id.index, {std::move(surface), Pose{}, d.material, d.colour}, kNoNode);
  colliders_[bodies_[id.index].colliders.back()].deforms = true;
  nodal_bodies_.push_back(std::move(nodes));
  number_nodes();
  summarise_nodes();
  set_velocity(id, d.velocity, d.angular_velocity);
  place_held_nodes();
  summarise_nodes();
  return id;
}

/// Makes nodes keep their places in the frames of bodies, or in the world.
void World::hold(NodalBody& nodes, const std::vector<NodePins>& pins) {
  std::vector<bool> taken(nodes.size());
  for (std::size_t k = 0; k < pins.size(); ++k) {
    const std::string place = std::to_string(k);
    const bool to_world = pins[k].body == BodyId{};
    if (!to_world && !body(pins[k].body).is_rigid())
      throw Error(fmt::format("Nodes are pinned to '{}', which is made of nodes. Pin them to a rigid body, or to the world.",
                              body(pins[k].body).name))
          .at("body")
          .at(place)
          .at("pins");
    const bool attached = !to_world && body(pins[k].body).motion == MotionType::dynamic;
    Pose frame;
    if (!to_world) frame = motion_of(*this, pins[k].body.index).pose;
    for (const std::uint32_t node : pins[k].nodes) {
      if (node >= nodes.size())
        throw Error(fmt::format("There is no node {}; the solid has {}, counted from 0.", node, nodes.size()))
            .at("nodes")
            .at(place)
            .at("pins");
      if (taken[node]) continue;
      taken[node] = true;
      const Vec3 local = frame.inverse() * nodes.positions[node];
      if (attached) nodes.attached.push_back({node, pins[k].body.index, local});
      else nodes.held.push_back({node, to_world ? HeldNode::kWorld : pins[k].body.index, local});
    }
  }
  std::ranges::sort(nodes.held, {}, &HeldNode::node);
  std::ranges::sort(nodes.attached, {}, &AttachedNode::node);
}

bool World::has_attachments() const {
  return std::ranges::any_of(nodal_bodies_, [](const NodalBody& nodes) { return !nodes.attached.empty(); });
}

void World::place_held_nodes() {
  for (NodalBody& nodes : nodal_bodies_) {
    bool moves = false;
    for (const HeldNode& h : nodes.held) {
      if (h.body == HeldNode::kWorld) {
        nodes.velocities[h.node].setZero();
        continue;
      }
      const Motion motion = motion_of(*this, h.body);
      nodes.positions[h.node] = motion.pose * h.local;
      nodes.velocities[h.node] = motion.velocity_at(nodes.positions[h.node]);
      moves = moves || !nodes.velocities[h.node].isZero(0);
    }
    Body& body = bodies_[nodes.body];
    if (moves && body.asleep) body.asleep = false, body.quiet = {};
  }
}

double World::elastic_energy() const {
  double sum = 0;
  for (const NodalBody& nodes : nodal_bodies_)
    if (nodes.is_soft()) sum += nodes.solid->energy(nodes.positions);
  return sum;
}

}   // namespace stickslip
