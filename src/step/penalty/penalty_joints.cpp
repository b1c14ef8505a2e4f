#include "step/penalty/penalty_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "step/free_motion.h"
#include "stickslip/math/error.h"

namespace stickslip {

double PenaltyJointRow::force_at(double c, double rate) const {
  if (one_sided) return c < 0 ? std::max(0.0, -stiffness * c - damping * rate) : 0;
  return std::clamp(push - stiffness * c - damping * (rate - target_speed), -most, most);
}

double PenaltyJointRow::slope_at(double c, double rate, double time) const {
  const double f = force_at(c, rate);
  if (one_sided ? !(f > 0) : !(std::abs(f) < most)) return 0;
  return time * stiffness + damping;
}

void PenaltyJointRow::move(double time, double drift) {
  value += time * (drift - target_speed);
  if (part == JointPart::friction) value = std::clamp(value, -most / stiffness, most / stiffness);
}

/// One joint and where it is.
struct PenaltyJoints::View {
  std::uint32_t slot;
  const Joint& joint;
  JointPlace place, middle;   ///< now, and in the middle of the piece, whose rows are taken

  const JointDescription& description() const { return joint.description; }
  double scale(int coordinate) const { return is_turn(coordinate) ? joint.row_length : 1; }
  JointRow spin_row(int coordinate) const {
    const Vec3 axis = middle.frame_b.rotation().col(coordinate - joint_turn_x);
    return {Vec3::Zero(), -axis, axis};
  }
};

namespace {

constexpr double kChordPart = 1;        ///< of the wanted depth by which a body may leave the arc on which a joint holds it
constexpr double kSwingPhase = 0.5;     ///< of the swing that tension gives in a piece [rad]
constexpr double kMotorDamping = 1e7;   ///< of implicit steps, times what would keep the speed of its own bodies for a step

void add_motion(const PenaltySetting& s, const JointDescription& d, const JointRow& rate, double factor, PenaltyJointRow& row) {
  for (const auto& [id, linear, angular] : {std::tuple(d.a, Vec3(-factor * rate.linear), Vec3(factor * rate.angular_a)),
                                            std::tuple(d.b, Vec3(factor * rate.linear), Vec3(factor * rate.angular_b))}) {
    if (id == BodyId{}) continue;
    const Body& b = s.world.bodies()[id.index];
    const std::uint32_t segment = s.space.segment_of(id.index);
    if (segment == kNoSegment) {
      if (b.motion == MotionType::kinematic) row.driven += linear.dot(b.velocity) + angular.dot(b.angular_velocity);
      continue;
    }
    int at = 0;
    while (at < row.count && row.movers[static_cast<std::size_t>(at)].segment != segment) ++at;
    PenaltyJointRow::Mover& mover = row.movers[static_cast<std::size_t>(at)];
    if (at == row.count) {
      ++row.count;
      mover = {segment, static_cast<std::uint32_t>(s.space.offset(segment))};
    }
    mover.direction.head<3>() += linear;
    mover.direction.tail<3>() += angular;
  }
}

double row_mass(const PenaltySetting& s, const PenaltyJointRow& row) {
  double inverse = 0;
  for (int k = 0; k < row.count; ++k) {
    const PenaltyJointRow::Mover& m = row.movers[static_cast<std::size_t>(k)];
    const VelocitySegment& segment = s.problem.segments[m.segment];
    const Vec3 turn = m.direction.tail<3>();
    inverse += segment.inverse_mass * m.direction.head<3>().squaredNorm() + turn.dot(segment.inverse_inertia * turn);
  }
  return inverse > 0 ? 1 / inverse : 0;
}

}   // namespace

PenaltyJointRow PenaltyJoints::row_of(const PenaltySetting& s, const View& v, JointPart part, int coordinate,
                                      const JointRow& rate, double scale) const {
  PenaltyJointRow row;
  row.joint = v.slot;
  row.part = part;
  row.coordinate = static_cast<std::uint8_t>(coordinate);
  row.scale = scale;
  const Vec3 arm = v.middle.frame_b.position - middles_[v.description().b.index].position;
  row.force_on_b = scale * rate.linear;
  row.torque_on_b = scale * (rate.angular_b - arm.cross(rate.linear));
  add_motion(s, v.description(), rate, scale, row);
  double longest = arm.norm();
  if (v.description().a != BodyId{})
    longest = std::max(longest, (v.middle.frame_a.position - middles_[v.description().a.index].position).norm());
  hold(s, row, is_turn(coordinate) ? std::max(1.0, longest / v.joint.row_length) : 1);
  return row;
}

/// Stiffness that keeps a row within the wanted depth, with critical damping. @param lever by which loads pull at it
void PenaltyJoints::hold(const PenaltySetting& s, PenaltyJointRow& row, double lever) const {
  const double mass = row_mass(s, row);
  double load = 0, heaviest = 0;
  for (int k = 0; k < row.count; ++k) {
    const std::uint32_t segment = row.movers[static_cast<std::size_t>(k)].segment;
    load = std::max(load, segment_load_[segment]);
    heaviest = std::max(heaviest, 1 / s.problem.segments[segment].inverse_mass);
  }
  const double size = s.world.joints()[row.joint].row_length;
  // What is weightless has to be moved within a step all the same, all of it.
  row.stiffness = lever * (load > 0 ? load / (s.options.penalty.depth * size) : 10 * heaviest / (s.options.h * s.options.h));
  row.damping = 2 * std::sqrt(row.stiffness * mass);
}

void PenaltyJoints::add(const PenaltySetting& s, PenaltyJointRow row) {
  if (row.count == 0) return;
  row.speed = speed(row, s.space.before());
  row.energy_start = row.energy();
  rows_.push_back(row);
}

void PenaltyJoints::add_armature(const PenaltySetting& s, const View& v, int coordinate) {
  const double scale = v.scale(coordinate);
  PenaltyJointRow row =
      row_of(s, v, JointPart::armature, coordinate, armature_row(v.description(), v.middle, coordinate), scale);
  row.stiffness = row.damping = 0;
  row.inertia = v.description().axes[static_cast<std::size_t>(coordinate)].armature / (scale * scale);
  add(s, row);
}

void PenaltyJoints::add_axis(const PenaltySetting& s, const View& v, int coordinate) {
  const std::size_t at = static_cast<std::size_t>(coordinate);
  const JointAxis& axis = v.description().axes[at];
  const double scale = v.scale(coordinate), position = v.place.position[at];
  const bool ball = is_turn(coordinate) && v.description().type == JointType::ball;
  const auto pulled = [&](JointPart part, double k, double d, double off, double target_speed, double most) {
    PenaltyJointRow row = row_of(s, v, part, coordinate, v.middle.row[at], scale);
    row.stiffness = k / (scale * scale);
    row.damping = d / (scale * scale);
    row.value = scale * off;
    row.target_speed = scale * target_speed;
    row.most = most / scale;
    add(s, row);
  };
  const double middle_time = s.world.time + 0.5 * s.options.h;
  if (axis.armature > 0) add_armature(s, v, coordinate);
  if (axis.effort) {
    PenaltyJointRow row = row_of(s, v, JointPart::effort, coordinate, v.middle.row[at], scale);
    row.stiffness = row.damping = 0;
    row.push = effort_force(*axis.effort, middle_time) / scale;
    add(s, row);
  }
  if (axis.motor) {
    PenaltyJointRow row = row_of(s, v, JointPart::motor, coordinate, v.middle.row[at], scale);
    row.stiffness = 0;
    row.damping = kMotorDamping * row_mass(s, row) / s.options.h;
    row.target_speed = scale * motor_speed(*axis.motor, middle_time);
    row.most = axis.motor->max_force / scale;
    add(s, row);
  }
  if (axis.servo) {
    const auto [target, target_speed] = servo_target(*axis.servo, s.world.time);
    pulled(JointPart::servo, axis.servo->stiffness, axis.servo->damping, position - target, target_speed,
           axis.servo->max_force);
  }
  if (axis.spring)
    pulled(JointPart::spring, axis.spring->stiffness, axis.spring->damping, position - axis.spring->rest, 0, kInfinity);
  if (axis.friction > 0) {
    PenaltyJointRow row =
        row_of(s, v, JointPart::friction, coordinate, ball ? v.spin_row(coordinate) : v.middle.row[at], scale);
    row.most = axis.friction / scale;
    row.value = s.world.memory.h > 0 ? -v.joint.memory.friction[at] / (s.world.memory.h * row.stiffness) : 0;
    row.move(0, 0);
    add(s, row);
  }
  const auto limited = [&](JointPart part, double gap, double sign) {
    PenaltyJointRow row = row_of(s, v, part, coordinate, v.middle.row[at], sign * scale);
    row.one_sided = true;
    row.value = scale * gap;
    if (axis.limit_stiffness > 0 || axis.limit_damping > 0) {
      row.stiffness = axis.limit_stiffness / (scale * scale);
      row.damping = axis.limit_damping / (scale * scale);
    }
    add(s, row);
  };
  if (axis.has_lower()) limited(JointPart::lower, position - axis.lower, 1);
  if (axis.has_upper()) limited(JointPart::upper, axis.upper - position, -1);
}

void PenaltyJoints::add_rows(const PenaltySetting& s, const View& v) {
  const JointDescription& d = v.description();
  for (int k = 0; k < kJointCoordinates; ++k) {
    const std::size_t at = static_cast<std::size_t>(k);
    if (!d.axes[at].locked) continue;
    PenaltyJointRow row = row_of(s, v, JointPart::locked, k, v.middle.row[at], v.scale(k));
    row.value = v.scale(k) * (v.place.position[at] - (d.type == JointType::distance ? d.length : 0));
    add(s, row);
  }
  if (d.type == JointType::screw) {
    const double pitch = d.pitch / (2 * std::numbers::pi);
    const JointRow &z = v.middle.row[joint_z], &turn = v.middle.row[joint_turn_z];
    const JointRow both{z.linear, z.angular_a - pitch * turn.angular_a, z.angular_b - pitch * turn.angular_b};
    PenaltyJointRow row = row_of(s, v, JointPart::coupling, joint_z, both, 1);
    row.value = coupled_position(s.world, v.joint) - v.joint.coupling_start;
    add(s, row);
  }
  for (int k = 0; k < kJointCoordinates; ++k) add_axis(s, v, k);
  if (!(d.swing_limit < kInfinity)) return;
  const auto [swing, rate] = swing_of(v.place);
  PenaltyJointRow row = row_of(s, v, JointPart::swing, joint_turn_z, rate, -v.joint.row_length);
  row.one_sided = true;
  row.value = v.joint.row_length * (d.swing_limit - swing);
  add(s, row);
}

void PenaltyJoints::add_gear(const PenaltySetting& s, std::uint32_t slot) {
  const Joint& joint = s.world.joints()[slot];
  const JointDescription& d = joint.description;
  PenaltyJointRow row;
  row.joint = slot;
  row.part = JointPart::coupling;
  row.scale = joint.row_length;
  for (const auto& [side, factor] : {std::pair(d.first, -d.ratio), std::pair(d.second, 1.0)}) {
    const Joint& coupled = s.world.joints()[side.joint.index];
    if (!coupled.acts()) return;
    add_motion(s, coupled.description, middle_of(s.world, coupled).row[static_cast<std::size_t>(side.coordinate)],
               factor * joint.row_length, row);
  }
  hold(s, row, 1);
  row.value = joint.row_length * (coupled_position(s.world, joint) - joint.coupling_start);
  add(s, row);
}

/// Joints may carry everything that hangs on them, through other joints.
std::span<const double> PenaltyJoints::find_loads(const World& world) {
  if (world.joint_count() == 0) return {};
  const auto bodies = world.bodies();
  parent_.resize(bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0u);
  const auto root = [&](std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  };
  const auto moves = [&](BodyId id) { return id != BodyId{} && bodies[id.index].motion == MotionType::dynamic; };
  for (const Joint& j : world.joints())
    if (j.acts() && j.description.type != JointType::gear && moves(j.description.a) && moves(j.description.b))
      parent_[root(j.description.a.index)] = root(j.description.b.index);
  std::vector<double> sum(bodies.size(), 0.0);
  for (std::uint32_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].alive && bodies[i].motion == MotionType::dynamic)
      sum[root(i)] += (bodies[i].mass.mass * world.gravity + bodies[i].force).norm();
  load_.resize(bodies.size());
  for (std::uint32_t i = 0; i < bodies.size(); ++i) load_[i] = sum[root(i)];
  return load_;
}

