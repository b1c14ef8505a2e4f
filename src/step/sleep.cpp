#include "step/sleep.h"

#include "step/body_kinds.h"
#include "step/detection.h"

namespace stickslip {

bool pair_rests(const World& world, const PartPair& pair) {
  const Body& a = world.bodies()[world.colliders()[pair.a].body];
  const Body& b = world.bodies()[world.colliders()[pair.b].body];
  return a.alive && b.alive && (a.asleep || b.asleep) && !a.moves_by_forces() && !b.moves_by_forces();
}

namespace {

constexpr double kGrowth = 1.8;      ///< farther after the whole wait than after half of it: 2 at a steady speed
constexpr double kUnbalanced = 10;   ///< tolerances of speed at which what solves leave unbalanced may carry bodies away

/// Whether a joint has a motor that turns, or a servo, a motor or an effort whose path is not over.
bool moves_by_itself(const Joint& joint, double time) {
  const auto goes_on = [&](const auto& drive) { return drive && !drive->path.empty() && time < drive->path.back().first; };
  return std::any_of(joint.description.axes.begin(), joint.description.axes.end(), [&](const JointAxis& a) {
    return (a.motor && motor_speed(*a.motor, time) != 0) || goes_on(a.motor) || goes_on(a.servo) || goes_on(a.effort);
  });
}

}   // namespace

bool SleepManager::wake_touched(World& world, const ContactSet& set) {
  auto& bodies = world.mutable_bodies();
  const auto colliders = world.colliders();
  stack_.clear();
  const auto wake = [&](std::uint32_t slot) {
    if (!bodies[slot].asleep) return;
    bodies[slot].asleep = false;
    bodies[slot].quiet = {};
    stack_.push_back(slot);
  };
  for (const Manifold& m : set.manifolds) {
    const std::uint32_t a = colliders[m.a].body, b = colliders[m.b].body;
    if (!is_passive(bodies[a])) wake(b);
    if (!is_passive(bodies[b])) wake(a);
  }
  const auto side = [&](BodyId id) { return id == BodyId{} ? nullptr : &bodies[id.index]; };
  for (const Joint& j : world.joints()) {
    if (!j.acts() || j.description.type == JointType::gear) continue;
    const Body *a = side(j.description.a), *b = side(j.description.b);
    if (a && !is_passive(*a)) wake(j.description.b.index);
    if (a && !is_passive(*b)) wake(j.description.a.index);
    if (b->asleep && moves_by_itself(j, world.time)) wake(j.description.b.index);
    if (a && a->asleep && moves_by_itself(j, world.time)) wake(j.description.a.index);
  }
  for (const NodalBody& nodes : world.nodal_bodies())
    for (const AttachedNode& a : nodes.attached) {
      if (!is_passive(bodies[nodes.body])) wake(a.body);
      if (!is_passive(bodies[a.body])) wake(nodes.body);
    }
  const bool any = !stack_.empty();
  // Whatever shared an impulse with a woken body was part of its island.
  while (!stack_.empty()) {
    const std::uint32_t slot = stack_.back();
    stack_.pop_back();
    for (const RememberedImpulse& r : world.memory.impulses) {
      const std::uint32_t a = colliders[r.key.a].body, b = colliders[r.key.b].body;
      if (a == slot) wake(b);
      if (b == slot) wake(a);
    }
    for (const Joint& j : world.joints()) {
      if (!j.acts() || j.description.type == JointType::gear) continue;
      if (j.description.b.index == slot && j.description.a != BodyId{}) wake(j.description.a.index);
      if (j.description.a.index == slot) wake(j.description.b.index);
    }
    for (const NodalBody& nodes : world.nodal_bodies())
      for (const AttachedNode& a : nodes.attached) {
        if (a.body == slot) wake(nodes.body);
        if (nodes.body == slot) wake(a.body);
      }
  }
  return any;
}

/// Unites bodies that touch or are joined; those that something drives stay awake.
void SleepManager::find_islands(World& world, std::span<const ContactRecord> contacts) {
  auto& bodies = world.mutable_bodies();
  const auto connect = [&](std::uint32_t a, std::uint32_t b, bool driven) {
    const bool a_moves = bodies[a].motion == MotionType::dynamic, b_moves = bodies[b].motion == MotionType::dynamic;
    if (a_moves && b_moves) together_.join(a, b);
    if (a_moves && (driven || (!b_moves && !is_passive(bodies[b])))) bodies[a].quiet = {};
    if (b_moves && (driven || (!a_moves && !is_passive(bodies[a])))) bodies[b].quiet = {};
  };
  for (const ContactRecord& c : contacts) connect(c.body_a.index, c.body_b.index, false);
  for (const Joint& j : world.joints()) {
    if (!j.acts() || j.description.type == JointType::gear) continue;
    const std::uint32_t b = j.description.b.index;
    connect(j.description.a != BodyId{} ? j.description.a.index : b, b, moves_by_itself(j, world.time));
  }
  for (const NodalBody& nodes : world.nodal_bodies())
    for (const AttachedNode& a : nodes.attached) connect(nodes.body, a.body, false);
}

/// What has been slow for long enough rests unless it went somewhere, or is still on its way however slowly.
bool SleepManager::rests(const Island& i, const World& world, const StepOptions& options) const {
  const double fall = world.gravity.norm() * options.h, nothing = kUnbalanced * options.tolerance * fall * options.sleep.time;
  const bool grows = i.far_squared > kGrowth * kGrowth * i.early_squared && i.farthest > nothing;
  return i.farthest < options.sleep.speed * fall * options.h && !grows;
}

std::size_t SleepManager::update(World& world, std::span<const ContactRecord> contacts, const StepOptions& options) {
  auto& bodies = world.mutable_bodies();
  const auto count = static_cast<std::uint32_t>(bodies.size());
  together_.begin(count);
  islands_.assign(count, {});
  for (const BodyKindSteps* kind : body_kinds()) kind->watch(world, options);
  find_islands(world, contacts);
  for (std::uint32_t i = 0; i < count; ++i)
    if (bodies[i].alive && bodies[i].moves_by_forces()) islands_[together_.root(i)].add(bodies[i].quiet);
  std::size_t sleeping = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Body& b = bodies[i];
    if (!b.alive || b.motion != MotionType::dynamic) continue;
    if (const Island& island = islands_[together_.root(i)]; !b.asleep && island.quiet_time >= options.sleep.time) {
      b.asleep = rests(island, world, options);
      b.quiet = {};
      if (b.asleep) steps_of(b).stop(world, b);
    }
    sleeping += b.asleep;
  }
  return sleeping;
}

}   // namespace stickslip
