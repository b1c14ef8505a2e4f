#include "stickslip/minimise/minimise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kDecrease = 1e-4;    ///< part of the decrease that the slope promises which a step has to bring
constexpr double kRounding = 1e-13;   ///< of values: differences below this part of them say nothing
constexpr double kDoubtful = 1e-6;    ///< and below this they may: values of stiff springs round more coarsely than they are
constexpr double kFlatter = 0.9;      ///< part of the slope that is left where values are in doubt
constexpr int kMostHalvings = 40;
constexpr std::size_t kMemory = 8;                        ///< steps that L-BFGS remembers
constexpr std::size_t kDirect = 300;                      ///< unknowns of which an LU factorisation costs nothing
constexpr int kMostProducts = 60;                         ///< of an iterated direction
constexpr double kSlow = 0.1;                             ///< part of the last direction that Newton's method is to leave
constexpr int kWait = 4;                                  ///< iterations after which a Hessian may have become positive
constexpr double kFirstShift = 1e-8, kShiftGrowth = 10;   ///< of the diagonal, relative to its largest number

Eigen::Map<Eigen::VectorXd> as_vector(std::vector<double>& v) { return {v.data(), static_cast<Eigen::Index>(v.size())}; }

}   // namespace

const std::vector<std::string>& minimise_method_names() {
  static const std::vector<std::string> names{"projected-newton", "newton", "lbfgs", "gradient-descent"};
  return names;
}

void ProjectionRule::add(double size, bool whole, bool exact) {
  if (tries_exact() && !exact) wait_ = kWait;
  else if (wait_ > 0) --wait_;
  slow_ = whole && (exact || size > kSlow * last_);
  last_ = size;
}

bool Minimiser::factor(const SparseFactor::Matrix& m, Minimum& result) {
  if (!same_pattern(analysed_, m)) {
    factor_.analyze(m, true);
    analysed_ = m;
    ++result.analyses;
  }
  ++result.factorisations;
  return factor_.factor(m);
}

void Minimiser::newton_direction(Objective& f, bool projected, Minimum& result) {
  const SparseFactor::Matrix& h = f.hessian(projected);
  right_.resize(gradient_.size());
  as_vector(right_) = -as_vector(gradient_);
  if (!factor(h, result)) {
    const double largest = h.diagonal().cwiseAbs().maxCoeff();
    shifted_ = h;
    for (double shift = kFirstShift * largest, last = 0;; last = shift, shift *= kShiftGrowth) {
      if (!std::isfinite(shift)) throw Error("The Hessian of a step is not finite. Check masses, stiffnesses and places.");
      for (Eigen::Index k = 0; k < shifted_.cols(); ++k) shifted_.coeffRef(k, k) += shift - last;
      if (factor(shifted_, result)) break;
    }
  }
  factor_.solve(right_.data(), direction_.data());
}

/// d = −(H + C)⁻¹ g by (1 + H⁻¹C) d = −H⁻¹g, with a Cholesky factor of H and GMRES: LU factors of H + C fill up many times as
/// much. False where that does not converge. @pre H is factored
bool Minimiser::iterated_direction(Objective& f, double error, Minimum& result) {
  const std::size_t n = f.size();
  right_.resize(n);
  start_.resize(n);
  as_vector(right_) = -as_vector(gradient_);
  factor_.solve(right_.data(), start_.data());
  const bool solved =
      gmres_.solve(start_, direction_, {.products = kMostProducts, .tolerance = error}, [&](const double* x, double* y) {
        if (!f.beyond_hessian({x, n}, right_)) return false;
        factor_.solve(right_.data(), y);
        for (std::size_t k = 0; k < n; ++k) y[k] += x[k];
        return true;
      });
  result.products += gmres_.products();
  return solved;
}

/// False if the matrix is singular.
bool Minimiser::coupled_direction(Objective& f, const MinimiseOptions& options, bool projected, Minimum& result) {
  if (f.size() > kDirect || !projected) {
    if (!factor(f.hessian(projected), result)) return false;
    if (f.size() > kDirect && iterated_direction(f, options.product_error, result)) return true;
  }
  const SparseFactor::Matrix& j = f.jacobian(projected);
  if (!same_pattern(analysed_lu_, j)) {
    lu_.analyze(j, false);
    analysed_lu_ = j;
    ++result.analyses;
  }
  ++result.factorisations;
  if (!lu_.factor(j)) return false;
  right_.resize(gradient_.size());
  as_vector(right_) = -as_vector(gradient_);
  lu_.solve(right_.data(), direction_.data());
  return as_vector(direction_).allFinite();
}

/// The two loops of [Nocedal, Wright 2006], algorithm 7.4.
void Minimiser::lbfgs_direction(Objective& f) {
  std::vector<double> parts(changes_.size());
  right_.resize(gradient_.size());
  as_vector(right_) = -as_vector(gradient_);
  for (std::size_t k = changes_.size(); k-- > 0;) {
    parts[k] = as_vector(changes_[k].step).dot(as_vector(right_)) / changes_[k].product;
    as_vector(right_) -= parts[k] * as_vector(changes_[k].gradient);
  }
  f.precondition(right_, direction_);
  for (std::size_t k = 0; k < changes_.size(); ++k) {
    const double back = as_vector(changes_[k].gradient).dot(as_vector(direction_)) / changes_[k].product;
    as_vector(direction_) += (parts[k] - back) * as_vector(changes_[k].step);
  }
}

