// From the impulses of joint rows to forces, energy, memory and breakage.
#include <cmath>

#include "step/free_motion.h"
#include "step/joints/joint_rows.h"

namespace stickslip {

namespace {

/// The place where the impulse of a part is remembered.
double& remembered(JointMemory& m, JointPart part, std::size_t coordinate) {
  switch (part) {
    case JointPart::damper:   // of an angle that is not locked
    case JointPart::locked:
      return m.locked[coordinate];
    case JointPart::effort:   // has no row
    case JointPart::motor:
      return m.motor[coordinate];
    case JointPart::armature:
      return m.armature[coordinate];
    case JointPart::servo:
      return m.servo[coordinate];
    case JointPart::spring:
      return m.spring[coordinate];
    case JointPart::friction:
      return m.friction[coordinate];
    case JointPart::lower:
      return m.lower[coordinate];
    case JointPart::upper:
      return m.upper[coordinate];
    case JointPart::coupling:
      return m.coupling;
    case JointPart::swing:
      return m.swing;
  }
  return m.coupling;
}

/// Books the work of a row where it belongs.
void add_energy(EnergyLedger& energy, JointPart part, bool soft, double work, double lifted) {
  switch (part) {
    case JointPart::effort:
    case JointPart::motor:
    case JointPart::servo:
      energy.motors += work;
      return;
    case JointPart::armature:   // stays kinetic energy
      return;
    case JointPart::spring:
    case JointPart::damper:
      energy.springs += work;
      return;
    case JointPart::friction:
      energy.friction -= work;
      return;
    default:
      break;
  }
  if (soft) {
    energy.springs += work;
    return;
  }
  energy.impact -= work - lifted;
  energy.stabilisation += lifted;
}

/// How far locked coordinates are off; angles times `row_length`.
double position_error(const World& world, const Joint& joint, const JointPlace& place) {
  const JointDescription& d = joint.description;
  if (d.type == JointType::distance) return d.axes[joint_x].locked ? std::abs(place.position[joint_x] - d.length) : 0;
  double square = d.type == JointType::screw ? std::pow(coupled_position(world, joint) - joint.coupling_start, 2) : 0;
  for (int k = 0; k < kJointCoordinates; ++k)
    if (d.axes[static_cast<std::size_t>(k)].locked)
      square += std::pow((is_turn(k) ? joint.row_length : 1) * place.position[static_cast<std::size_t>(k)], 2);
  return std::sqrt(square);
}

/// Whether a joint that acts has no body in this step.
bool rests(const World& world, const Joint& joint) {
  const JointDescription& d = joint.description;
  if (!joint.acts()) return false;
  const auto moves = [&](BodyId id) {
    return id != BodyId{} && world.contains(id) && world.bodies()[id.index].moves_by_forces();
  };
  if (d.type == JointType::gear)
    return rests(world, world.joints()[d.first.joint.index]) && rests(world, world.joints()[d.second.joint.index]);
  return !moves(d.a) && !moves(d.b);
}

}   // namespace

void JointRows::fill_guess(const World& world, double scale, std::span<double> guess) const {
  for (const Row& r : rows_) {
    JointMemory memory = world.joints()[r.joint].memory;
    guess[r.row] = scale * remembered(memory, r.part, r.coordinate);
  }
}

JointRecord& record_of(const World& world, std::uint32_t slot, StepReport& report) {
  auto& records = report.joints;
  const auto later = [](const JointRecord& r, std::uint32_t x) { return r.joint.index < x; };
  // Mostly it is the last one, or comes after it.
  auto at = records.empty() || records.back().joint.index < slot
                ? records.end()
                : std::lower_bound(records.begin(), records.end(), slot, later);
  if (at != records.end() && at->joint.index == slot) return *at;
  JointRecord& fresh = *records.insert(at, JointRecord{});
  fresh.joint = world.joint_id_of(slot);
  if (const Joint& joint = world.joints()[slot]; joint.description.type != JointType::gear) {
    const JointPlace place = locate(world, joint);
    fresh.frame = place.frame_a.orientation;
    fresh.point = place.frame_b.position;
  }
  return fresh;
}

/// @param after velocity of the row @param time that forces act [s]
void JointRows::record_row(const Row& r, double impulse, double after, double time, JointRecord& record,
                           EnergyLedger& energy) const {
  record.force += impulse / time * r.force;
  record.torque += impulse / time * r.torque;
  const double generalised = impulse / time * r.scale;
  if (is_drive(r.part)) record.motor_force[r.coordinate] += generalised;
  if (is_of_free_coordinate(r.part)) record.free_force[r.coordinate] += generalised;
  if (r.part == JointPart::coupling) record.coupling_force = generalised;
  add_energy(energy, r.part, r.sigma > 0 && r.recovery == 0, impulse * 0.5 * (r.before + after), impulse * r.recovery);
  energy.driven -= impulse * r.driven;
}

void JointRows::record(const Setting& s, std::span<const double> impulses, std::span<const double> velocity, World& world,
                       StepReport& report) {
  resting_.clear();
  for (const JointRecord& r : report.joints)
    if (world.contains(r.joint) && rests(world, world.joint(r.joint))) resting_.push_back(r);
  report.joints.clear();
  const double time = kick_time(s.world, s.options);
  std::vector<Joint>& joints = world.mutable_joints();
  for (std::uint32_t slot = 0; slot < joints.size(); ++slot)
    if (joints[slot].acts() && !rests(world, joints[slot])) joints[slot].memory = {};

  find_velocities(velocity);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& r = rows_[i];
    remembered(joints[r.joint].memory, r.part, r.coordinate) = impulses[r.row];
    record_row(r, impulses[r.row], after_[i], time, record_of(world, r.joint, report), report.energy);
  }
  for (const Given& effort : efforts_)
    record_row(effort.draft.row, effort.impulse, effort.draft.speed(velocity), time,
               record_of(world, effort.draft.row.joint, report), report.energy);
  for (const JointRecord& r : report.joints) joints[r.joint.index].memory.force = r.force;
  if (resting_.empty()) return;
  report.joints.insert(report.joints.end(), resting_.begin(), resting_.end());
  std::sort(report.joints.begin(), report.joints.end(),
            [](const JointRecord& x, const JointRecord& y) { return x.joint.index < y.joint.index; });
}

void JointRows::finish(World& world, StepReport& report) const {
  report.joint_error_max = 0;
  for (JointRecord& r : report.joints) {
    Joint& joint = world.mutable_joints()[r.joint.index];
    const JointDescription& d = joint.description;
    if (d.type == JointType::gear) {
      r.position[joint_x] = coupled_position(world, joint) - joint.coupling_start;
      r.error = joint.row_length * std::abs(r.position[joint_x]);
    } else {
      const JointPlace place = locate(world, joint);
      r.position = place.position;
      for (std::size_t k = 0; k < kJointCoordinates; ++k) r.velocity[k] = rate(world, d, place.row[k]);
      for (std::size_t k = 0; k < 3; ++k) joint.turns[k] = place.position[joint_turn_x + k];
      r.error = position_error(world, joint, place);
    }
    report.joint_error_max = std::max(report.joint_error_max, r.error);
  }
}

void break_joints(World& world, StepReport& report) {
  for (JointRecord& r : report.joints) {
    const JointDescription& d = world.joints()[r.joint.index].description;
    r.broke = r.force.norm() > d.break_force || r.torque.norm() > d.break_torque;
    if (r.broke) world.break_joint(r.joint);
  }
}

}   // namespace stickslip
