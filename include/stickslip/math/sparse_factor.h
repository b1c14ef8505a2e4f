// A sparse factorisation that is analysed once, refactored when numbers change, and solves without allocating.
#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "stickslip/math/types.h"

namespace stickslip {

/// Cholesky for symmetric matrices (analysis by CHOLMOD; numbers by dense blocks of Eigen's products where columns of L form
/// blocks worth it, by CHOLMOD elsewhere), LU (UMFPACK) for others; Eigen's own where SuiteSparse is left out.
class SparseFactor {
 public:
  using Matrix = Eigen::SparseMatrix<double>;

  SparseFactor();
  ~SparseFactor();
  SparseFactor(SparseFactor&&) noexcept;
  SparseFactor& operator=(SparseFactor&&) noexcept;

  /// Orders the pattern of a compressed matrix. @param symmetric positive definite: only the lower triangle is read
  /// @param places of nodes that have three rows each, of a symmetric matrix: planes through them make orders that are better
  /// than those that the pattern alone gives (src/math/dissection.h). Empty: unknown
  void analyze(const Matrix&, bool symmetric, std::span<const Vec3> places = {});

  /// Factors a matrix with the pattern that was analysed. False if it is singular, or not positive definite.
  bool factor(const Matrix&);

  /// x = A⁻¹ b after a factorisation that succeeded. `b` and `x` must not overlap.
  void solve(const double* b, double* x);

  /// X = A⁻¹ B for several columns, one after the other in memory: much faster than one by one where L is in blocks.
  void solve(const double* b, double* x, int columns);

  /// x ≈ A⁻¹ b, to single precision where L is in blocks, which takes half the time of large systems.
  void solve_roughly(const double* b, double* x);

  /// The rows and columns of A⁻¹ that are asked for, of a symmetric matrix; each at most once.
  /// Costs a fraction of solving for the columns: J A⁻¹ Jᵀ needs A⁻¹ only where J has numbers.
  void inverse_at(std::span<const int> rows, Eigen::MatrixXd& out);

  /// The numbers of A⁻¹ in the places of A, in their order: of the lower triangle of a symmetric matrix, 0 in others. False,
  /// with nothing written, where L is not in blocks.
  bool inverse_near(std::span<double> numbers);

  double factor_work() const;   ///< operations of a factorisation, known after analyze
  double solve_work() const;    ///< operations of a solve

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether two compressed matrices store the same places; false of empty ones.
bool same_pattern(const SparseFactor::Matrix& a, const SparseFactor::Matrix& b);

}   // namespace stickslip
