// What every contact solver is: const problem in, impulses in place, report out.
#pragma once

#include <atomic>
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
#include "stickslip/problem/merit.h"
#include "stickslip/problem/residual.h"

namespace stickslip {

enum class SolveStatus {
  converged,         ///< the shared residual is at most the tolerance
  iteration_limit,   ///< stopped at max_iterations
  stalled,           ///< no more progress possible; for an approximate model: that model is solved
  time_limit,        ///< the deadline passed
  cancelled,         ///< the caller asked to stop
  diverged,          ///< the residual grew beyond `SolveControl::divergence`
  failed,            ///< numbers overflowed or a factorisation broke down; the best iterate is returned
  unsupported,       ///< the solver cannot treat a block of this problem: nothing was done, the reason says what
};
std::string_view status_name(SolveStatus);

/// What the caller of a solve decides, whatever the solver.
struct SolveControl {
  double tolerance = 1e-6;   ///< on the shared residual [m/s]
  /// on the natural-map error, which must hold as well
  double natural_map_tolerance = std::numeric_limits<double>::infinity();
  /// stop as stalled when the residual falls by less than this fraction between two checks [course §3.2.1]
  double relative_tolerance = 0;
  /// stop as diverged when the residual exceeds this many times the best
  double divergence = std::numeric_limits<double>::infinity();
  int max_iterations = 200;   ///< what one is, the solver says; of `auto` it is an amount of work
                              ///< (solve/automatic/automatic.h)
  double time_limit = std::numeric_limits<double>::infinity();   ///< [s]
  const std::atomic<bool>* cancel = nullptr;                     ///< stop soon after it becomes true
  /// A merit function of the papers, which may end the solve as well: as stalled or diverged, for `converged` is the word of
  /// the residual. tolerance = 0 leaves the end to it. Every iterate is judged then.
  MeritRule merit;
  bool last_iterate = false;   ///< hand back the last iterate, as the papers do, instead of the best; all are judged then
  bool keep_history = false;   ///< record the residual at every iteration (costs an evaluation each)
  bool notes = true;           ///< have solvers write down what they decided for themselves (allocates text)
  bool natural_map = true;     ///< also report the natural-map error (costs one product with W)
  bool seconds = true;         ///< also report the time that it took (two looks at the clock: some 50 ns)
  /// Sees every checked iterate.
  std::function<void(int iteration, std::span<const double> impulses, const Residual&)> observer;

  /// Whether somebody looks at iterates, or ends the solve by them, other than by residual and natural map.
  bool wants_iterates() const { return keep_history || observer || last_iterate || merit.function != Merit::none; }
  bool needs_clock() const { return seconds || time_limit < std::numeric_limits<double>::infinity(); }
};

struct SolveReport {
  SolveStatus status = SolveStatus::converged;
  std::string_view reason;   ///< one sentence of fixed text; empty when converged
  int iterations = 0;
  double seconds = 0;          ///< if asked for
  Residual residual;           ///< of the impulses handed back, recomputed by shared code
  double model_residual = 0;   ///< the same measured against the model that the solver solves; equal if that is exact [m/s]
  Residual initial_residual;   ///< of the guess
  double natural_map_error = std::numeric_limits<double>::quiet_NaN();   ///< of the impulses handed back, if asked for
  /// residual total of the guess and after each iteration, of `auto` after each of its steps, if asked for [m/s]
  std::vector<double> history;
  MeritValue merit;                        ///< of the iterate judged last, if a function was asked for
  std::vector<MeritValue> merit_history;   ///< beside `history`
  MeritStop merit_stop = MeritStop::none;
  int rollbacks = 0;   ///< iterations that the solver undid because it saw divergence
  /// about, in sweeps of projected Gauss–Seidel or products with W: the iterations, of solvers that do not say otherwise
  double cost = 0;
  std::vector<double> cost_history;   ///< beside `history`
  /// what a solver that decides for itself did and why, and where one did not do what its options ask for; else empty
  std::string notes;
};

/// Memory that solves reuse, and the velocity that the last one ended with. One per thread of calls; holds nothing that changes
/// a result.
class Workspace {
 public:
  /// Memory of one solver, known by its type: made at the first call, the same object ever after.
  template <class T>
  T& scratch() {
    std::shared_ptr<void>& slot = scratch_[typeid(T)];
    if (!slot) slot = std::make_shared<T>();
    return *static_cast<T*>(slot.get());
  }

