// The contact problem of one step, taken out of the simulation to be looked at elsewhere.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "serve/messages.h"
#include "stickslip/problem/files.h"
#include "stickslip/step/stepper.h"

namespace stickslip::serve {

/// A copy of everything that the solve of a step was given.
struct StepProblem {
  std::uint64_t step = 0;
  ProblemFile file;   ///< with the guess
  StepOptions options;
  double tolerance = 0;   ///< on the residual [m/s]
};

StepProblem copy_problem(const Scene&, const Stepper&, const StepReport&);

/// Solves the problem as the step did, from its guess, and keeps the residual of every iteration.
History history_of(const StepProblem&, const std::atomic<bool>& cancel);

/// Solves the problem with each solver from zero impulses, which shows the whole way, with the tolerance and the limit of
/// iterations of the step and ten seconds each.
std::vector<ComparedSolver> compare(const StepProblem&, const std::vector<std::string>& solvers,
                                    const std::atomic<bool>& cancel);

}   // namespace stickslip::serve
