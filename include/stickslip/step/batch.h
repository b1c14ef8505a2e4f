// Many worlds stepped from one call, in parallel: what learning, planning and studies of parameters ask for.
//
// A world goes back to a saved state by assignment, `world = saved`: memory is reused, caches of its stepper stay valid, and
// the motion from there on is the same to the bit.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "stickslip/step/stepper.h"

namespace stickslip {

/// A world and what steps it. Neither may stand twice in a batch.
struct BatchEntry {
  Stepper* stepper = nullptr;
  World* world = nullptr;
};

/// Takes `steps` steps of every world. Worlds are dealt out to threads, each of them whole, so that the results are those of
/// stepping one after the other, to the bit. Steppers best have one thread each.
/// @param threads 0: as many as the machine has
/// @param after called after every step with the number of the entry, by the thread that took it; may be empty
/// @throws Error naming the entry, the first of them, if a step failed; all other worlds have taken their steps by then. Also
/// if the same world or stepper is there twice, or a number is negative. StepCancelled if `StepOptions::cancel` of a stepper
/// ended a step and none failed; each world is then as after some whole step of its own.
void step_all(std::span<const BatchEntry>, int steps = 1, int threads = 0,
              const std::function<void(std::size_t entry, const StepReport&)>& after = {});

}   // namespace stickslip
