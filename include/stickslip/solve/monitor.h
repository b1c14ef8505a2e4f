// Judges the iterates of a solve on behalf of `ContactSolver::solve`. For those who write solvers.
#pragma once

#include <chrono>

#include "stickslip/solve/solver.h"

namespace stickslip {

/// What a solve may cost: iterations, or work where these are of unlike price.
class WorkBudget {
 public:
  explicit WorkBudget(int max_iterations) : max_iterations_(max_iterations) {}

  /// From here on an iteration is this much work, in any measure.
  void count_work(double unit) { unit_ = unit; }
  void add(double work) { done_ += work; }

  bool counts_work() const { return unit_ > 0; }
  double done() const { return done_; }
  double left() const { return static_cast<double>(max_iterations_) * unit_ - done_; }
  /// After step k = 1, 2, … of the solver.
  bool used_up(int step) const { return counts_work() ? left() <= 0 : step >= max_iterations_; }
  /// Those begun by step k of the solver: k, unless work is counted.
  int iterations(int step) const;

 private:
  int max_iterations_;
  double unit_ = 0, done_ = 0;
};

/// How far iterates are from a solution, by the shared residual and by the model of the solver.
class IterateMeasure {
 public:
  IterateMeasure(const ContactProblem& problem, FrictionModel model, ResidualWorkspace& work)
      : problem_(&problem), model_(model), work_(work) {}

  /// From here on by another problem of the same rows, which must outlive this.
  void measure_by(const ContactProblem& problem) { problem_ = &problem; }

  Residual exact(std::span<const double> impulses) const { return residual(*problem_, impulses, work_); }
  /// The total by the model of the solver, given the exact residual [m/s].
  double own(std::span<const double> impulses, const Residual& exact) const;
  /// The natural-map error of the impulses that `exact` measured last.
  double natural_map(std::span<const double> impulses) const { return natural_map_error(*problem_, impulses, work_.v); }
  bool is_exact() const { return model_ == FrictionModel::exact; }
  const ContactProblem* problem() const { return problem_; }

 private:
  const ContactProblem* problem_;
  FrictionModel model_;
  ResidualWorkspace& work_;
};

/// Evaluates the shared residual of iterates, keeps the best and decides when to stop. Solvers call `done` after every
/// iteration.
class SolveMonitor {
 public:
  SolveMonitor(const ContactProblem&, FrictionModel, const SolveControl&, Workspace&, SolveReport&);

  /// Call after iteration k = 1, 2, …. True when the solver must return.
  /// @param change the solver's own cheap measure of how far it still moves [m/s]: a full evaluation happens when it
  /// falls below the tolerance, on a growing schedule otherwise, and at every iteration if a history is kept.
  bool done(int iteration, std::span<const double> impulses, double change);

  /// The same for solvers whose iterations cost much more than an evaluation: every iterate is judged.
  bool done(int iteration, std::span<const double> impulses);

  /// The same for an iteration that the solver undid: the impulses are those of before. The merit function stays where it was.
  bool undone(int iteration, std::span<const double> impulses);

  /// What was done since the last call cost this many sweeps of projected Gauss–Seidel, or products with W. Solvers whose
  /// iterations are not one sweep say so before `done`.
  void charge(double sweeps) { charged_ += sweeps; }

  /// The solver gives up for a reason of its own; the last iterate is judged if it was not. Ignored once stopped.
  void give_up(std::span<const double> impulses, SolveStatus, std::string_view reason);

  /// Judges the guess, before the first iteration. True when nothing is left to do.
  bool start(std::span<const double> impulses);

  /// Ends the solve: puts the best iterate into `impulses` and fills the report.
  void finish(std::span<double> impulses);

  /// From here on `done` and `give_up` are handed the impulses of a smaller problem, from which `expand` makes those of the
  /// problem; it is called only where an iterate is judged. An empty function ends that.
  using Expansion = std::function<std::span<const double>(std::span<const double>)>;
  void expand_with(Expansion expand) { expand_ = std::move(expand), stores_all_ = true; }

