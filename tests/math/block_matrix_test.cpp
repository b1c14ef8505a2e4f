// Block matrices against dense ones.
#include "stickslip/math/block_matrix.h"

#include <gtest/gtest.h>

#include "../error_message.h"

namespace stickslip {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

/// Blocks of 1, 3, 2 and 6 rows, not symmetric, with an empty off-diagonal part.
struct Example {
  std::vector<std::uint32_t> offset = {0, 1, 4, 6, 12};
  Triplets entries;
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(12, 12);

  Example() {
    for (const auto& [row, column, value] : {std::tuple(0, 0, 2.0),
                                             {0, 2, -1.0},
                                             {1, 3, 0.5},
                                             {3, 1, 4.0},
                                             {2, 0, 7.0},
                                             {5, 4, -3.0},
                                             {11, 0, 1.5},
                                             {7, 9, 2.5}}) {
      entries.emplace_back(row, column, value);
      expected(row, column) += value;
    }
  }
};

TEST(BlockMatrix, holds_the_numbers_it_was_given_in_both_forms) {
  const Example e;
  const BlockMatrix a = block_matrix(e.offset, e.entries);
  EXPECT_EQ(a.blocks(), 4u);
  EXPECT_EQ(a.rows(), 12u);
  EXPECT_EQ(a.dim(3), 6u);
  EXPECT_EQ(a.dense(), e.expected);
  EXPECT_EQ(Eigen::MatrixXd(a.sparse()), e.expected);
}

TEST(BlockMatrix, adds_up_repeated_places_and_forgets_zeros) {
  const Triplets entries = {{0, 0, 1}, {0, 0, 2}, {1, 0, 0}, {0, 1, 0.25}, {0, 1, 0.25}};
  const BlockMatrix a = block_matrix({0, 1, 2}, entries);
  EXPECT_EQ(a.dense(), (Eigen::MatrixXd(2, 2) << 3, 0.5, 0, 0).finished());
  EXPECT_EQ(a.find(1, 0), -1);
}

TEST(BlockMatrix, stores_every_diagonal_block_and_finds_what_is_stored) {
  const Example e;
  const BlockMatrix a = block_matrix(e.offset, e.entries);
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t j = 0; j < 4; ++j) {
      const Eigen::MatrixXd block = e.expected.block(e.offset[i], e.offset[j], a.dim(i), a.dim(j));
      const std::ptrdiff_t at = a.find(i, j);
      EXPECT_EQ(at >= 0, i == j || !block.isZero()) << i << ", " << j;
      if (at >= 0) {
        EXPECT_EQ(Eigen::MatrixXd(a.entry(i, static_cast<std::size_t>(at))), block);
      }
    }
}

TEST(BlockMatrix, multiplies_as_the_dense_matrix_does) {
  const Example e;
  const BlockMatrix a = block_matrix(e.offset, e.entries);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(12, -1, 2);
  Eigen::VectorXd y = Eigen::VectorXd::Constant(12, 99);
  a.multiply({x.data(), 12}, {y.data(), 12});
  EXPECT_LT((y - e.expected * x).norm(), 1e-14);
}

TEST(BlockMatrix, rejects_numbers_outside) {
  EXPECT_EQ(testing::message_of([] { block_matrix({0, 2}, Triplets{{0, 2, 1.0}}); }), "(0, 2) is outside a matrix of 2 rows.");
  EXPECT_EQ(testing::message_of([] {
              block_matrix({0, 2}, Triplets{{-1, 0, 1.0}});
            }),
            "(-1, 0) is outside a matrix of 2 rows.");
}

TEST(BlockMatrix, is_empty_until_filled_and_after_clearing) {
  BlockMatrix a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.rows(), 0u);
  a = block_matrix({0, 2}, Triplets{{0, 0, 1.0}});
  EXPECT_FALSE(a.empty());
  a.clear();
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.blocks(), 0u);
}

}   // namespace
}   // namespace stickslip
