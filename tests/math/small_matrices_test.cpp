// Matrices of a few rows: eigenvectors, inverses, pseudo-inverses.
#include "math/small_matrices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stickslip {
namespace {

/// Column-major, of six rows at most; products by plain loops.
struct Small {
  int rows;
  double numbers[kMostSmallRows * kMostSmallRows] = {};

  double& at(int i, int k) { return numbers[i + rows * k]; }
  double at(int i, int k) const { return numbers[i + rows * k]; }
  static Small random(int rows, std::mt19937& generator) {
    std::normal_distribution<double> normal;
    Small m{rows};
    for (int k = 0; k < rows * rows; ++k) m.numbers[k] = normal(generator);
    return m;
  }
  Small operator*(const Small& b) const {
    Small product{rows};
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < rows; ++k) product.at(i, j) += at(i, k) * b.at(k, j);
    return product;
  }
  Small transposed() const {
    Small t{rows};
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < rows; ++k) t.at(i, k) = at(k, i);
    return t;
  }
  /// Largest difference of a number.
  double from(const Small& b) const {
    double largest = 0;
    for (int k = 0; k < rows * rows; ++k) largest = std::max(largest, std::abs(numbers[k] - b.numbers[k]));
    return largest;
  }
  static Small diagonal(int rows, const double* values) {
    Small d{rows};
    for (int k = 0; k < rows; ++k) d.at(k, k) = values[k];
    return d;
  }
};

constexpr double kOnes[kMostSmallRows] = {1, 1, 1, 1, 1, 1};

TEST(SmallMatrices, of_symmetric_ones_modes_are_orthonormal_and_rise) {
  std::mt19937 generator(1);
  for (int n = 0; n < 600; ++n) {
    const int rows = 1 + n % kMostSmallRows;
    Small g = Small::random(rows, generator);
    for (int k = 0; k < rows && n % 3 == 0; ++k) g.at(k, 0) = 0;                // singular
    Small a = n % 4 == 1 ? Small::diagonal(rows, kOnes) : g * g.transposed();   // one eigenvalue
    if (n % 5 == 2) a.at(0, 0) -= 3;                                            // and not definite
    double values[kMostSmallRows];
    Small v{rows};
    symmetric_modes(rows, a.numbers, values, v.numbers);
    EXPECT_LT((v.transposed() * v).from(Small::diagonal(rows, kOnes)), 1e-14);
    EXPECT_LT((v * Small::diagonal(rows, values) * v.transposed()).from(a), 1e-13);
    for (int k = 1; k < rows; ++k) EXPECT_LE(values[k - 1], values[k]);
  }
}

TEST(SmallMatrices, keep_small_eigenvalues_beside_large_ones) {
  Mat2 a;
  a << 1, 1e-9, 1e-9, 1e-16;   // det = 1e-16 − 1e-18
  const SymmetricModes<2> modes = symmetric_modes(a);
  EXPECT_NEAR(modes.values[0], 0.99e-16, 1e-22);
  EXPECT_NEAR(modes.values[1], 1, 1e-15);
}

TEST(SmallMatrices, have_inverses_and_solutions_unless_they_are_singular) {
  std::mt19937 generator(2);
  for (int n = 0; n < 600; ++n) {
    const int rows = 1 + n % kMostSmallRows;
    Small a = Small::random(rows, generator), inverse{rows};
    for (int k = 0; k < rows; ++k) a.at(k, k) += 4;
    if (rows > 1 && n % 2 == 0) std::swap(a.at(0, 0), a.at(1, 0)), std::swap(a.at(0, 1), a.at(1, 1));   // pivots
    ASSERT_TRUE(invert(rows, a.numbers, inverse.numbers));
    EXPECT_LT((a * inverse).from(Small::diagonal(rows, kOnes)), 1e-11);
    Small eliminated = a;
    double y[kMostSmallRows] = {1, 2, 3, 4, 5, 6};
    solve_linear(rows, eliminated.numbers, y);
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int k = 0; k < rows; ++k) sum += a.at(i, k) * y[k];
      EXPECT_NEAR(sum, i + 1, 1e-11);
    }
    for (int k = 0; k < rows; ++k) a.at(rows - 1, k) = rows > 1 ? 2 * a.at(0, k) : 0;
    EXPECT_FALSE(invert(rows, a.numbers, inverse.numbers, 1e-10));
  }
}

TEST(SmallMatrices, have_the_pseudo_inverse_of_penrose) {
  std::mt19937 generator(3);
  for (int n = 0; n < 600; ++n) {
    const int rows = 1 + n % kMostSmallRows, rank = n / kMostSmallRows % (rows + 1);
    double kept[kMostSmallRows] = {};
    for (int k = 0; k < rank; ++k) kept[k] = 1;
    Small left = Small::random(rows, generator), right = Small::random(rows, generator);
    for (int k = 0; k < rows; ++k) left.at(k, k) += 4, right.at(k, k) += 4;
    const Small a = left * Small::diagonal(rows, kept) * right;
    Small b{rows};
    pseudo_inverse(rows, a.numbers, b.numbers);
    EXPECT_LT((a * b * a).from(a), 1e-10);
    EXPECT_LT((b * a * b).from(b), 1e-10);
    EXPECT_LT((a * b).from((a * b).transposed()), 1e-11);
    EXPECT_LT((b * a).from((b * a).transposed()), 1e-11);
  }
}

}   // namespace
}   // namespace stickslip
