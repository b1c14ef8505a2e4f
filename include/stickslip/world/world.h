// The world: bodies, their colliders, joints, materials, gravity, time. Everything that determines the next step.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stickslip/world/body.h"
#include "stickslip/world/contact_memory.h"
#include "stickslip/world/joint.h"
#include "stickslip/world/material.h"
#include "stickslip/world/nodal_body.h"

namespace stickslip {

class World {
 public:
  // Defined in one place: they instantiate a great deal, which every file that has a world would compile again.
  World();
  World(const World&);
  World(World&&) noexcept;
  World& operator=(const World&);
  World& operator=(World&&) noexcept;
  ~World();

  Vec3 gravity = {0, 0, -9.81};   ///< [m/s²]
  MaterialTable materials;

  /// @throws Error for anything that cannot be simulated: no parts, bad numbers, a half-space on a dynamic body, a body
  /// name in use.
  BodyId add(BodyDescription);
  /// Adds a body of nodes. @throws Error for bad numbers, a triangle of nodes that are not there, a body name in use.
  template <std::same_as<NodalDescription> Description>   // so that add({…}) still means a rigid body
  BodyId add(Description d) {
    return add_nodal(std::move(d));
  }
  /// Adds a soft body. @throws Error for bad numbers, no solid, pins that name no node or a body that moves by forces, a body
  /// name in use.
  template <std::same_as<SoftDescription> Description>
  BodyId add(Description d) {
    return add_soft(std::move(d));
  }

  /// Removes a body at any time; joints, contacts and remembered impulses with it go too, and what slept on it wakes.
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
  /// Bodies of nodes, in the order of `Body::place`.
  std::span<const NodalBody> nodal_bodies() const { return nodal_bodies_; }
  /// @throws Error if the id is stale or that of a rigid body.
  const NodalBody& nodal_body(BodyId) const;
  std::size_t node_count() const { return node_count_; }
  /// Movers (world/stencil.h): what a collider moves with as one, and how many there are.
  std::uint32_t mover_of(const Collider& c) const {
    return c.node == kNoNode
               ? c.body
               : static_cast<std::uint32_t>(bodies_.size()) + nodal_bodies_[bodies_[c.body].place].first_node + c.node;
  }
  std::size_t mover_count() const { return bodies_.size() + node_count_; }
  /// The node that a mover is, and its body. @pre mover ≥ bodies().size()
  std::pair<const NodalBody*, std::uint32_t> node(std::uint32_t mover) const;
  /// Slot of the body that a mover is, or belongs to.
  std::uint32_t body_of_mover(std::uint32_t mover) const { return mover < bodies_.size() ? mover : node(mover).first->body; }
  std::size_t body_count() const { return alive_count_; }
  /// Whether nodes of a soft body are attached to a body that moves by forces.
  bool has_attachments() const;

  /// Joins two bodies, or a body and the world. @throws Error for anything that cannot be simulated: stale ids, a body joined
  /// to itself, no body that moves by forces, bad numbers, settings of a coordinate that is locked, a name in use.
  template <std::same_as<JointDescription> Description>   // so that add({…}) still means a body
  JointId add(Description d) {
    return add_joint(std::move(d));
  }
  /// Removes a joint, and gears that couple it. @throws Error if the id is stale.
  void remove(JointId);
  bool contains(JointId) const;
  /// @throws Error if the id is stale.
  const Joint& joint(JointId) const;
  /// @throws Error with a suggestion for an unknown name.
  JointId find_joint(std::string_view name) const;
  JointId joint_id_of(std::uint32_t slot) const { return {slot, joints_[slot].generation}; }
  /// All slots, dead ones included.
  std::span<const Joint> joints() const { return joints_; }
  std::size_t joint_count() const { return joint_count_; }
  /// Coordinate of a joint now [m or rad]. @throws Error if the id is stale or a gear's.
  double joint_position(JointId, int coordinate) const;
  /// Breaks a joint as a load above its break_force would: it stays, but exerts nothing. @throws Error if the id is stale.
  void break_joint(JointId);
  /// Changes what a free coordinate does (limits, effort, motor, servo, spring, friction), and wakes the bodies. @throws Error
  /// as `add`
  void set_joint_axis(JointId, int coordinate, JointAxis);

