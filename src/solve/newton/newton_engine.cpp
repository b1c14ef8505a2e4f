#include "solve/newton/newton_engine.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {
constexpr int kHalvings = 8;             ///< of the step length before a step counts as failed
constexpr double kArmijo = 1e-4;         ///< fraction of the predicted decrease of the merit that a step must bring
constexpr int kMeritMemory = 4;          ///< steps whose merits a step is compared with
constexpr double kFirstStep = 1e4;       ///< growth of the error allowed to the first step from a λ̄ where it is not free
constexpr double kTravel = 2;            ///< times the best error at which a solved problem is still a place to go back to
constexpr double kErrorProgress = 0.9;   ///< fraction of the best error that counts as progress
constexpr double kCycle = 0.8;           ///< fraction of the merit two steps ago above which two steps in a row are a cycle
/// fraction of the error of a failure to which it must fall before α may come down again
constexpr double kHoldAlpha = 0.8;
}   // namespace

void NewtonEngine::set_up(const ContactProblem& problem, const NewtonSystem& system, LinearSolver linear) {
  problem_ = &problem;
  system_ = system;
  linear_ = linear;
  if (in_velocities() && (!problem.is_factored() || system.slacks != nullptr)) linear_.kind = LinearSolver::Kind::direct;
  rho_ = row_masses(problem);
  std::vector<std::uint8_t> slacks;
  if (system.slacks != nullptr)
    for (std::size_t i = 0; i < problem.blocks.size(); ++i)
      slacks.push_back(static_cast<std::uint8_t>(system.slacks(problem, i)));
  map_.resize(problem.blocks, slacks);
  if (in_velocities()) {
    velocities_.set_up(problem);
  } else {
    w_ = delassus(problem);
    matrix_.set_up(w_, map_);
  }
  const std::size_t rows = problem.rows(), unknowns = map_.unknowns();
  for (std::vector<double>* v : {&shift_, &impulses_, &v_, &dv_, &trial_v_}) v->assign(rows, 0.0);
  for (std::vector<double>* v : {&weight_, &reference_, &direction_, &trial_}) v->assign(unknowns, 0.0);
  double largest = 0;
  for (const Block& block : problem.blocks) largest = std::max(largest, problem.diagonal(block).trace() / block.dim);
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const Block& block = problem.blocks[i];
    const double mean = problem.diagonal(block).trace() / block.dim;
    std::fill_n(shift_.begin() + block.row, block.dim, mean > 0 ? mean : largest > 0 ? largest : 1);
    for (std::uint32_t k = 0; k < map_.rows(i); ++k)
      weight_[map_.first[i] + k] = 1 / rho_[block.row + std::min<std::uint32_t>(k, block.dim - 1u)];
  }
}

void NewtonEngine::from_impulses(std::span<const double> impulses, std::vector<double>& x) {
  x.assign(map_.unknowns(), 0.0);
  for (std::size_t i = 0; i < map_.blocks(); ++i)
    std::copy_n(impulses.begin() + problem_->blocks[i].row, map_.dim[i], x.begin() + map_.first[i]);
  if (system_.guess == nullptr) return;
  reference_ = x;
  velocity(x, 0);
  system_.guess(*problem_, rho_, v_, map_, x);
}

void NewtonEngine::to_impulses(std::span<const double> x, std::span<double> impulses) const {
  for (std::size_t i = 0; i < map_.blocks(); ++i)
    std::copy_n(x.begin() + map_.first[i], map_.dim[i], impulses.begin() + problem_->blocks[i].row);
}

/// v = W λ.
void NewtonEngine::multiply(std::span<const double> impulses, std::span<double> v) {
  if (in_velocities()) velocities_.multiply(impulses, v);
  else if (!w_.empty()) w_.multiply(impulses, v);
}

