#include "stickslip/solve/exact/automatic.h"

#include <fmt/format.h>

#include <cmath>

#include "solve/cone/admm_engine.h"
#include "solve/exact/exact_sweep.h"
#include "solve/newton/alart_curnier_engine.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// Numbers that one product with W touches: what a sweep costs, up to a factor.
double sweep_work(const ContactProblem& p) {
  if (!p.is_factored()) return 2.0 * static_cast<double>(p.matrix.values.size());
  return 4.0 * static_cast<double>(p.scaled_jacobian.size());
}

/// A guess at the operations of one factorisation: dense while small, then as for a sparse matrix with some fill.
double factor_work(const ContactProblem& p) {
  const auto n = static_cast<double>(p.rows());
  const double dense = 2.0 / 3.0 * n * n * n, sparse = 400 * n * std::sqrt(n) * 10;
  return std::min(dense, sparse);
}

constexpr double kNewtonSteps = 15;      ///< that a finish usually takes
constexpr int kAdmmWindow = 300;         ///< ADMM steps between two looks at the progress; each costs a few sweeps
constexpr int kLongSweeps = 50000;       ///< before sweeps that nothing follows are given up for lack of progress

enum class Outcome { done, slow };   ///< done: the monitor stopped the solve

/// One solve: the tactics and what they share.
class Attempt {
 public:
  Attempt(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor,
          const AutomaticSolver::Options& options)
      : p_(problem), impulses_(impulses), work_(workspace), monitor_(monitor), options_(options) {}

  void run() {
    bool direct = p_.rows() <= static_cast<std::size_t>(options_.direct_rows) && fits_the_budget();
    while (direct) {
      if (sweeps(true) == Outcome::done) return;
      const double after_sweeps = monitor_.best_total();
      // ADMM does not mind more contact rows than degrees of freedom; Newton, without them, is quick.
      const bool redundant = p_.is_factored() && p_.rows() > 6 * p_.segments.size();
      if (redundant && (admm() == Outcome::done || newton() == Outcome::done)) return;
      if (!redundant && (newton() == Outcome::done || admm() == Outcome::done)) return;
      // Factorisations that did not help are not worth their price here.
      direct = monitor_.best_total() < 0.5 * after_sweeps && fits_the_budget();
      patience_ *= 4;
    }
    if (sweeps(false) == Outcome::done) return;
    monitor_.give_up(impulses_, SolveStatus::stalled, "Sweeps, Newton steps and ADMM all stopped making progress.");
  }

 private:
  /// Whether a Newton finish costs no more than a few times the sweeps that the caller still allows: who allows 200 iterations
  /// per step of a simulation does not want to wait for factorisations.
  bool fits_the_budget() const {
    const double sweeps_left = static_cast<double>(monitor_.control().max_iterations) - iteration_;
    return kNewtonSteps * factor_work(p_) <= 4 * sweeps_left * sweep_work(p_);
  }

  /// Decades between the best residual and the tolerance.
  double decades_left() const { return std::max(std::log10(monitor_.best_total() / monitor_.control().tolerance), 0.1); }

  void tell(std::string_view tactic, int iterations, double before) {
    if (!monitor_.control().story) return;
    monitor_.note(fmt::format("{} {} took the residual from {:.1e} to {:.1e} m/s.", iterations, tactic, before, monitor_.best_total()));
  }

  void go_back_to_best() { start_from(work_.best); }

  /// Sweeps go on where they left, which may be far along though not better than the best; unless others did much better.
  void continue_sweeps() {
    const bool others_helped = monitor_.best_total() < 0.5 * best_when_swept_;
    start_from(swept_.empty() || others_helped ? work_.best : swept_);
  }

  void start_from(const std::vector<double>& impulses) {
    std::copy(impulses.begin(), impulses.end(), impulses_.begin());
    std::fill(work_.velocity.begin(), work_.velocity.end(), 0.0);
    p_.add_scaled_velocity(impulses_, work_.velocity);
  }

