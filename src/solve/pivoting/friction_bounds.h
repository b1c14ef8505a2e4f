// The outer loop of the boxed model: bounds of friction rows that follow the normal impulses.
#pragma once

#include <span>
#include <vector>

#include "stickslip/problem/views.h"

namespace stickslip {

/// Fixed point λₙ ↦ bounds ±μ λₙ ↦ solution of the boxed problem ↦ λₙ, damped where it does not contract.
struct FrictionBounds {
  std::vector<double> lower, upper;   ///< of all rows, for the reference normal impulses [N s]
  /// of all rows: W_ii, or the largest number of the row if that is not positive; 1 if all are 0
  std::vector<double> scale;
  std::vector<char> was_closed;   ///< whether the bounds of the row coincided before the last update

  /// Takes the impulses as the first reference and clamps them to the bounds.
  void start(const BoxedLcp&, std::span<double> impulses);

  /// Whether the bounds at these impulses are others than those set.
  bool differs(const BoxedLcp&, std::span<const double> impulses) const;

  /// Moves the bounds towards those of the solution found. False when the best residual has not fallen for long: the caller
  /// should give up.
  bool update(const BoxedLcp&, std::span<const double> impulses, double best);

  /// Sets the bounds to those of the solution found, undamped.
  void follow(const BoxedLcp&, std::span<const double> impulses);

 private:
  std::vector<double> reference_;   ///< normal impulses that the bounds come from
  double damping_ = 1, last_change_ = 0, best_ = 0;
  int waiting_ = 0;
};

}   // namespace stickslip
