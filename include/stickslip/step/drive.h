// Controllers: functions that drive a world from step to step.
//
//   drive(stepper, world, 2.0, [&](World& world, const StepReport* last) {
//     const double angle = world.joint_position(hip, joint_turn_z);
//     world.set_effort(hip, joint_turn_z, 40 * (0.3 - angle));
//   });
//
// A controller reads what it likes of the world and of the last step, and sets efforts, speeds, targets (World::set_effort and
// those after it), forces on bodies or anything else. What it sets holds for the step that follows. It is a plain loop; a
// program that wants to do more between steps writes its own.
#pragma once

#include <cmath>

#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"

namespace stickslip {

/// Calls `controller(world, last report or null before the first)` and takes a step, as often as a time has steps. The report
/// stays valid until the next step of the stepper. @param seconds > 0
/// @throws Error if that is no step
template <class Controller>
const StepReport& drive(Stepper& stepper, World& world, double seconds, Controller&& controller) {
  const auto steps = std::llround(seconds / stepper.options().h);
  if (!(seconds > 0) || steps < 1) throw Error("There is no step to take. Give a time of at least one step.").at("seconds");
  const StepReport* last = nullptr;
  for (long long i = 0; i < steps; ++i) {
    controller(world, last);
    last = &stepper.step(world);
  }
  return *last;
}

}   // namespace stickslip
