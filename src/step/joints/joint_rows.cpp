#include "step/joints/joint_rows.h"

#include <cmath>
#include <numbers>

#include "math/infinity.h"
#include "step/free_motion.h"

namespace stickslip {

namespace {

/// υ x / h, within limits.
double recovery_speed(const JointRows::Setting& s, double error_reduction, double error, double size) {
  const double limit = fastest_recovery(s.world, size);
  return std::clamp(-error_reduction * error / s.options.h, -limit, limit);
}

/// Spring and damper as a row of like units: ε and what b gets beside the free velocity.
struct Softness {
  double sigma, b;
};
/// Both by their values at the end of the step. @param error c − target in units of the row [m] @param scale of the row
Softness softness(const JointRows::Setting& s, double stiffness, double damping, double error, double scale) {
  const double k = stiffness / (scale * scale), d = damping / (scale * scale);
  const double time = kick_time(s.world, s.options), sigma = 1 / (time * (s.drift_time * k + d));
  return {sigma, sigma * time * k * error};
}

/// Where a joint is once its bodies stand at the ends of their drifts.
JointPlace place_at(const World& world, const Joint& joint, std::span<const Pose> ends) {
  const JointDescription& d = joint.description;
  return locate(world, joint, d.a == BodyId{} ? Pose{} : ends[d.a.index], ends[d.b.index]);
}

}   // namespace

struct JointRows::View {
  std::uint32_t slot;
  const Joint& joint;
  JointPlace place;

  /// Part of κ that is used: all of it unless a body turns by more than 1 rad in the step.
  double fade(const Setting& s) const {
    double turn = 0;
    for (const BodyId id : {description().a, description().b})
      if (id != BodyId{}) turn = std::max(turn, s.options.h * s.world.bodies()[id.index].angular_velocity.norm());
    return turn > 1 ? 1 / (turn * turn) : 1;
  }
  /// Rate of what a screw keeps.
  JointRow screw_row() const {
    JointRow row = place.row[joint_z];
    const double per_radian = description().pitch / (2 * std::numbers::pi);
    row.angular_a -= per_radian * place.row[joint_turn_z].angular_a;
    row.angular_b -= per_radian * place.row[joint_turn_z].angular_b;
    return row;
  }
  /// Whether its springs pull back alike whatever the axis of the turn.
  bool springs_alike() const {
    const auto& axes = description().axes;
    return std::all_of(axes.begin() + joint_turn_x, axes.end(), [&](const JointAxis& a) {
      return a.spring && a.spring->rest == 0 && a.spring->stiffness == axes[joint_turn_x].spring->stiffness;
    });
  }
  /// Angular velocity of B relative to A along an axis of frame B.
  JointRow spin_row(int coordinate) const {
    const Vec3 axis = place.frame_b.rotation().col(coordinate - joint_turn_x);
    return {Vec3::Zero(), -axis, axis};
  }
  /// The turn from A to B as one angle about one axis, along an axis of frame B (as of A) [rad].
  double turn_along(int coordinate) const {
    const Eigen::AngleAxisd turn(place.frame_a.orientation.conjugate() * place.frame_b.orientation);
    return turn.angle() * turn.axis()[coordinate - joint_turn_x];
  }
  const JointDescription& description() const { return joint.description; }
  double scale(int coordinate) const { return is_turn(coordinate) ? joint.row_length : 1; }

