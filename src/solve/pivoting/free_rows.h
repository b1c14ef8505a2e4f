// Linear systems over the free rows of a boxed problem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/SparseCore>

#include "math/sparse_cholesky.h"
#include "stickslip/problem/views.h"

namespace stickslip {

/// Where a row of a boxed problem stands: v = 0 inside the bounds, or at one of them.
enum class RowPlace : std::uint8_t { lower, free, upper };

/// Solves A_FF x_F = r_F for changing sets F, A = W + diagonal.
class FreeRows {
 public:
  /// @param diagonal what is added to the diagonal of W
  void set(const BlockMatrix& w, std::span<const double> diagonal);

  /// Another diagonal for the same W.
  void set_diagonal(std::span<const double> diagonal);

  /// x_F; 0 outside F. False if A_FF is singular.
  bool solve(std::span<const RowPlace> places, std::span<const double> r, std::span<double> x);

  /// Solves for impulses whose rows at a friction bound follow their normal impulse: the rows of F of A λ = r with
  /// λ_i = ± coefficient_i λ_normal(i) where i is a friction row at a bound. Writes all of λ but rows outside F that depend on
  /// nothing, which it takes as given. False if singular.
  bool solve_coupled(const BoxedLcp&, std::span<const RowPlace> places, std::span<const double> r, std::span<double> impulses);

  const Eigen::SparseMatrix<double>& matrix() const { return a_; }   ///< A

 private:
  bool solve_by_lu(std::span<double> x);

  Eigen::SparseMatrix<double> a_;
  std::vector<double> diagonal_;   ///< of W
  SparseCholesky cholesky_;
  bool symmetric_ = false;
  std::vector<char> free_;
  std::vector<std::int32_t> master_;   ///< of every row: the free row it follows (itself if free), or −1
  std::vector<double> factor_;         ///< by which it follows
  std::vector<double> right_;
};

}   // namespace stickslip
