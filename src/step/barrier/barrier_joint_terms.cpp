// Which energies the joints of a step have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/unions.h"
#include "step/barrier/barrier_joints.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kLittleTurn = 0.01;   ///< of a body in a step that joints need no rounds for [rad]

}   // namespace

BarrierJoints::Held BarrierJoints::held_by(std::uint32_t slot, const BarrierBodies& bodies) const {
  const JointDescription& d = world_->joints()[slot].description;
  Held held;
  held.slot = slot;
  if (d.a != BodyId{}) held.a = bodies.rigid_of(d.a.index);
  if (d.b != BodyId{}) held.b = bodies.rigid_of(d.b.index);
  return held;
}

void BarrierJoints::begin(const World& world, const BarrierBodies& bodies, const StepOptions& options) {
  world_ = &world;
  options_ = options;
  held_.clear();
  gears_.clear();
  links_.clear();
  turns_ = false;
  if (world.joint_count() == 0) return;
  Unions together(bodies.rigid().size());
  const auto joints = world.joints();
  for (std::uint32_t slot = 0; slot < joints.size(); ++slot) {
    if (!joints[slot].acts() || joints[slot].description.type == JointType::gear) continue;
    Held held = held_by(slot, bodies);
    if (held.a == kNoBlock && held.b == kNoBlock) continue;
    for (const std::uint32_t r : {held.a, held.b})
      if (r != kNoBlock) {
        const BarrierBodies::Rigid& body = bodies.rigid()[r];
        turns_ = turns_ || body.start.orientation.angularDistance(body.target.orientation) > kLittleTurn;
      }
    if (held.a != kNoBlock && held.b != kNoBlock) {
      links_.push_back({held.a, held.b});
      if (!bodies.rigid()[held.a].driven && !bodies.rigid()[held.b].driven) together.join(held.a, held.b);
    }
    held_.push_back(std::move(held));
  }
  std::vector<double> mass(bodies.rigid().size(), 0.0);
  for (std::uint32_t r = 0; r < mass.size(); ++r)
    if (!bodies.rigid()[r].driven) mass[together.root(r)] += bodies.rigid()[r].mass;
  const auto hangs_with = [&](std::uint32_t r) {
    return r == kNoBlock || bodies.rigid()[r].driven ? 0.0 : mass[together.root(r)];
  };
  for (Held& held : held_) {
    held.hold = kHard * std::max(hangs_with(held.a), hangs_with(held.b)) / (options.h * options.h);
    add_terms(place_of(bodies, held), held);
  }
  for (std::uint32_t slot = 0; slot < joints.size(); ++slot)
    if (joints[slot].acts() && joints[slot].description.type == JointType::gear) add_gear(slot, bodies, hangs_with);
}

void BarrierJoints::add(const JointPlace& place, Held& held, Term t) const {
  t.start = read(held, place, t).value;
  // What follows the motion says how far it is from where that starts.
  if (t.part == JointPart::effort || t.part == JointPart::armature || t.part == JointPart::motor ||
      t.part == JointPart::friction || t.part == JointPart::damper)
    t.rest += t.start;
  if (t.form == Form::capped && !std::isfinite(t.most)) t.form = Form::quadratic;
  if (is_limited(t) && world_->memory.h > 0) {
    const JointMemory& memory = world_->joints()[held.slot].memory;
    const auto& impulses = t.part == JointPart::motor   ? memory.motor
                           : t.part == JointPart::servo ? memory.servo
                                                        : memory.friction;
    t.pull = std::clamp(-impulses[t.coordinate] / (world_->memory.h * t.most), -1.0, 1.0);
  }
  t.next_pull = t.pull;
  held.terms.push_back(t);
}

/// Efforts, armature, motors and servos.
void BarrierJoints::add_drives(const JointPlace& place, const Term& t, Held& held) const {
  const JointDescription& d = world_->joints()[held.slot].description;
  const std::size_t at = t.coordinate;
  const JointAxis& axis = d.axes[at];
  const double scale = t.scale, square = scale * scale, h = options_.h;
  if (axis.effort) {
    Term effort = t;
    effort.part = JointPart::effort;
    effort.form = Form::linear;
    effort.most = effort_force(*axis.effort, world_->time + h) / scale;
    add(place, held, effort);
  }
  if (axis.armature > 0) {
    if (d.type == JointType::ball)
      throw Error(fmt::format("The ball joint '{}' has armature, which the integrator 'barrier' does not know. Use 'impulse'.",
                              d.name));
    Term armature = t;
    armature.part = JointPart::armature;
    armature.stiffness = axis.armature / (h * h * square);
    armature.rest = h * scale * rate(*world_, d, place.row[at]);
    add(place, held, armature);
  }
  if (axis.motor) {
    Term motor = t;
    motor.part = JointPart::motor;
    motor.form = Form::capped;
    motor.hard = kMotorHard;
    motor.rest = h * scale * motor_speed(*axis.motor, world_->time + 0.5 * h);
    motor.most = axis.motor->max_force / scale;
    add(place, held, motor);
  }
  if (axis.servo) {
    const auto [target, speed] = servo_target(*axis.servo, world_->time + h);
    Term servo = t;
    servo.part = JointPart::servo;
    servo.form = Form::capped;
    const double damper = axis.servo->damping / h, start = place.position[at];
    servo.stiffness = (axis.servo->stiffness + damper) / square;
    servo.rest = scale * (axis.servo->stiffness * target + damper * (start + h * speed)) / (axis.servo->stiffness + damper);
    servo.most = axis.servo->max_force / scale;
    add(place, held, servo);
  }
}