/// v_ = v_α(λ).
void NewtonEngine::velocity(std::span<const double> x, double alpha) {
  to_impulses(x, impulses_);
  multiply(impulses_, v_);
  for (std::size_t i = 0; i < map_.blocks(); ++i)
    for (std::uint32_t k = 0; k < map_.dim[i]; ++k) {
      const std::size_t row = problem_->blocks[i].row + k, unknown = map_.first[i] + k;
      v_[row] += problem_->b[row] + alpha * shift_[row] * (x[unknown] - reference_[unknown]);
    }
}

double NewtonEngine::norm() const {
  double sum = 0;
  for (std::size_t k = 0; k < map_.phi.size(); ++k) sum += weight_[k] * map_.phi[k] * (weight_[k] * map_.phi[k]);
  return std::sqrt(sum);
}

double NewtonEngine::merit(std::span<const double> x, double alpha) {
  velocity(x, alpha);
  system_.evaluate(*problem_, rho_, x, v_, map_, false);
  return norm();
}

/// H direction = Φ.
bool NewtonEngine::solve_direction() {
  krylov_.products = 0;
  switch (linear_.kind) {
    case LinearSolver::Kind::velocities:
      return velocities_.factor(map_) && velocities_.solve(map_, map_.phi, direction_);
    case LinearSolver::Kind::direct:
      return matrix_.factorize() && matrix_.solve(map_.phi, direction_);
    case LinearSolver::Kind::gmres:
      return gmres(matrix_, map_, map_.phi, linear_, krylov_, direction_);
    case LinearSolver::Kind::fletcher_reeves:
      return fletcher_reeves(matrix_, map_.phi, linear_, krylov_, direction_);
  }
  return false;
}

bool NewtonEngine::step(std::span<double> x, double alpha, double allowance) {
  velocity(x, alpha);
  system_.evaluate(*problem_, rho_, x, v_, map_, true);
  const double before = norm();
  // The proximal term on the diagonal: B (W + αD) = B W + α D B, with D one number per block.
  for (std::size_t i = 0; i < map_.blocks(); ++i)
    map_.a_block(i).leftCols(map_.dim[i]) += alpha * shift_[problem_->blocks[i].row] * map_.b_block(i);
  if (!in_velocities()) matrix_.assemble(w_, map_);
  if (!solve_direction()) return false;

  // v_α along the step is linear in its length.
  to_impulses(direction_, impulses_);
  if (in_velocities() && !velocities_.product().empty()) std::ranges::copy(velocities_.product(), dv_.begin());
  else multiply(impulses_, dv_);
  for (std::size_t k = 0; k < dv_.size(); ++k) dv_[k] += alpha * shift_[k] * impulses_[k];
  double best_length = 0, best = INFINITY;
  for (double length = 1; length > std::ldexp(0.75, -kHalvings); length /= 2) {
    for (std::size_t k = 0; k < x.size(); ++k) trial_[k] = x[k] - length * direction_[k];
    for (std::size_t k = 0; k < v_.size(); ++k) trial_v_[k] = v_[k] - length * dv_[k];
    system_.evaluate(*problem_, rho_, trial_, trial_v_, map_, false);
    const double now = norm();
    if (now < best) {
      best = now;
      best_length = length;
    }
    if (now <= (1 - kArmijo * length) * std::max(allowance, before)) break;
  }
  if (!(best < std::max(allowance, before))) return false;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] -= best_length * direction_[k];
  merit_ = best;
  return true;
}

void ProximalNewton::start(const ContactProblem& problem, std::span<const double> impulses, const NewtonSystem& system) {
  prepare(problem, system);
  start(impulses);
}

void ProximalNewton::prepare(const ContactProblem& problem, const NewtonSystem& system) {
  engine_.set_up(problem, system, settings_.linear);
}

void ProximalNewton::start(std::span<const double> impulses) {
  engine_.from_impulses(impulses, x_);
  alpha_ = settings_.alpha;
  failures_ = momentum_ = 0;
  held_alpha_ = held_error_ = 0;
  base_ = solved_ = reference_ = x_;
  begin(reference_);
  best_error_ = error_;
}

/// A new regularised problem, from the present unknowns.
void ProximalNewton::begin(std::span<const double> reference) {
  engine_.set_reference(reference);
  error_ = engine_.merit(x_, 0);
  merits_.clear();
}