  /// K Gᵀλ of the impulses that the last solve handed back: mass-scaled, see `ContactProblem::add_unscaled_velocity`. Empty
  /// where W is a matrix.
  std::span<const double> solved_velocity() const { return best_velocity; }

  // For solvers and their monitor.
  ResidualWorkspace residual;
  std::vector<double> best;            ///< best impulses seen
  std::vector<double> best_velocity;   ///< K Gᵀλ of the best impulses, as the residual computed it
  std::vector<double> velocity;        ///< Gᵀλ: mass-scaled velocities; of the guess when iterate() begins
  std::vector<double> previous_impulses, previous_velocity;

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> scratch_;
};

class SolveMonitor;   // solve/monitor.h, for those who write solvers

/// A solver stands in the table (src/solve/registry_entry.h) with its `Options`: numbers, choices and switches with their
/// defaults, and a template `visit(v)` that calls v(name, member, help) for each. The help is what describes the option,
/// in the headers, in `stickslip solvers` and in messages: unit, range, meaning.
class ContactSolver {
 public:
  virtual ~ContactSolver() = default;

  /// Solves the problem. @param impulses in: the guess (zeros will do; what is not finite counts as zero); out: the best
  /// iterate seen, never worse than the guess, measured by the model of the solver. The workspace then has `solved_velocity()`.
  /// Never throws for numerical trouble: see the status.
  SolveReport solve(const ContactProblem&, std::span<double> impulses, Workspace&, const SolveControl& = {}) const;

  virtual std::string_view name() const = 0;
  virtual FrictionModel model() const { return FrictionModel::exact; }
  /// Why this solver cannot treat the problem, in one sentence of fixed text; empty if it can. Laws are asked about apart.
  virtual std::string_view cannot_solve(const ContactProblem&) const { return {}; }
  /// Whether it solves coupled problems as they are. For the others W is multiplied out first.
  virtual bool takes_coupled() const { return false; }
  /// Why this solver cannot honour a friction law, not even by the model that it solves; empty if it can.
  virtual std::string_view cannot_honour(const FrictionSet&) const { return {}; }
  /// Whether it solves blocks that are patches (friction/patch.h).
  virtual bool takes_patches() const { return false; }
  /// Why this solver cannot take a law, as one that rubs or as a patch; empty if it can.
  std::string_view cannot_take(const FrictionSet&) const;
  /// Why this solver cannot hold blocks of a kind (joints, motors, limits), whatever
  /// their numbers, in one sentence of fixed text; empty if it can.
  virtual std::string_view cannot_hold(BlockKind) const { return {}; }

 protected:
  /// For solvers to which problems of a few rows are so easy that a monitor would take longer than the solve: writes what may
  /// be the solution, from impulses of 0. It is judged as any iterate is, and forgotten if it does not meet the tolerances.
  /// @returns what was done, the beginning of a sentence; empty: nothing
  virtual std::string_view try_at_once(const ContactProblem&, std::span<double> /*impulses*/, double /*tolerance*/) const {
    return {};
  }

  virtual void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const = 0;

 private:
  std::string_view refusal(const ContactProblem&) const;
  bool solve_at_once(const ContactProblem&, std::span<double> impulses, Workspace&, const SolveControl&, SolveReport&) const;
  SolveReport solve_condensed(const ContactProblem&, std::span<double> impulses, Workspace&, const SolveControl&) const;
};

}   // namespace stickslip
