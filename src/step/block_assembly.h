// A symmetric sparse matrix of 3 × 3 blocks whose pattern grows as blocks are asked for. Only the lower triangle is kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <Eigen/SparseCore>

#include "stickslip/math/types.h"

namespace stickslip {

class BlockAssembly {
 public:
  using Matrix = Eigen::SparseMatrix<double>;

  /// A matrix of so many blocks, of which only those on the diagonal are there.
  void begin(std::uint32_t blocks);
  /// Asks for a block, given either way round. What is asked for stays until `begin`.
  void want(std::uint32_t i, std::uint32_t j) {
    if (!built_ ||
        !std::binary_search(rows_.begin() + first_[std::min(i, j)], rows_.begin() + first_[std::min(i, j) + 1], std::max(i, j)))
      wanted_.push_back(name(i, j));
  }
  /// Gives the matrix all blocks that were asked for, and sets it to zero.
  void clear();

  /// @pre the block was asked for before the last `clear`
  void add(std::uint32_t i, std::uint32_t j, const Mat3& m) {
    if (i >= j) add_lower(i, j, m);
    else add_lower(j, i, m.transpose());
  }
  const Matrix& matrix() const { return matrix_; }

 private:
  static std::uint64_t name(std::uint32_t i, std::uint32_t j) {
    return i >= j ? std::uint64_t{j} << 32 | i : std::uint64_t{i} << 32 | j;
  }
  void add_lower(std::uint32_t i, std::uint32_t j, const Mat3& m);
  void build();

  std::uint32_t blocks_ = 0;
  std::vector<std::uint64_t> wanted_, present_;   ///< by column, then row
  std::vector<std::uint32_t> first_, rows_;       ///< rows of the blocks of each column
  bool built_ = false;
  Matrix matrix_;
};

}   // namespace stickslip
