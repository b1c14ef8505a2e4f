#include "stickslip/solve/solver.h"

#include <algorithm>
#include <cmath>

#include "stickslip/solve/monitor.h"

namespace stickslip {

std::string_view status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration-limit";
    case SolveStatus::stalled:
      return "stalled";
    case SolveStatus::time_limit:
      return "time-limit";
    case SolveStatus::cancelled:
      return "cancelled";
    case SolveStatus::diverged:
      return "diverged";
    case SolveStatus::failed:
      return "failed";
    case SolveStatus::unsupported:
      return "unsupported";
  }
  return "?";
}

std::string_view ContactSolver::cannot_take(const FrictionSet& law) const {
  if (!std::holds_alternative<PatchFriction>(law)) return cannot_honour(law);
  if (takes_patches()) return {};
  return "Contact patches press over an area, and this solver knows points only. nsgs, prox-gs, alart-curnier, admm and auto "
         "take them.";
}

/// Why the problem is not for this solver; empty if it is.
std::string_view ContactSolver::refusal(const ContactProblem& problem) const {
  std::string_view reason = cannot_solve(problem);
  for (const BlockKind kind : {BlockKind::bilateral, BlockKind::box})
    if (reason.empty() &&
        std::any_of(problem.batches.begin(), problem.batches.end(), [&](const Batch& b) { return b.kind == kind; }))
      reason = cannot_hold(kind);
  for (std::size_t i = 0; i < problem.blocks.size() && reason.empty(); ++i)
    if (problem.blocks[i].kind == BlockKind::contact && problem.blocks[i].dim > 1) reason = cannot_take(problem.laws[i]);
  return reason;
}

SolveReport ContactSolver::solve_condensed(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                           const SolveControl& control) const {
  const auto start = std::chrono::steady_clock::now();
  const ContactProblem condensed = condense(problem);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  SolveReport report = solve(condensed, impulses, workspace, control);
  report.seconds += seconds;
  // What the caller is told is about the problem that was given.
  report.residual = residual(problem, impulses, workspace.residual);
  workspace.best_velocity = workspace.residual.segment_velocity;
  if (control.natural_map) report.natural_map_error = natural_map_error(problem, impulses, workspace.residual);
  if (control.notes) report.notes = report.notes.empty() ? "Multiplied W out." : "Multiplied W out. " + report.notes;
  return report;
}

SolveReport ContactSolver::solve(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                 const SolveControl& control) const {
  if (problem.is_coupled() && !takes_coupled()) return solve_condensed(problem, impulses, workspace, control);
  for (double& impulse : impulses)
    if (!std::isfinite(impulse)) impulse = 0;
  SolveReport report;
  SolveMonitor monitor(problem, model(), control, workspace, report);
  if (const std::string_view reason = refusal(problem); !reason.empty()) {
    monitor.start(impulses);
    monitor.finish(impulses);
    report.status = SolveStatus::unsupported;
    report.reason = reason;
    return report;
  }
  if (!monitor.start(impulses)) {
    iterate(problem, impulses, workspace, monitor);
    monitor.give_up(impulses, SolveStatus::stalled, "The solver returned without reaching the tolerance.");
  }
  monitor.finish(impulses);
  return report;
}

}   // namespace stickslip
