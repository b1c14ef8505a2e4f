// Contact problems of scenes, for studies of solvers.
#pragma once

#include "stickslip/step/stepper.h"
#include "stickslip/study/study.h"

namespace stickslip::study {

/// What the solve of a step was given.
struct CapturedProblem {
  ContactProblem problem;
  std::vector<double> guess;   ///< impulses of the step before
};

/// The contact problem of step number `step` = 1, 2, … of a scene that is stepped as it says. @throws Cancelled, Error
CapturedProblem captured_problem(const CaseRun&, const std::string& scene, const std::vector<Override>&, int step);

}   // namespace stickslip::study
