#include "step/barrier/barrier_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/unions.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kHard = 1e3;                        ///< of the mass that hangs on a joint over h²
constexpr double kSoftest = 1e-2, kStiffer = 10.1;   ///< factors of that in the first round, and from round to round
constexpr double kLittleTurn = 0.01;                 ///< of a body in a step that joints need no rounds for [rad]
constexpr double kDifference = 1e-6;                 ///< for second derivatives: of lengths over the joint's, and of angles

Eigen::Matrix<double, 12, 1> over_bodies(const JointRow& row) {
  Eigen::Matrix<double, 12, 1> v;
  v << -row.linear, row.angular_a, row.linear, row.angular_b;
  return v;
}

}   // namespace

void BarrierJoints::begin(const World& world, const BarrierBodies& bodies, const StepOptions& options) {
  world_ = &world;
  options_ = options;
  held_.clear();
  links_.clear();
  turns_ = false;
  if (world.joint_count() == 0) return;
  Unions together(bodies.rigid().size());
  const auto joints = world.joints();
  for (std::uint32_t slot = 0; slot < joints.size(); ++slot) {
    const Joint& joint = joints[slot];
    if (!joint.acts()) continue;
    const JointDescription& d = joint.description;
    if (d.type == JointType::gear)
      throw Error(fmt::format("Joint '{}' is a gear, which the integrator 'barrier' cannot keep. Use 'impulse'.", d.name));
    Held held;
    held.slot = slot;
    if (d.a != BodyId{}) held.a = bodies.rigid_of(d.a.index);
    if (d.b != BodyId{}) held.b = bodies.rigid_of(d.b.index);
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
  for (Held& held : held_) {
    double hangs = 0;
    for (const std::uint32_t r : {held.a, held.b})
      if (r != kNoBlock && !bodies.rigid()[r].driven) hangs = std::max(hangs, mass[together.root(r)]);
    held.hold = kHard * hangs / (options.h * options.h);
    add_terms(place_of(bodies, held), held);
  }
}

bool BarrierJoints::stiffen(int round) {
  factor_ = turns_ && !held_.empty() ? std::min(1.0, kSoftest * std::pow(kStiffer, round)) : 1;
  return factor_ == 1;
}

Pose BarrierJoints::pose_of(const BarrierBodies& bodies, BodyId id, std::uint32_t rigid) const {
  if (rigid != kNoBlock) return bodies.rigid()[rigid].now;
  if (id == BodyId{}) return {};
  const Body& b = world_->bodies()[id.index];
  return {b.position, b.orientation};
}

JointPlace BarrierJoints::place_of(const BarrierBodies& bodies, const Held& held) const {
  const Joint& joint = world_->joints()[held.slot];
  const JointDescription& d = joint.description;
  return locate(*world_, joint, pose_of(bodies, d.a, held.a), pose_of(bodies, d.b, held.b));
}

BarrierJoints::Reading BarrierJoints::read(const Held& held, const JointPlace& place, const Term& t) const {
  Reading r{place.position[t.coordinate], place.row[t.coordinate]};
  if (t.part == JointPart::swing) {
    std::tie(r.value, r.row) = swing_of(place);
  } else if (t.part == JointPart::coupling) {
    const Joint& joint = world_->joints()[held.slot];
    const double pitch = joint.description.pitch / (2 * std::numbers::pi);
    const JointRow& turn = place.row[joint_turn_z];
    r.value -= pitch * place.position[joint_turn_z] + joint.coupling_start;
    r.row.angular_a -= pitch * turn.angular_a;
    r.row.angular_b -= pitch * turn.angular_b;
  }
  r.value *= t.scale;
  for (Vec3* v : {&r.row.linear, &r.row.angular_a, &r.row.angular_b}) *v *= t.scale;
  return r;
}

ScalarFunction BarrierJoints::energy_of(const Held& held, const Term& t, double c) const {
  const double k = t.hard ? factor_ * held.hold : t.stiffness, s = c - t.rest, size = std::abs(s), sign = s < 0 ? -1 : 1;
  switch (t.form) {
    case Form::beyond:
      if (s >= 0) return {};
      [[fallthrough]];
    case Form::quadratic:
      return {0.5 * k * s * s, k * s, k};
    case Form::linear:
      return {-t.most * s, -t.most, 0};
    case Form::capped:
      if (k * size <= t.most) return {0.5 * k * s * s, k * s, k};
      return {t.most * (size - 0.5 * t.most / k), sign * t.most, 0};
    case Form::friction: {
      const ScalarFunction f = smooth_friction(size, t.length);
      return {t.most * f.value, t.most * sign * f.first, t.most * f.second};
    }
  }
  return {};
}

void BarrierJoints::add(const JointPlace& place, Held& held, Term t) const {
  t.start = read(held, place, t).value;
  // What follows the motion says how far it is from where that starts.
  if (t.part == JointPart::effort || t.part == JointPart::armature || t.part == JointPart::motor ||
      t.part == JointPart::friction || t.part == JointPart::damper)
    t.rest += t.start;
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
    motor.hard = true;
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
    lock.hard = true;
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
    limit.hard = !(axis.limit_stiffness > 0) && !(axis.limit_damping > 0);
    limit.stiffness = axis.limit_stiffness / (t.scale * t.scale);
    if (limit.hard || limit.stiffness > 0) add(place, held, limit);
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
    coupling.hard = true;
    add(place, held, coupling);
  }
  if (std::isfinite(joint.description.swing_limit)) {
    Term swing;
    swing.part = JointPart::swing;
    swing.coordinate = joint_turn_z;
    swing.form = Form::beyond;
    swing.hard = true;
    swing.scale = -joint.row_length;
    swing.rest = -joint.row_length * joint.description.swing_limit;
    add(place, held, swing);
  }
}

