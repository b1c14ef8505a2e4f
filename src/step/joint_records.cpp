// From the impulses of joint rows to forces, energy, memory and breakage.
#include <cmath>

#include "step/free_motion.h"
#include "step/joint_rows.h"

namespace stickslip {

namespace {

/// The place where the impulse of a part is remembered.
double& remembered(JointMemory& m, JointPart part, std::size_t coordinate) {
  switch (part) {
    case JointPart::damper:   // of an angle that is not locked
    case JointPart::locked:
      return m.locked[coordinate];
    case JointPart::motor:
      return m.motor[coordinate];
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
    case JointPart::motor:
    case JointPart::servo:
      energy.motors += work;
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
    const double impulse = impulses[r.row];
    Joint& joint = joints[r.joint];
    if (report.joints.empty() || report.joints.back().joint.index != r.joint) {
      JointRecord& fresh = report.joints.emplace_back();
      fresh.joint = world.joint_id_of(r.joint);
      if (joint.description.type != JointType::gear) {
        const JointPlace place = locate(world, joint);
        fresh.frame = place.frame_a.orientation;
        fresh.point = place.frame_b.position;
      }
    }
    JointRecord& record = report.joints.back();
    remembered(joint.memory, r.part, r.coordinate) = impulse;
    record.force += impulse / time * r.force;
    record.torque += impulse / time * r.torque;
    const double generalised = impulse / time * r.scale;
    if (r.part == JointPart::motor || r.part == JointPart::servo) record.motor_force[r.coordinate] += generalised;
    if (r.part == JointPart::coupling) record.coupling_force = generalised;
    else if (r.part != JointPart::locked && r.part != JointPart::swing) record.free_force[r.coordinate] += generalised;
    add_energy(report.energy, r.part, r.sigma > 0 && r.recovery == 0, impulse * 0.5 * (r.before + after_[i]),
               impulse * r.recovery);
    report.energy.driven -= impulse * r.driven;
  }
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
