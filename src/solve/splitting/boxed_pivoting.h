// Exact solution of a small boxed problem by principal pivoting.
#pragma once

#include "stickslip/math/types.h"

namespace stickslip {

/// One row of a small boxed problem.
struct BoxRow {
  double lower = 0, upper = 0;   ///< bounds [N s]; of a friction row per unit of its normal impulse
  int normal = -1;               ///< of a friction row whose bounds follow a normal impulse: the row of that impulse
};

/// Finds λ with v = Aλ + c, lower ≤ λ ≤ upper, v = 0 inside, v ≥ 0 at the lower and v ≤ 0 at the upper bound, where the bounds
/// of a friction row follow its normal impulse.
///
/// Every row is free, at its lower or at its upper bound. The linear system of the free rows is solved, friction rows at a
/// bound moving with their normal impulse; then all rows that break their condition change side at once, or only the last
/// of them once that brings no progress [course §3.1: block pivoting with Murty's rule as fallback]. Redundant rows make A
/// singular: each solve adds a proximal term ε diag(A) (λ − λ_old), and two more solves remove its trace.
class BoxedPivoting {
 public:
  /// @param a m × m, not necessarily symmetric. @param impulses in: a guess, out: the solution, or untouched if false.
  /// @returns whether a solution was found within a number of pivots that grows with m.
  bool solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& c, const std::vector<BoxRow>& rows,
             Eigen::Ref<Eigen::VectorXd> impulses);

 private:
  enum class Side : std::int8_t { lower = -1, free = 0, upper = 1 };
  bool pivot(const Eigen::MatrixXd& a, const std::vector<BoxRow>& rows, double tolerance);
  bool solve_free_rows(const Eigen::MatrixXd& a, const std::vector<BoxRow>& rows);
  static double bound(const BoxRow& row, Side side);
  Side side_of(const BoxRow& row, int i, double tolerance) const;

  std::vector<Side> side_;
  std::vector<int> free_, position_;   ///< free rows; per row its place among them or −1
  Eigen::MatrixXd system_;
  Eigen::VectorXd c_, proximal_, x_, old_, v_, right_;
};

}   // namespace stickslip