  // Driving a coordinate of a joint, from step to step. Each holds until it is changed, in place of a path, and wakes the
  // bodies if it changes anything. @throws Error if the id is stale, the number is not finite, or as said below
  /// Applies a force [N or N m]; a coordinate without an effort gets one. @throws Error if the coordinate is not free
  void set_effort(JointId, int coordinate, double force);
  void set_speed(JointId, int coordinate, double speed);     ///< [m/s or rad/s] @throws Error without a motor there
  void set_target(JointId, int coordinate, double target);   ///< [m or rad] @throws Error without a servo there

  /// Keeps two bodies from touching each other. Joints do so by themselves unless they say `collide`. @throws Error if an id is
  /// stale.
  void ignore_contacts(BodyId, BodyId);
  /// Whether contacts between two body slots are wanted.
  bool may_touch(std::uint32_t slot_a, std::uint32_t slot_b) const;

  // Changing the state of one body. Each wakes it. A body of nodes moves as a whole; a torque cannot be applied to it.
  void set_frame(BodyId, const Pose& body_frame);
  void set_velocity(BodyId, const Vec3& velocity, const Vec3& angular_velocity);
  /// Replaces the applied force (at the centre of mass) and torque, world frame; both stay until replaced.
  void set_applied(BodyId, const Vec3& force, const Vec3& torque);
  /// Changes the velocity at once. @param impulse on the body, world frame [N s] @param point world frame [m]
  void apply_impulse(BodyId, const Vec3& impulse, const Vec3& point);
  void wake(BodyId);

  double time = 0;   ///< [s]
  std::uint64_t step_count = 0;
  ContactMemory memory;

  double kinetic_energy() const;     ///< of all dynamic bodies, and of armature [J]
  double potential_energy() const;   ///< −Σ m g·x of all dynamic bodies, and what soft ones store [J]
  double elastic_energy() const;     ///< what soft bodies store [J]
  Vec3 linear_momentum() const;      ///< [kg m/s]
  Vec3 angular_momentum() const;     ///< about the world origin [kg m²/s]

  /// Hash of everything that determines the motion: state, masses, shapes, materials, scripts, joints, sleep, remembered
  /// impulses, time; of a FunctionStructure only that it is one. Names do not count. Equal bits, equal hash.
  std::uint64_t state_hash() const;

  // For steppers and for restoring a saved state: raw access that checks nothing.
  std::vector<Body>& mutable_bodies() { return bodies_; }
  std::vector<Collider>& mutable_colliders() { return colliders_; }
  std::vector<NodalBody>& mutable_nodal_bodies() { return nodal_bodies_; }
  /// Tells `Body` about its nodes as a whole, after they moved.
  void summarise_nodes();
  /// Where held nodes of soft bodies are now, and how fast the bodies that hold them move there. What is held by something that
  /// moves is awake.
  void place_held_nodes();
  std::vector<Joint>& mutable_joints() { return joints_; }
  /// Pairs of body slots (smaller, larger) that `ignore_contacts` named, sorted.
  std::vector<std::pair<std::uint32_t, std::uint32_t>>& mutable_ignored_pairs() { return ignored_pairs_; }
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ignored_pairs() const { return ignored_pairs_; }
  /// Counts up whenever bodies, colliders or joints are added or removed, so that caches know.
  std::uint64_t structure_version() const { return structure_version_; }
  /// Recomputes what is derived (counts, free slots) after raw changes of slots. @throws Error if they are inconsistent.
  void rebuild_derived();

 private:
  Body& checked(BodyId);
  Joint& checked(JointId);
  JointId add_joint(JointDescription);
  BodyId add_nodal(NodalDescription);
  BodyId add_soft(SoftDescription);
  void hold(NodalBody&, const std::vector<NodePins>&);
  BodyId take_slot(std::string name);
  void add_collider(std::uint32_t body, Part, std::uint32_t node);
  void number_nodes();
  void remove_joints_of(BodyId);
  void wake_joined(std::uint32_t joint_slot);
  void drive(JointId, double& value, JointPath&, double wanted);
  void find_apart();
  std::string unused_name(std::uint32_t slot) const;

  std::vector<Body> bodies_;
  std::vector<Collider> colliders_;
  std::vector<NodalBody> nodal_bodies_;
  std::vector<std::uint32_t> free_bodies_, free_colliders_;   ///< descending, so that the lowest free slot is taken next
  std::vector<Joint> joints_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ignored_pairs_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> apart_;   ///< all pairs of body slots that do not touch, sorted; derived
  std::unordered_map<std::string, std::uint32_t> slot_of_name_, slot_of_joint_name_;
  std::size_t alive_count_ = 0, joint_count_ = 0, node_count_ = 0;
  std::uint64_t structure_version_ = 0;
};

}   // namespace stickslip
