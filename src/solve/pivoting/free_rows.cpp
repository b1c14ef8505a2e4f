#include "solve/pivoting/free_rows.h"

#include "math/sparse_lu.h"

namespace stickslip {

void FreeRows::set(const BlockMatrix& w, std::span<const double> diagonal) {
  a_ = w.sparse();
  diagonal_.resize(a_.cols());
  for (Eigen::Index i = 0; i < a_.cols(); ++i) {
    diagonal_[i] = a_.coeff(i, i);
    a_.coeffRef(i, i) = diagonal_[i] + diagonal[i];
  }
  symmetric_ = w.is_symmetric();
  if (symmetric_) cholesky_.set_matrix(a_);
  free_.resize(a_.cols());
  master_.resize(a_.cols());
  factor_.resize(a_.cols());
  right_.resize(a_.cols());
}

void FreeRows::set_diagonal(std::span<const double> diagonal) {
  for (Eigen::Index i = 0; i < a_.cols(); ++i) a_.coeffRef(i, i) = diagonal_[i] + diagonal[i];
  if (symmetric_) cholesky_.set_values(a_);
}

bool FreeRows::solve(std::span<const RowPlace> places, std::span<const double> r, std::span<double> x) {
  for (std::size_t i = 0; i < places.size(); ++i) free_[i] = places[i] == RowPlace::free;
  if (symmetric_) {
    if (cholesky_.set_free(free_)) {
      cholesky_.solve(r, x);
      return true;
    }
    symmetric_ = false;   // indefinite: no more attempts at it
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    master_[i] = free_[i] ? static_cast<std::int32_t>(i) : -1;
    factor_[i] = 1;
  }
  right_.assign(r.begin(), r.end());
  std::fill(x.begin(), x.end(), 0.0);
  return solve_by_lu(x);
}

bool FreeRows::solve_coupled(const BoxedLcp& view, std::span<const RowPlace> places, std::span<const double> r,
                             std::span<double> impulses) {
  const auto n = static_cast<Eigen::Index>(places.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::int32_t normal = view.normal_row[i];
    free_[i] = places[i] == RowPlace::free;
    master_[i] = free_[i] ? static_cast<std::int32_t>(i) : -1;
    factor_[i] = 1;
    if (!free_[i] && normal >= 0 && places[normal] == RowPlace::free) {
      master_[i] = normal;
      factor_[i] = places[i] == RowPlace::upper ? view.coefficient_upper[i] : -view.coefficient_lower[i];
    }
  }
  right_.assign(r.begin(), r.end());
  for (Eigen::Index j = 0; j < n; ++j)
    if (master_[j] < 0 && impulses[j] != 0)
      for (Eigen::SparseMatrix<double>::InnerIterator it(a_, j); it; ++it) right_[it.row()] -= it.value() * impulses[j];
  std::vector<double> x(impulses.begin(), impulses.end());
  if (!solve_by_lu(x)) return false;
  for (Eigen::Index i = 0; i < n; ++i)
    if (master_[i] >= 0) impulses[i] = factor_[i] * x[master_[i]];
  return true;
}

bool FreeRows::solve_by_lu(std::span<double> x) {
  std::vector<int> number(free_.size(), -1), rows;
  for (std::size_t i = 0; i < free_.size(); ++i)
    if (free_[i]) {
      number[i] = static_cast<int>(rows.size());
      rows.push_back(static_cast<int>(i));
    }
  if (rows.empty()) return true;
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index j = 0; j < a_.cols(); ++j) {
    if (master_[j] < 0) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator it(a_, j); it; ++it)
      if (free_[it.row()] && it.value() != 0)
        entries.emplace_back(number[it.row()], number[master_[j]], factor_[j] * it.value());
  }
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::SparseMatrix<double> reduced(size, size);
  reduced.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(reduced);
  if (lu.info() != Eigen::Success) return false;
  Eigen::VectorXd r(size);
  for (Eigen::Index k = 0; k < size; ++k) r[k] = right_[rows[k]];
  Eigen::VectorXd y = lu.solve(r);
  if (!y.allFinite()) return false;
  y += lu.solve(r - reduced * y);
  if (!y.allFinite()) return false;
  for (Eigen::Index k = 0; k < size; ++k) x[rows[k]] = y[k];
  return true;
}

}   // namespace stickslip