  /// From here on iterates are compared by `consistent`, which is the problem without the velocities that no impulse can
  /// remove; it must outlive the solve. The report still tells the residual of the problem itself, and a solve that converges
  /// this way ends as stalled for this reason.
  void judge_by(const ContactProblem& consistent, std::string_view reason);

  /// For solvers whose steps are of unlike price. From here on `max_iterations` bounds work: one iteration is `unit` of it, in
  /// any measure, `done` is handed the number of the step, which only decides when iterates are judged, and the report counts
  /// iterations begun.
  void count_work(double unit) { budget_.count_work(unit), stores_all_ = true; }
  void add_work(double work) { budget_.add(work); }
  double work() const { return budget_.done(); }
  double work_left() const { return budget_.left(); }

  /// Adds a sentence, made by the function, to the notes of the report, if the caller wants notes.
  template <class Sentence>
  void note(const Sentence& sentence) {
    if (control_.notes) add_note(sentence());
  }

  const SolveControl& control() const { return control_; }
  bool judges_all() const { return control_.wants_iterates(); }   ///< whether somebody looks at every iterate
  bool stopped() const { return stopped_; }
  double best_total() const { return best_total_; }   ///< of the best iterate so far, by the solver's own model [m/s]
  double last_total() const { return last_total_; }   ///< of the iterate judged last, by the solver's own model [m/s]
  int iterations() const { return report_.iterations; }
  /// Seconds since the solve began; 0 where nobody asks for time.
  double elapsed() const;

  /// Whether the solver's own model is solved, though the shared residual is not met.
  bool model_is_solved() const { return !measure_.is_exact() && best_total_ <= control_.tolerance; }

 private:
  double evaluate(int iteration, std::span<const double> impulses);
  void judge(int iteration, std::span<const double> impulses);
  void evaluate_merit_of(std::span<const double> impulses);
  void record(double total);
  void judge_merit();
  void check_limits(int iteration, std::span<const double> impulses);
  bool meets_tolerance(double total, std::span<const double> impulses);
  void keep(int iteration, std::span<const double> impulses, const Residual&, double own);
  void stop(SolveStatus, std::string_view reason);
  void count(int iteration);
  void add_note(std::string_view sentence);
  void report_on_given(std::span<const double> impulses);

  const ContactProblem& problem_;
  const SolveControl& control_;
  Workspace& workspace_;
  SolveReport& report_;
  IterateMeasure measure_;
  WorkBudget budget_;
  Expansion expand_;
  std::string_view inconsistency_;   ///< why iterates are not measured by the problem itself; empty if they are
  std::chrono::steady_clock::time_point start_;
  double checked_total_ = std::numeric_limits<double>::infinity();   ///< at the last check, for relative_tolerance
  double best_total_ = std::numeric_limits<double>::infinity(), last_total_ = best_total_;   ///< of the solver's own model
  double kept_total_ = std::numeric_limits<double>::infinity();   ///< of the iterate to be handed back, by the same model
  /// Of the iterate judged last, and of the one to be handed back; not a number where nobody asked.
  double last_natural_map_ = std::numeric_limits<double>::quiet_NaN(), kept_natural_map_ = last_natural_map_;
  double merit_before_ = std::numeric_limits<double>::infinity();
  double charged_ = 0;
  Residual best_residual_;
  int next_check_ = 24, settled_check_ = 1, evaluated_ = -1, step_ = 0;
  bool stopped_ = false, best_is_stored_ = false;
  bool last_is_met_ = false;   ///< the iterate judged last is within the tolerances
  bool undone_ = false;        ///< the iterate being judged is the one before
  bool stores_all_ = false;    ///< the caller's impulses are not the iterates
};

}   // namespace stickslip
