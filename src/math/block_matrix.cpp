#include "stickslip/math/block_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "stickslip/math/error.h"

namespace stickslip {

void BlockMatrix::clear() {
  offset.clear();
  first.clear();
  column.clear();
  position.clear();
  values.clear();
}

std::ptrdiff_t BlockMatrix::find(std::uint32_t block_row, std::uint32_t block_column) const {
  const auto begin = column.begin() + first[block_row], end = column.begin() + first[block_row + 1];
  const auto at = std::lower_bound(begin, end, block_column);
  return at != end && *at == block_column ? at - column.begin() : -1;
}

void BlockMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  for (std::size_t i = 0; i < blocks(); ++i) {
    double sums[6] = {};
    const std::uint32_t rows = dim(i);
    const double* value = values.data() + position[first[i]];
    if (rows == 3) {
      // The common case: contacts with two friction rows.
      double s0 = 0, s1 = 0, s2 = 0;
      for (std::uint32_t e = first[i]; e < first[i + 1]; ++e) {
        const double* xj = x.data() + offset[column[e]];
        for (std::uint32_t c = 0; c < dim(column[e]); ++c, value += 3) {
          s0 += value[0] * xj[c];
          s1 += value[1] * xj[c];
          s2 += value[2] * xj[c];
        }
      }
      sums[0] = s0, sums[1] = s1, sums[2] = s2;
    } else {
      for (std::uint32_t e = first[i]; e < first[i + 1]; ++e) {
        const double* xj = x.data() + offset[column[e]];
        for (std::uint32_t c = 0; c < dim(column[e]); ++c, value += rows)
          for (std::uint32_t r = 0; r < rows; ++r) sums[r] += value[r] * xj[c];
      }
    }
    std::copy_n(sums, rows, y.data() + offset[i]);
  }
}

bool BlockMatrix::is_symmetric(double tolerance) const {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  for (std::uint32_t i = 0; i < blocks(); ++i)
    for (std::uint32_t e = first[i]; e < first[i + 1]; ++e) {
      const auto block = entry(i, e);
      const std::ptrdiff_t mirror = find(column[e], i);
      const double difference =
          mirror < 0 ? block.cwiseAbs().maxCoeff()
                     : (block - entry(column[e], static_cast<std::size_t>(mirror)).transpose()).cwiseAbs().maxCoeff();
      if (difference > tolerance * largest) return false;
    }
  return true;
}

Eigen::MatrixXd BlockMatrix::dense() const {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows(), rows());
  for (std::size_t i = 0; i < blocks(); ++i)
    for (std::uint32_t e = first[i]; e < first[i + 1]; ++e)
      a.block(offset[i], offset[column[e]], dim(i), dim(column[e])) = entry(i, e);
  return a;
}

Eigen::SparseMatrix<double> BlockMatrix::sparse() const {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(values.size());
  for (std::size_t i = 0; i < blocks(); ++i)
    for (std::uint32_t e = first[i]; e < first[i + 1]; ++e) {
      const auto block = entry(i, e);
      for (int c = 0; c < block.cols(); ++c)
        for (int r = 0; r < block.rows(); ++r) entries.emplace_back(offset[i] + r, offset[column[e]] + c, block(r, c));
    }
  Eigen::SparseMatrix<double> a(rows(), rows());
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

BlockMatrix block_matrix(std::vector<std::uint32_t> offset, std::span<const Eigen::Triplet<double>> entries) {
  BlockMatrix a;
  a.offset = std::move(offset);
  const auto count = static_cast<std::uint32_t>(a.blocks());
  std::vector<std::uint32_t> block_of(a.rows());
  for (std::uint32_t i = 0; i < count; ++i) std::fill(block_of.begin() + a.offset[i], block_of.begin() + a.offset[i + 1], i);

  std::vector<std::vector<std::uint32_t>> columns(count);
  for (std::uint32_t i = 0; i < count; ++i) columns[i].push_back(i);
  for (const auto& t : entries) {
    if (t.row() < 0 || t.col() < 0 || static_cast<std::size_t>(t.row()) >= a.rows() ||
        static_cast<std::size_t>(t.col()) >= a.rows())
      throw Error(fmt::format("({}, {}) is outside a matrix of {} rows.", t.row(), t.col(), a.rows()));
    if (t.value() == 0) continue;
    auto& row = columns[block_of[t.row()]];
    if (row.back() != block_of[t.col()]) row.push_back(block_of[t.col()]);
  }
  a.first.push_back(0);
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto& row = columns[i];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const std::uint32_t j : row) {
      a.column.push_back(j);
      a.position.push_back(static_cast<std::uint32_t>(size));
      size += a.dim(i) * a.dim(j);
    }
    a.first.push_back(static_cast<std::uint32_t>(a.column.size()));
  }
  if (size > std::numeric_limits<std::uint32_t>::max()) throw Error(fmt::format("A matrix of {} numbers is too large.", size));
  a.values.assign(size, 0.0);
  for (const auto& t : entries) {
    if (t.value() == 0) continue;
    const std::uint32_t i = block_of[t.row()], j = block_of[t.col()];
    a.entry(i, static_cast<std::size_t>(a.find(i, j)))(t.row() - a.offset[i], t.col() - a.offset[j]) += t.value();
  }
  return a;
}

}   // namespace stickslip
