#include "serve/joints.h"

#include <fmt/format.h>

#include "record/joint_description.h"
#include "stickslip/math/error.h"

namespace stickslip::serve {

JointTable::JointTable(const World& world) : ids_(described_joints(world)) {
  for (const JointId id : ids_) free_.push_back(free_coordinates(world.joint(id).description));
}

std::string JointTable::rows(const World& world, const StepReport& report) const {
  std::string out;
  const auto put = [&](double x) {
    const auto number = static_cast<float>(std::isnan(x) ? 0 : x);
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const JointSamples samples(world, report);
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    const JointSample s = samples.of(ids_[i]);
    out.push_back(static_cast<char>(s.state));
    out.append(3, '\0');
    put(s.error);
    for (const double x : s.force) put(x);
    for (const double x : s.torque) put(x);
    put(s.coupling_force);
    for (const int c : free_[i])
      for (const auto* numbers : {&s.position, &s.velocity, &s.motor_force}) put((*numbers)[static_cast<std::size_t>(c)]);
  }
  return out;
}

namespace {

/// The one coordinate that has what the command changes. @throws Error if it is not one
int driven_coordinate(const Joint& joint, const DriveJoint& command) {
  const bool any = command.lower || command.upper || command.effort;   // every free coordinate takes them
  const std::string_view wanted = any ? "free coordinate" : command.speed ? "motor" : "servo";
  std::vector<std::string> able;
  int only = -1;
  for (const int c : free_coordinates(joint.description)) {
    const JointAxis& axis = joint.description.axes[static_cast<std::size_t>(c)];
    if (!any && (command.speed ? !axis.motor : !axis.servo)) continue;
    able.emplace_back(joint_coordinate_name(c));
    only = c;
  }
  if (able.empty())
    throw Error(fmt::format("The joint '{}' has no {}, so there is nothing to set.", joint.description.name, wanted));
  if (!command.coordinate) {
    if (able.size() > 1)
      throw Error(fmt::format("The joint '{}' has a {} on {}. Give one of them as coordinate.", joint.description.name, wanted,
                              fmt::join(able, ", ")));
    return only;
  }
  const int c = joint_coordinate_from_name(*command.coordinate);
  if (std::find(able.begin(), able.end(), joint_coordinate_name(c)) == able.end())
    throw Error(fmt::format("The joint '{}' has no {} on {}. It has one on {}.", joint.description.name, wanted,
                            joint_coordinate_name(c), fmt::join(able, ", ")));
  return c;
}

}   // namespace

int drive(World& world, const DriveJoint& command) {
  const JointId id = world.find_joint(command.name);
  const Joint& joint = world.joint(id);
  if (joint.broken) throw Error(fmt::format("The joint '{}' is broken. Reset to have it whole again.", command.name));
  const int coordinate = driven_coordinate(joint, command);
  if (command.speed) world.set_speed(id, coordinate, *command.speed);
  if (command.target) world.set_target(id, coordinate, *command.target);
  if (command.effort) world.set_effort(id, coordinate, *command.effort);
  if (!command.lower && !command.upper) return coordinate;
  JointAxis axis = joint.description.axes[static_cast<std::size_t>(coordinate)];
  if (command.lower) axis.lower = *command.lower;
  if (command.upper) axis.upper = *command.upper;
  if (axis.lower > axis.upper)
    throw Error(
        fmt::format("The lower bound {:g} is above the upper bound {:g}. Change the other one first.", axis.lower, axis.upper));
  world.set_joint_axis(id, coordinate, axis);
  return coordinate;
}

}   // namespace stickslip::serve