  /// Accelerated sweeps, until they stand still or, where `direct` methods may follow, are too slow. Without, the residual may
  /// rest for thousands of sweeps while impulses travel along the self-stresses of the structure: only very long rests count.
  Outcome sweeps(bool direct) {
    ExactBlocks& blocks = work_.scratch<ExactBlocks>();
    blocks.prepare(p_, options_.proximal);
    continue_sweeps();
    Acceleration acceleration(p_, impulses_, work_, true);
    const double start = monitor_.best_total();
    // Sweeps that cost as much as a Newton finish.
    const double affordable = kNewtonSteps * factor_work(p_) / sweep_work(p_);
    int window = options_.window * patience_, next_look = window;
    double at_last_look = start;
    for (int k = 1;; ++k) {
      const double change = exact_sweep(p_, blocks, p_.batches, impulses_, work_.velocity, acceleration.next());
      acceleration.restart_if_opposed();
      ++iteration_;
      const bool look = k == next_look;
      if (look ? monitor_.done(iteration_, impulses_) : monitor_.done(iteration_, impulses_, change)) {
        tell("accelerated sweeps", k, start);
        return Outcome::done;
      }
      if (!look) continue;
      const double gained = std::log10(at_last_look / monitor_.best_total());
      const double predicted = gained > 0 ? window * decades_left() / gained : std::numeric_limits<double>::infinity();
      // The more the factorisations would cost, the longer a rest is waited out.
      const bool waited = direct ? k > window && k > 0.1 * affordable : k > kLongSweeps;
      const bool stands_still = gained < (direct ? 0.1 : 0.01);
      if (waited && (stands_still || (direct && predicted > affordable))) {
        tell(stands_still ? "accelerated sweeps, which then stood still," : "accelerated sweeps, which then were too slow,", k, start);
        swept_.assign(impulses_.begin(), impulses_.end());
        best_when_swept_ = monitor_.best_total();
        return Outcome::slow;
      }
      at_last_look = monitor_.best_total();
      window = direct ? window + window / 2 : std::min(2 * window, kLongSweeps);
      next_look = k + window;
    }
  }

  Outcome newton() {
    ProximalNewton& engine = work_.scratch<ProximalNewton>();
    go_back_to_best();
    engine.start(p_, impulses_);
    const double start = monitor_.best_total();
    double at_last_look = start;
    for (int k = 1;; ++k) {
      if (!engine.step(impulses_)) {
        tell("Newton steps, which then broke down,", k, start);
        return Outcome::slow;
      }
      if (monitor_.done(++iteration_, impulses_)) {
        tell("Newton steps", k, start);
        return Outcome::done;
      }
      if (k % (15 * patience_) != 0) continue;
      if (monitor_.best_total() > 0.5 * at_last_look) {
        tell("Newton steps, which then stood still,", k, start);
        return Outcome::slow;
      }
      at_last_look = monitor_.best_total();
    }
  }

  Outcome admm() {
    AdmmEngine& engine = work_.scratch<AdmmEngine>();
    go_back_to_best();
    const double start = monitor_.best_total();
    if (!engine.setup(p_, {}, impulses_)) {
      tell("ADMM steps, which could not factorise the problem,", 0, start);
      return Outcome::slow;
    }
    double at_last_look = start;
    for (int k = 1;; ++k) {
      if (!engine.iterate()) {
        tell("ADMM steps, which then broke down,", k, start);
        return Outcome::slow;
      }
      std::copy(engine.impulses().begin(), engine.impulses().end(), impulses_.begin());
      if (monitor_.done(++iteration_, impulses_, std::max(engine.primal(), engine.dual()))) {
        tell("ADMM steps", k, start);
        return Outcome::done;
      }
      if (k % (kAdmmWindow * patience_) != 0) continue;
      if (monitor_.best_total() > 0.5 * at_last_look) {
        tell("ADMM steps, which then stood still,", k, start);
        return Outcome::slow;
      }
      at_last_look = monitor_.best_total();
    }
  }

  const ContactProblem& p_;
  std::span<double> impulses_;
  Workspace& work_;
  SolveMonitor& monitor_;
  const AutomaticSolver::Options& options_;
  std::vector<double> swept_;   ///< where the last sweeps ended; empty before
  double best_when_swept_ = 0;
  int iteration_ = 0, patience_ = 1;
};

}  // namespace

AutomaticSolver::AutomaticSolver(Options options) : options_(options) {
  if (!(std::isfinite(options.proximal) && options.proximal >= 0))
    throw Error(fmt::format("{} is not a proximal weight. It must be finite and at least 0.", options.proximal)).at("proximal");
  if (options.window < 8) throw Error(fmt::format("{} sweeps are too few to judge progress by. Give 8 or more.", options.window)).at("window");
  if (options.direct_rows < 0) throw Error(fmt::format("{} is not a number of rows. Give 0 or more.", options.direct_rows)).at("direct_rows");
}

void AutomaticSolver::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor) const {
  Attempt(problem, impulses, workspace, monitor, options_).run();
}

}  // namespace stickslip
