#include "record/trajectory_joints.h"

namespace stickslip {

using h5::GrowingDataset;

void push_text(GrowingDataset& dataset, std::string_view text, std::size_t length) {
  std::string padded(text.substr(0, length));
  padded.resize(length, '\0');
  dataset.push(padded.data(), length);
}

void JointDatasets::create(hid_t file, const World& world, std::vector<GrowingDataset*>& all) {
  name_length_ = kNameLength;
  for (const Joint& joint : world.joints()) name_length_ = std::max(name_length_, joint.description.name.size());
  const h5::Handle group = h5::create_group(file, "joints");
  const auto add = [&](GrowingDataset& dataset, const char* name, hid_t type, GrowingDataset::Layout layout,
                       std::string_view unit = "") {
    dataset = GrowingDataset(group.get(), name, type, std::move(layout));
    if (!unit.empty()) h5::write_attribute(dataset.id(), "unit", unit);
    all.push_back(&dataset);
  };
  const GrowingDataset::Layout fixed{{}, 256};
  add(name_, "name", h5::text_type(name_length_).get(), fixed);
  add(type_, "type", h5::text_type(kKindLength).get(), fixed);
  add(body_a_, "body_a", H5T_NATIVE_INT64, fixed);
  add(body_b_, "body_b", H5T_NATIVE_INT64, fixed);
  add(first_, "first", H5T_NATIVE_INT64, fixed);
  add(second_, "second", H5T_NATIVE_INT64, fixed);

  const hsize_t columns = std::clamp<hsize_t>(world.joint_count(), 1, 4096);
  const hsize_t rows = std::clamp<hsize_t>((256 << 10) / (columns * kJointCoordinates * sizeof(double)), 1, 64);
  const GrowingDataset::Layout flag{{}, rows, columns}, vector{{3}, rows, columns}, six{{kJointCoordinates}, rows, columns};
  add(alive_, "alive", H5T_NATIVE_UINT8, flag);
  add(broken_, "broken", H5T_NATIVE_UINT8, flag);
  add(position_, "position", H5T_NATIVE_DOUBLE, six, "m, m, m, rad, rad, rad");
  add(velocity_, "velocity", H5T_NATIVE_DOUBLE, six, "m/s, m/s, m/s, rad/s, rad/s, rad/s");
  add(force_, "force", H5T_NATIVE_DOUBLE, vector, "N");
  add(torque_, "torque", H5T_NATIVE_DOUBLE, vector, "N m");
  add(motor_force_, "motor_force", H5T_NATIVE_DOUBLE, six, "N, N, N, N m, N m, N m");
  add(coupling_force_, "coupling_force", H5T_NATIVE_DOUBLE, flag, "N or N m");
  add(error_, "error", H5T_NATIVE_DOUBLE, flag, "m");
}

void JointDatasets::add_joint(const Joint& joint, const BodyColumns& bodies) {
  const JointDescription& d = joint.description;
  const bool gear = d.type == JointType::gear;
  const auto column = [](const auto& columns, auto id) {
    const auto found = columns.of(id);
    return found ? static_cast<std::int64_t>(*found) : std::int64_t{-1};
  };
  push_text(name_, d.name, name_length_);
  push_text(type_, joint_type_name(d.type), kKindLength);
  body_a_.push(gear ? std::int64_t{-1} : column(bodies, d.a));
  body_b_.push(gear ? std::int64_t{-1} : column(bodies, d.b));
  first_.push(gear ? column(columns_, d.first.joint) : std::int64_t{-1});
  second_.push(gear ? column(columns_, d.second.joint) : std::int64_t{-1});
}

void JointDatasets::write_frame(const World& world, const StepReport& report, const BodyColumns& bodies) {
  const std::size_t known = columns_.size();
  columns_.add_new(world);
  for (std::size_t i = known; i < columns_.size(); ++i) add_joint(world.joints()[columns_.ids()[i].index], bodies);
  const auto frames = {&alive_, &broken_, &position_, &velocity_, &force_, &torque_, &motor_force_, &coupling_force_, &error_};
  if (columns_.size() == 0) {
    for (GrowingDataset* d : frames) d->skip_row();
    return;
  }
  for (GrowingDataset* d : frames) d->set_columns(columns_.size());
  const JointSamples samples(world, report);
  for (const JointId id : columns_.ids()) {
    const JointSample s = samples.of(id);
    alive_.push(static_cast<std::uint8_t>(s.state != JointState::absent));
    broken_.push(static_cast<std::uint8_t>(s.state == JointState::broken));
    position_.push(s.position.data(), sizeof s.position);
    velocity_.push(s.velocity.data(), sizeof s.velocity);
    force_.push(s.force);
    torque_.push(s.torque);
    motor_force_.push(s.motor_force.data(), sizeof s.motor_force);
    coupling_force_.push(s.coupling_force);
    error_.push(s.error);
  }
}

}   // namespace stickslip
