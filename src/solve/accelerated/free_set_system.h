// Linear systems on a subset of the rows of W.
#pragma once

#include <memory>
#include <span>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// Solves W_FF x = y for a set F of rows that changes from solve to solve.
///
/// Where contacts are redundant W_FF is singular, so (W_FF + γ diag(W_FF)) is factorised: dense for few rows, sparse for many,
/// LDLᵀ or Cholesky where W is symmetric and LU where it is not. The error that γ brings is removed by refinement,
/// x ← x + (W_FF + γD)⁻¹ (y − W_FF x), which converges to a solution of W_FF x = y wherever there is one.
class FreeSetSystem {
 public:
  FreeSetSystem();
  ~FreeSetSystem();

  /// Takes over the matrix of a problem.
  void prepare(const ContactProblem&);

  /// @param free rows of F, increasing; every W_ii must be greater than 0 unless W is not symmetric
  /// @param regularisation γ, ≥ 0
  /// @param sparse_threshold more rows than this are factorised sparsely
  /// @return whether the factorisation succeeded
  bool factorise(std::span<const std::uint32_t> free, double regularisation, int sparse_threshold);

  /// Solves for the factorised set with up to `refinements` steps. @return whether the result is finite.
  bool solve(const Eigen::VectorXd& y, Eigen::VectorXd& x, int refinements);

 private:
  struct Factors;
  BlockMatrix w_;
  bool symmetric_ = true;
  std::vector<std::int32_t> place_;       ///< per row: its number in F, or -1
  std::vector<std::uint32_t> block_of_;   ///< per row: its block
  Eigen::VectorXd residual_, step_;
  std::unique_ptr<Factors> factors_;
};

}   // namespace stickslip