  Draft draft(const Setting& s, JointPart part, int coordinate, const JointRow& row, double scale) const {
    Draft d;
    d.row.joint = slot;
    d.row.part = part;
    d.row.coordinate = static_cast<std::uint8_t>(coordinate);
    d.row.scale = scale;
    const Vec3 arm = place.frame_b.position - s.world.bodies()[description().b.index].position;
    d.row.force = scale * row.linear;
    d.row.torque = scale * (row.angular_b - arm.cross(row.linear));
    d.add(s, description(), row, scale);
    return d;
  }
};

void JointRows::Draft::add(const Setting& s, const JointDescription& d, const JointRow& rate, double factor) {
  for (const auto& [body, linear, angular] : {std::tuple(d.a, Vec3(-factor * rate.linear), Vec3(factor * rate.angular_a)),
                                              std::tuple(d.b, Vec3(factor * rate.linear), Vec3(factor * rate.angular_b))}) {
    if (body == BodyId{}) continue;
    const std::uint32_t seg = s.segment_of_body[body.index];
    if (seg == kNoSegment) {
      const Body& b = s.world.bodies()[body.index];
      if (b.motion == MotionType::kinematic) row.driven += linear.dot(b.velocity) + angular.dot(b.angular_velocity);
      continue;
    }
    int place = 0;
    while (place < arity && segment[place] != seg) ++place;
    if (place == arity) segment[arity++] = seg;
    Eigen::Map<Vec3>(jacobian[place]) += linear;
    Eigen::Map<Vec3>(jacobian[place] + 3) += angular;
  }
}

double JointRows::Draft::inverse_mass(const Setting& s) const {
  double sum = 0;
  for (int k = 0; k < arity; ++k) {
    const VelocitySegment& body = s.segments[segment[k]];
    const Eigen::Map<const Vec3> linear(jacobian[k]), angular(jacobian[k] + 3);
    sum += body.inverse_mass * linear.squaredNorm() + angular.dot(body.inverse_inertia * angular);
  }
  return sum;
}

double JointRows::Draft::speed(std::span<const double> velocity) const {
  double sum = row.driven;
  for (int k = 0; k < arity; ++k)
    for (std::size_t c = 0; c < kRigidSize; ++c) sum += jacobian[k][c] * rigid_part(velocity, segment[k])[c];
  return sum;
}

void JointRows::Draft::push(const Setting& s, double impulse, std::span<double> velocity) const {
  for (int k = 0; k < arity; ++k) {
    const VelocitySegment& body = s.segments[segment[k]];
    const Eigen::Map<const Vec3> linear(jacobian[k]), angular(jacobian[k] + 3);
    mutable_linear_part(velocity, segment[k]) += impulse * body.inverse_mass * linear;
    mutable_angular_part(velocity, segment[k]) += impulse * (body.inverse_inertia * angular);
  }
}

void JointRows::Draft::pull(const Setting& s, double stiffness, double damping, Aim now, Aim end) {
  const double k = stiffness / (row.scale * row.scale), d = damping / (row.scale * row.scale);
  const double h = s.options.h, kick = kick_time(s.world, s.options), h_before = 2 * kick - h;
  const double stiff = kick * (s.drift_time * k + d) * inverse_mass(s), mean = 1 / (1 + stiff * stiff);
  // c and v are those now plus `ahead` and `share` of v⁺, and `behind` and 1 − share of v⁻.
  const double ahead = (1 - mean) * s.drift_time + mean * h / 4, behind = mean * h_before / 4, share = 1 - mean / 2;
  const double error = row.scale * (mean * now.error + (1 - mean) * end.error);
  const double target_speed = row.scale * (mean * now.speed + (1 - mean) * end.speed);
  const double before = speed(s.before);
  row.sigma = 1 / (kick * (ahead * k + share * d));
  row.b = row.sigma * kick * (k * (error - behind * before) + d * ((1 - share) * before - target_speed));
}

void JointRows::add_block(const Setting& s, BlockKind kind, std::span<Draft> drafts) {
  const Draft& shape = drafts.front();
  if (shape.arity == 0) return;
  BlockRows block{kind,
                  static_cast<std::uint8_t>(drafts.size()),
                  static_cast<std::uint8_t>(shape.arity),
                  static_cast<std::uint32_t>(rows_.size()),
                  {},
                  static_cast<std::uint32_t>(jacobian_.size())};
  std::copy_n(shape.segment, kInlineSegments, block.segment);
  for (int k = 0; k < shape.arity; ++k)
    for (const Draft& d : drafts) jacobian_.insert(jacobian_.end(), d.jacobian[k], d.jacobian[k] + 6);
  for (Draft& d : drafts) {
    Row& row = d.row;
    row.before = row.driven;
    if (!s.free.empty()) {
      row.before = d.speed(s.before);
      row.b += d.speed(s.free);
    }
    rows_.push_back(row);
  }
  has_boxes_ = has_boxes_ || kind == BlockKind::box;
  blocks_.push_back(block);
}

void JointRows::add_turning(const Setting& s, const View& v, const JointRow& row_rate, const JointPlace& end, Row& row) const {
  const std::size_t at = row.coordinate;
  row.start = row.scale * v.place.position[at];
  row.fade = v.fade(s);
  row.turning = row.fade * ((row.scale * end.position[at] - row.start) / s.options.h -
                            row.scale * rate(s.world, v.description(), row_rate));
  row.b += row.turning;
}

void JointRows::collect_locked(const Setting& s, const View& v) {
  const Correction c = correction(s.options.stabilisation, s.options.h);
  const JointPlace end = s.ends.empty() ? v.place : place_at(s.world, v.joint, s.ends);
  std::array<Draft, kJointCoordinates> drafts;
  std::size_t count = 0;
  for (int k = 0; k < kJointCoordinates; ++k) {
    const std::size_t at = static_cast<std::size_t>(k);
    if (!v.description().axes[at].locked) continue;
    Draft& d = drafts[count++] = v.draft(s, JointPart::locked, k, v.place.row[at], v.scale(k));
    const double target = v.description().type == JointType::distance ? v.description().length : 0;
    d.row.recovery = recovery_speed(s, c.error_reduction, v.scale(k) * (v.place.position[at] - target), v.joint.row_length);
    d.row.b = -d.row.recovery;
    d.row.sigma = c.compliance;
    if (!s.ends.empty()) add_turning(s, v, v.place.row[at], end, d.row);
  }
  if (count > 0) add_block(s, BlockKind::bilateral, {drafts.data(), count});
}

void JointRows::collect_limit(const Setting& s, const View& v, JointPart part, int coordinate, double gap, double scale,
                              const JointRow& rate) {
  Draft d = v.draft(s, part, coordinate, rate, scale);
  gap *= std::abs(scale);
  double speed = std::abs(d.row.driven), free = d.row.driven;
  for (int k = 0; k < d.arity; ++k)
    for (std::size_t c = 0; c < kRigidSize; ++c) {
      const double share = d.jacobian[k][c] * rigid_part(s.free, d.segment[k])[c];
      speed += std::abs(share);
      free += share;
    }
  // Far from the limit there is nothing to do; "far" is twice what can be closed in this step.
  if (gap > 2 * s.drift_time * (speed + s.world.gravity.norm() * s.options.h) + 0.01 * v.joint.row_length) return;
  const JointAxis& axis = v.description().axes[static_cast<std::size_t>(coordinate)];
  const bool soft = part != JointPart::swing && (axis.limit_stiffness > 0 || axis.limit_damping > 0);
  if (soft) {
    // Its damper must not reach out to what the step does not bring to the stop.
    if (gap > 0 && (axis.limit_stiffness == 0 || gap + s.drift_time * free > 0)) return;
    const Softness soft_row = softness(s, axis.limit_stiffness, axis.limit_damping, gap, scale);
    d.row.sigma = soft_row.sigma;
    d.row.b = soft_row.b;
  } else if (const double band = s.options.contact_band * v.joint.row_length; gap > band) {
    d.row.b = gap / s.drift_time;
  } else {
    const Correction c = correction(s.options.stabilisation, s.options.h);
    d.row.recovery = recovery_speed(s, c.error_reduction, std::min(gap + band, 0.0), v.joint.row_length);
    d.row.b = -d.row.recovery;
    d.row.sigma = c.compliance;
  }
  // A taut rope turns.
  const bool whole_drift = s.drift_time == s.options.h && !s.ends.empty();
  if (v.description().type == JointType::distance && !soft && whole_drift)
    add_turning(s, v, rate, place_at(s.world, v.joint, s.ends), d.row);
  d.row.upper = kInfinity;
  add_block(s, BlockKind::box, {&d, 1});
}

void JointRows::collect_spring(const Setting& s, const View& v, int coordinate, bool ball) {
  const std::size_t at = static_cast<std::size_t>(coordinate);
  const JointSpring& spring = *v.description().axes[at].spring;
  const double scale = v.scale(coordinate);
  const auto add = [&](JointPart part, const JointRow& rate, double stiffness, double damping, double stretched) {
    if (stiffness == 0 && damping == 0) return;
    Draft d = v.draft(s, part, coordinate, rate, scale);
    d.pull(s, stiffness, damping, {stretched, 0}, {stretched, 0});
    add_block(s, BlockKind::bilateral, {&d, 1});
  };
  const double stretched = v.place.position[at] - spring.rest;
  if (!ball) {
    add(JointPart::spring, v.place.row[at], spring.stiffness, spring.damping, stretched);
  } else if (v.springs_alike()) {
    add(JointPart::spring, v.spin_row(coordinate), spring.stiffness, spring.damping, v.turn_along(coordinate));
  } else {
    add(JointPart::spring, v.place.row[at], spring.stiffness, 0, stretched);
    add(JointPart::damper, v.spin_row(coordinate), 0, spring.damping, 0);
  }
}

void JointRows::collect_armature(const Setting& s, const View& v, int coordinate) {
  const double scale = v.scale(coordinate);
  Draft d = v.draft(s, JointPart::armature, coordinate, armature_row(v.description(), v.place, coordinate), scale);
  d.row.sigma = scale * scale / v.description().axes[static_cast<std::size_t>(coordinate)].armature;
  d.row.b = -d.speed(s.before);
  add_block(s, BlockKind::bilateral, {&d, 1});
}

void JointRows::push_efforts(const Setting& s, std::span<double> free) {
  efforts_.clear();
  const double time = kick_time(s.world, s.options);
  const auto joints = s.world.joints();
  for (std::uint32_t slot = 0; slot < joints.size(); ++slot) {
    const auto& axes = joints[slot].description.axes;
    if (!joints[slot].acts() || std::none_of(axes.begin(), axes.end(), [](const JointAxis& a) { return a.effort; })) continue;
    const View v{slot, joints[slot], locate(s.world, joints[slot])};
    for (int k = 0; k < kJointCoordinates; ++k) {
      const std::size_t at = static_cast<std::size_t>(k);
      if (!axes[at].effort) continue;
      Given given{v.draft(s, JointPart::effort, k, v.place.row[at], v.scale(k)), 0};
      if (given.draft.arity == 0) continue;
      given.draft.row.before = given.draft.speed(s.before);
      // Velocities are means over drifts: the middle of the kick is now.
      given.impulse = time * effort_force(*axes[at].effort, s.world.time) / v.scale(k);
      given.draft.push(s, given.impulse, free);
      efforts_.push_back(given);
    }
  }
}

void JointRows::collect_axis(const Setting& s, const View& v, int coordinate) {
  const std::size_t at = static_cast<std::size_t>(coordinate);
  const JointAxis& axis = v.description().axes[at];
  const JointRow& rate = v.place.row[at];
  const double scale = v.scale(coordinate), position = v.place.position[at];
  const auto bounded = [&](Draft& d, double force) {
    const double impulse = force * kick_time(s.world, s.options) / scale;
    d.row.lower = -impulse;
    d.row.upper = impulse;
    add_block(s, force < kInfinity ? BlockKind::box : BlockKind::bilateral, {&d, 1});
  };
  if (axis.motor) {
    Draft d = v.draft(s, JointPart::motor, coordinate, rate, scale);
    // The velocity that is asked for is the mean over the drift.
    d.row.b = -scale * motor_speed(*axis.motor, s.world.time + 0.5 * s.options.h);
    bounded(d, axis.motor->max_force);
  }
  if (axis.servo) {
    Draft d = v.draft(s, JointPart::servo, coordinate, rate, scale);
    const auto [now, speed_now] = servo_target(*axis.servo, s.world.time);
    const auto [end, speed_end] = servo_target(*axis.servo, s.world.time + s.options.h);
    d.pull(s, axis.servo->stiffness, axis.servo->damping, {position - now, speed_now}, {position - end, speed_end});
    bounded(d, axis.servo->max_force);
  }
  if (axis.armature > 0) collect_armature(s, v, coordinate);
  const bool ball = is_turn(coordinate) && v.description().type == JointType::ball;
  if (axis.spring) collect_spring(s, v, coordinate, ball);
  if (axis.friction > 0) {
    Draft d = v.draft(s, JointPart::friction, coordinate, ball ? v.spin_row(coordinate) : rate, scale);
    bounded(d, axis.friction);
  }
  if (axis.has_lower()) collect_limit(s, v, JointPart::lower, coordinate, position - axis.lower, scale, rate);
  if (axis.has_upper()) collect_limit(s, v, JointPart::upper, coordinate, axis.upper - position, -scale, rate);
}

void JointRows::collect_coupling(const Setting& s, std::uint32_t slot, Draft& d) {
  const Joint& joint = s.world.joints()[slot];
  const Correction c = correction(s.options.stabilisation, s.options.h);
  d.row.recovery = recovery_speed(s, c.error_reduction, d.row.scale * (coupled_position(s.world, joint) - joint.coupling_start),
                                  joint.row_length);
  d.row.b = -d.row.recovery;
  d.row.sigma = c.compliance;
  add_block(s, BlockKind::bilateral, {&d, 1});
}

JointRows::Draft JointRows::gear_draft(const Setting& s, std::uint32_t slot) const {
  const Joint& joint = s.world.joints()[slot];
  const JointDescription& description = joint.description;
  Draft d;
  d.row.joint = slot;
  d.row.part = JointPart::coupling;
  d.row.scale = joint.row_length;
  for (const auto& [side, factor] : {std::pair(description.first, -description.ratio), std::pair(description.second, 1.0)}) {
    const Joint& coupled = s.world.joints()[side.joint.index];
    if (!coupled.acts()) return {};   // acts on nothing
    d.add(s, coupled.description, locate(s.world, coupled).row[static_cast<std::size_t>(side.coordinate)],
          factor * joint.row_length);
  }
  return d;
}

void JointRows::collect_joint(const Setting& s, std::uint32_t slot) {
  const Joint& joint = s.world.joints()[slot];
  const JointDescription& description = joint.description;
  if (description.type == JointType::gear) {
    Draft d = gear_draft(s, slot);
    collect_coupling(s, slot, d);
    return;
  }
  const View v{slot, joint, locate(s.world, joint)};
  collect_locked(s, v);
  if (description.type == JointType::screw) {
    Draft d = v.draft(s, JointPart::coupling, joint_z, v.screw_row(), 1);
    collect_coupling(s, slot, d);
  }
  for (int k = 0; k < kJointCoordinates; ++k) collect_axis(s, v, k);
  if (description.swing_limit < kInfinity) {
    const auto [swing, rate] = swing_of(v.place);
    collect_limit(s, v, JointPart::swing, joint_turn_z, description.swing_limit - swing, -joint.row_length, rate);
  }
}

void JointRows::collect_errors_of(const Setting& s, std::uint32_t slot, double fraction, double& largest) {
  const Joint& joint = s.world.joints()[slot];
  const JointDescription& description = joint.description;
  const auto add = [&](Draft& d, BlockKind kind, double error) {
    d.row.b = fraction * error;
    d.row.upper = kInfinity;
    largest = std::max(largest, std::abs(error));
    add_block(s, kind, {&d, 1});
  };
  if (description.type == JointType::gear) {
    Draft d = gear_draft(s, slot);
    add(d, BlockKind::bilateral, d.row.scale * (coupled_position(s.world, joint) - joint.coupling_start));
    return;
  }
  const JointPlace place = locate(s.world, joint);
  const View v{slot, joint, place};
  std::array<Draft, kJointCoordinates> locked;
  std::size_t count = 0;
  for (int k = 0; k < kJointCoordinates; ++k) {
    const std::size_t at = static_cast<std::size_t>(k);
    const JointAxis& axis = description.axes[at];
    const double scale = v.scale(k);
    if (axis.locked) {
      Draft& d = locked[count++] = v.draft(s, JointPart::locked, k, place.row[at], scale);
      const double error = scale * (place.position[at] - (description.type == JointType::distance ? description.length : 0));
      d.row.b = fraction * error;
      largest = std::max(largest, std::abs(error));
    }
    if (axis.limit_stiffness > 0 || axis.limit_damping > 0) continue;
    for (const auto& [part, gap, sign] : {std::tuple(JointPart::lower, place.position[at] - axis.lower, 1.0),
                                          std::tuple(JointPart::upper, axis.upper - place.position[at], -1.0)})
      if (gap < 0) {
        Draft d = v.draft(s, part, k, place.row[at], sign * scale);
        add(d, BlockKind::box, scale * gap);
      }
  }
  if (count > 0) add_block(s, BlockKind::bilateral, {locked.data(), count});
  if (description.type == JointType::screw) {
    Draft d = v.draft(s, JointPart::coupling, joint_z, v.screw_row(), 1);
    add(d, BlockKind::bilateral, coupled_position(s.world, joint) - joint.coupling_start);
  }
  if (description.swing_limit < kInfinity)
    if (const auto [swing, row] = swing_of(place); swing > description.swing_limit) {
      Draft d = v.draft(s, JointPart::swing, joint_turn_z, row, -joint.row_length);
      add(d, BlockKind::box, joint.row_length * (description.swing_limit - swing));
    }
}

void JointRows::find_velocities(std::span<const double> velocity) const {
  // Jacobians lie by block; rows by joint.
  after_.assign(rows_.size(), 0.0);
  for (const BlockRows& b : blocks_)
    for (std::uint32_t k = 0; k < b.dim; ++k) {
      double v = rows_[b.first + k].driven;
      for (std::uint32_t i = 0; i < b.arity; ++i)
        for (std::uint32_t c = 0; c < kRigidSize; ++c)
          v += jacobian_[b.jacobian + kRigidSize * (b.dim * i + k) + c] * rigid_part(velocity, b.segment[i])[c];
      after_[b.first + k] = v;
    }
}

void JointRows::find_turning(const Setting& s, std::span<const Pose> ends, std::span<const double> velocity,
                             std::vector<double>& kappa) {
  find_velocities(velocity);
  kappa.assign(rows_.size(), 0.0);
  std::uint32_t last = ~0u;
  JointPlace end;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    kappa[i] = row.turning;
    if (row.fade < 1) continue;
    if (row.joint != last) end = place_at(s.world, s.world.joints()[row.joint], ends);
    last = row.joint;
    kappa[i] = (row.scale * end.position[row.coordinate] - row.start) / s.options.h - after_[i];
  }
}

