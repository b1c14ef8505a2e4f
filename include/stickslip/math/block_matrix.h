// A square sparse matrix of small dense blocks, stored row by row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/SparseCore>

#include "stickslip/math/types.h"

namespace stickslip {

/// Rows and columns are cut into the same blocks; not necessarily symmetric. Every diagonal block is stored.
struct BlockMatrix {
  std::vector<std::uint32_t> offset;     ///< first row of every block, then the number of rows: blocks + 1 numbers
  std::vector<std::uint32_t> first;      ///< first entry of every block row, then the number of entries: blocks + 1 numbers
  std::vector<std::uint32_t> column;     ///< per entry: its block column, increasing within a block row
  std::vector<std::uint32_t> position;   ///< per entry: its first number in `values`; entries lie there in order, without gaps
  std::vector<double> values;            ///< the blocks, each column-major

  bool empty() const { return offset.empty(); }
  std::size_t blocks() const { return offset.empty() ? 0 : offset.size() - 1; }
  std::size_t rows() const { return offset.empty() ? 0 : offset.back(); }
  std::uint32_t dim(std::size_t block) const { return offset[block + 1] - offset[block]; }
  void clear();

  Eigen::Map<const Eigen::MatrixXd> entry(std::size_t block_row, std::size_t e) const {
    return {values.data() + position[e], dim(block_row), dim(column[e])};
  }
  Eigen::Map<Eigen::MatrixXd> entry(std::size_t block_row, std::size_t e) {
    return {values.data() + position[e], dim(block_row), dim(column[e])};
  }
  /// Number of the entry at (row, column), or -1 if none is stored.
  std::ptrdiff_t find(std::uint32_t block_row, std::uint32_t block_column) const;

  /// y = A x. `x` and `y` must not overlap.
  void multiply(std::span<const double> x, std::span<double> y) const;

  /// Whether A = Aᵀ up to `tolerance` times its largest number.
  bool is_symmetric(double tolerance = 1e-12) const;

  Eigen::MatrixXd dense() const;
  Eigen::SparseMatrix<double> sparse() const;   ///< column-major; numbers that are zero inside a stored block are kept
};

/// The matrix with the given block starts (`offset` as above) and numbers; repeated places are added up.
/// @throws Error if a row or column is out of range.
BlockMatrix block_matrix(std::vector<std::uint32_t> offset, std::span<const Eigen::Triplet<double>> entries);

}   // namespace stickslip
