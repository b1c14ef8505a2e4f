// What every contact solver is: const problem in, impulses in place, report out.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "stickslip/problem/contact_problem.h"
#include "stickslip/problem/residual.h"

namespace stickslip {

enum class SolveStatus {
  converged,        ///< the shared residual is at most the tolerance
  iteration_limit,  ///< stopped at max_iterations
  stalled,          ///< no more progress possible; for an approximate model: that model is solved
  time_limit,       ///< the deadline passed
  cancelled,        ///< the caller asked to stop
  diverged,         ///< the residual grew beyond `SolveControl::divergence`
  failed,           ///< numbers overflowed or a factorisation broke down; the best iterate is returned
  unsupported,      ///< the solver cannot treat a block of this problem: nothing was done, the reason says what
};
std::string_view status_name(SolveStatus);

/// What the caller of a solve decides, whatever the solver.
struct SolveControl {
  double tolerance = 1e-6;      ///< on the shared residual [m/s]
  /// on the natural-map error, which must hold as well
  double natural_map_tolerance = std::numeric_limits<double>::infinity();
  /// stop as stalled when the residual falls by less than this fraction between two checks [course §3.2.1]
  double relative_tolerance = 0;
  /// stop as diverged when the residual exceeds this many times the best
  double divergence = std::numeric_limits<double>::infinity();
  int max_iterations = 200;     ///< what one is, the solver says; of `auto` it is an amount of work
                                ///< (solve/automatic/automatic.h)
  double time_limit = std::numeric_limits<double>::infinity();   ///< [s]
  const std::atomic<bool>* cancel = nullptr;                     ///< stop soon after it becomes true
  bool keep_history = false;    ///< record the residual at every iteration (costs an evaluation each)
  bool story = true;            ///< have solvers that decide for themselves write down what they did (allocates text)
  bool natural_map = true;      ///< also report the natural-map error (costs one product with W)
  /// Sees every checked iterate.
  std::function<void(int iteration, std::span<const double> impulses, const Residual&)> observer;
};

struct SolveReport {
  SolveStatus status = SolveStatus::converged;
  std::string_view reason;         ///< one sentence of fixed text; empty when converged
  int iterations = 0;
  double seconds = 0;
  Residual residual;               ///< of the impulses handed back, recomputed by shared code
  double model_residual = 0;       ///< the same measured against the model that the solver solves; equal if that is exact [m/s]
  Residual initial_residual;       ///< of the guess
  double natural_map_error = std::numeric_limits<double>::quiet_NaN();   ///< of the impulses handed back, if asked for
  /// residual total of the guess and after each iteration, of `auto` after each of its steps, if asked for [m/s]
  std::vector<double> history;
  std::string story;               ///< what a solver that decides for itself did and why; empty for the others
};

/// Memory that solves reuse. One per thread of calls; holds nothing that changes a result.
class Workspace {
 public:
  /// Memory of one solver, known by its type: made at the first call, the same object ever after.
  template <class T>
  T& scratch() {
    std::shared_ptr<void>& slot = scratch_[typeid(T)];
    if (!slot) slot = std::make_shared<T>();
    return *static_cast<T*>(slot.get());
  }

  ResidualWorkspace residual;
  std::vector<double> best;                 ///< best impulses seen
  std::vector<double> best_velocity;        ///< K Gᵀλ of the best impulses, as the residual computed it
  std::vector<double> velocity;             ///< Gᵀλ: mass-scaled velocities; of the guess when iterate() begins
  std::vector<double> previous_impulses, previous_velocity;

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> scratch_;
};

/// Judges iterates on behalf of `ContactSolver::solve`: evaluates the shared residual, keeps the best iterate, watches
/// limits. Solvers call `done` after every iteration.
class SolveMonitor {
 public:
  SolveMonitor(const ContactProblem&, FrictionModel, const SolveControl&, Workspace&, SolveReport&);

  /// Call after iteration k = 1, 2, …. True when the solver must return.
  /// @param change the solver's own cheap measure of how far it still moves [m/s]: a full evaluation happens when it
  /// falls below the tolerance, on a growing schedule otherwise, and at every iteration if a history is kept.
  bool done(int iteration, std::span<const double> impulses, double change);