void BarrierJoints::add_axis(const JointPlace& place, int coordinate, Held& held) const {
  const Joint& joint = world_->joints()[held.slot];
  const std::size_t at = static_cast<std::size_t>(coordinate);
  const JointAxis& axis = joint.description.axes[at];
  const double scale = is_turn(coordinate) ? joint.row_length : 1, square = scale * scale, h = options_.h;
  Term t;
  t.coordinate = static_cast<std::uint8_t>(coordinate);
  t.scale = scale;
  if (axis.locked) {
    Term lock = t;
    lock.hard = 1;
    lock.rest = joint.description.type == JointType::distance ? joint.description.length : 0;
    add(place, held, lock);
  }
  add_drives(place, t, held);
  if (axis.spring) {
    Term spring = t;
    spring.part = JointPart::spring;
    spring.stiffness = axis.spring->stiffness / square;
    spring.rest = scale * axis.spring->rest;
    if (spring.stiffness > 0) add(place, held, spring);
    spring.part = JointPart::damper;
    spring.stiffness = axis.spring->damping / (h * square);
    spring.rest = 0;
    if (spring.stiffness > 0) add(place, held, spring);
  }
  if (axis.friction > 0) {
    Term friction = t;
    friction.part = JointPart::friction;
    friction.form = Form::friction;
    friction.most = axis.friction / scale;
    friction.length = options_.barrier.slip * options_.barrier.range * joint.row_length;
    const double held_with = world_->memory.h > 0 ? joint.memory.friction[at] / world_->memory.h : 0;   // against the way
    const double part = std::min(1.0, std::abs(held_with) / friction.most);
    friction.rest = (held_with > 0 ? 1 : -1) * way_of_friction(part, friction.length);
    add(place, held, friction);
  }
  add_limits(place, t, held);
}

void BarrierJoints::add_limits(const JointPlace& place, const Term& t, Held& held) const {
  const JointAxis& axis = world_->joints()[held.slot].description.axes[t.coordinate];
  for (const auto& [part, has, bound, sign] : {std::tuple(JointPart::lower, axis.has_lower(), axis.lower, 1.0),
                                               std::tuple(JointPart::upper, axis.has_upper(), axis.upper, -1.0)}) {
    if (!has) continue;
    Term limit = t;
    limit.part = part;
    limit.form = Form::beyond;
    limit.scale = sign * t.scale;
    limit.rest = sign * t.scale * bound;
    limit.hard = axis.limit_stiffness > 0 || axis.limit_damping > 0 ? 0 : 1;
    limit.stiffness = axis.limit_stiffness / (t.scale * t.scale);
    if (limit.hard > 0 || limit.stiffness > 0) add(place, held, limit);
    if (!(axis.limit_damping > 0)) continue;
    // A damper resists going farther beyond the limit than at the start.
    limit.stiffness = axis.limit_damping / (options_.h * t.scale * t.scale);
    limit.rest = std::min(limit.rest, read(held, place, limit).value);
    add(place, held, limit);
  }
}

void BarrierJoints::add_terms(const JointPlace& place, Held& held) const {
  const Joint& joint = world_->joints()[held.slot];
  for (int k = 0; k < kJointCoordinates; ++k) add_axis(place, k, held);
  if (joint.description.type == JointType::screw) {
    Term coupling;
    coupling.part = JointPart::coupling;
    coupling.coordinate = joint_z;
    coupling.hard = 1;
    add(place, held, coupling);
  }
  if (std::isfinite(joint.description.swing_limit)) {
    Term swing;
    swing.part = JointPart::swing;
    swing.coordinate = joint_turn_z;
    swing.form = Form::beyond;
    swing.hard = 1;
    swing.scale = -joint.row_length;
    swing.rest = -joint.row_length * joint.description.swing_limit;
    add(place, held, swing);
  }
}

}   // namespace stickslip