/// The next reference lies beyond the solution, in the direction in which solutions travel, as in Nesterov's method; unless
/// they turned round [Güler 1992].
void ProximalNewton::extrapolate() {
  double turned = 0;
  for (std::size_t k = 0; k < x_.size(); ++k) turned += (x_[k] - reference_[k]) * (reference_[k] - solved_[k]);
  momentum_ = turned < 0 ? 1 : momentum_ + 1;
  const double beta = (momentum_ - 1.0) / (momentum_ + 2.0);
  for (std::size_t k = 0; k < x_.size(); ++k) reference_[k] = x_[k] + beta * (x_[k] - solved_[k]);
  solved_ = x_;
}

/// The regularised problem is solved: its solution leads to the next reference, with less regularisation.
void ProximalNewton::accept() {
  const double before = error_;
  extrapolate();
  begin(reference_);
  // Where W is singular the impulses may have to travel far at an error that does not fall: that is progress too.
  if (error_ < kTravel * best_error_) {
    if (error_ < kErrorProgress * best_error_) failures_ = 0;
    best_error_ = std::min(error_, best_error_);
    base_ = x_;
  }
  if (!(alpha_ > 0)) return;
  // Following the error down keeps the quadratic convergence of Newton's method. With α as it is the error would fall by the
  // same factor once more.
  const double least = engine_.in_velocities() ? settings_.alpha_min_in_velocities : settings_.alpha_min;
  const double fell = error_ / before, follow = std::min(1 / settings_.reduction, fell);
  alpha_ = std::max(alpha_ * (settings_.goal > 0 ? std::clamp(settings_.goal / (error_ * fell), follow, 1.0) : follow), least);
  if (error_ > kHoldAlpha * held_error_) alpha_ = std::max(alpha_, held_alpha_);
}

/// Back to the last good reference, with more regularisation.
bool ProximalNewton::retreat() {
  x_ = solved_ = reference_ = base_;
  momentum_ = 0;
  begin(reference_);
  alpha_ *= settings_.increase;
  held_alpha_ = alpha_;
  held_error_ = error_;
  return ++failures_ < settings_.failures && alpha_ > 0 && alpha_ <= settings_.alpha_max;
}

/// Whether steps only change a few contacts between two states, to and fro.
bool ProximalNewton::cycles() const {
  const std::size_t n = merits_.size();
  return n >= 4 && merits_[n - 1] > kCycle * merits_[n - 3] && merits_[n - 2] > kCycle * merits_[n - 4];
}

double NewtonEngine::step_cost() const {
  if (linear_.kind != LinearSolver::Kind::direct) return 2.0 + krylov_.products;
  return 2 + std::pow(static_cast<double>(map_.unknowns()), 3) / (3 * std::max(1.0, static_cast<double>(w_.values.size())));
}

bool ProximalNewton::step(std::span<double> impulses) {
  const int taken = static_cast<int>(merits_.size());
  // The first step to a new reference is free, or nearly so. It changes many contacts between sticking, sliding and parting at
  // once, and may lead far along self-stresses of bodies: the cones of those that slide are curved, so that the error rises
  // with the square of the way, and falls again in the next steps. Those must beat the worst of the last few. Near a solution
  // it would only lead to another one: friction often has many, and a wall would jump from rest into the next.
  double allowance = engine_.in_velocities() && error_ > settings_.near ? INFINITY : kFirstStep * error_;
  if (taken > 0) allowance = *std::max_element(merits_.end() - std::min(taken, kMeritMemory), merits_.end());
  if (settings_.monotone) allowance = 0;
  bool alive = true;
  if (taken >= settings_.inner || cycles() || !engine_.step(x_, alpha_, allowance)) alive = retreat();
  else {
    merits_.push_back(engine_.last_merit());
    if (engine_.last_merit() <= settings_.accuracy * error_) accept();
  }
  engine_.to_impulses(x_, impulses);
  return alive;
}

}   // namespace stickslip
