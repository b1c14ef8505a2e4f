// Newton's method where W is a full symmetric positive definite matrix, as contacts of soft bodies have it.
//
// A step on the Alart–Curnier function solves (B W + A) d = Φ with blocks A and B on the diagonal. Contacts that stick have
// A = 0 and B = ρ: what they ask for is z = W d = Φ/ρ. With P = W⁻¹ the other contacts C are left with a system of their own,
//
//   (B_C + A_C P_CC) z_C = Φ_C − A_C (P z_S)_C,   d = P z
//
// so that one factorisation W = L Lᵀ, kept while W stays the same, serves all steps: P_CC = YᵀY with Y = L⁻¹ E_C. Where most
// contacts slide or part, B W + A is factored itself.
#pragma once

#include "math/dense_cholesky.h"
#include "solve/matrix_series.h"
#include "solve/newton/maps.h"

namespace stickslip {

class FullRankNewton {
 public:
  /// Whether W is a matrix of which all is stored, and small enough to be factored at once.
  static bool fits(const ContactProblem&);
  /// Operations of the factorisation.
  static double factor_work(const ContactProblem&);

  /// Factors W unless it is the one before. False if it is not symmetric or nearly singular.
  bool prepare(const ContactProblem&, MatrixSeries);

  /// One step with backtracking. @param v that the impulses give, with b. False, with the impulses as they were, if no step
  /// length helps or the system is singular.
  bool step(const ContactProblem&, std::span<double> impulses, std::span<const double> v);

  double step_work() const { return work_; }   ///< operations of the last step

 private:
  bool copy(const ContactProblem&);
  void sort_blocks(const ContactProblem&);
  void find_columns(const ContactProblem&);
  void append_columns(const ContactProblem&, std::span<const std::uint32_t> blocks);
  bool solve_beside();
  bool solve_whole(const ContactProblem&);
  double merit() const;

  std::vector<double> values_, sigma_;   ///< W and Σ that were factored
  std::vector<std::uint32_t> offset_;    ///< and its blocks
  bool factored_ = false;                ///< whether L is there
  MatrixSeries series_;                  ///< that the columns below were found in
  DenseCholesky factor_;
  std::vector<double> rho_;   ///< per row [kg]
  Linearisation map_;
  std::vector<std::uint32_t> others_;   ///< blocks that do not stick
  std::vector<int> rows_;               ///< of them, in y_
  std::vector<std::int32_t> place_;     ///< per block: its first column of y_; -1: none
  Eigen::MatrixXd y_, gram_;            ///< L⁻¹ E and YᵀY, of the first `columns_` columns
  Eigen::Index columns_ = 0;
  Eigen::MatrixXd system_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd z_, direction_, half_, right_, beside_;
  std::vector<double> trial_, trial_v_;
  double work_ = 0;
};

}   // namespace stickslip
