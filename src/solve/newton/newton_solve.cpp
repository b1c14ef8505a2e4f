#include "solve/newton/newton_solve.h"
#include "stickslip/solve/monitor.h"

#include <fmt/format.h>

#include <cmath>

namespace stickslip {

int sweep_first(const ContactSolver& solver, int sweeps, const ContactProblem& problem, std::span<double> impulses,
                NewtonScratch& scratch, SolveMonitor& monitor) {
  if (sweeps <= 0) return 0;
  for (const double impulse : impulses)
    if (!std::isfinite(impulse)) return 0;
  SolveControl control;
  control.tolerance = monitor.control().tolerance;
  control.max_iterations = sweeps;
  control.time_limit = monitor.control().time_limit - monitor.elapsed();
  control.cancel = monitor.control().cancel;
  control.natural_map = false;
  const int done = solver.solve(problem, impulses, scratch.sweeping, control).iterations;
  monitor.note([&] { return fmt::format("{} sweeps first.", done); });
  return done;
}

void run_newton(const ContactProblem& problem, const NewtonSystem& system, const ProximalNewton::Settings& settings,
                std::span<double> impulses, NewtonScratch& scratch, SolveMonitor& monitor, int iteration, bool charges) {
  scratch.newton.set(settings);
  scratch.newton.start(problem, impulses, system);
  while (true) {
    const bool moved = scratch.newton.step(impulses);
    if (charges) monitor.charge(scratch.newton.step_cost());
    if (monitor.done(++iteration, impulses)) return;
    if (!moved)
      return monitor.give_up(impulses, SolveStatus::stalled, "Newton's method made no progress with any regularisation.");
  }
}

}   // namespace stickslip
