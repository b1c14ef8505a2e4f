#include "solve/newton/body_matrix.h"

#include <algorithm>
#include <cmath>

#include <Eigen/OrderingMethods>

#include "math/small_matrices.h"

namespace stickslip {

namespace {

constexpr std::size_t kNumbers = 36;   ///< of a block
using Block6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Eigen::Map<Block6> block(std::vector<double>& values, std::size_t i) {
  return Eigen::Map<Block6>(values.data() + kNumbers * i);
}
Eigen::Map<const Block6> block(const std::vector<double>& values, std::size_t i) {
  return Eigen::Map<const Block6>(values.data() + kNumbers * i);
}

bool is_finite(const double* block) {
  return std::all_of(block, block + kNumbers, [](double x) { return std::isfinite(x); });
}

/// The inverse of a symmetric block by Cholesky's factor L. @return false if it is not positive definite
bool invert_definite(const double* a, double* inverse) {
  constexpr int n = kRigidSize;
  double l[n][n], reciprocal[n][n] = {};   // L, L⁻¹
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      double sum = a[i + n * j];
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0)) return false;
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  for (int j = 0; j < n; ++j) {
    reciprocal[j][j] = 1 / l[j][j];
    for (int i = j + 1; i < n; ++i) {
      double sum = 0;
      for (int k = j; k < i; ++k) sum -= l[i][k] * reciprocal[k][j];
      reciprocal[i][j] = sum / l[i][i];
    }
  }
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      double sum = 0;
      for (int k = i; k < n; ++k) sum += reciprocal[k][i] * reciprocal[k][j];
      inverse[i + n * j] = inverse[j + n * i] = sum;
    }
  return true;
}

}   // namespace

void BodyMatrix::analyze(const ContactProblem& p) {
  found_.clear();
  for (const Block& b : p.blocks)
    for (const std::uint32_t s : p.segments_of(b))
      for (const std::uint32_t t : p.segments_of(b))
        if (s < t) found_.push_back(std::uint64_t{s} << 32 | t);
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  if (place_.size() == p.segments.size() && found_ == edges_) return;
  edges_ = found_;
  order(p);
  eliminate();
}

void BodyMatrix::order(const ContactProblem& p) {
  const auto n = static_cast<int>(p.segments.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int s = 0; s < n; ++s) entries.emplace_back(s, s, 1.0);
  for (const std::uint64_t edge : edges_) {
    const auto low = static_cast<int>(edge >> 32), high = static_cast<int>(edge & 0xffffffff);
    entries.emplace_back(low, high, 1.0);
    entries.emplace_back(high, low, 1.0);
  }
  Eigen::SparseMatrix<double> graph(n, n);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  place_.resize(p.segments.size());
  // AMD's result lists bodies by their turn.
  body_.assign(permutation.indices().begin(), permutation.indices().end());
  for (std::uint32_t k = 0; k < body_.size(); ++k) place_[body_[k]] = k;
}

/// The fill: eliminating a body makes its later neighbours neighbours of the first of them.
void BodyMatrix::eliminate() {
  const std::size_t n = place_.size();
  std::vector<std::vector<std::uint32_t>> below(n);
  for (const std::uint64_t edge : edges_) {
    const std::uint32_t a = place_[edge >> 32], b = place_[edge & 0xffffffff];
    below[std::min(a, b)].push_back(std::max(a, b));
  }
  first_.assign(1, 0);
  row_.clear();
  column_.clear();
  factor_work_ = 0;
  std::vector<std::uint32_t> count(n + 1, 0);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<std::uint32_t>& list = below[j];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (!list.empty()) below[list.front()].insert(below[list.front()].end(), list.begin() + 1, list.end());
    for (const std::uint32_t i : list) {
      row_.push_back(i);
      column_.push_back(static_cast<std::uint32_t>(j));
      ++count[i + 1];
    }
    first_.push_back(static_cast<std::uint32_t>(row_.size()));
    const auto size = static_cast<double>(list.size());
    factor_work_ += 432.0 * (0.5 * size * (size + 1) + size + 1);
    std::vector<std::uint32_t>().swap(list);
  }
  for (std::size_t i = 0; i < n; ++i) count[i + 1] += count[i];
  first_left_ = count;
  left_.resize(row_.size());
  for (std::uint32_t e = 0; e < row_.size(); ++e) left_[count[row_[e]]++] = e;
  diagonal_.resize(kNumbers * n);
  lower_.resize(kNumbers * row_.size());
  upper_.resize(kNumbers * row_.size());
  where_.resize(n);
}

