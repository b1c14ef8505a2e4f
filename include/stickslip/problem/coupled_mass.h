// The mass of a coupled carrier: a sparse symmetric positive definite matrix A and its factors, such as M + hB + h²K of a soft
// body.
#pragma once

#include <mutex>
#include <span>

#include "stickslip/math/sparse_factor.h"

namespace stickslip {

class CoupledMass {
 public:
  using Matrix = SparseFactor::Matrix;

  /// @param a both triangles stored. @throws Error if it is not square, not symmetric or not positive definite.
  explicit CoupledMass(Matrix a);

  /// Takes the numbers of another matrix, and factors it, with what was analysed. @pre symmetric
  /// @returns whether it could: false if the pattern differs; then nothing has changed. @throws Error if it is not positive
  /// definite
  bool refactor(const Matrix&);

  const Matrix& matrix() const { return a_; }
  std::size_t size() const { return static_cast<std::size_t>(a_.rows()); }

  /// x = A⁻¹ b. `b` and `x` must not overlap. One thread at a time gets in.
  void solve(const double* b, double* x) const;
  /// The rows and columns of A⁻¹ that are asked for, each at most once.
  void inverse_at(std::span<const int> rows, Eigen::MatrixXd& out) const;

  double solve_work() const { return factor_.solve_work(); }   ///< operations of a solve

 private:
  void factor();

  Matrix a_;
  mutable SparseFactor factor_;
  mutable std::mutex solving_;
};

}   // namespace stickslip