void Minimiser::begin_search(Objective& f) {
  for (std::vector<double>* list : {&values_, &slopes_, &steps_, &trial_values_}) list->assign(f.pieces(), 1.0);
  f.values(values_);
  f.slopes(gradient_, direction_, slopes_);
}

/// Halves the steps of pieces until their values have decreased, or until their slopes say so where values are in doubt [Hager,
/// Zhang 2005]: ½ k c² of a stiff spring under a force F changes by F times the rounding of c, which near the minimum is more
/// than there is to gain. @returns the smallest step that was taken
double Minimiser::search(Objective& f) {
  double whole = 0;
  for (const double value : values_) whole += std::abs(value);
  bool slopes_known = false;
  const auto is_flatter = [&](std::size_t c) {
    if (!slopes_known) {
      trial_gradient_.resize(gradient_.size());
      trial_slopes_.resize(slopes_.size());
      f.gradient(trial_gradient_);
      f.slopes(trial_gradient_, direction_, trial_slopes_);
      slopes_known = true;
    }
    return std::abs(trial_slopes_[c]) <= kFlatter * std::abs(slopes_[c]);
  };
  for (int k = 0; k <= kMostHalvings; ++k) {
    f.move(direction_, steps_);
    f.values(trial_values_);
    slopes_known = false;
    bool all = true;
    for (std::size_t c = 0; c < steps_.size(); ++c) {
      const double now = trial_values_[c], before = values_[c];
      if (steps_[c] == 0 || now <= before + kDecrease * steps_[c] * slopes_[c] || std::abs(now - before) <= kRounding * whole)
        continue;
      if (std::abs(now - before) <= kDoubtful * whole && is_flatter(c)) continue;
      steps_[c] = k < kMostHalvings ? steps_[c] / 2 : 0;
      all = false;
    }
    if (all) break;
    if (k == kMostHalvings) f.move(direction_, steps_);
  }
  return *std::ranges::min_element(steps_);
}

/// @returns whether it came from a Hessian that was not projected though it might have been
bool Minimiser::find_direction(Objective& f, const MinimiseOptions& options, bool try_exact, Minimum& result) {
  for (const bool projected : {false, true}) {
    if (!projected && !try_exact) continue;
    if (options.coupled && coupled_direction(f, options, projected, result)) {
      as_vector(direction_) *= options.part;
      part_ = options.part;
      f.foresee(direction_);
      f.gradient(gradient_);
      return !projected;
    }
    if (!options.coupled && !projected && factor(f.hessian(false), result)) {
      right_.resize(gradient_.size());
      as_vector(right_) = -as_vector(gradient_);
      factor_.solve(right_.data(), direction_.data());
      return true;
    }
  }
  if (takes_hessian(options.method)) {
    newton_direction(f, options.method == MinimiseMethod::projected_newton, result);
    return false;
  }
  lbfgs_direction(f);
  if (options.method == MinimiseMethod::lbfgs && !(as_vector(gradient_).dot(as_vector(direction_)) < 0)) {
    changes_.clear();
    lbfgs_direction(f);
  }
  return false;
}

Minimum Minimiser::minimise(Objective& f, const MinimiseOptions& options) {
  Minimum result;
  result.converged = f.size() == 0;   // nothing moves
  if (result.converged) return result;
  ProjectionRule own;
  ProjectionRule& rule = options.rule ? *options.rule : own;
  gradient_.resize(f.size());
  direction_.resize(f.size());
  changes_.clear();
  last_gradient_.clear();
  for (result.iterations = 0; result.iterations < options.max_iterations;) {
    if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed)) return result;
    f.gradient(gradient_);
    if (!last_gradient_.empty()) {
      Change& change = changes_.back();
      change.gradient.resize(gradient_.size());
      as_vector(change.gradient) = as_vector(gradient_) - as_vector(last_gradient_);
      change.product = as_vector(change.step).dot(as_vector(change.gradient));
      if (!(change.product > 0)) changes_.pop_back();
      if (changes_.size() > kMemory) changes_.erase(changes_.begin());
    }
    const bool remembers = options.method == MinimiseMethod::lbfgs;
    const bool may_be_exact = options.method == MinimiseMethod::projected_newton && rule.tries_exact();
    part_ = 1;
    const bool exact = find_direction(f, options, may_be_exact, result);
    result.size = f.size_of(direction_) / part_;
    if (result.iterations++ == 0) result.first = result.size;
    const double free = result.free = f.shorten(direction_);
    begin_search(f);
    const double step = result.taken = search(f);
    f.accept(steps_);
    rule.add(result.size, free == 1 && step == 1, exact);
    if (options.observer) {
      const double value = std::accumulate(trial_values_.begin(), trial_values_.end(), 0.0);
      options.observer({result.iterations, value, as_vector(gradient_).norm(), result.size, free, step});
    }
    if (result.size <= options.tolerance) {
      result.converged = true;
      return result;
    }
    if (result.size < options.enough * result.first) return result;
    if (std::ranges::all_of(steps_, [](double taken) { return taken == 0; })) return result;
    if (remembers) {
      last_gradient_ = gradient_;
      changes_.push_back({direction_, {}, 0});
      as_vector(changes_.back().step) *= step;
    }
  }
  return result;
}

}   // namespace stickslip
