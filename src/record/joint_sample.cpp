#include "record/joint_sample.h"

namespace stickslip {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool has_moving_body(const World& world, const Joint& joint) {
  const auto moves = [&](BodyId id) { return world.contains(id) && world.body(id).moves_by_forces(); };
  return moves(joint.description.a) || moves(joint.description.b);
}

}   // namespace

JointSample::JointSample() : force(Vec3::Constant(kUnknown)), torque(force), coupling_force(kUnknown), error(kUnknown) {
  for (auto* numbers : {&position, &velocity, &motor_force}) numbers->fill(kUnknown);
}

JointSamples::JointSamples(const World& world, const StepReport& report)
    : world_(world),
      after_step_(report.h > 0),
      record_of_slot_(world.joints().size(), nullptr),
      conflict_of_slot_(world.joints().size(), false) {
  for (const JointRecord& record : report.joints)
    if (world.contains(record.joint)) record_of_slot_[record.joint.index] = &record;
  for (const JointConflict& conflict : report.conflicts)
    if (world.contains(conflict.joint)) conflict_of_slot_[conflict.joint.index] = true;
}

JointSample JointSamples::of(JointId id) const {
  JointSample sample;
  if (!world_.contains(id)) return sample;
  const Joint& joint = world_.joints()[id.index];
  if (const JointRecord* record = record_of_slot_[id.index]) {
    sample.state = joint.broken ? JointState::broken : conflict_of_slot_[id.index] ? JointState::conflicts : JointState::acts;
    sample.force = record->force, sample.torque = record->torque, sample.coupling_force = record->coupling_force;
    sample.error = record->error;
    sample.position = record->position, sample.velocity = record->velocity, sample.motor_force = record->motor_force;
    return sample;
  }
  sample.state = joint.broken ? JointState::broken : JointState::rests;
  if (joint.broken || (after_step_ && has_moving_body(world_, joint))) {   // it had no rows: it does nothing
    sample.force = sample.torque = Vec3::Zero();
    sample.coupling_force = 0;
    if (!joint.broken) sample.error = 0;
    sample.motor_force.fill(0);
  }
  if (joint.description.type == JointType::gear) return sample;
  const JointPlace place = locate(world_, joint);
  sample.position = place.position;
  for (std::size_t c = 0; c < kJointCoordinates; ++c) sample.velocity[c] = rate(world_, joint.description, place.row[c]);
  return sample;
}

std::vector<int> free_coordinates(const JointDescription& d) {
  std::vector<int> list;
  if (d.type == JointType::gear) return list;
  const int count = d.type == JointType::distance ? 1 : kJointCoordinates;
  for (int c = 0; c < count; ++c)
    if (!d.axes[static_cast<std::size_t>(c)].locked) list.push_back(c);
  return list;
}

}   // namespace stickslip