void BarrierJoints::add_energies(const BarrierBodies& bodies, std::span<const std::uint32_t> piece_of_group,
                                 std::span<double> out) const {
  for (const Held& held : held_) {
    const JointPlace place = place_of(bodies, held);
    double& sum = out[piece_of_group[held.b != kNoBlock ? held.b : held.a]];
    for (const Term& t : held.terms) sum += energy_of(held, t, read(held, place, t).value).value;
  }
}

BarrierJoints::Vec12 BarrierJoints::gradient_of(const Held& held, const JointPlace& place) const {
  Vec12 g = Vec12::Zero();
  for (const Term& t : held.terms) {
    const Reading r = read(held, place, t);
    g += energy_of(held, t, r.value).first * over_bodies(r.row);
  }
  return g;
}

void BarrierJoints::add_gradient(const BarrierBodies& bodies, std::span<double> out) const {
  for (const Held& held : held_) {
    const Vec12 g = gradient_of(held, place_of(bodies, held));
    for (const auto& [r, first] : {std::pair(held.a, 0), std::pair(held.b, 6)})
      if (r != kNoBlock) Eigen::Map<Eigen::Matrix<double, 6, 1>>(out.data() + 6 * std::size_t{r}) += g.segment<6>(first);
  }
}

void BarrierJoints::want_blocks(BlockAssembly& m) const {
  for (const auto& [a, b] : links_)
    for (std::uint32_t i = 0; i < 2; ++i)
      for (std::uint32_t j = 0; j < 2; ++j) m.want(BarrierBodies::block_of_rigid(a) + i, BarrierBodies::block_of_rigid(b) + j);
}

