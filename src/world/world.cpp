#include "stickslip/world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "stickslip/math/error.h"
#include "world/check_numbers.h"
#include "world/structure_version.h"

namespace stickslip {

namespace {

/// Checks everything of a description but the name and the mass, and normalises its quaternions.
void check(BodyDescription& d) {
  if (d.parts.empty() && !(d.mass_properties && d.motion == MotionType::dynamic))
    throw Error("A body needs at least one part. Only a dynamic body with mass_properties can do without.").at("parts");
  for (std::size_t i = 0; i < d.parts.size(); ++i) {
    Part& part = d.parts[i];
    try {
      validate(part.shape);
      if (d.motion == MotionType::dynamic && std::holds_alternative<HalfSpace>(part.shape))
        throw Error("A half-space has no mass and cannot move by forces. Make the body fixed or kinematic, or use a box.");
    } catch (Error& e) {
      e.at("shape");
      if (d.parts.size() > 1) e.at(std::to_string(i)).at("parts");
      throw;
    }
    require_finite(part.pose.position, "position", "m");
    if (!(part.pose.orientation.norm() > 0)) throw Error("A quaternion must not be zero.").at("orientation_wxyz");
    part.pose.orientation.normalize();
    if (part.texture) validate(*part.texture);
  }
  take_pose(d.pose);
  require_finite(d.velocity, "velocity", "m/s");
  require_finite(d.angular_velocity, "angular_velocity", "rad/s");
  require_finite(d.force, "force", "N");
  require_finite(d.torque, "torque", "N m");
  if (!(d.overlap >= 0 && d.overlap <= 0.5))
    throw Error(fmt::format("{} is not a part of a thickness. An overlap must be from 0 to 0.5.", d.overlap)).at("overlap");
  validate(d.script);
}

MassProperties mass_of(const BodyDescription& d, const MaterialTable& materials) {
  if (d.motion != MotionType::dynamic) return {};
  MassProperties total;
  if (d.mass_properties) {
    total = *d.mass_properties;
  } else {
    for (const Part& part : d.parts) total += mass_properties(part.shape, materials[part.material].density).placed(part.pose);
    if (d.mass) {
      if (!(std::isfinite(*d.mass) && *d.mass > 0))
        throw Error(fmt::format("{} is not a mass. It must be finite and greater than 0 kg.", *d.mass)).at("mass");
      total.inertia *= *d.mass / total.mass;
      total.mass = *d.mass;
    }
  }
  try {
    validate(total);
  } catch (Error& e) {
    throw e.at(d.mass_properties ? "mass_properties" : "mass");
  }
  return total;
}

void insert_descending(std::vector<std::uint32_t>& slots, std::uint32_t slot) {
  slots.insert(std::upper_bound(slots.begin(), slots.end(), slot, std::greater<>()), slot);
}

}   // namespace

World::World() = default;
World::World(const World&) = default;
World::World(World&&) noexcept = default;
World& World::operator=(const World&) = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

/// A slot for a new body of this name. @throws Error if the name is in use
BodyId World::take_slot(std::string name) {
  if (slot_of_name_.contains(name))
    throw Error(fmt::format("There is already a body '{}'. Body names must differ.", name)).at("name");
  std::uint32_t slot;
  if (!free_bodies_.empty()) {
    slot = free_bodies_.back();
    free_bodies_.pop_back();
  } else {
    slot = static_cast<std::uint32_t>(bodies_.size());
    bodies_.emplace_back();
  }
  const std::uint32_t generation = bodies_[slot].generation + 1;
  Body& b = bodies_[slot] = Body{};
  b.name = name.empty() ? unused_name(slot) : std::move(name);
  slot_of_name_[b.name] = slot;
  b.generation = generation;
  b.alive = true;
  ++alive_count_;
  structure_version_ = next_structure_version();
  return {slot, generation};
}

void World::add_collider(std::uint32_t body, Part part, std::uint32_t node) {
  std::uint32_t index;
  if (!free_colliders_.empty()) {
    index = free_colliders_.back();
    free_colliders_.pop_back();
  } else {
    index = static_cast<std::uint32_t>(colliders_.size());
    colliders_.emplace_back();
  }
  Collider& c = colliders_[index];
  c.shape = std::move(part.shape);
  c.local = part.pose;
  c.body = body;
  c.node = node;
  c.material = part.material;
  c.colour = part.colour;
  c.texture = std::move(part.texture);
  c.characteristic_length = characteristic_length(c.shape);
  c.reach = bounding_radius(c.shape) + c.local.position.norm();
  c.alive = true;
  bodies_[body].colliders.push_back(index);
}

BodyId World::add(BodyDescription d) {
  check(d);
  for (const Part& part : d.parts)
    if (part.material.index >= materials.size()) throw Error("There is no such material in this world.").at("material");
  const MassProperties mass = mass_of(d, materials);
  const BodyId id = take_slot(std::move(d.name));
  Body& b = bodies_[id.index];
  b.motion = d.motion;
  b.can_sleep = d.can_sleep;
  b.continuous = d.continuous;
  b.contact = d.contact;
  b.overlap = d.overlap;
  b.mass = mass;
  b.derive_from_mass();
  b.orientation = d.pose.orientation;
  b.position = d.pose * mass.center;
  if (d.motion != MotionType::fixed) {
    b.velocity = d.velocity;
    b.angular_velocity = d.angular_velocity;
  }
  b.force = d.force;
  b.torque = d.torque;
  b.script = std::move(d.script);
  b.script_start = d.pose;
  if (d.motion == MotionType::kinematic && !std::holds_alternative<ConstantVelocity>(b.script)) {
    const Pose now = scripted_pose(b.script, b.script_start, time);
    b.position = now.position;
    b.orientation = now.orientation;
  }
  for (Part& part : d.parts) {
    part.pose.position -= mass.center;
    add_collider(id.index, std::move(part), kNoNode);
  }
  return id;
}

std::string World::unused_name(std::uint32_t slot) const {
  std::string name = fmt::format("body-{}", slot);
  while (slot_of_name_.contains(name)) name += "'";
  return name;
}

void World::remove(BodyId id) {
  Body& b = checked(id);
  remove_joints_of(id);
  const auto touches = [&](const RememberedImpulse& r) {
    return colliders_[r.key.a].body == id.index || colliders_[r.key.b].body == id.index;
  };
  // What rested on the body has to fall.
  for (const RememberedImpulse& r : memory.impulses)
    if (touches(r))
      for (const std::uint32_t c : {r.key.a, r.key.b}) {
        Body& other = bodies_[colliders_[c].body];
        other.asleep = false;
        other.quiet = {};
      }
  std::erase_if(memory.impulses, touches);
  for (const std::uint32_t c : b.colliders) {
    colliders_[c] = Collider{};
    insert_descending(free_colliders_, c);
  }
  if (!b.is_rigid()) {
    for (const AttachedNode& a : nodal_bodies_[b.place].attached) bodies_[a.body].asleep = false, bodies_[a.body].quiet = {};
    nodal_bodies_.erase(nodal_bodies_.begin() + b.place);
    number_nodes();
  }
  // Nodes that it held are free.
  const auto by_it = [&](const auto& held) { return held.body == id.index; };
  for (NodalBody& nodes : nodal_bodies_)
    if (std::erase_if(nodes.held, by_it) + std::erase_if(nodes.attached, by_it) > 0)
      bodies_[nodes.body].asleep = false, bodies_[nodes.body].quiet = {}, nodes.memory = {};
  slot_of_name_.erase(b.name);
  const std::uint32_t generation = b.generation;
  b = Body{};
  b.generation = generation;
  insert_descending(free_bodies_, id.index);
  --alive_count_;
  structure_version_ = next_structure_version();
}

bool World::contains(BodyId id) const {
  return id.index < bodies_.size() && bodies_[id.index].alive && bodies_[id.index].generation == id.generation;
}

const Body& World::body(BodyId id) const {
  if (!contains(id)) throw Error("This body id is stale: the body was removed, or never was in this world.");
  return bodies_[id.index];
}

Body& World::checked(BodyId id) { return const_cast<Body&>(body(id)); }

BodyId World::find(std::string_view name) const {
  if (const auto found = slot_of_name_.find(std::string(name)); found != slot_of_name_.end()) return id_of(found->second);
  std::vector<std::string> names;
  for (const Body& b : bodies_)
    if (b.alive) names.push_back(b.name);
  throw Error(fmt::format("There is no body '{}'. {}", name, suggest(name, names)));
}

void World::wake(BodyId id) {
  Body& b = checked(id);
  b.asleep = false;
  b.quiet = {};
}

void World::rebuild_derived() {
  free_bodies_.clear();
  free_colliders_.clear();
  alive_count_ = 0;
  slot_of_name_.clear();
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    if (!bodies_[i].alive) {
      free_bodies_.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    ++alive_count_;
    slot_of_name_[bodies_[i].name] = static_cast<std::uint32_t>(i);
    for (const std::uint32_t c : bodies_[i].colliders)
      if (c >= colliders_.size() || !colliders_[c].alive || colliders_[c].body != i)
        throw Error(fmt::format("Body slot {} names collider {}, which is not its own.", i, c));
  }
  number_nodes();
  for (std::size_t i = colliders_.size(); i-- > 0;) {
    colliders_[i].deforms = colliders_[i].alive && colliders_[i].node == kNoNode && !bodies_[colliders_[i].body].is_rigid();
    if (!colliders_[i].alive) free_colliders_.push_back(static_cast<std::uint32_t>(i));
    else if (colliders_[i].body >= bodies_.size() || !bodies_[colliders_[i].body].alive)
      throw Error(fmt::format("Collider {} belongs to no body.", i));
  }
  for (const RememberedImpulse& r : memory.impulses)
    if (r.key.a >= colliders_.size() || r.key.b >= colliders_.size())
      throw Error("A remembered impulse names a collider that does not exist.");
  joint_count_ = 0;
  slot_of_joint_name_.clear();
  for (std::uint32_t i = 0; i < joints_.size(); ++i) {
    if (!joints_[i].alive) continue;
    ++joint_count_;
    const JointDescription& d = joints_[i].description;
    slot_of_joint_name_[d.name] = i;
    const bool whole = d.type == JointType::gear ? contains(d.first.joint) && contains(d.second.joint)
                                                 : contains(d.b) && (d.a == BodyId{} || contains(d.a));
    if (!whole) throw Error(fmt::format("The joint '{}' connects what does not exist.", d.name));
  }
  find_apart();
  structure_version_ = next_structure_version();
}

}   // namespace stickslip
