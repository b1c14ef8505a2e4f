#include "stickslip/solve/monitor.h"

#include <algorithm>
#include <cmath>

#include "math/infinity.h"

namespace stickslip {

namespace {

/// The iterate before, for merit functions of steps.
struct MeritMemory {
  std::vector<double> before;
};

}   // namespace

int WorkBudget::iterations(int step) const {
  if (!counts_work()) return step;
  return static_cast<int>(std::clamp(std::ceil(done_ / unit_), 1.0, std::max(1.0, static_cast<double>(max_iterations_))));
}

double IterateMeasure::own(std::span<const double> impulses, const Residual& exact) const {
  return is_exact() ? exact.total() : residual(*problem_, impulses, work_, model_).total();
}

SolveMonitor::SolveMonitor(const ContactProblem& problem, FrictionModel model, const SolveControl& control,
                           Workspace& workspace, SolveReport& report)
    : problem_(problem),
      control_(control),
      workspace_(workspace),
      report_(report),
      measure_(problem, model, workspace.residual),
      budget_(control.max_iterations),
      start_(control.needs_clock() ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point()) {}

bool SolveMonitor::start(std::span<const double> impulses) {
  if (control_.keep_history)
    report_.history.reserve(static_cast<std::size_t>(std::clamp(control_.max_iterations, 0, 1 << 20)) + 1);
  if (control_.merit.function != Merit::none) workspace_.scratch<MeritMemory>().before.clear();
  evaluate(0, impulses);
  workspace_.velocity = workspace_.residual.segment_velocity;
  report_.initial_residual = best_residual_;
  if (last_is_met_) stop(SolveStatus::converged, "");
  else if (model_is_solved()) stop(SolveStatus::stalled, "The guess solves the model of the solver.");
  else if (control_.max_iterations <= 0) stop(SolveStatus::iteration_limit, "No iteration was allowed.");
  judge_merit();
  return stopped_;
}

void SolveMonitor::keep(int iteration, std::span<const double> impulses, const Residual& now, double own) {
  // Where b itself overflows, any finite iterate is better.
  kept_total_ = std::isnan(own) ? kInfinity : own;
  kept_natural_map_ = last_natural_map_;
  best_total_ = iteration == 0 ? kept_total_ : std::min(best_total_, kept_total_);
  best_residual_ = now;
  workspace_.best_velocity = workspace_.residual.segment_velocity;
  best_is_stored_ = iteration < control_.max_iterations || stores_all_;
  if (best_is_stored_) workspace_.best.assign(impulses.begin(), impulses.end());
}

double SolveMonitor::evaluate(int iteration, std::span<const double> impulses) {
  evaluated_ = iteration;
  const Residual now = measure_.exact(impulses);
  const double total = now.total();
  if (control_.observer) control_.observer(iteration, impulses, now);
  last_total_ = measure_.own(impulses, now);
  last_is_met_ = meets_tolerance(total, impulses);
  // Where the natural map must hold too, the iterate that meets both is the one to hand back.
  const bool meets_both = last_is_met_ && std::isfinite(control_.natural_map_tolerance);
  if (iteration == 0 || last_total_ < best_total_ || control_.last_iterate || meets_both)
    keep(iteration, impulses, now, last_total_);
  evaluate_merit_of(impulses);
  record(total);
  return total;
}

void SolveMonitor::evaluate_merit_of(std::span<const double> impulses) {
  if (control_.merit.function == Merit::none || undone_) return;
  std::vector<double>& before = workspace_.scratch<MeritMemory>().before;
  merit_before_ = before.empty() ? kInfinity : report_.merit.total;
  report_.merit = evaluate_merit(control_.merit.function, *measure_.problem(), impulses, before, workspace_.residual);
  before.assign(impulses.begin(), impulses.end());
}

void SolveMonitor::record(double total) {
  if (!control_.keep_history) return;
  report_.history.push_back(total);
  report_.cost_history.push_back(report_.cost);
  if (control_.merit.function != Merit::none) report_.merit_history.push_back(report_.merit);
}

/// Stops where a rule on the merit function says so.
void SolveMonitor::judge_merit() {
  const MeritRule& rule = control_.merit;
  if (rule.function == Merit::none || stopped_ || undone_) return;
  const double now = report_.merit.total;
  const auto stop_by = [&](MeritStop by, SolveStatus status, std::string_view reason) {
    report_.merit_stop = by;
    stop(status, reason);
  };
  if (rule.absolute > 0 && now <= rule.absolute)
    stop_by(MeritStop::absolute, SolveStatus::stalled, "The merit function is at most its threshold.");
  else if (!std::isfinite(merit_before_)) return;
  else if (now > rule.divergence * merit_before_)
    stop_by(MeritStop::divergence, SolveStatus::diverged, "The merit function grew beyond its limit.");
  else if (std::abs(now - merit_before_) < rule.relative * merit_before_)
    stop_by(MeritStop::relative, SolveStatus::stalled, "The merit function changes by less than its relative threshold.");
}

bool SolveMonitor::meets_tolerance(double total, std::span<const double> impulses) {
  last_natural_map_ = std::numeric_limits<double>::quiet_NaN();
  if (!(total <= control_.tolerance)) return false;
  if (!std::isfinite(control_.natural_map_tolerance)) return true;
  last_natural_map_ = measure_.natural_map(impulses);
  return last_natural_map_ <= control_.natural_map_tolerance;
}

void SolveMonitor::judge(int iteration, std::span<const double> impulses) {
  if (expand_) impulses = expand_(impulses);
  const double total = evaluate(iteration, impulses);
  if (last_is_met_) stop(inconsistency_.empty() ? SolveStatus::converged : SolveStatus::stalled, inconsistency_);
  else if (model_is_solved())
    stop(SolveStatus::stalled, "The model of the solver is solved; what remains is its distance from the exact law.");
  else if (!std::isfinite(total)) stop(SolveStatus::failed, "The impulses became infinite or undefined.");
  else if (last_total_ > control_.divergence * best_total_)
    stop(SolveStatus::diverged, "The residual grew beyond the divergence limit.");
  else if (std::abs(checked_total_ - last_total_) < control_.relative_tolerance * checked_total_ &&
           std::isfinite(checked_total_))
    stop(SolveStatus::stalled, "The residual changes by less than the relative tolerance.");
  judge_merit();
  checked_total_ = last_total_;
}

void SolveMonitor::check_limits(int iteration, std::span<const double> impulses) {
  if (!stopped_ && budget_.used_up(iteration))
    stop(SolveStatus::iteration_limit, "The residual was still above the tolerance after the last iteration allowed.");
  if (!stopped_ && control_.cancel != nullptr && control_.cancel->load(std::memory_order_relaxed))
    give_up(impulses, SolveStatus::cancelled, "The caller asked to stop.");
  if (!stopped_ && std::isfinite(control_.time_limit) && elapsed() > control_.time_limit)
    give_up(impulses, SolveStatus::time_limit, "The time limit passed.");
}

void SolveMonitor::count(int iteration) {
  step_ = iteration;
  report_.iterations = budget_.iterations(iteration);
  report_.cost = charged_ > 0 ? charged_ : report_.iterations;
}

bool SolveMonitor::done(int iteration, std::span<const double> impulses, double change) {
  count(iteration);
  const bool settled = change <= control_.tolerance && iteration >= settled_check_;
  if (settled || budget_.used_up(iteration) || judges_all() || iteration >= next_check_ || std::isnan(change)) {
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

bool SolveMonitor::undone(int iteration, std::span<const double> impulses) {
  ++report_.rollbacks;
  undone_ = true;
  const bool stopped = done(iteration, impulses, kInfinity);
  undone_ = false;
  return stopped;
}

void SolveMonitor::add_note(std::string_view sentence) {
  if (!report_.notes.empty()) report_.notes += ' ';
  report_.notes += sentence;
}

double SolveMonitor::elapsed() const {
  if (!control_.needs_clock()) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void SolveMonitor::give_up(std::span<const double> impulses, SolveStatus status, std::string_view reason) {
  if (!stopped_ && evaluated_ != step_) evaluate(step_, expand_ ? expand_(impulses) : impulses);
  stop(status, reason);
}

void SolveMonitor::judge_by(const ContactProblem& consistent, std::string_view reason) {
  measure_.measure_by(consistent);
  inconsistency_ = reason;
  best_total_ = kept_total_ = checked_total_ = kInfinity;
  if (workspace_.best.size() == problem_.rows()) {
    best_residual_ = measure_.exact(workspace_.best);
    best_total_ = kept_total_ = measure_.own(workspace_.best, best_residual_);
  }
}

void SolveMonitor::stop(SolveStatus status, std::string_view reason) {
  if (stopped_) return;
  stopped_ = true;
  report_.status = status;
  report_.reason = reason;
}

/// What the caller is told is about the problem that was given, by whatever iterates were compared.
void SolveMonitor::report_on_given(std::span<const double> impulses) {
  measure_.measure_by(problem_);
  report_.residual = measure_.exact(impulses);
  report_.model_residual = measure_.own(impulses, report_.residual);
  // A contradiction too small to matter.
  if (report_.status == SolveStatus::stalled && meets_tolerance(report_.residual.total(), impulses)) {
    report_.status = SolveStatus::converged;
    report_.reason = {};
  }
}

void SolveMonitor::finish(std::span<double> impulses) {
  // After the last iteration allowed, the impulses still are the best iterate if that is the one.
  if (best_is_stored_) std::copy(workspace_.best.begin(), workspace_.best.end(), impulses.begin());
  report_.residual = best_residual_;
  report_.model_residual = kept_total_;
  if (!inconsistency_.empty()) report_on_given(impulses);
  if (control_.natural_map)
    report_.natural_map_error = inconsistency_.empty() && !std::isnan(kept_natural_map_)
                                    ? kept_natural_map_
                                    : natural_map_error(problem_, impulses, workspace_.residual);
  report_.seconds = elapsed();
}

}   // namespace stickslip
