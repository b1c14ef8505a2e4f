// Solves that go on once the tolerance is met.
//
// What a solve leaves unbalanced adds up from step to step, in a tall stack to a lean that grows, and a solve that just meets
// the tolerance has to be repeated in the next step: work goes into a tenth of it. In large problems a decade is dear; there
// `auto` goes on where it worked (solve/automatic/regions.h).
#pragma once

#include <algorithm>

#include "stickslip/solve/solver.h"

namespace stickslip {

inline constexpr double kAim = 0.1;                  ///< part of the tolerance that solves go on to
inline constexpr std::size_t kSmallProblem = 3000;   ///< rows

/// @param solve called with a control @param share of the iterations that going on may take
template <class Solve>
SolveReport solve_further(const Solve& solve, SolveControl control, std::size_t rows, double share = 1) {
  SolveReport report = solve(control);
  const bool worked = report.status == SolveStatus::converged && report.iterations > 0;
  if (!worked || control.wants_iterates() || rows > kSmallProblem) return report;
  control.tolerance *= kAim;
  if (share < 1) control.max_iterations = std::max(1, static_cast<int>(share * control.max_iterations));
  const SolveReport further = solve(control);
  report.iterations += further.iterations;
  report.seconds += further.seconds;
  report.residual = further.residual;
  report.model_residual = further.model_residual;
  return report;
}

}   // namespace stickslip
