#include "step/barrier/barrier_joints.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

constexpr double kSoftest = 1e-2, kStiffer = 10.1;   ///< factors of that in the first round, and from round to round
constexpr double kDifference = 1e-6;                 ///< for second derivatives: of lengths over the joint's, and of angles

Eigen::Matrix<double, 12, 1> over_bodies(const JointRow& row) {
  Eigen::Matrix<double, 12, 1> v;
  v << -row.linear, row.angular_a, row.linear, row.angular_b;
  return v;
}

}   // namespace

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

double BarrierJoints::stiffness_now(const Held& held, const Term& t) const {
  return t.hard > 0 ? t.hard * factor_ * held.hold : t.stiffness;
}

ScalarFunction BarrierJoints::energy_of(const Held& held, const Term& t, double c) const {
  const double k = stiffness_now(held, t), s = c - t.rest, size = std::abs(s), sign = s < 0 ? -1 : 1;
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

BarrierJoints::Limited BarrierJoints::limited(const Held& held, const Term& t, double size) const {
  if (t.form == Form::friction) return {smooth_friction_over_way(size, t.length), slope_of_way_over_friction(size, t.length)};
  const double k = stiffness_now(held, t);
  return k * size <= t.most ? Limited{k / t.most, 0} : Limited{1 / size, 1};
}

double BarrierJoints::stiffness_of(const Held& held, const Term& t, double c) const {
  if (!is_limited(t)) return energy_of(held, t, c).second;
  const double s = c - t.rest;
  const auto [over_way, slope] = limited(held, t, std::abs(s));
  return t.most * over_way * std::max(0.0, 1 - slope * (s < 0 ? -t.pull : t.pull));
}

void BarrierJoints::foresee(const BarrierBodies& bodies, std::span<const double> direction) {
  for (Held& held : held_) {
    if (std::ranges::none_of(held.terms, is_limited)) continue;
    const JointPlace place = place_of(bodies, held);
    Vec12 way = Vec12::Zero();
    for (const auto& [r, first] : {std::pair(held.a, 0), std::pair(held.b, 6)})
      if (r != kNoBlock)
        way.segment<6>(first) = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(direction.data() + 6 * std::size_t{r});
    for (Term& t : held.terms) {
      if (!is_limited(t)) continue;
      const Reading reading = read(held, place, t);
      const double s = reading.value - t.rest, change = over_bodies(reading.row).dot(way);
      const auto [over_way, slope] = limited(held, t, std::abs(s));
      const double next = over_way * (s + change - slope * (s < 0 ? -t.pull : t.pull) * change);
      t.next_pull = std::clamp(next, -1.0, 1.0);
    }
  }
}

void BarrierJoints::accept() {
  for (Held& held : held_)
    for (Term& t : held.terms) t.pull = t.next_pull;
}

void BarrierJoints::add_energies(const BarrierBodies& bodies, std::span<const std::uint32_t> piece_of_group,
                                 std::span<double> out) const {
  for (const Held& held : held_) {
    const JointPlace place = place_of(bodies, held);
    double& sum = out[piece_of_group[held.b != kNoBlock ? held.b : held.a]];
    for (const Term& t : held.terms) sum += energy_of(held, t, read(held, place, t).value).value;
  }
  for (const Geared& gear : gears_) {
    const GearReading r = read(bodies, gear);
    out[piece_of_group[r.rigid[0]]] += 0.5 * factor_ * gear.hold * r.value * r.value;
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
  for (const Geared& gear : gears_) {
    const GearReading r = read(bodies, gear);
    for (int k = 0; k < r.count; ++k)
      Eigen::Map<Eigen::Matrix<double, 6, 1>>(out.data() + 6 * std::size_t{r.rigid[k]}) +=
          factor_ * gear.hold * r.value * r.rows[k];
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
      h += stiffness_of(held, t, r.value) * row * row.transpose();
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
  add_gear_hessians(bodies, m);
}

void BarrierJoints::add_work(const BarrierBodies& bodies, BarrierIslands& islands) const {
  for (const Held& held : held_) {
    const JointPlace place = place_of(bodies, held);
    const std::uint32_t group = held.b != kNoBlock ? held.b : held.a;
    if (held.a == kNoBlock || held.b == kNoBlock) islands.is_held[group] = true;
    for (const Term& t : held.terms) {
      const double value = read(held, place, t).value;
      islands.work[group] -= energy_of(held, t, value).first * (value - t.start);
    }
  }
  for (const Geared& gear : gears_) {
    const GearReading r = read(bodies, gear);
    islands.work[r.rigid[0]] -= factor_ * gear.hold * r.value * (r.value - gear.start);
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
      if (t.part == JointPart::motor) joint.memory.motor[t.coordinate] = options_.h * force;
      if (t.part == JointPart::servo) joint.memory.servo[t.coordinate] = options_.h * force;
      if (is_drive(t.part)) energy.motors += work;
      else if (t.part == JointPart::friction) energy.friction -= work;
      else if (t.part == JointPart::spring || t.part == JointPart::damper) energy.springs += work;
      else if (t.part != JointPart::armature) energy.impact -= work;   // which stays kinetic energy
    }
    joint.memory.force = record.force;
    report.joints.push_back(record);
  }
  for (const Geared& gear : gears_) {
    const double value = read(bodies, gear).value, force = -factor_ * gear.hold * value;
    record_of(world, gear.slot, report).coupling_force = force * world.joints()[gear.slot].row_length;
    energy.impact -= force * (value - gear.start);
  }
}

}   // namespace stickslip