double PenaltyJoints::pieces_of(const World& world, double h, double depth) {
  if (world.joint_count() == 0) return 1;
  find_loads(world);
  double pieces = 1;
  for (const Joint& joint : world.joints()) {
    const JointDescription& d = joint.description;
    for (const auto& [id, frame] : {std::pair(d.a, &d.frame_a), std::pair(d.b, &d.frame_b)}) {
      if (!joint.acts() || d.type == JointType::gear || id == BodyId{} || !world.bodies()[id.index].moves_by_forces()) continue;
      const Body& b = world.bodies()[id.index];
      const double arm = std::max((frame->position - b.mass.center).norm(), joint.row_length);
      const double chord = h * b.angular_velocity.norm() * std::sqrt(arm / (2 * kChordPart * depth * joint.row_length));
      const double tension = std::max(joint.memory.force.norm(), load_[id.index]);
      const double swing =
          std::sqrt(tension * std::max(arm / b.principal_moments.minCoeff(), 1 / (b.mass.mass * arm)));   // [1/s]
      pieces = std::max({pieces, chord, h * swing / kSwingPhase});
    }
  }
  return pieces;
}

void PenaltyJoints::build(const PenaltySetting& s) {
  rows_.clear();
  if (s.world.joint_count() == 0) return;
  find_middles(s);
  segment_load_.assign(s.problem.segments.size(), 0);
  for (std::uint32_t i = 0; i < s.world.bodies().size(); ++i)
    if (s.space.segment_of(i) != kNoSegment) segment_load_[s.space.segment_of(i)] = load_[i];
  const auto joints = s.world.joints();
  for (std::uint32_t slot = 0; slot < joints.size(); ++slot) {
    if (!joints[slot].acts()) continue;
    if (joints[slot].description.type == JointType::gear) add_gear(s, slot);
    else add_rows(s, {slot, joints[slot], locate(s.world, joints[slot]), middle_of(s.world, joints[slot])});
  }
}

