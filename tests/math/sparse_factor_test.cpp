// Sparse factors against dense ones, from matrices of a few rows to such as are factored in blocks.
#include "stickslip/math/sparse_factor.h"

#include <numeric>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "allocation_counter.h"
#include "math/dense_cholesky.h"

namespace stickslip {
namespace {

using Matrix = SparseFactor::Matrix;

/// Three numbers per point of a grid, coupled with those of the points around it: the graph of a solid. Symmetric, positive
/// definite.
Matrix solid_matrix(int nx, int ny, int nz, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int n = nx * ny * nz;
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd diagonal = Eigen::VectorXd::Ones(3 * n);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const int dx = i % nx - j % nx, dy = i / nx % ny - j / nx % ny, dz = i / nx / ny - j / nx / ny;
      if (std::abs(dx) > 1 || std::abs(dy) > 1 || std::abs(dz) > 1) continue;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          const double value = uniform(random);
          entries.emplace_back(3 * i + r, 3 * j + c, value);
          entries.emplace_back(3 * j + c, 3 * i + r, value);
          diagonal[3 * i + r] += std::abs(value), diagonal[3 * j + c] += std::abs(value);
        }
    }
  for (int i = 0; i < 3 * n; ++i) entries.emplace_back(i, i, diagonal[i]);
  Matrix a(3 * n, 3 * n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

TEST(SparseFactor, solutions_are_those_of_the_dense_matrix_for_any_size) {
  for (const std::array<int, 3>& size :
       {std::array{1, 1, 1}, {2, 1, 1}, {3, 3, 2}, {20, 2, 1}, {6, 6, 6}, {9, 8, 7}, {40, 4, 4}}) {
    const Matrix a = solid_matrix(size[0], size[1], size[2], 1), lower = a.triangularView<Eigen::Lower>();
    for (const Matrix& given : {a, lower}) {
      SparseFactor factor;
      factor.analyze(given, true);
      for (const double scale : {1e-9, 1.0, 1e9}) {   // other numbers in the same pattern
        ASSERT_TRUE(factor.factor(scale * given));
        for (const int columns : {1, 2, 7}) {
          const Eigen::MatrixXd b = Eigen::MatrixXd::Random(a.rows(), columns);
          Eigen::MatrixXd x(a.rows(), columns), y = x;
          factor.solve(b.data(), x.data(), columns);
          EXPECT_LT((scale * (a * x) - b).norm(), 1e-13 * b.norm());
          for (int c = 0; c < columns; ++c) factor.solve(b.col(c).data(), y.col(c).data());
          EXPECT_LT((x - y).norm(), 1e-13 * x.norm());
        }
      }
      EXPECT_GT(factor.factor_work(), 0);
      EXPECT_GT(factor.solve_work(), 0);
    }
  }
}

TEST(SparseFactor, parts_of_the_inverse_are_those_of_the_dense_one) {
  std::mt19937 random(6);
  for (const std::array<int, 3>& size : {std::array{1, 1, 1}, {3, 2, 2}, {7, 6, 5}, {30, 3, 3}}) {
    const Matrix a = solid_matrix(size[0], size[1], size[2], 7);
    const Eigen::MatrixXd inverse = Eigen::MatrixXd(a).inverse();
    SparseFactor factor;
    factor.analyze(a, true);
    ASSERT_TRUE(factor.factor(a));
    std::vector<int> all(a.rows());
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random);
    for (const std::size_t count : {std::size_t{1}, all.size() / 3, all.size()}) {
      const std::span<const int> rows(all.data(), count);
      Eigen::MatrixXd part;
      factor.inverse_at(rows, part);
      ASSERT_EQ(part.rows(), static_cast<Eigen::Index>(count));
      double most = 0;
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) most = std::max(most, std::abs(part(i, j) - inverse(rows[i], rows[j])));
      EXPECT_LT(most, 1e-13 * inverse.cwiseAbs().maxCoeff());
    }
    Eigen::MatrixXd none;
    factor.inverse_at({}, none);
    EXPECT_EQ(none.size(), 0);
  }
}

