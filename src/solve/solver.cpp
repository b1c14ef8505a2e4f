#include "stickslip/solve/solver.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

std::string_view status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged: return "converged";
    case SolveStatus::iteration_limit: return "iteration-limit";
    case SolveStatus::stalled: return "stalled";
    case SolveStatus::time_limit: return "time-limit";
    case SolveStatus::cancelled: return "cancelled";
    case SolveStatus::diverged: return "diverged";
    case SolveStatus::failed: return "failed";
    case SolveStatus::unsupported: return "unsupported";
  }
  return "?";
}

SolveMonitor::SolveMonitor(const ContactProblem& problem, FrictionModel model, const SolveControl& control,
                           Workspace& workspace, SolveReport& report)
    : problem_(problem),
      judged_(&problem),
      model_(model),
      control_(control),
      workspace_(workspace),
      report_(report),
      start_(std::chrono::steady_clock::now()) {}

bool SolveMonitor::start(std::span<const double> impulses) {
  if (control_.keep_history)
    report_.history.reserve(static_cast<std::size_t>(std::clamp(control_.max_iterations, 0, 1 << 20)) + 1);
  const double total = evaluate(0, impulses);
  workspace_.velocity = workspace_.residual.segment_velocity;
  report_.initial_residual = best_residual_;
  if (meets_tolerance(total, impulses)) stop(SolveStatus::converged, "");
  else if (model_is_solved()) stop(SolveStatus::stalled, "The guess solves the model of the solver.");
  else if (control_.max_iterations <= 0) stop(SolveStatus::iteration_limit, "No iteration was allowed.");
  return stopped_;
}

void SolveMonitor::keep(int iteration, std::span<const double> impulses, const Residual& now, double own) {
  // Where b itself overflows, any finite iterate is better.
  best_total_ = std::isnan(own) ? std::numeric_limits<double>::infinity() : own;
  best_residual_ = now;
  workspace_.best_velocity = workspace_.residual.segment_velocity;
  best_is_stored_ = iteration < control_.max_iterations || stores_all_;
  if (best_is_stored_) workspace_.best.assign(impulses.begin(), impulses.end());
}

double SolveMonitor::evaluate(int iteration, std::span<const double> impulses) {
  evaluated_ = iteration;
  const Residual now = residual(*judged_, impulses, workspace_.residual);
  const double total = now.total();
  if (control_.keep_history) report_.history.push_back(total);
  if (control_.observer) control_.observer(iteration, impulses, now);
  last_total_ = model_ == FrictionModel::exact ? total : residual(*judged_, impulses, workspace_.residual, model_).total();
  // Where the natural map must hold too, the iterate that meets both is the one to hand back.
  const bool converged = iteration > 0 && std::isfinite(control_.natural_map_tolerance) && meets_tolerance(total, impulses);
  if (iteration == 0 || last_total_ < best_total_ || converged) keep(iteration, impulses, now, last_total_);
  return total;
}

bool SolveMonitor::meets_tolerance(double total, std::span<const double> impulses) {
  if (!(total <= control_.tolerance)) return false;
  return !std::isfinite(control_.natural_map_tolerance) ||
         natural_map_error(*judged_, impulses, workspace_.residual) <= control_.natural_map_tolerance;
}

void SolveMonitor::judge(int iteration, std::span<const double> impulses) {
  if (expand_) impulses = expand_(impulses);
  const double total = evaluate(iteration, impulses);
  if (meets_tolerance(total, impulses))
    stop(inconsistency_.empty() ? SolveStatus::converged : SolveStatus::stalled, inconsistency_);
  else if (model_is_solved())
    stop(SolveStatus::stalled, "The model of the solver is solved; what remains is its distance from the exact law.");
  else if (!std::isfinite(total)) stop(SolveStatus::failed, "The impulses became infinite or undefined.");
  else if (last_total_ > control_.divergence * best_total_)
    stop(SolveStatus::diverged, "The residual grew beyond the divergence limit.");
  else if (std::abs(checked_total_ - last_total_) < control_.relative_tolerance * checked_total_ &&
           std::isfinite(checked_total_))
    stop(SolveStatus::stalled, "The residual changes by less than the relative tolerance.");
  checked_total_ = last_total_;
}

