#include "stickslip/solve/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/judgement.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr std::size_t kAtOnce = 36;   ///< rows of problems that may be solved by the first try: a dozen contacts

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}   // namespace

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
  const double seconds = seconds_since(start);
  SolveReport report = solve(condensed, impulses, workspace, control);
  if (control.seconds) report.seconds += seconds;
  // What the caller is told is about the problem that was given.
  report.residual = residual(problem, impulses, workspace.residual);
  workspace.best_velocity = workspace.residual.segment_velocity;
  if (control.natural_map) report.natural_map_error = natural_map_error(problem, impulses, workspace.residual);
  if (control.notes) report.notes = report.notes.empty() ? "Multiplied W out." : "Multiplied W out. " + report.notes;
  return report;
}

/// A problem given as a matrix that is solved by the first try. Two residuals, as in any solve: of the guess, which is 0, and
/// of what is handed back.
bool ContactSolver::solve_at_once(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                  const SolveControl& control, SolveReport& report) const {
  if (control.wants_iterates() || control.max_iterations <= 0) return false;
  if (control.cancel != nullptr && control.cancel->load(std::memory_order_relaxed)) return false;
  ResidualWorkspace& work = workspace.residual;
  const auto start = control.seconds ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  const Judgement before = judge(problem, impulses, work, std::numeric_limits<double>::infinity());
  if (!(before.total > control.tolerance)) return false;   // the guess may do
  const std::string_view how = try_at_once(problem, impulses, control.tolerance);
  if (how.empty()) return false;
  const Judgement after = judge(problem, impulses, work, control.natural_map_tolerance);
  if (!(after.total <= control.tolerance) || !after.meets_natural_map) {
    std::fill(impulses.begin(), impulses.end(), 0.0);
    return false;
  }
  workspace.best_velocity.clear();   // a matrix has none
  report.initial_residual = before.residual;
  report.residual = after.residual;
  report.iterations = 1;
  report.cost = 1;
  report.model_residual = after.total;
  if (control.natural_map) report.natural_map_error = natural_map_error(problem, impulses, work.v);
  if (control.notes) report.notes = fmt::format("{} solved {} rows.", how, problem.rows());
  if (control.seconds) report.seconds = seconds_since(start);
  return true;
}

SolveReport ContactSolver::solve(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                 const SolveControl& control) const {
  if (problem.is_coupled() && !takes_coupled()) return solve_condensed(problem, impulses, workspace, control);
  bool pushes = false;
  for (double& impulse : impulses) {
    if (!std::isfinite(impulse)) impulse = 0;
    pushes |= impulse != 0;
  }
  SolveReport report;
  if (!pushes && !problem.is_factored() && impulses.size() <= kAtOnce &&
      solve_at_once(problem, impulses, workspace, control, report))
    return report;
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
