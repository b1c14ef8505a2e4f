#include "math/small_matrices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stickslip {

namespace {

constexpr int kMostSweeps = 30;   ///< of rotations; about six are enough

/// The rotation by at most 45° that makes [app apq; apq aqq] diagonal: its cosine and sine.
struct Rotation {
  double c, s;

  Rotation(double app, double apq, double aqq) {
    const double theta = (aqq - app) / (2 * apq);
    const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
    c = 1 / std::sqrt(t * t + 1);
    s = t * c;
  }
  void turn(double& p, double& q) const {
    const double before = p;
    p = c * before - s * q;
    q = s * before + c * q;
  }
};

}   // namespace

void symmetric_modes(int rows, const double* a, double* values, double* vectors) {
  double m[kMostSmallRows][kMostSmallRows], v[kMostSmallRows][kMostSmallRows];   // rows of v: the vectors
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < rows; ++k) m[i][k] = a[i + rows * k], v[i][k] = i == k ? 1 : 0;
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    turned = false;
    for (int p = 0; p < rows; ++p)
      for (int q = p + 1; q < rows; ++q) {
        const double size = std::abs(m[p][q]);
        if (std::abs(m[p][p]) + size == std::abs(m[p][p]) && std::abs(m[q][q]) + size == std::abs(m[q][q])) continue;
        const Rotation rotation(m[p][p], m[p][q], m[q][q]);
        for (int k = 0; k < rows; ++k) rotation.turn(m[k][p], m[k][q]);
        for (int k = 0; k < rows; ++k) rotation.turn(m[p][k], m[q][k]);
        for (int k = 0; k < rows; ++k) rotation.turn(v[p][k], v[q][k]);
        m[p][q] = m[q][p] = 0;
        turned = true;
      }
  }
  int order[kMostSmallRows];
  for (int i = 0; i < rows; ++i) {
    int k = i;
    for (; k > 0 && m[i][i] < m[order[k - 1]][order[k - 1]]; --k) order[k] = order[k - 1];
    order[k] = i;
  }
  for (int i = 0; i < rows; ++i) {
    values[i] = m[order[i]][order[i]];
    for (int k = 0; k < rows; ++k) vectors[k + rows * i] = v[order[i]][k];
  }
}

namespace {

/// The same by Cramer's rule, and by the same pivots.
bool invert_two(const double* a, double* inverse, double nearly_singular) {
  const double p = a[0], q = a[1], r = a[2], s = a[3], determinant = p * s - q * r, pivot = std::max(std::abs(p), std::abs(q)),
               largest = std::max({pivot, std::abs(r), std::abs(s)}), least = nearly_singular * largest;
  if (!(pivot > least && std::abs(determinant) > least * pivot)) return false;
  const double reciprocal = 1 / determinant;
  inverse[0] = s * reciprocal, inverse[1] = -q * reciprocal, inverse[2] = -r * reciprocal, inverse[3] = p * reciprocal;
  return true;
}

}   // namespace

bool invert(int rows, const double* a, double* inverse, double nearly_singular) {
  if (rows == 2) return invert_two(a, inverse, nearly_singular);
  const int width = 2 * rows;
  double m[kMostSmallRows][2 * kMostSmallRows];   // A, and beside it what becomes A⁻¹
  double largest = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) {
      m[i][j] = a[i + rows * j];
      m[i][rows + j] = i == j ? 1 : 0;
      largest = std::max(largest, std::abs(m[i][j]));
    }
  for (int k = 0; k < rows; ++k) {   // Gauss and Jordan
    int pivot = k;
    for (int i = k + 1; i < rows; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    if (!(std::abs(m[pivot][k]) > nearly_singular * largest)) return false;
    if (pivot != k) std::swap_ranges(m[k], m[k] + width, m[pivot]);
    const double reciprocal = 1 / m[k][k];
    for (int j = 0; j < width; ++j) m[k][j] *= reciprocal;
    for (int i = 0; i < rows; ++i) {
      if (i == k) continue;
      const double factor = m[i][k];
      for (int j = 0; j < width; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) inverse[i + rows * j] = m[i][rows + j];
  return true;
}

void pseudo_inverse(int rows, const double* a, double* inverse) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  double u[kMostSmallRows][kMostSmallRows], v[kMostSmallRows][kMostSmallRows];   // columns of A V, and of V, as rows
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < rows; ++k) u[i][k] = a[k + rows * i], v[i][k] = i == k ? 1 : 0;
  const auto dot = [&](int p, int q) { return std::inner_product(u[p], u[p] + rows, u[q], 0.0); };
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    turned = false;
    for (int p = 0; p < rows; ++p)
      for (int q = p + 1; q < rows; ++q) {
        const double pp = dot(p, p), pq = dot(p, q), qq = dot(q, q);
        if (!(std::abs(pq) > rounding * std::sqrt(pp) * std::sqrt(qq))) continue;
        const Rotation rotation(pp, pq, qq);
        for (int k = 0; k < rows; ++k) rotation.turn(u[p][k], u[q][k]);
        for (int k = 0; k < rows; ++k) rotation.turn(v[p][k], v[q][k]);
        turned = true;
      }
  }
  double squares[kMostSmallRows], largest = 0;   // of the singular values
  for (int i = 0; i < rows; ++i) largest = std::max(largest, squares[i] = dot(i, i));
  std::fill(inverse, inverse + rows * rows, 0.0);
  for (int i = 0; i < rows; ++i) {
    if (!(squares[i] > rows * rounding * (rows * rounding) * largest)) continue;
    for (int k = 0; k < rows; ++k)
      for (int l = 0; l < rows; ++l) inverse[k + rows * l] += v[i][k] * (u[i][l] / squares[i]);
  }
}

void solve_linear(int rows, double* m, double* y) {
  const auto at = [&](int i, int k) -> double& { return m[i + rows * k]; };
  for (int k = 0; k < rows; ++k) {
    int pivot = k;
    for (int i = k + 1; i < rows; ++i)
      if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
    if (pivot != k) {
      for (int j = k; j < rows; ++j) std::swap(at(k, j), at(pivot, j));
      std::swap(y[k], y[pivot]);
    }
    for (int i = k + 1; i < rows; ++i) {
      const double factor = at(i, k) / at(k, k);
      for (int j = k + 1; j < rows; ++j) at(i, j) -= factor * at(k, j);
      y[i] -= factor * y[k];
    }
  }
  for (int i = rows - 1; i >= 0; --i) {
    for (int j = i + 1; j < rows; ++j) y[i] -= at(i, j) * y[j];
    y[i] /= at(i, i);
  }
}

}   // namespace stickslip