void JointRows::get_turning(std::vector<double>& kappa) const {
  kappa.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) kappa[i] = rows_[i].turning;
}

void JointRows::set_turning(ContactProblem& p, std::span<const double> kappa) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    p.b[row.row] += kappa[i] - row.turning;
    row.turning = kappa[i];
  }
}

bool JointRows::fades() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.fade > 0 && row.fade < 1; });
}

void JointRows::sum_forces(std::span<const double> impulses, std::vector<Vec3>& by_joint) const {
  std::fill(by_joint.begin(), by_joint.end(), Vec3::Zero());
  for (const Row& row : rows_) by_joint[row.joint] += impulses[row.row] * row.force;
}

void JointRows::clear() {
  rows_.clear();
  blocks_.clear();
  jacobian_.clear();
  has_boxes_ = false;
}

void JointRows::put_in_order() {
  std::stable_sort(blocks_.begin(), blocks_.end(), [](const BlockRows& x, const BlockRows& y) {
    return std::tuple(x.kind == BlockKind::box, x.arity, x.dim) < std::tuple(y.kind == BlockKind::box, y.arity, y.dim);
  });
  std::uint32_t row = 0;
  for (const BlockRows& b : blocks_)
    for (std::uint32_t k = 0; k < b.dim; ++k) rows_[b.first + k].row = row++;
}