double BodyMatrix::solve_work() const { return 4.0 * kNumbers * static_cast<double>(row_.size() + place_.size()); }

void BodyMatrix::set_identity() {
  std::fill(lower_.begin(), lower_.end(), 0.0);
  std::fill(upper_.begin(), upper_.end(), 0.0);
  for (std::size_t j = 0; j < place_.size(); ++j) block(diagonal_, j).setIdentity();
}

void BodyMatrix::add(std::uint32_t s, std::uint32_t t, const double* values) {
  const Eigen::Map<const Block6> product(values);
  const std::uint32_t i = place_[s], j = place_[t];
  if (i == j) {
    block(diagonal_, i) += product;
    return;
  }
  const std::uint32_t column = std::min(i, j);
  const auto begin = row_.begin() + first_[column], end = row_.begin() + first_[column + 1];
  const auto e = static_cast<std::size_t>(std::lower_bound(begin, end, std::max(i, j)) - row_.begin());
  block(i > j ? lower_ : upper_, e) += product;
}

bool BodyMatrix::factor(bool symmetric) {
  const std::size_t n = place_.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::uint32_t e = first_[j]; e < first_[j + 1]; ++e) where_[row_[e]] = e;
    for (std::uint32_t l = first_left_[j]; l < first_left_[j + 1]; ++l) {
      // Block (j, k): what eliminating k does to column j and, unless the matrix is symmetric, to row j.
      const std::uint32_t at = left_[l], end = first_[column_[at] + 1];
      const Block6 above = block(upper_, at), left = block(lower_, at);
      block(diagonal_, j).noalias() -= left.lazyProduct(above);
      for (std::uint32_t e = at + 1; e < end; ++e) {
        const std::uint32_t target = where_[row_[e]];
        block(lower_, target).noalias() -= block(lower_, e).lazyProduct(above);
        if (!symmetric) block(upper_, target).noalias() -= left.lazyProduct(block(upper_, e));
      }
    }
    const Block6 pivot = block(diagonal_, j);
    double* const inverse = block(diagonal_, j).data();
    if (!is_finite(pivot.data())) return false;
    if (!(symmetric ? invert_definite(pivot.data(), inverse) : invert(kRigidSize, pivot.data(), inverse))) return false;
    if (!is_finite(inverse)) return false;
    for (std::uint32_t e = first_[j]; e < first_[j + 1]; ++e) {
      if (symmetric) block(upper_, e) = block(lower_, e).transpose();
      const Block6 unscaled = block(lower_, e);
      block(lower_, e).noalias() = unscaled.lazyProduct(block(diagonal_, j));
    }
  }
  return true;
}

void BodyMatrix::solve(std::span<double> x) const {
  const std::size_t n = place_.size();
  const auto part = [&](std::size_t j) { return Eigen::Map<Vector6>(x.data() + kRigidSize * body_[j]); };
  for (std::size_t j = 0; j < n; ++j) {
    const Vector6 y = part(j);
    for (std::uint32_t e = first_[j]; e < first_[j + 1]; ++e) part(row_[e]).noalias() -= block(lower_, e) * y;
  }
  for (std::size_t j = n; j-- > 0;) {
    Vector6 y = part(j);
    for (std::uint32_t e = first_[j]; e < first_[j + 1]; ++e) y.noalias() -= block(upper_, e) * part(row_[e]);
    part(j).noalias() = block(diagonal_, j) * y;
  }
}

}   // namespace stickslip