void SolveMonitor::check_limits(int iteration, std::span<const double> impulses) {
  if (!stopped_ && used_up(iteration))
    stop(SolveStatus::iteration_limit, "The residual was still above the tolerance after the last iteration allowed.");
  if (!stopped_ && control_.cancel != nullptr && control_.cancel->load(std::memory_order_relaxed))
    give_up(impulses, SolveStatus::cancelled, "The caller asked to stop.");
  if (!stopped_ && std::isfinite(control_.time_limit) && elapsed() > control_.time_limit)
    give_up(impulses, SolveStatus::time_limit, "The time limit passed.");
}

void SolveMonitor::count(int iteration) {
  step_ = iteration;
  report_.iterations = iteration;
  if (unit_ > 0)
    report_.iterations = static_cast<int>(
        std::clamp(std::ceil(work_ / unit_), 1.0, std::max(1.0, static_cast<double>(control_.max_iterations))));
}

bool SolveMonitor::done(int iteration, std::span<const double> impulses, double change) {
  count(iteration);
  const bool settled = change <= control_.tolerance && iteration >= settled_check_;
  if (settled || used_up(iteration) || control_.keep_history || control_.observer || iteration >= next_check_ ||
      std::isnan(change)) {
    judge(iteration, impulses);
    // Wait longer after every check that failed: a small change is not convergence.
    next_check_ = iteration + std::max(16, iteration / 4);
    if (settled) settled_check_ = iteration + std::max(2, iteration / 8);
  }
  check_limits(iteration, impulses);
  return stopped_;
}

bool SolveMonitor::done(int iteration, std::span<const double> impulses) {
  count(iteration);
  judge(iteration, impulses);
  check_limits(iteration, impulses);
  return stopped_;
}

void SolveMonitor::note(std::string_view sentence) {
  if (!report_.story.empty()) report_.story += ' ';
  report_.story += sentence;
}

double SolveMonitor::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void SolveMonitor::give_up(std::span<const double> impulses, SolveStatus status, std::string_view reason) {
  if (!stopped_ && evaluated_ != step_) evaluate(step_, expand_ ? expand_(impulses) : impulses);
  stop(status, reason);
}

void SolveMonitor::judge_by(const ContactProblem& consistent, std::string_view reason) {
  judged_ = &consistent;
  inconsistency_ = reason;
  best_total_ = checked_total_ = std::numeric_limits<double>::infinity();
  if (workspace_.best.size() == problem_.rows()) {
    const Residual now = residual(*judged_, workspace_.best, workspace_.residual);
    best_residual_ = now;
    best_total_ =
        model_ == FrictionModel::exact ? now.total() : residual(*judged_, workspace_.best, workspace_.residual, model_).total();
  }
}

void SolveMonitor::stop(SolveStatus status, std::string_view reason) {
  if (stopped_) return;
  stopped_ = true;
  report_.status = status;
  report_.reason = reason;
}

void SolveMonitor::finish(std::span<double> impulses) {
  // After the last iteration allowed, the impulses still are the best iterate if that is the one.
  if (best_is_stored_) std::copy(workspace_.best.begin(), workspace_.best.end(), impulses.begin());
  report_.residual = best_residual_;
  report_.model_residual = best_total_;
  if (judged_ != &problem_) {
    report_.residual = residual(problem_, impulses, workspace_.residual);
    report_.model_residual = model_ == FrictionModel::exact ? report_.residual.total()
                                                            : residual(problem_, impulses, workspace_.residual, model_).total();
    // A contradiction too small to matter.
    if (report_.status == SolveStatus::stalled && meets_tolerance(report_.residual.total(), impulses)) {
      report_.status = SolveStatus::converged;
      report_.reason = {};
    }
  }
  if (control_.natural_map) report_.natural_map_error = natural_map_error(problem_, impulses, workspace_.residual);
  report_.seconds = elapsed();
}

/// Why the problem is not for this solver; empty if it is.
std::string_view ContactSolver::refusal(const ContactProblem& problem) const {
  std::string_view reason = cannot_solve(problem);
  for (const BlockKind kind : {BlockKind::bilateral, BlockKind::box})
    if (reason.empty() &&
        std::any_of(problem.batches.begin(), problem.batches.end(), [&](const Batch& b) { return b.kind == kind; }))
      reason = cannot_hold(kind);
  for (std::size_t i = 0; i < problem.blocks.size() && reason.empty(); ++i)
    if (problem.blocks[i].kind == BlockKind::contact && problem.blocks[i].dim > 1) reason = cannot_honour(problem.laws[i]);
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
  if (control.story) {
    report.story.insert(0, report.story.empty() ? "" : " ");
    report.story.insert(0, "Multiplied W out.");
  }
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

}  // namespace stickslip