/// Σ φ' ∂²c/∂x², by differences of rows.
BarrierJoints::Mat12 BarrierJoints::bend_of(const BarrierBodies& bodies, const Held& held) const {
  const Joint& joint = world_->joints()[held.slot];
  const JointDescription& d = joint.description;
  const JointPlace here = place_of(bodies, held);
  std::vector<double> slopes;
  for (const Term& t : held.terms) slopes.push_back(energy_of(held, t, read(held, here, t).value).first);
  const std::array<Pose, 2> poses{pose_of(bodies, d.a, held.a), pose_of(bodies, d.b, held.b)};
  const auto sum_at = [&](int k, double way) {
    std::array<Pose, 2> moved = poses;
    Pose& pose = moved[k / 6];
    Vec3 change = Vec3::Zero();
    change[k % 3] = way;
    if (k % 6 < 3) pose.position += change;
    else pose.orientation = (rotation_from_vector(change) * pose.orientation).normalized();
    const JointPlace place = locate(*world_, joint, moved[0], moved[1]);
    Vec12 sum = Vec12::Zero();
    for (std::size_t i = 0; i < held.terms.size(); ++i) sum += slopes[i] * over_bodies(read(held, place, held.terms[i]).row);
    return sum;
  };
  Mat12 m = Mat12::Zero();
  for (int k = 0; k < 12; ++k) {
    if ((k < 6 ? held.a : held.b) == kNoBlock) continue;
    const double way = kDifference * (k % 6 < 3 ? joint.row_length : 1);
    m.col(k) = (sum_at(k, way) - sum_at(k, -way)) / (2 * way);
  }
  return 0.5 * (m + m.transpose());
}

void BarrierJoints::add_hessian(const BarrierBodies& bodies, bool projected, BlockAssembly& m) const {
  for (const Held& held : held_) {
    Mat12 h = bend_of(bodies, held);
    if (projected) {
      const Eigen::SelfAdjointEigenSolver<Mat12> eigen(h);
      h = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
    }
    const JointPlace place = place_of(bodies, held);
    for (const Term& t : held.terms) {
      const Reading r = read(held, place, t);
      const Vec12 row = over_bodies(r.row);
      h += energy_of(held, t, r.value).second * row * row.transpose();
    }
    const std::array<std::uint32_t, 2> sides{held.a, held.b};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const std::uint32_t a = sides[i / 2], b = sides[j / 2];
        if (a == kNoBlock || b == kNoBlock) continue;
        const std::uint32_t row = BarrierBodies::block_of_rigid(a) + i % 2, column = BarrierBodies::block_of_rigid(b) + j % 2;
        if (row >= column) m.add(row, column, h.block<3, 3>(3 * i, 3 * j));
      }
  }
}

void BarrierJoints::record(World& world, const BarrierBodies& bodies, StepReport& report) const {
  report.joints.clear();
  EnergyLedger& energy = report.energy;
  for (const Held& held : held_) {
    Joint& joint = world.mutable_joints()[held.slot];
    const JointPlace place = place_of(bodies, held);
    JointRecord record;
    record.joint = world.joint_id_of(held.slot);
    record.frame = place.frame_a.orientation;
    record.point = place.frame_b.position;
    const Vec3 arm = place.frame_b.position - pose_of(bodies, joint.description.b, held.b).position;
    for (const Term& t : held.terms) {
      const Reading r = read(held, place, t);
      const double force = -energy_of(held, t, r.value).first, work = force * (r.value - t.start);
      record.force += force * r.row.linear;
      record.torque += force * (r.row.angular_b - arm.cross(r.row.linear));
      if (is_drive(t.part)) record.motor_force[t.coordinate] += force * t.scale;
      if (is_of_free_coordinate(t.part)) record.free_force[t.coordinate] += force * t.scale;
      if (t.part == JointPart::coupling) record.coupling_force += force * t.scale;
      if (t.part == JointPart::friction) joint.memory.friction[t.coordinate] = options_.h * force;
      if (is_drive(t.part)) energy.motors += work;
      else if (t.part == JointPart::friction) energy.friction -= work;
      else if (t.part == JointPart::spring || t.part == JointPart::damper) energy.springs += work;
      else if (t.part != JointPart::armature) energy.impact -= work;   // which stays kinetic energy
    }
    joint.memory.force = record.force;
    report.joints.push_back(record);
  }
}

}   // namespace stickslip