void JointRows::collect(const Setting& s) {
  clear();
  for (std::uint32_t slot = 0; slot < s.world.joints().size(); ++slot)
    if (s.world.joints()[slot].acts()) collect_joint(s, slot);
  put_in_order();
}

double JointRows::collect_errors(const Setting& s, double fraction) {
  clear();
  double largest = 0;
  for (std::uint32_t slot = 0; slot < s.world.joints().size(); ++slot)
    if (s.world.joints()[slot].acts()) collect_errors_of(s, slot, fraction, largest);
  put_in_order();
  return largest;
}

void JointRows::write(ContactProblem& p) const {
  std::uint32_t row = 0, jacobian = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const BlockRows& from = blocks_[i];
    Block& block = p.blocks[i] = Block{};
    block.kind = from.kind;
    block.dim = from.dim;
    block.arity = from.arity;
    block.row = row;
    block.jacobian = jacobian;
    std::copy_n(from.segment, kInlineSegments, block.segment);
    p.laws[i] = CircularFriction{0};
    const std::uint32_t size = 6u * from.dim * from.arity;
    std::copy_n(jacobian_.begin() + from.jacobian, size, p.jacobian_values.begin() + jacobian);
    for (std::uint32_t k = 0; k < from.dim; ++k) {
      const Row& r = rows_[from.first + k];
      p.b[row + k] = r.b;
      p.sigma[row + k] = r.sigma;
      if (!has_boxes_) continue;
      p.lower[row + k] = r.lower;
      p.upper[row + k] = r.upper;
    }
    row += from.dim;
    jacobian += size;
  }
}

}   // namespace stickslip
