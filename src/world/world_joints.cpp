// The joints of a world.
#include <fmt/format.h>

#include <algorithm>

#include "stickslip/math/error.h"
#include "stickslip/world/world.h"
#include "world/check_numbers.h"
#include "world/joint_check.h"
#include "world/structure_version.h"

namespace stickslip {

namespace {

using SlotPair = std::pair<std::uint32_t, std::uint32_t>;

/// The bodies that a joint keeps from touching each other.
std::optional<SlotPair> kept_apart(const Joint& j) {
  const JointDescription& d = j.description;
  if (!j.acts() || d.type == JointType::gear || d.collide || d.a == BodyId{}) return {};
  return SlotPair(std::minmax(d.a.index, d.b.index));
}

void insert_sorted(std::vector<SlotPair>& pairs, const SlotPair& pair) {
  if (const auto at = std::lower_bound(pairs.begin(), pairs.end(), pair); at == pairs.end() || *at != pair)
    pairs.insert(at, pair);
}

std::string lacks(const Joint& joint, int coordinate, std::string_view what) {
  return fmt::format("The joint '{}' has no {} along {}. Give it one first: set_joint_axis, or \"{}\" in the scene.",
                     joint.description.name, what, joint_coordinate_name(coordinate), what);
}

}   // namespace

JointId World::add_joint(JointDescription d) {
  if (slot_of_joint_name_.contains(d.name))
    throw Error(fmt::format("There is already a joint '{}'. Joint names must differ.", d.name)).at("name");
  Joint joint = checked_joint(*this, std::move(d));
  std::uint32_t slot = 0;
  while (slot < joints_.size() && joints_[slot].alive) ++slot;
  if (joint_count_ == joints_.size()) {
    slot = static_cast<std::uint32_t>(joints_.size());
    joints_.emplace_back();
  }
  joint.generation = joints_[slot].generation + 1;
  joint.alive = true;
  std::string& name = joint.description.name;
  if (name.empty()) {
    name = fmt::format("joint-{}", slot);
    while (slot_of_joint_name_.contains(name)) name += "'";
  }
  slot_of_joint_name_[name] = slot;
  joints_[slot] = std::move(joint);
  ++joint_count_;
  structure_version_ = next_structure_version();
  wake_joined(slot);
  if (const auto pair = kept_apart(joints_[slot])) insert_sorted(apart_, *pair);
  return joint_id_of(slot);
}

void World::remove(JointId id) {
  Joint& joint = checked(id);
  for (std::uint32_t slot = 0; slot < joints_.size(); ++slot) {
    const JointDescription& d = joints_[slot].description;
    if (joints_[slot].alive && d.type == JointType::gear && (d.first.joint == id || d.second.joint == id))
      remove(joint_id_of(slot));
  }
  wake_joined(id.index);
  slot_of_joint_name_.erase(joint.description.name);
  const std::uint32_t generation = joint.generation;
  joint = Joint{};
  joint.generation = generation;
  --joint_count_;
  structure_version_ = next_structure_version();
  find_apart();
}

void World::remove_joints_of(BodyId id) {
  for (std::uint32_t slot = 0; slot < joints_.size(); ++slot) {
    const Joint& joint = joints_[slot];
    if (joint.alive && joint.description.type != JointType::gear && (joint.description.a == id || joint.description.b == id))
      remove(joint_id_of(slot));
  }
  std::erase_if(ignored_pairs_, [&](const auto& pair) { return pair.first == id.index || pair.second == id.index; });
}

bool World::contains(JointId id) const {
  return id.index < joints_.size() && joints_[id.index].alive && joints_[id.index].generation == id.generation;
}

const Joint& World::joint(JointId id) const {
  if (!contains(id)) throw Error("This joint id is stale: the joint was removed, or never was in this world.");
  return joints_[id.index];
}

Joint& World::checked(JointId id) { return const_cast<Joint&>(joint(id)); }

JointId World::find_joint(std::string_view name) const {
  if (const auto found = slot_of_joint_name_.find(std::string(name)); found != slot_of_joint_name_.end())
    return joint_id_of(found->second);
  std::vector<std::string> names;
  for (const Joint& j : joints_)
    if (j.alive) names.push_back(j.description.name);
  throw Error(fmt::format("There is no joint '{}'. {}", name, suggest(name, names)));
}

double World::joint_position(JointId id, int coordinate) const {
  const Joint& j = joint(id);
  if (j.description.type == JointType::gear)
    throw Error(fmt::format("The gear '{}' has no coordinates of its own.", j.description.name));
  return locate(*this, j).position[static_cast<std::size_t>(coordinate)];
}

void World::set_joint_axis(JointId id, int coordinate, JointAxis axis) {
  Joint& j = checked(id);
  JointAxis& present = j.description.axes[static_cast<std::size_t>(coordinate)];
  axis.locked = present.locked;
  check_axis(j.description, coordinate, axis);
  present = std::move(axis);
  wake_joined(id.index);
}

void World::set_effort(JointId id, int coordinate, double force) {
  const JointAxis& axis = joint(id).description.axes[static_cast<std::size_t>(coordinate)];
  if (!axis.effort) {
    JointAxis with = axis;
    with.effort = JointEffort{.force = force};
    set_joint_axis(id, coordinate, std::move(with));
    return;
  }
  require_finite(force, "effort", "a force");
  JointEffort& effort = *checked(id).description.axes[static_cast<std::size_t>(coordinate)].effort;
  drive(id, effort.force, effort.path, force);
}

void World::set_speed(JointId id, int coordinate, double speed) {
  auto& motor = checked(id).description.axes[static_cast<std::size_t>(coordinate)].motor;
  if (!motor) throw Error(lacks(joint(id), coordinate, "motor"));
  require_finite(speed, "speed", "a speed");
  drive(id, motor->speed, motor->path, speed);
}

void World::set_target(JointId id, int coordinate, double target) {
  auto& servo = checked(id).description.axes[static_cast<std::size_t>(coordinate)].servo;
  if (!servo) throw Error(lacks(joint(id), coordinate, "servo"));
  require_finite(target, "target", "a target");
  drive(id, servo->target, servo->path, target);
}

/// Gives a value that a path would move away again.
void World::drive(JointId id, double& value, JointPath& path, double wanted) {
  if (value == wanted && path.empty()) return;
  value = wanted;
  path.clear();
  wake_joined(id.index);
}

void World::break_joint(JointId id) {
  Joint& j = checked(id);
  j.broken = true;
  j.memory = {};
  wake_joined(id.index);
  structure_version_ = next_structure_version();
  find_apart();
}

void World::wake_joined(std::uint32_t slot) {
  const JointDescription& d = joints_[slot].description;
  if (d.type == JointType::gear) {
    for (const GearSide& side : {d.first, d.second})
      if (contains(side.joint)) wake_joined(side.joint.index);
    return;
  }
  for (const BodyId id : {d.a, d.b})
    if (contains(id)) wake(id);
}

void World::ignore_contacts(BodyId a, BodyId b) {
  body(a), body(b);
  const SlotPair pair = std::minmax(a.index, b.index);
  insert_sorted(ignored_pairs_, pair);
  insert_sorted(apart_, pair);
}

bool World::may_touch(std::uint32_t a, std::uint32_t b) const {
  return apart_.empty() || !std::binary_search(apart_.begin(), apart_.end(), SlotPair(std::minmax(a, b)));
}

void World::find_apart() {
  apart_ = ignored_pairs_;
  for (const Joint& j : joints_)
    if (const auto pair = kept_apart(j)) apart_.push_back(*pair);
  std::sort(apart_.begin(), apart_.end());
  apart_.erase(std::unique(apart_.begin(), apart_.end()), apart_.end());
}

}   // namespace stickslip
