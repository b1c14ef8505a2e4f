#include "step/sleep.h"

#include "step/detection.h"

namespace stickslip {

namespace {

/// Whether a joint has a motor that turns, or a servo whose target still moves.
bool moves_by_itself(const Joint& joint, double time) {
  return std::any_of(joint.description.axes.begin(), joint.description.axes.end(), [&](const JointAxis& a) {
    return (a.motor && a.motor->speed != 0) || (a.servo && !a.servo->path.empty() && time < a.servo->path.back().first);
  });
}

}  // namespace

bool SleepManager::wake_touched(World& world, const ContactSet& set) {
  auto& bodies = world.mutable_bodies();
  const auto colliders = world.colliders();
  stack_.clear();
  const auto wake = [&](std::uint32_t slot) {
    if (!bodies[slot].asleep) return;
    bodies[slot].asleep = false;
    bodies[slot].quiet_time = 0;
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
  const bool any = !stack_.empty();
  // Whatever shared an impulse with a woken body was part of its island.
  while (!stack_.empty()) {
    const std::uint32_t slot = stack_.back();
    stack_.pop_back();
    for (const RememberedImpulse& r : world.memory.impulses) {
      const std::uint32_t a = colliders[r.collider_a].body, b = colliders[r.collider_b].body;
      if (a == slot) wake(b);
      if (b == slot) wake(a);
    }
    for (const Joint& j : world.joints()) {
      if (!j.acts() || j.description.type == JointType::gear) continue;
      if (j.description.b.index == slot && j.description.a != BodyId{}) wake(j.description.a.index);
      if (j.description.a.index == slot) wake(j.description.b.index);
    }
  }
  return any;
}

std::uint32_t SleepManager::root(std::uint32_t body) {
  while (parent_[body] != body) body = parent_[body] = parent_[parent_[body]];
  return body;
}

std::size_t SleepManager::update(World& world, std::span<const ContactRecord> contacts, const StepOptions& options) {
  auto& bodies = world.mutable_bodies();
  const double limit = options.sleep.speed * world.gravity.norm() * options.h;
  const auto count = static_cast<std::uint32_t>(bodies.size());
  parent_.resize(count);
  quiet_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    parent_[i] = i;
    Body& b = bodies[i];
    if (!b.alive || !b.moves_by_forces()) continue;
    double reach = 0;
    for (const std::uint32_t c : b.colliders) reach = std::max(reach, world.colliders()[c].reach);
    const bool slow = b.velocity.norm() + reach * b.angular_velocity.norm() < limit;
    b.quiet_time = slow && b.can_sleep ? b.quiet_time + options.h : 0;
  }
  for (const ContactRecord& c : contacts) {
    const Body &a = bodies[c.body_a.index], &b = bodies[c.body_b.index];
    if (a.motion == MotionType::dynamic && b.motion == MotionType::dynamic) {
      const std::uint32_t x = root(c.body_a.index), y = root(c.body_b.index);
      parent_[std::max(x, y)] = std::min(x, y);
    } else if (!is_passive(a.motion == MotionType::dynamic ? b : a)) {
      // Touched by a driven body: stay awake.
      bodies[a.motion == MotionType::dynamic ? c.body_a.index : c.body_b.index].quiet_time = 0;
    }
  }
  for (const Joint& j : world.joints()) {
    if (!j.acts() || j.description.type == JointType::gear) continue;
    const std::uint32_t a = j.description.a.index, b = j.description.b.index;
    const bool has_a = j.description.a != BodyId{};
    if (has_a && bodies[a].motion == MotionType::dynamic && bodies[b].motion == MotionType::dynamic) {
      const std::uint32_t x = root(a), y = root(b);
      parent_[std::max(x, y)] = std::min(x, y);
    }
    if (moves_by_itself(j, world.time) || (has_a && bodies[a].motion == MotionType::kinematic && !is_passive(bodies[a]))) bodies[b].quiet_time = 0;
    if (has_a && (moves_by_itself(j, world.time) || (bodies[b].motion == MotionType::kinematic && !is_passive(bodies[b])))) bodies[a].quiet_time = 0;
  }
  for (std::uint32_t i = 0; i < count; ++i) quiet_[i] = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < count; ++i)
    if (bodies[i].alive && bodies[i].moves_by_forces()) {
      double& q = quiet_[root(i)];
      q = std::min(q, bodies[i].quiet_time);
    }
  std::size_t sleeping = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Body& b = bodies[i];
    if (!b.alive || b.motion != MotionType::dynamic) continue;
    if (!b.asleep && quiet_[root(i)] >= options.sleep.time) {
      b.asleep = true;
      b.velocity.setZero();
      b.angular_velocity.setZero();
    }
    sleeping += b.asleep;
  }
  return sleeping;
}

}  // namespace stickslip