TEST(SparseFactor, numbers_of_the_inverse_near_the_matrix_are_those_of_the_dense_one) {
  int in_blocks = 0;
  for (const std::array<int, 3>& size : {std::array{1, 1, 1}, {3, 2, 2}, {7, 6, 5}, {9, 8, 7}, {30, 3, 3}})
    for (const unsigned seed : {7u, 8u}) {
      const Matrix a = solid_matrix(size[0], size[1], size[2], seed);
      const Eigen::MatrixXd inverse = Eigen::MatrixXd(a).inverse();
      SparseFactor factor;
      factor.analyze(a, true);
      ASSERT_TRUE(factor.factor(a));
      std::vector<double> numbers(a.nonZeros(), -1);
      if (!factor.inverse_near(numbers)) continue;
      ++in_blocks;
      double most = 0;
      std::size_t k = 0;
      for (int j = 0; j < a.cols(); ++j)
        for (Matrix::InnerIterator entry(a, j); entry; ++entry, ++k)
          most = std::max(most, std::abs(numbers[k] - (entry.row() >= j ? inverse(entry.row(), j) : 0)));
      EXPECT_LT(most, 1e-13 * inverse.cwiseAbs().maxCoeff());
    }
#ifdef STICKSLIP_HAS_SUITESPARSE
  EXPECT_GE(in_blocks, 4);
#endif
}

TEST(SparseFactor, the_same_matrix_gives_the_same_bits) {
  const Matrix a = solid_matrix(8, 8, 8, 2), other = solid_matrix(8, 8, 8, 3);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(a.rows(), -1, 1);
  Eigen::VectorXd x(a.rows()), y = x;
  SparseFactor factor, fresh;
  factor.analyze(a, true), fresh.analyze(a, true);
  ASSERT_TRUE(factor.factor(other) && factor.factor(a) && fresh.factor(a));
  factor.solve(b.data(), x.data());
  fresh.solve(b.data(), y.data());
  EXPECT_EQ(x, y);
}

TEST(SparseFactor, matrices_that_are_not_positive_definite_are_refused) {
  for (const std::array<int, 3>& size : {std::array{2, 2, 1}, {8, 8, 8}}) {
    Matrix a = solid_matrix(size[0], size[1], size[2], 4);
    SparseFactor factor;
    factor.analyze(a, true);
    ASSERT_TRUE(factor.factor(a));
    const double kept = a.coeff(10, 10);
    for (const double bad : {-1.0, 0.0, -1e-3 * kept, double(NAN)}) {
      a.coeffRef(10, 10) = bad;
      EXPECT_FALSE(factor.factor(a)) << bad;
    }
    a.coeffRef(10, 10) = kept;
    EXPECT_TRUE(factor.factor(a));
  }
}

TEST(SparseFactor, solving_needs_no_memory) {
  const Matrix a = solid_matrix(10, 10, 10, 5);
  SparseFactor factor;
  factor.analyze(a, true);
  ASSERT_TRUE(factor.factor(a));
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.rows());
  Eigen::VectorXd x(a.rows());
  factor.solve(b.data(), x.data());
  const long before = testing::allocations;
  factor.solve(b.data(), x.data());
  EXPECT_EQ(testing::allocations, before);
}

/// Positive definite with eigenvalues from `least` on.
Eigen::MatrixXd full_matrix(Eigen::Index n, double least) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(n, n - 1, [&] { return normal(random); });
  return g * g.transpose() + least * Eigen::MatrixXd::Identity(n, n);
}

TEST(DenseCholesky, multiplies_to_the_matrix_and_solves_with_it) {
  for (const Eigen::Index n : {1, 47, 48, 49, 300}) {
    const Eigen::MatrixXd a = full_matrix(n, 1);
    DenseCholesky cholesky;
    cholesky.numbers() = a;
    ASSERT_TRUE(cholesky.factor(1e-10)) << n;
    const Eigen::MatrixXd l = cholesky.numbers().triangularView<Eigen::Lower>();
    EXPECT_LT((l * l.transpose() - a).norm(), 1e-13 * a.norm()) << n;
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, -1, 2);
    Eigen::VectorXd x = b;
    cholesky.forward(x);
    cholesky.backward(x);
    EXPECT_LT((a * x - b).norm(), 1e-9 * b.norm()) << n;
    // Unit vectors of the last rows have zeros above.
    const Eigen::Index first = n / 3;
    Eigen::MatrixXd y = Eigen::MatrixXd::Identity(n - first, n - first);
    cholesky.forward(first, y);
    EXPECT_LT((l.bottomRightCorner(n - first, n - first) * y - Eigen::MatrixXd::Identity(n - first, n - first)).norm(), 1e-9);
  }
}

TEST(DenseCholesky, refuses_matrices_that_are_nearly_singular) {
  DenseCholesky cholesky;
  cholesky.numbers() = full_matrix(100, 0);   // of rank 99
  EXPECT_FALSE(cholesky.factor(1e-10));
  cholesky.numbers() = full_matrix(100, -1);
  EXPECT_FALSE(cholesky.factor(0));
}

}   // namespace
}   // namespace stickslip
