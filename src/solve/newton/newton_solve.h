// What the solvers of the family share around the engine: a start by sweeps, and steps judged by the monitor.
#pragma once

#include "solve/newton/newton_engine.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

/// Memory of a solve.
struct NewtonScratch {
  ProximalNewton newton;
  Workspace sweeping;   ///< of the solver that sweeps first; the monitor needs the other
};

/// Sweeps of a first-order solver from the guess, within the limits of the solve; skipped if the guess is not finite.
/// Returns how many there were, and notes it.
int sweep_first(const ContactSolver& solver, int sweeps, const ContactProblem&, std::span<double> impulses, NewtonScratch&,
                SolveMonitor&);

/// Newton steps until the monitor ends the solve or the engine does. `iteration` counts on. @param charges whether the cost of
/// steps is told
void run_newton(const ContactProblem&, const NewtonSystem&, const ProximalNewton::Settings&, std::span<double> impulses,
                NewtonScratch&, SolveMonitor&, int iteration = 0, bool charges = false);

}   // namespace stickslip
