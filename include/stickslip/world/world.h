// The world: bodies, their colliders, materials, gravity, time. Everything that determines the next step.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stickslip/world/body.h"
#include "stickslip/world/contact_memory.h"
#include "stickslip/world/material.h"

namespace stickslip {

class World {
 public:
  Vec3 gravity = {0, 0, -9.81};   ///< [m/s²]
  MaterialTable materials;

  /// @throws Error for anything that cannot be simulated: no parts, bad numbers, a half-space on a dynamic body, a body
  /// name in use.
  BodyId add(BodyDescription);

  /// Removes a body at any time; contacts and remembered impulses with it go too, and what slept on it wakes.
  /// @throws Error if the id is stale.
  void remove(BodyId);

  bool contains(BodyId) const;
  /// @throws Error if the id is stale.
  const Body& body(BodyId) const;
  /// @throws Error with a suggestion for an unknown name.
  BodyId find(std::string_view name) const;
  BodyId id_of(std::uint32_t slot) const { return {slot, bodies_[slot].generation}; }

  /// All slots, dead ones included; iterate with `alive`. Slot order is the order of everything deterministic.
  std::span<const Body> bodies() const { return bodies_; }
  std::span<const Collider> colliders() const { return colliders_; }
  std::size_t body_count() const { return alive_count_; }

  // Changing the state of one body. Each wakes it.
  void set_frame(BodyId, const Pose& body_frame);
  void set_velocity(BodyId, const Vec3& velocity, const Vec3& angular_velocity);
  /// Replaces the applied force (at the centre of mass) and torque, world frame; both stay until replaced.
  void set_applied(BodyId, const Vec3& force, const Vec3& torque);
  /// Changes the velocity at once. @param impulse on the body, world frame [N s] @param point world frame [m]
  void apply_impulse(BodyId, const Vec3& impulse, const Vec3& point);
  void wake(BodyId);

  double time = 0;               ///< [s]
  std::uint64_t step_count = 0;
  ContactMemory memory;

  double kinetic_energy() const;     ///< of all dynamic bodies [J]
  double potential_energy() const;   ///< −Σ m g·x of all dynamic bodies [J]
  Vec3 linear_momentum() const;      ///< [kg m/s]
  Vec3 angular_momentum() const;     ///< about the world origin [kg m²/s]

  /// Hash of everything that determines the motion: state, sleep, remembered impulses, time. Equal bits, equal hash.
  std::uint64_t state_hash() const;

  // For steppers and for restoring a saved state: raw access that checks nothing.
  std::vector<Body>& mutable_bodies() { return bodies_; }
  std::vector<Collider>& mutable_colliders() { return colliders_; }
  /// Counts up whenever bodies or colliders are added or removed, so that caches know.
  std::uint64_t structure_version() const { return structure_version_; }
  /// Recomputes what is derived (counts, free slots) after raw changes of slots. @throws Error if they are inconsistent.
  void rebuild_derived();

 private:
  Body& checked(BodyId);
  std::string unused_name(std::uint32_t slot) const;

  std::vector<Body> bodies_;
  std::vector<Collider> colliders_;
  std::vector<std::uint32_t> free_bodies_, free_colliders_;   ///< descending, so that the lowest free slot is taken next
  std::unordered_map<std::string, std::uint32_t> slot_of_name_;
  std::size_t alive_count_ = 0;
  std::uint64_t structure_version_ = 0;
};

}  // namespace stickslip
