#include "solve/pivoting/tableau.h"

#include <cmath>

#include "math/infinity.h"
#include "solve/pivoting/index_hash.h"

namespace stickslip {

namespace {

constexpr double kPivot = 1e-11;   // smaller, relative to the largest of the column, is rounding
constexpr double kTie = 1e-12;     // ratios that differ by less are equal

}   // namespace

void Tableau::put_basic(int variable, int row) {
  basic_[row] = variable;
  place_[variable] = row;
}

void Tableau::put_nonbasic(int variable, int column) {
  nonbasic_[column] = variable;
  place_[variable] = -1 - column;
}

void Tableau::start(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  size_ = static_cast<int>(q.size());
  t_.resize(size_, size_ + 2);
  t_.leftCols(size_) = m;
  t_.col(size_).setOnes();
  t_.col(size_ + 1) = q;
  basic_.resize(size_);
  nonbasic_.resize(size_ + 1);
  place_.resize(2 * size_ + 1);
  hash_ = 0;
  for (int i = 0; i < size_; ++i) {
    put_basic(i, i);
    put_nonbasic(size_ + i, i);
    hash_ ^= index_hash(static_cast<std::uint64_t>(i));
  }
  put_nonbasic(artificial(), size_);
}

bool Tableau::rebuild(const Eigen::MatrixXd& m, const Eigen::VectorXd& q, const Eigen::VectorXd& cover) {
  std::vector<int> entering, leaving;
  for (int variable = 0; variable <= artificial(); ++variable) {
    if (variable < size_ && !is_basic(variable)) leaving.push_back(variable);
    if (variable >= size_ && is_basic(variable)) entering.push_back(variable);
  }
  start(m, q);
  set_cover(cover);
  while (!entering.empty()) {
    std::size_t best_leaving = 0, best_entering = 0;
    double best = 0;
    for (std::size_t j = 0; j < entering.size(); ++j)
      for (std::size_t i = 0; i < leaving.size(); ++i) {
        const double pivot = std::abs(t_(place_[leaving[i]], -1 - place_[entering[j]]));
        if (pivot > best) best = pivot, best_leaving = i, best_entering = j;
      }
    if (!(best > 1e-13)) return false;
    exchange(place_[leaving[best_leaving]], entering[best_entering]);
    entering.erase(entering.begin() + static_cast<std::ptrdiff_t>(best_entering));
    leaving.erase(leaving.begin() + static_cast<std::ptrdiff_t>(best_leaving));
  }
  return true;
}

void Tableau::set_cover(const Eigen::VectorXd& d) { t_.col(-1 - place_[artificial()]) = d; }

double Tableau::perturbation(int row, int k) const {
  if (is_basic(k)) return place_[k] == row ? 1 : 0;
  return -t_(row, -1 - place_[k]);
}

bool Tableau::lexicographically_before(int row, int other, int entering_column) const {
  const double a = -t_(row, entering_column), b = -t_(other, entering_column);
  for (int k = 0; k < size_; ++k) {
    const double x = perturbation(row, k) / a, y = perturbation(other, k) / b;
    if (std::abs(x - y) > kTie * (std::abs(x) + std::abs(y))) return x < y;
  }
  return row < other;
}

int Tableau::blocking_row(int entering, bool lexicographic) const {
  const int column = -1 - place_[entering], last = size_ + 1;
  const double smallest_pivot = kPivot * std::max(t_.col(column).cwiseAbs().maxCoeff(), 1e-300);
  double least = kInfinity;
  for (int i = 0; i < size_; ++i)
    if (-t_(i, column) > smallest_pivot) least = std::min(least, std::max(t_(i, last), 0.0) / -t_(i, column));
  if (!std::isfinite(least)) return -1;
  int best = -1;
  for (int i = 0; i < size_; ++i) {
    const double pivot = -t_(i, column);
    if (!(pivot > smallest_pivot) || std::max(t_(i, last), 0.0) / pivot > least + kTie * (1 + least)) continue;
    if (basic_[i] == artificial()) return i;
    if (best < 0 || (lexicographic ? lexicographically_before(i, best, column) : pivot > -t_(best, column))) best = i;
  }
  return best;
}

int Tableau::covering_row() const {
  const int column = -1 - place_[artificial()], last = size_ + 1;
  int best = 0;
  // Of equal rows the last: first in the lexicographic order.
  for (int i = 1; i < size_; ++i)
    if (t_(i, last) / t_(i, column) <= t_(best, last) / t_(best, column)) best = i;
  return best;
}

void Tableau::exchange(int row, int entering) {
  const int column = -1 - place_[entering], leaving = basic_[row];
  const double pivot = t_(row, column);
  column_ = t_.col(column);
  column_[row] = 0;
  row_ = t_.row(row) * (-1 / pivot);
  row_[column] = 0;
  t_.noalias() += column_ * row_;
  t_.row(row) = row_;
  t_.col(column) = column_ / pivot;
  t_(row, column) = 1 / pivot;
  put_basic(entering, row);
  put_nonbasic(leaving, column);
  hash_ ^= index_hash(static_cast<std::uint64_t>(entering)) ^ index_hash(static_cast<std::uint64_t>(leaving));
}

}   // namespace stickslip