void PenaltyJoints::find_middles(const PenaltySetting& s) {
  middles_.clear();
  for (const Body& b : s.world.bodies()) {
    const bool moves = b.alive && b.is_rigid() && !b.asleep;
    middles_.push_back(moves ? drifted(b, {b.velocity, b.angular_velocity}, s.options.gyroscopic, s.options.h / 2).pose
                             : Pose{b.position, b.orientation});
  }
}

JointPlace PenaltyJoints::middle_of(const World& world, const Joint& joint) const {
  const auto pose = [&](BodyId id) { return id == BodyId{} ? Pose{} : middles_[id.index]; };
  return locate(world, joint, pose(joint.description.a), pose(joint.description.b));
}

double PenaltyJoints::speed(const PenaltyJointRow& row, std::span<const double> u) {
  double sum = row.driven;
  for (int k = 0; k < row.count; ++k) {
    const PenaltyJointRow::Mover& m = row.movers[static_cast<std::size_t>(k)];
    sum += m.direction.dot(Eigen::Map<const Eigen::Matrix<double, 6, 1>>(u.data() + m.offset));
  }
  return sum;
}

void PenaltyJoints::push(const PenaltyJointRow& row, double impulse, std::span<double> momenta) {
  for (int k = 0; k < row.count; ++k) {
    const PenaltyJointRow::Mover& m = row.movers[static_cast<std::size_t>(k)];
    Eigen::Map<Eigen::Matrix<double, 6, 1>>(momenta.data() + m.offset) += impulse * m.direction;
  }
}

