// LDLᵀ of a principal submatrix A_FF of one sparse symmetric matrix, while rows enter and leave F.
//
// With CHOLMOD a row that enters or leaves changes the factor in place (a rank-2 modification); when many change at once, or
// without SuiteSparse (Eigen's SimplicialLDLT), A_FF is factored anew with the ordering found for all of A. Rows outside F
// stand in the factor as rows of the identity.
#pragma once

#include <memory>
#include <span>

#include <Eigen/SparseCore>

namespace stickslip {

class SparseCholesky {
 public:
  /// @param update_limit row changes per call of `set_free` up to which the factor is modified in place; 0: always factor anew
  explicit SparseCholesky(int update_limit = 32);
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  /// Takes A, symmetric and with both triangles stored, and finds an ordering; F becomes empty.
  void set_matrix(const Eigen::SparseMatrix<double>& a);

  /// Takes other numbers in the same pattern; the ordering stays, F becomes empty.
  void set_values(const Eigen::SparseMatrix<double>& a);

  /// Makes A_FF with F = { i : free[i] } the factored matrix. False if it is not positive definite to rounding.
  bool set_free(std::span<const char> free);

  /// x_F = A_FF⁻¹ r_F; x is 0 outside F. `r` and `x` may be the same.
  void solve(std::span<const double> r, std::span<double> x);

  int factorisations() const;   ///< since set_matrix
  int row_changes() const;      ///< modifications of the factor in place since set_matrix

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}   // namespace stickslip
