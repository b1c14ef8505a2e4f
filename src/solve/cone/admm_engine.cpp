#include "solve/cone/admm_engine.h"

#include <algorithm>
#include <cmath>

#include "solve/cone/cone_set.h"

namespace stickslip {

namespace {

constexpr double kFast = -0.2;         // decay rate of the residuals per iteration that is good enough
constexpr double kStride = 3;          // factor on the penalty
constexpr int kPenaltyPatience = 20;   // iterations before the first change; grows, so that the changes end

double largest_of(double a, double b) { return a < b || std::isnan(b) ? b : a; }

}   // namespace

bool AdmmEngine::setup(const ContactProblem& p, const Settings& settings, std::span<const double> guess) {
  problem_ = &p;
  settings_ = settings;
  const std::size_t n = p.rows();
  cone::metric(p, r_);
  split_.assign(n, 1.0);
  for (const Block& b : p.blocks)
    if (b.kind == BlockKind::bilateral) std::fill_n(split_.begin() + b.row, b.dim, 0.0);
  for (std::vector<double>* v : {&x_, &z_, &y_, &s_, &right_, &next_, &c_}) v->assign(n, 0.0);
  system_.setup(p);
  if (!(std::max(system_.factor_work(), 20 * system_.solve_work()) <= settings.most_work)) return false;

  largest_ = std::max(cone::largest_eigenvalue(p, r_, 20, x_, next_, segment_), 1.0);
  const double eta = settings.proximal;
  rho_ = settings.penalty > 0 ? settings.penalty : std::sqrt(largest_ * eta) * std::pow(largest_ / eta, 0.2);
  factorisations_ = since_change_ = 0;
  patience_ = kPenaltyPatience;
  rate_ = std::numeric_limits<double>::quiet_NaN();
  if (!factor()) return false;

  // Start from the guess, with the multiplier that belongs to it: the part of −(v + s) that the cone resists.
  std::copy(guess.begin(), guess.end(), z_.begin());
  for (double& number : z_)
    if (!std::isfinite(number)) number = 0;
  cone::project(p, z_);
  x_ = z_;
  p.contact_velocity(x_, y_, segment_);
  if (settings.coulomb) cone::add_shift(p, y_);
  for (std::size_t k = 0; k < n; ++k) next_[k] = y_[k] = x_[k] - r_[k] * y_[k];
  cone::project(p, next_);
  for (std::size_t k = 0; k < n; ++k) y_[k] = split_[k] * (y_[k] - next_[k]) / r_[k];
  return true;
}

bool AdmmEngine::factor() {
  for (std::size_t k = 0; k < c_.size(); ++k) c_[k] = (settings_.proximal + rho_ * split_[k]) / r_[k];
  ++factorisations_;
  since_change_ = 0;
  return system_.factor(c_);
}

bool AdmmEngine::iterate() {
  const ContactProblem& p = *problem_;
  const std::size_t n = p.rows();
  const double eta = settings_.proximal, alpha = settings_.relaxation;
  // Only normal rows of s are not zero. −y is v + s, whose friction rows are those of v.
  if (settings_.coulomb) {
    for (std::size_t k = 0; k < n; ++k) s_[k] = -y_[k];
    cone::add_shift(p, s_);
    for (std::size_t k = 0; k < n; ++k) s_[k] += y_[k];
  }
  for (std::size_t k = 0; k < n; ++k) right_[k] = -p.b[k] - s_[k] - y_[k] + (eta * x_[k] + rho_ * split_[k] * z_[k]) / r_[k];
  system_.solve(right_, next_);

  dual_ = 0;
  for (std::size_t k = 0; k < n; ++k) {
    dual_ = largest_of(dual_, eta * std::abs(next_[k] - x_[k]) / r_[k]);
    x_[k] = next_[k];
    next_[k] = split_[k] > 0 ? alpha * x_[k] + (1 - alpha) * z_[k] + r_[k] * y_[k] / rho_ : x_[k];
  }
  right_ = next_;   // ξ
  cone::project(p, next_);
  primal_ = 0;
  for (std::size_t k = 0; k < n; ++k) {
    primal_ = largest_of(primal_, std::abs(x_[k] - next_[k]) / r_[k]);
    dual_ = largest_of(dual_, rho_ * split_[k] * std::abs(next_[k] - z_[k]) / r_[k]);
    y_[k] = rho_ * split_[k] * (right_[k] - next_[k]) / r_[k];
    z_[k] = next_[k];
  }
  ++since_change_;
  return !settings_.adapt || adapt();
}

// No formula gives the best ρ of all problems: it is searched by steps up or down, turning round when the residuals fall slower
// than before.
bool AdmmEngine::adapt() {
  if (since_change_ == 1) error_at_change_ = std::max(primal_, dual_);
  if (since_change_ < patience_) return true;
  const double rate = std::log(std::max(primal_, dual_) / error_at_change_) / (since_change_ - 1);
  since_change_ = 0;
  if (!std::isfinite(rate) || rate < kFast) return true;
  if (std::isnan(rate_)) {
    // First the way that balances the residuals, each relative to what it is a part of.
    double impulse = 0, velocity = 0;
    for (std::size_t k = 0; k < z_.size(); ++k) {
      impulse = std::max(impulse, std::abs(z_[k]) / r_[k]);
      velocity = std::max({velocity, std::abs(y_[k]), std::abs(problem_->b[k])});
    }
    direction_ = primal_ * velocity > dual_ * impulse ? 1 : -1;
  } else if (rate > rate_) {
    direction_ = -direction_;
    patience_ += patience_ / 2;
  }
  rate_ = rate;
  const double next = std::clamp(rho_ * (direction_ > 0 ? kStride : 1 / kStride), 1e-5 * largest_, 10 * largest_);
  if (next == rho_) return true;
  rho_ = next;
  return factor();
}

}   // namespace stickslip
