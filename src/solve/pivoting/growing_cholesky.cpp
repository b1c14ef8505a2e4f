#include "solve/pivoting/growing_cholesky.h"

#include <cmath>

namespace stickslip {

void GrowingCholesky::clear(Eigen::Index capacity) {
  size_ = 0;
  if (l_.rows() < capacity) l_.resize(capacity, capacity);
}

bool GrowingCholesky::append(const Eigen::Ref<const Eigen::VectorXd>& column, double diagonal, double least) {
  row_ = column;
  l_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().solveInPlace(row_);
  const double pivot = diagonal - row_.squaredNorm();
  if (!(pivot > least * diagonal)) return false;
  l_.row(size_).head(size_) = row_.transpose();
  l_(size_, size_) = std::sqrt(pivot);
  ++size_;
  return true;
}

void GrowingCholesky::remove(Eigen::Index k) {
  // Below row k the factor lacks the column that is lost: L̃ L̃ᵀ + l lᵀ, restored by rotations.
  const Eigen::Index below = size_ - k - 1;
  row_ = l_.col(k).segment(k + 1, below);
  for (Eigen::Index j = k; j + 1 < size_; ++j) {
    // Row and column j + 1 move to j; the part right of column k still stands one column further.
    const double old = l_(j + 1, j + 1), lost = row_[j - k], length = std::hypot(old, lost), c = old / length,
                 s = lost / length;
    l_.row(j).head(k) = l_.row(j + 1).head(k);
    for (Eigen::Index i = j + 1; i < size_; ++i) {
      const double x = l_(i, j + 1), y = row_[i - k - 1];
      l_(i, j + 1) = c * x + s * y;
      row_[i - k - 1] = c * y - s * x;
    }
  }
  // Now shift the trailing block up and left by one.
  for (Eigen::Index j = k; j + 1 < size_; ++j)
    for (Eigen::Index i = j; i + 1 < size_; ++i) l_(i, j) = l_(i + 1, j + 1);
  --size_;
}

void GrowingCholesky::solve_in_place(Eigen::Ref<Eigen::VectorXd> x) const {
  const auto l = l_.topLeftCorner(size_, size_);
  l.triangularView<Eigen::Lower>().solveInPlace(x);
  l.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

}   // namespace stickslip
