#include "step/pieces.h"

#include <algorithm>
#include <cmath>

#include "step/joints/joint_rows.h"

namespace stickslip {

namespace {

/// How far points may leave their tangents in a piece, relative to their arms: a body may turn by 0.1 rad about a joint.
/// Energy is off by about as much.
constexpr double kBend = 0.005;
/// The same with the velocity before, beyond which a piece is not even tried.
constexpr double kHopelessBend = 2 * kBend;

Twist own_velocity(const Body& b) {
  return b.motion == MotionType::fixed || b.asleep ? Twist{} : Twist{b.velocity, b.angular_velocity};
}

/// How far the points that a joint holds leave their tangents in a time h: ½ h² |ω × (ω × r)| relative to the arm r, or the
/// size of the joint if that is larger, of both bodies together. Whether the joint bends to one side or the other does
/// not count: it must be the same at both ends of a piece. @param velocity_of the body in a slot
double bend_of(const World& world, const Joint& joint, double h, auto&& velocity_of) {
  const JointDescription& d = joint.description;
  Vec3 point[2], speed[2] = {Vec3::Zero(), Vec3::Zero()};
  double bend = 0;
  for (const auto& [side, id, frame] : {std::tuple(0, d.a, &d.frame_a), std::tuple(1, d.b, &d.frame_b)}) {
    point[side] = frame->position;
    if (id == BodyId{}) continue;
    const Body& b = world.bodies()[id.index];
    const Vec3 arm = b.orientation * (frame->position - b.mass.center);
    const Twist u = velocity_of(id.index);
    point[side] = b.position + arm;
    speed[side] = u.linear + u.angular.cross(arm);
    bend += 0.5 * h * h * u.angular.cross(u.angular.cross(arm)).norm() / std::max(arm.norm(), joint.row_length);
  }
  if (d.type == JointType::distance) {
    const Vec3 relative = speed[1] - speed[0], along = (point[1] - point[0]).normalized();
    bend += 0.5 * h * h * (relative - along.dot(relative) * along).squaredNorm() / (d.length * d.length);
  }
  return bend;
}

/// Whether a joint holds a point of a body on another, or at a distance.
bool holds(const Joint& joint) {
  const auto& axes = joint.description.axes;
  return joint.acts() && joint.description.type != JointType::gear &&
         std::any_of(axes.begin() + joint_x, axes.begin() + joint_x + 3, [](const JointAxis& a) { return a.locked; });
}

double largest_bend(const World& world, double h, auto&& velocity_of) {
  double largest = 0;
  for (const Joint& joint : world.joints())
    if (holds(joint)) largest = std::max(largest, bend_of(world, joint, h, velocity_of));
  return largest;
}

bool is_worse(const StepReport& x, const StepReport& y) {
  return x.solve->residual.total() * y.outcome.tolerance > y.solve->residual.total() * x.outcome.tolerance;
}

void add(EnergyLedger& sum, const EnergyLedger& piece) {
  sum.kinetic_end = piece.kinetic_end;
  sum.potential_end = piece.potential_end;
  for (const auto part : {&EnergyLedger::friction, &EnergyLedger::impact, &EnergyLedger::stabilisation, &EnergyLedger::applied,
                          &EnergyLedger::driven, &EnergyLedger::motors, &EnergyLedger::springs, &EnergyLedger::damping,
                          &EnergyLedger::integration})
    sum.*part += piece.*part;
}

void add(StageTimes& sum, const StageTimes& piece) {
  for (const auto stage : {&StageTimes::broad, &StageTimes::narrow, &StageTimes::assembly, &StageTimes::solve,
                           &StageTimes::integration, &StageTimes::projection, &StageTimes::bookkeeping})
    sum.*stage += piece.*stage;
}

/// The solve that missed most stands for all.
void add_solve(StepReport& sum, const StepReport& piece) {
  const int iterations = sum.solve->iterations + piece.solve->iterations;
  const double seconds = sum.solve->seconds + piece.solve->seconds;
  if (is_worse(piece, sum)) {
    sum.solve = piece.solve;
    sum.outcome.tolerance = piece.outcome.tolerance;
    sum.conflicts = piece.conflicts;
  }
  sum.solve->iterations = iterations;
  sum.solve->seconds = seconds;
}

bool is_awake(const World& world, BodyId id) {
  return id != BodyId{} && world.contains(id) && world.body(id).moves_by_forces();
}

/// Forces of joints as means over both.
void add_joints(std::vector<JointRecord>& sum, const std::vector<JointRecord>& piece, double time, double time_of_piece) {
  const double share = time_of_piece / (time + time_of_piece);
  const auto mix = [&](auto& into, const auto& before) { into = share * into + (1 - share) * before; };
  auto old = sum.begin();
  std::vector<JointRecord> both = piece;
  for (JointRecord& r : both) {
    while (old != sum.end() && old->joint.index < r.joint.index) ++old;
    if (old == sum.end() || old->joint != r.joint) continue;
    mix(r.force, old->force);
    mix(r.torque, old->torque);
    mix(r.coupling_force, old->coupling_force);
    for (std::size_t k = 0; k < kJointCoordinates; ++k) {
      mix(r.motor_force[k], old->motor_force[k]);
      mix(r.free_force[k], old->free_force[k]);
    }
  }
  sum.swap(both);
}

/// The same of attachments.
void add_attachments(std::vector<AttachmentRecord>& sum, const std::vector<AttachmentRecord>& piece, double time,
                     double time_of_piece) {
  const double share = time_of_piece / (time + time_of_piece);
  std::vector<AttachmentRecord> both = piece;
  for (AttachmentRecord& r : both)
    for (const AttachmentRecord& old : sum) {
      if (old.soft != r.soft || old.body != r.body) continue;
      r.force = share * r.force + (1 - share) * old.force;
      r.torque = share * r.torque + (1 - share) * old.torque;
    }
  sum.swap(both);
}

}   // namespace

void add_contacts(const World& world, std::vector<ContactRecord>& sum, const std::vector<ContactRecord>& piece) {
  std::vector<ContactRecord> both;
  auto old = sum.begin();
  for (const ContactRecord& c : piece) {
    for (; old != sum.end() && old->key < c.key; ++old) both.push_back(*old);
    both.push_back(c);
    if (old == sum.end() || old->key != c.key) continue;
    if (is_awake(world, c.body_a) || is_awake(world, c.body_b)) {
      both.back().impulse += old->impulse;
      both.back().normal_impulse += old->normal_impulse;
      both.back().angular_impulse += old->angular_impulse;
    }
    ++old;
  }
  both.insert(both.end(), old, sum.end());
  sum.swap(both);
}

void StepPieces::begin(const World& world, const StepOptions& options) {
  const bool soft = std::ranges::any_of(world.nodal_bodies(), [](const NodalBody& nodes) { return nodes.is_soft(); });
  // Forces at the start of a step that are unstable are so in its pieces.
  soft_pieces_ = soft && options.soft.operator_ != SoftOperator::lumped ? options.soft.max_pieces : 1;
  whole_only_ = options.scheme != Scheme::semi_implicit_euler;
  follows_joints_ = !whole_only_ && (world.joint_count() > 0 || soft_pieces_ > 1);
  h_ = options.h;
  done_ = count_ = 0;
  size_ = kUnits;
  within_ = 0;
}

double StepPieces::next(const World& world) {
  size_ = kUnits;
  while (done_ % size_ != 0) size_ /= 2;
  if (!follows_joints_) return length();
  const auto bend = [&] {
    return largest_bend(world, length(), [&](std::uint32_t slot) { return own_velocity(world.bodies()[slot]); });
  };
  if (within_ == 0)
    for (double now = bend(); now > kHopelessBend && size_ > 1; now /= 4) size_ /= 2;
  else
    while (size_ > 1 && bend() > kHopelessBend) shorten();
  return length();
}

bool StepPieces::bends_too_far(const World& world, std::span<const std::uint32_t> segment_of_body,
                               std::span<const double> velocity) const {
  const auto solved = [&](std::uint32_t slot) -> Twist {
    const std::uint32_t segment = segment_of_body[slot];
    if (segment == kNoSegment) return own_velocity(world.bodies()[slot]);
    return {linear_part(velocity, segment), angular_part(velocity, segment)};
  };
  return largest_bend(world, length(), solved) > kBend;
}

double StepPieces::shorten() {
  size_ /= 2;
  if (within_ >= length(size_)) {   // the first half is over
    done_ += size_;
    within_ -= length(size_);
  }
  return length();
}

void StepPieces::take(const World& world, StepReport& report, double time) {
  const bool whole = !(time < length());
  within_ = whole ? 0 : within_ + time;
  if (whole) done_ += size_;
  ++count_;
  if (count_ == 1) {
    if (done_ < kUnits) sum_ = report;
    return;
  }
  add(sum_.energy, report.energy);
  add(sum_.seconds, report.seconds);
  add_solve(sum_, report);
  add_contacts(world, sum_.contacts, report.contacts);
  add_joints(sum_.joints, report.joints, sum_.force_time, report.force_time);
  add_attachments(sum_.attachments, report.attachments, sum_.force_time, report.force_time);
  sum_.force_time += report.force_time;
  sum_.looked_again += report.looked_again;
  sum_.penetration_max = std::max(sum_.penetration_max, report.penetration_max);
  sum_.distance_min = std::min(sum_.distance_min, report.distance_min);
  sum_.joint_error_max = report.joint_error_max;
  // Of sleeping bodies the next piece carries records on.
  if (done_ == kUnits) std::swap(report, sum_);
}

}   // namespace stickslip
