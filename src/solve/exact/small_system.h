// Linear systems of a few unknowns, as the exact solution of one contact meets them.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/math/types.h"

namespace stickslip {

/// Vectors and matrices of a few rows by plain loops: expressions of Eigen take long to compile, once per number of rows.
namespace small {

template <int N>
using Column = Eigen::Matrix<double, N, 1>;
template <int N>
using Square = Eigen::Matrix<double, N, N>;

template <int N>
double dot(const Column<N>& a, const Column<N>& b) {
  double sum = 0;
  for (int k = 0; k < N; ++k) sum += a[k] * b[k];
  return sum;
}
template <int N>
double norm(const Column<N>& a) {
  return std::sqrt(dot<N>(a, a));
}
template <int N>
double largest(const Column<N>& a) {
  double size = 0;
  for (int k = 0; k < N; ++k) size = std::max(size, std::abs(a[k]));
  return size;
}
/// a + s b
template <int N>
Column<N> sum(const Column<N>& a, double s, const Column<N>& b) {
  Column<N> x;
  for (int k = 0; k < N; ++k) x[k] = a[k] + s * b[k];
  return x;
}
template <int N>
Column<N> difference(const Column<N>& a, const Column<N>& b) {
  Column<N> x;
  for (int k = 0; k < N; ++k) x[k] = a[k] - b[k];
  return x;
}
/// m x + y, m column-major
template <int N>
Column<N> multiply_add(const double* m, const Column<N>& x, Column<N> y) {
  for (int k = 0; k < N; ++k)
    for (int i = 0; i < N; ++i) y[i] += m[N * k + i] * x[k];
  return y;
}
/// All rows but the first.
template <int N>
Column<N - 1> tail(const Column<N>& a) {
  Column<N - 1> x;
  for (int k = 1; k < N; ++k) x[k - 1] = a[k];
  return x;
}
template <int N>
void set_tail(const Column<N - 1>& x, Column<N>& a) {
  for (int k = 1; k < N; ++k) a[k] = x[k - 1];
}

}   // namespace small

/// Solves m x = y by elimination with complete pivoting. Of a singular system that has solutions it finds one: unknowns without
/// a pivot are 0.
template <int N>
[[gnu::noinline]] Eigen::Matrix<double, N, 1> solve_singular(Eigen::Matrix<double, N, N> m, Eigen::Matrix<double, N, 1> y) {
  constexpr double negligible = 1e-13;   // of the largest number
  int unknown[N];
  for (int i = 0; i < N; ++i) unknown[i] = i;
  double least = 0;
  int rank = 0;
  for (; rank < N; ++rank) {
    int row = rank, column = rank;
    double largest = 0;
    for (int j = rank; j < N; ++j)
      for (int i = rank; i < N; ++i)
        if (std::abs(m(i, j)) > largest) largest = std::abs(m(i, j)), row = i, column = j;
    if (rank == 0) least = negligible * largest;
    if (!(largest > least)) break;
    m.row(rank).swap(m.row(row));
    m.col(rank).swap(m.col(column));
    std::swap(y[rank], y[row]);
    std::swap(unknown[rank], unknown[column]);
    for (int i = rank + 1; i < N; ++i) {
      const double factor = m(i, rank) / m(rank, rank);
      for (int j = rank + 1; j < N; ++j) m(i, j) -= factor * m(rank, j);
      y[i] -= factor * y[rank];
    }
  }
  Eigen::Matrix<double, N, 1> x = Eigen::Matrix<double, N, 1>::Zero();
  for (int i = rank - 1; i >= 0; --i) {
    double sum = y[i];
    for (int j = i + 1; j < rank; ++j) sum -= m(i, j) * x[unknown[j]];
    x[unknown[i]] = sum / m(i, i);
  }
  return x;
}

/// The same by rows, for matrices of order 1 that are hardly ever singular.
template <int N>
Eigen::Matrix<double, N, 1> solve_small(const Eigen::Matrix<double, N, N>& m, const Eigen::Matrix<double, N, 1>& y) {
  constexpr double nearly_singular = 1e-12;
  double rows[N][N + 1];   // with y behind
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) rows[i][j] = m(i, j);
    rows[i][N] = y[i];
  }
  for (int k = 0; k < N; ++k) {
    int pivot = k;
    for (int i = k + 1; i < N; ++i)
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    if (!(std::abs(rows[pivot][k]) > nearly_singular)) return solve_singular<N>(m, y);
    if (pivot != k)
      for (int j = k; j <= N; ++j) std::swap(rows[k][j], rows[pivot][j]);
    const double reciprocal = 1 / rows[k][k];
    for (int i = k + 1; i < N; ++i) {
      const double factor = rows[i][k] * reciprocal;
      for (int j = k + 1; j <= N; ++j) rows[i][j] -= factor * rows[k][j];
    }
    rows[k][k] = reciprocal;
  }
  Eigen::Matrix<double, N, 1> x;
  for (int i = N - 1; i >= 0; --i) {
    double sum = rows[i][N];
    for (int j = i + 1; j < N; ++j) sum -= rows[i][j] * x[j];
    x[i] = sum * rows[i][i];
  }
  return x;
}

}   // namespace stickslip
