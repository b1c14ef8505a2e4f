#include "math/dense_cholesky.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace stickslip {

namespace {

using Panel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

constexpr int kPivotBlock = 48;     ///< columns that are eliminated before the others of a front see them
constexpr int kUpdateBlock = 128;   ///< columns of an update that are one product: half of a block on its diagonal is wasted

/// Cholesky of the lower triangle, column by column.
bool eliminate_block(Panel a) {
  const Eigen::Index n = a.cols();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index k = 0; k < j; ++k) a.col(j).segment(j, n - j) -= a(j, k) * a.col(k).segment(j, n - j);
    if (!(a(j, j) > 0)) return false;
    const double pivot = std::sqrt(a(j, j));
    a(j, j) = pivot;
    a.col(j).segment(j + 1, n - j - 1) /= pivot;
  }
  return true;
}

}   // namespace

bool eliminate_columns(double* numbers, int rows, int columns) {
  const auto part = [&](int row, int column, int height, int width) {
    return Panel(numbers + row + static_cast<std::size_t>(column) * rows, height, width, Eigen::OuterStride<>(rows));
  };
  for (int c = 0; c < columns; c += kPivotBlock) {
    const int width = std::min(kPivotBlock, columns - c), next = c + width;
    Panel pivots = part(c, c, width, width);
    if (!eliminate_block(pivots)) return false;
    Panel below = part(next, c, rows - next, width);
    pivots.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(below);
    for (int d = next; d < columns; d += kUpdateBlock) {
      const int wide = std::min(kUpdateBlock, columns - d);
      part(d, d, rows - d, wide).noalias() -= part(d, c, rows - d, width) * part(d, c, wide, width).transpose();
    }
  }
  return true;
}

bool DenseCholesky::factor(double least) {
  diagonal_ = l_.diagonal();
  const int n = static_cast<int>(l_.rows());
  if (!eliminate_columns(l_.data(), n, n)) return false;
  return (l_.diagonal().array().square() > least * diagonal_.array()).all();
}

void DenseCholesky::forward(Eigen::Index first, Eigen::Ref<Eigen::MatrixXd> y) const {
  const Eigen::Index n = size() - first;
  l_.bottomRightCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(y);
}

void DenseCholesky::forward(Eigen::VectorXd& y) const { l_.triangularView<Eigen::Lower>().solveInPlace(y); }

void DenseCholesky::backward(Eigen::VectorXd& y) const { l_.triangularView<Eigen::Lower>().transpose().solveInPlace(y); }

}   // namespace stickslip
