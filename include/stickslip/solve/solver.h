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
  failed,           ///< numbers overflowed or a factorisation broke down; the best iterate is returned
};
std::string_view status_name(SolveStatus);

/// What the caller of a solve decides, whatever the solver.
struct SolveControl {
  double tolerance = 1e-6;      ///< on the shared residual [m/s]
  int max_iterations = 200;
  double time_limit = std::numeric_limits<double>::infinity();   ///< [s]
  const std::atomic<bool>* cancel = nullptr;                     ///< stop soon after it becomes true
  bool keep_history = false;    ///< record the residual at every iteration (costs an evaluation each)
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
  std::vector<double> history;     ///< residual total after each iteration, if asked for [m/s]
};

/// Memory that solves reuse. One per thread of calls; holds nothing that changes a result.
struct Workspace {
  ResidualWorkspace residual;
  std::vector<double> best;                 ///< best impulses seen
  std::vector<double> best_velocity;        ///< Gᵀλ of the best impulses, as the residual computed it
  std::vector<double> velocity;             ///< Gᵀλ: mass-scaled, 6 numbers per segment; of the guess when iterate() begins
  std::vector<double> previous_impulses, previous_velocity;
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

  /// The solver gives up for a reason of its own; the last iterate is judged if it was not. Ignored once stopped.
  void give_up(std::span<const double> impulses, SolveStatus, std::string_view reason);

  /// Judges the guess, before the first iteration. True when nothing is left to do.
  bool start(std::span<const double> impulses);

  /// Ends the solve: puts the best iterate into `impulses` and fills the report.
  void finish(std::span<double> impulses);

  /// Whether the solver's own model is solved, though the shared residual is not met.
  bool model_is_solved() const { return model_ != FrictionModel::exact && best_total_ <= control_.tolerance; }

 private:
  double evaluate(int iteration, std::span<const double> impulses);
  void stop(SolveStatus, std::string_view reason);

  const ContactProblem& problem_;
  FrictionModel model_;
  const SolveControl& control_;
  Workspace& workspace_;
  SolveReport& report_;
  std::chrono::steady_clock::time_point start_;
  double best_total_ = std::numeric_limits<double>::infinity();   ///< of the solver's own model
  Residual best_residual_;
  int next_check_ = 24, settled_check_ = 1, evaluated_ = -1, best_iteration_ = 0;
  bool stopped_ = false;
};

class ContactSolver {
 public:
  virtual ~ContactSolver() = default;

  /// Solves the problem. @param impulses in: the guess (zeros will do); out: the best iterate seen, never worse than the
  /// guess, measured by the model of the solver. Never throws for numerical trouble: see the status.
  SolveReport solve(const ContactProblem&, std::span<double> impulses, Workspace&, const SolveControl& = {}) const;

  virtual std::string_view name() const = 0;
  virtual FrictionModel model() const { return FrictionModel::exact; }

 protected:
  virtual void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const = 0;
};

}  // namespace stickslip
