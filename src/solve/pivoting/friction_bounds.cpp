#include "solve/pivoting/friction_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/infinity.h"

namespace stickslip {

namespace {

constexpr int kFrictionPatience = 80;      // rounds without a better residual before giving up, with friction
constexpr int kPatienceFrictionless = 4;   // where only rounding is left to improve
constexpr double kLeastDamping = 0.1;

/// How far the bounds of a row move with its normal impulse; 0 if they do not.
double reach(const BoxedLcp& view, std::size_t i) { return std::max(view.coefficient_lower[i], view.coefficient_upper[i]); }

}   // namespace

void FrictionBounds::start(const BoxedLcp& view, std::span<double> impulses) {
  const std::size_t n = view.rows();
  scale.assign(n, 0.0);
  for (std::uint32_t i = 0; i < view.W.blocks(); ++i)
    for (std::uint32_t r = 0; r < view.W.dim(i); ++r) {
      double largest = 0, diagonal = 0;
      for (std::uint32_t e = view.W.first[i]; e < view.W.first[i + 1]; ++e) {
        const auto block = view.W.entry(i, e);
        largest = std::max(largest, block.row(r).cwiseAbs().maxCoeff());
        if (view.W.column[e] == i) diagonal = block(r, r);
      }
      scale[view.W.offset[i] + r] = diagonal > 0 ? diagonal : largest > 0 ? largest : 1;
    }
  // Normal rows first: the bounds of friction rows follow from them.
  for (std::size_t i = 0; i < n; ++i)
    if (view.normal_row[i] < 0) impulses[i] = std::clamp(impulses[i], view.lower[i], view.upper[i]);
  lower.resize(n);
  upper.resize(n);
  was_closed.assign(n, 0);
  reference_.assign(impulses.begin(), impulses.end());
  view.bounds(reference_, lower, upper);
  for (std::size_t i = 0; i < n; ++i) impulses[i] = std::clamp(impulses[i], lower[i], upper[i]);
  damping_ = 1;
  last_change_ = best_ = kInfinity;
  waiting_ = 0;
}

bool FrictionBounds::differs(const BoxedLcp& view, std::span<const double> impulses) const {
  for (std::size_t i = 0; i < view.rows(); ++i)
    if (reach(view, i) > 0 && reference_[view.normal_row[i]] != impulses[view.normal_row[i]]) return true;
  return false;
}

bool FrictionBounds::update(const BoxedLcp& view, std::span<const double> impulses, double best) {
  if (best < 0.999 * best_) {
    best_ = best;
    waiting_ = 0;
  } else if (++waiting_ > (view.has_friction ? kFrictionPatience : kPatienceFrictionless)) {
    return false;
  }
  double change = 0;
  for (std::size_t i = 0; i < view.rows(); ++i)
    if (reach(view, i) > 0) {
      const std::size_t n = view.normal_row[i];
      change = std::max(change, reach(view, i) * std::abs(impulses[n] - reference_[n]) * scale[i]);
    }
  damping_ = change > 0.9 * last_change_ ? std::max(0.6 * damping_, kLeastDamping) : std::min(1.2 * damping_, 1.0);
  last_change_ = change;
  for (std::size_t i = 0; i < view.rows(); ++i) {
    reference_[i] += damping_ * (impulses[i] - reference_[i]);
    was_closed[i] = lower[i] == upper[i];
  }
  view.bounds(reference_, lower, upper);
  return true;
}

void FrictionBounds::follow(const BoxedLcp& view, std::span<const double> impulses) {
  reference_.assign(impulses.begin(), impulses.end());
  view.bounds(reference_, lower, upper);
}

}   // namespace stickslip