void PenaltyJoints::add_limits(PenaltyLimits& limits) const {
  for (const PenaltyJointRow& row : rows_)
    for (int k = 0; k < row.count && !row.is_driven(); ++k) {
      const PenaltyJointRow::Mover& m = row.movers[static_cast<std::size_t>(k)];
      const PenaltyLimits::Sum square = row.count * m.direction * m.direction.transpose();
      limits.stiffness[m.segment] += row.stiffness * square;
      limits.damping[m.segment] += row.damping * square;
    }
}

void PenaltyJoints::record(World& world, double time, double step_time, StepReport& report) {
  EnergyLedger& energy = report.energy;
  for (const PenaltyJointRow& row : rows_) world.mutable_joints()[row.joint].memory.force.setZero();
  for (const PenaltyJointRow& row : rows_) {
    Joint& joint = world.mutable_joints()[row.joint];
    JointRecord& record = record_of(world, row.joint, report);
    const double force = row.impulse / step_time, generalised = force * row.scale;
    record.force += force * row.force_on_b;
    joint.memory.force += row.impulse / time * row.force_on_b;
    record.torque += force * row.torque_on_b;
    if (is_drive(row.part)) record.motor_force[row.coordinate] += generalised;
    if (is_of_free_coordinate(row.part)) record.free_force[row.coordinate] += generalised;
    if (row.part == JointPart::coupling) record.coupling_force += generalised;
    joint.memory.friction[row.coordinate] =
        row.part == JointPart::friction ? -time * row.stiffness * row.value : joint.memory.friction[row.coordinate];
    energy.driven -= row.driven_work;
    if (row.part == JointPart::armature) continue;   // its work stays kinetic energy
    if (is_drive(row.part)) {
      energy.motors += row.work;
    } else if (row.part == JointPart::friction) {
      const double stored = row.energy() - row.energy_start;
      energy.springs -= stored;
      energy.friction -= row.work + stored;
    } else {
      energy.springs += row.work;
    }
  }
}

}   // namespace stickslip
