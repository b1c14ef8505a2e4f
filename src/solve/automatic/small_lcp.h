// Contacts without friction, a few rows, W as a matrix: a linear complementarity problem that fits the stack.
#pragma once

#include <array>
#include <string_view>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// Finds impulses z with 0 ≤ z ⊥ w = Wz + b ≥ 0 in several ways, the cheapest first: a sweep, the rows that it leaves pushing
/// and what follows from them (principal pivoting), Lemke's pivots, and all sets of rows [course §3.1.1]. What it hands out
/// fulfils the conditions by its own reckoning.
class SmallLcp {
 public:
  static constexpr int kMostRows = 12;   ///< the tableau of more would not fit two kilobytes

  /// @param tolerance of w [m/s]
  SmallLcp(const ContactProblem& p, double tolerance);

  /// Up to three rows, of which there are so few sets that the formulas for each take less than getting ready. Of other
  /// problems, and where no set does, nothing is done.
  static bool try_all_sets(const ContactProblem& p, double tolerance, std::span<double> impulses);

  /// The next impulses. @returns what found them, the beginning of a sentence; empty: there are no others
  std::string_view next(std::span<double> impulses);

 private:
  using Columns = std::array<std::array<double, kMostRows>, kMostRows>;
  class Tableau;

  bool sweep(std::span<double> z);
  bool exchange_sets(std::span<double> z);
  bool pivot(double skew, std::span<double> z) const;
  bool try_sets(std::span<double> z);
  unsigned wrong_rows(unsigned set, std::span<double> z) const;
  void add(double impulse, int column, double* w) const;
  static void eliminate(int n, Columns& a, std::array<double, kMostRows>& y);

  int n_;
  const double* b_;
  double tolerance_;
  int way_ = 0;
  unsigned set_ = 0;        ///< rows that push, as bits
  unsigned tried_ = 0;      ///< sets, of all
  bool stubborn_ = false;   ///< whether the own impulse of some row does nothing to it
  Columns column_;          ///< of W with Σ; zeros behind the rows, to the next multiple of four
};

}   // namespace stickslip
