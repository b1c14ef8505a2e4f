#include "solve/newton/newton_solve.h"
#include "stickslip/solve/monitor.h"

#include <cmath>

namespace stickslip {

void sweep_first(const ContactSolver& solver, int sweeps, const ContactProblem& problem, std::span<double> impulses,
                 NewtonScratch& scratch, const SolveMonitor& monitor) {
  if (sweeps <= 0) return;
  for (const double impulse : impulses)
    if (!std::isfinite(impulse)) return;
  SolveControl control;
  control.tolerance = monitor.control().tolerance;
  control.max_iterations = sweeps;
  control.time_limit = monitor.control().time_limit - monitor.elapsed();
  control.cancel = monitor.control().cancel;
  control.natural_map = false;
  solver.solve(problem, impulses, scratch.sweeping, control);
}

void run_newton(const ContactProblem& problem, const NewtonSystem& system, const ProximalNewton::Settings& settings,
                std::span<double> impulses, NewtonScratch& scratch, SolveMonitor& monitor, int iteration) {
  scratch.newton.set(settings);
  scratch.newton.start(problem, impulses, system);
  while (true) {
    const bool moved = scratch.newton.step(impulses);
    if (monitor.done(++iteration, impulses)) return;
    if (!moved)
      return monitor.give_up(impulses, SolveStatus::stalled, "Newton's method made no progress with any regularisation.");
  }
}

}   // namespace stickslip
