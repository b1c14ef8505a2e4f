// Decompositions of matrices of a few rows, column-major, by plain loops. Those of Eigen are templates of the size: every size
// takes seconds to compile, in every file that uses it.
#pragma once

#include "stickslip/math/types.h"

namespace stickslip {

inline constexpr int kMostSmallRows = 6;

/// Eigenvalues, rising, and unit eigenvectors, by columns, of a symmetric matrix of at most six rows: Jacobi's rotations.
void symmetric_modes(int rows, const double* a, double* values, double* vectors);

template <int N>
struct SymmetricModes {
  Eigen::Matrix<double, N, 1> values;
  Eigen::Matrix<double, N, N> vectors;
};
template <int N>
SymmetricModes<N> symmetric_modes(const Eigen::Matrix<double, N, N>& a) {
  static_assert(N <= kMostSmallRows);
  SymmetricModes<N> modes;
  symmetric_modes(N, a.data(), modes.values.data(), modes.vectors.data());
  return modes;
}

/// The inverse of a matrix of at most six rows, by elimination with pivots by columns.
/// @return false if a pivot is not above this share of the largest number
bool invert(int rows, const double* a, double* inverse, double nearly_singular = 0);

/// The pseudo-inverse of any square matrix of at most six rows: Jacobi's rotations from one side. Singular values below the
/// rounding of the largest count as 0.
void pseudo_inverse(int rows, const double* a, double* inverse);

/// y ← m⁻¹ y by elimination with pivots by columns, which changes m; not finite if m is singular.
void solve_linear(int rows, double* m, double* y);

template <int N>
Eigen::Matrix<double, N, 1> solve_linear(Eigen::Matrix<double, N, N> m, Eigen::Matrix<double, N, 1> y) {
  solve_linear(N, m.data(), y.data());
  return y;
}

}   // namespace stickslip