  /// The same for solvers whose iterations cost much more than an evaluation: every iterate is judged.
  bool done(int iteration, std::span<const double> impulses);

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
  /// any measure, `done` is handed the number of the step, which only decides when
  /// iterates are judged, and the report counts iterations begun.
  void count_work(double unit) { unit_ = unit, stores_all_ = true; }
  void add_work(double work) { work_ += work; }
  double work() const { return work_; }
  double work_left() const { return static_cast<double>(control_.max_iterations) * unit_ - work_; }

  /// Adds a sentence to the story of the report. Format it only where `control().story` is set.
  void note(std::string_view sentence);

  const SolveControl& control() const { return control_; }
  bool stopped() const { return stopped_; }
  double best_total() const { return best_total_; }   ///< of the best iterate so far, by the solver's own model [m/s]
  double last_total() const { return last_total_; }   ///< of the iterate judged last, by the solver's own model [m/s]
  int iterations() const { return report_.iterations; }
  /// Seconds since the solve began.
  double elapsed() const;

  /// Whether the solver's own model is solved, though the shared residual is not met.
  bool model_is_solved() const { return model_ != FrictionModel::exact && best_total_ <= control_.tolerance; }

 private:
  double evaluate(int iteration, std::span<const double> impulses);
  void judge(int iteration, std::span<const double> impulses);
  void check_limits(int iteration, std::span<const double> impulses);
  bool meets_tolerance(double total, std::span<const double> impulses);
  void keep(int iteration, std::span<const double> impulses, const Residual&, double own);
  void stop(SolveStatus, std::string_view reason);
  bool used_up(int iteration) const { return unit_ > 0 ? work_left() <= 0 : iteration >= control_.max_iterations; }
  void count(int iteration);

  const ContactProblem& problem_;
  const ContactProblem* judged_;        ///< by which iterates are compared
  std::string_view inconsistency_;      ///< why that is not the problem itself; empty if it is
  Expansion expand_;
  FrictionModel model_;
  const SolveControl& control_;
  Workspace& workspace_;
  SolveReport& report_;
  std::chrono::steady_clock::time_point start_;
  double checked_total_ = std::numeric_limits<double>::infinity();   ///< at the last check, for relative_tolerance
  double best_total_ = std::numeric_limits<double>::infinity(), last_total_ = best_total_;   ///< of the solver's own model
  Residual best_residual_;
  double unit_ = 0, work_ = 0;          ///< of an iteration, if work is counted; done
  int next_check_ = 24, settled_check_ = 1, evaluated_ = -1, step_ = 0;
  /// stores_all_: the caller's impulses are not the iterates
  bool stopped_ = false, best_is_stored_ = false, stores_all_ = false;
};

class ContactSolver {
 public:
  virtual ~ContactSolver() = default;

  /// Solves the problem. @param impulses in: the guess (zeros will do; what is not finite counts as zero); out: the best
  /// iterate seen, never worse than the guess, measured by the model of the
  /// solver. Never throws for numerical trouble: see the status.
  SolveReport solve(const ContactProblem&, std::span<double> impulses, Workspace&, const SolveControl& = {}) const;

  virtual std::string_view name() const = 0;
  virtual FrictionModel model() const { return FrictionModel::exact; }
  /// Why this solver cannot treat the problem, in one sentence of fixed text; empty if it can. Laws are asked about apart.
  virtual std::string_view cannot_solve(const ContactProblem&) const { return {}; }
  /// Whether it solves coupled problems as they are. For the others W is multiplied out first.
  virtual bool takes_coupled() const { return false; }
  /// Why this solver cannot honour a friction law, not even by the model that it solves; empty if it can.
  virtual std::string_view cannot_honour(const FrictionSet&) const { return {}; }
  /// Why this solver cannot hold blocks of a kind (joints, motors, limits), whatever
  /// their numbers, in one sentence of fixed text; empty if it can.
  virtual std::string_view cannot_hold(BlockKind) const { return {}; }

 protected:
  virtual void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const = 0;

 private:
  std::string_view refusal(const ContactProblem&) const;
  SolveReport solve_condensed(const ContactProblem&, std::span<double> impulses, Workspace&, const SolveControl&) const;
};

}  // namespace stickslip
