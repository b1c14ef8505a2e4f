// The contact problem of a step as a file to be.
#pragma once

#include <string>

#include "stickslip/problem/files.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip {

/// The contact problem of the last step with its guess, named after scene and step.
ProblemFile problem_of_step(const Scene&, const Stepper&, const StepReport&);

/// "wall-step120.hdf5"
std::string capture_name(const Scene&, std::uint64_t step);

}   // namespace stickslip
