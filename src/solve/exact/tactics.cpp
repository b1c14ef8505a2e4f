#include "solve/exact/tactics.h"

#include <fmt/format.h>

#include <cmath>

#include "solve/cone/admm_engine.h"
#include "solve/exact/exact_sweep.h"
#include "solve/newton/alart_curnier_engine.h"

namespace stickslip {

namespace {

/// A guess at the operations of one factorisation: dense while small, then as for a sparse matrix with some fill.
double factor_work(const ContactProblem& p) {
  const auto n = static_cast<double>(p.rows());
  const double dense = 2.0 / 3.0 * n * n * n, sparse = 400 * n * std::sqrt(n) * 10;
  return std::min(dense, sparse);
}

constexpr double kNewtonSteps = 15;      ///< that a finish usually takes
constexpr double kUnnoticedWork = 5e7;   ///< operations that a hard problem with joints is always worth
constexpr double kSweepsOfAdmm = 150;    ///< sweeps that a finish by ADMM is worth where there are joints
constexpr double kAdmmWork = 4;          ///< times the work of all sweeps allowed that ADMM may take where there are joints
constexpr double kFactorisations = 10;   ///< that ADMM usually takes
constexpr int kNewtonWindow = 15, kNewtonWindowWithJoints = 40;   ///< Newton steps between two looks at the progress
constexpr int kAdmmWindowWithJoints = 120;
constexpr int kAdmmWindow = 300;         ///< ADMM steps between two looks at the progress; each costs a few sweeps
constexpr int kLongSweeps = 50000;       ///< before sweeps that nothing follows are given up for lack of progress

}  // namespace

double sweep_work(const ContactProblem& p) {
  if (!p.is_factored()) return 2.0 * static_cast<double>(p.matrix.values.size());
  return 4.0 * static_cast<double>(p.scaled_jacobian.size());
}

void Tactics::run() {
  if (whole_ != nullptr) {
    run_with_joints();
    return;
  }
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

/// Heavy loads on light mechanisms are hard on sweeps: factorisations come early. Those of ADMM follow the tree of the mechanism and are cheap; Newton
/// steps are the better ones where contacts are few.
void Tactics::run_with_joints() {
  expand(true);
  const bool redundant = condensation_ == nullptr && whole_->is_factored() && whole_->rows() > 6 * whole_->segments.size();
  const auto newton_fits = [&] { return whole_->rows() <= static_cast<std::size_t>(options_.direct_rows) && fits_the_budget(); };
  double before;
  do {
    before = monitor_.best_total();
    if (sweeps(true) == Outcome::done) return;
    if (!redundant && newton_fits() && newton() == Outcome::done) return;
    if (admm_fits_ && admm() == Outcome::done) return;
    if (redundant && newton_fits() && newton() == Outcome::done) return;
    patience_ *= 2;
  } while (monitor_.best_total() < 0.5 * before && (admm_fits_ || newton_fits()));
  if (sweeps(false) == Outcome::done) return;
  monitor_.give_up(impulses_, SolveStatus::stalled, "Sweeps, Newton steps and ADMM all stopped making progress.");
}

/// Whether the monitor is handed impulses of the condensed problem.
void Tactics::expand(bool on) {
  if (condensation_ == nullptr) return;
  if (on) monitor_.expand_with([this](std::span<const double> impulses) { return condensation_->expand(impulses); });
  else monitor_.expand_with({});
}

/// Whether a Newton finish costs no more than a few times the sweeps that the caller still allows: who allows 200 iterations
/// per step of a simulation does not want to wait for factorisations.
bool Tactics::fits_the_budget() const {
  const double sweeps_left = static_cast<double>(monitor_.control().max_iterations) - iteration_;
  if (whole_ != nullptr) return kNewtonSteps * newton_work_ <= std::max(kUnnoticedWork, 4 * sweeps_left * sweep_work(*whole_));
  return kNewtonSteps * factor_work(p_) <= 4 * sweeps_left * sweep_work(p_);
}

/// Decades between the best residual and the tolerance.
double Tactics::decades_left() const { return std::max(std::log10(monitor_.best_total() / monitor_.control().tolerance), 0.1); }

void Tactics::tell(std::string_view tactic, int iterations, double before) {
  if (!monitor_.control().story) return;
  monitor_.note(fmt::format("{} {} took the residual from {:.1e} to {:.1e} m/s.", iterations, tactic, before, monitor_.best_total()));
}

void Tactics::go_back_to_best() {
  if (condensation_ == nullptr) {
    start_from(work_.best);
    return;
  }
  condensation_->restrict_to(work_.best, impulses_);
}

/// Sweeps go on where they left, which may be far along though not better than the best; unless others did much better.
void Tactics::continue_sweeps() {
  const bool others_helped = monitor_.best_total() < 0.5 * best_when_swept_;
  if (swept_.empty() || others_helped) go_back_to_best();
  else start_from(swept_);
}

void Tactics::start_from(std::span<const double> impulses) {
  std::copy(impulses.begin(), impulses.end(), impulses_.begin());
  std::fill(work_.velocity.begin(), work_.velocity.end(), 0.0);
  p_.add_scaled_velocity(impulses_, work_.velocity);
}

/// Accelerated sweeps, until they stand still or, where `direct` methods may follow, are too slow. Without, the residual may
/// rest for thousands of sweeps while impulses travel along the self-stresses of the structure: only very long rests count.
Tactics::Outcome Tactics::sweeps(bool direct) {
  ExactBlocks& blocks = work_.scratch<ExactBlocks>();
  blocks.prepare(p_, options_.proximal, ManyRows::proximal_step);
  continue_sweeps();
  Acceleration acceleration(p_, impulses_, work_, true);
  const double start = monitor_.best_total();
  int window = (whole_ != nullptr ? options_.window / 2 : options_.window) * patience_, next_look = window;
  double at_last_look = start;
  for (int k = 1;; ++k) {
    Momentum& momentum = acceleration.next();
    double change = exact_sweep(p_, blocks, joints_ != nullptr ? joints_->others() : p_.batches, impulses_, work_.velocity, momentum);
    if (joints_ != nullptr) change = std::max(change, joints_->visit(impulses_, work_.velocity, momentum));
    acceleration.restart_if_opposed();
    ++iteration_;
    const bool look = k == next_look;
    if (look ? monitor_.done(iteration_, impulses_) : monitor_.done(iteration_, impulses_, change)) {
      tell("accelerated sweeps", k, start);
      return Outcome::done;
    }
    if (!look) continue;
    const double gained = std::log10(at_last_look / monitor_.best_total());
    if (leaves_sweeps(direct, k, window, gained)) {
      tell(gained < 0.1 ? "accelerated sweeps, which then stood still," : "accelerated sweeps, which then were too slow,", k, start);
      swept_.assign(impulses_.begin(), impulses_.end());
      best_when_swept_ = monitor_.best_total();
      return Outcome::slow;
    }
    at_last_look = monitor_.best_total();
    window = direct ? window + window / 2 : std::min(2 * window, kLongSweeps);
    next_look = k + window;
  }
}

/// @param gained decades within the last window of sweeps
bool Tactics::leaves_sweeps(bool direct, int sweeps, int window, double gained) {
  if (!direct) return sweeps > kLongSweeps && gained < 0.01;
  const double predicted = gained > 0 ? window * decades_left() / gained : std::numeric_limits<double>::infinity();
  if (whole_ != nullptr) return gained < 0.1 || predicted > kSweepsOfAdmm;
  // Sweeps that cost as much as a Newton finish. The more the factorisations would cost, the longer a rest is waited out.
  const double affordable = kNewtonSteps * factor_work(p_) / sweep_work(p_);
  return sweeps > window && sweeps > 0.1 * affordable && (gained < 0.1 || predicted > affordable);
}

/// The problem that factorisations work on, with its best impulses: with joints the whole one, not the condensed.
std::span<double> Tactics::start_whole() {
  go_back_to_best();
  if (condensation_ == nullptr) return impulses_;
  expand(false);
  whole_impulses_.assign(work_.best.begin(), work_.best.end());
  return whole_impulses_;
}

Tactics::Outcome Tactics::newton() {
  ProximalNewton& engine = work_.scratch<ProximalNewton>();
  const std::span<double> iterate = start_whole();
  engine.start(whole_ != nullptr ? *whole_ : p_, iterate);
  const double start = monitor_.best_total();
  double at_last_look = start;
  Outcome outcome = Outcome::slow;
  for (int k = 1;; ++k) {
    if (!engine.step(iterate)) {
      tell("Newton steps, which then broke down,", k, start);
      break;
    }
    if (monitor_.done(++iteration_, iterate)) {
      tell("Newton steps", k, start);
      outcome = Outcome::done;
      break;
    }
    if (k % ((whole_ != nullptr ? kNewtonWindowWithJoints : kNewtonWindow) * patience_) != 0) continue;
    if (monitor_.best_total() > 0.5 * at_last_look) {
      tell("Newton steps, which then stood still,", k, start);
      break;
    }
    at_last_look = monitor_.best_total();
  }
  expand(true);
  return outcome;
}

Tactics::Outcome Tactics::admm() {
  AdmmEngine& engine = work_.scratch<AdmmEngine>();
  const std::span<double> iterate = start_whole();
  const double start = monitor_.best_total();
  AdmmEngine::Settings settings;
  const ContactProblem& problem = whole_ != nullptr ? *whole_ : p_;
  if (whole_ != nullptr) settings.most_work = kAdmmWork * sweep_work(*whole_) * monitor_.control().max_iterations / kFactorisations;
  if (!engine.setup(problem, settings, iterate)) {
    tell("ADMM steps, because the problem cannot be factorised at a fair price,", 0, start);
    admm_fits_ = false;
    expand(true);
    return Outcome::slow;
  }
  double at_last_look = start;
  Outcome outcome = Outcome::slow;
  for (int k = 1;; ++k) {
    if (!engine.iterate()) {
      tell("ADMM steps, which then broke down,", k, start);
      break;
    }
    std::copy(engine.impulses().begin(), engine.impulses().end(), iterate.begin());
    if (monitor_.done(++iteration_, iterate, std::max(engine.primal(), engine.dual()))) {
      tell("ADMM steps", k, start);
      outcome = Outcome::done;
      break;
    }
    if (k % ((whole_ != nullptr ? kAdmmWindowWithJoints : kAdmmWindow) * patience_) != 0) continue;
    if (monitor_.best_total() > 0.5 * at_last_look) {
      tell("ADMM steps, which then stood still,", k, start);
      break;
    }
    at_last_look = monitor_.best_total();
  }
  expand(true);
  return outcome;
}

}  // namespace stickslip
