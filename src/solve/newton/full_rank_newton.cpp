#include "solve/newton/full_rank_newton.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr std::size_t kMostFullRows = 3000;   ///< beyond, a factorisation costs more than sweeps usually take
constexpr double kFullRank = 1e-10;           ///< pivot over its diagonal, below which W counts as singular
constexpr double kSymmetric = 1e-12;          ///< difference of mirrored numbers over the largest
constexpr double kMostBeside = 0.5;           ///< part of the rows up to which a system beside the factors is the cheaper one
constexpr Eigen::Index kColumnGroup = 48;     ///< columns of L⁻¹ E that are found together, from the first row they need on
constexpr int kFullHalvings = 6;              ///< of the length of a step
constexpr double kFullArmijo = 1e-4;          ///< part of the predicted decrease that is asked for

/// Block row of a full matrix.
Eigen::Map<const Eigen::MatrixXd> block_row(const BlockMatrix& w, std::size_t i) {
  return {w.values.data() + w.position[w.first[i]], w.dim(i), static_cast<Eigen::Index>(w.rows())};
}

}   // namespace

bool FullRankNewton::fits(const ContactProblem& p) {
  const std::size_t n = p.matrix.blocks();
  return !p.is_factored() && n > 0 && p.rows() <= kMostFullRows && p.matrix.column.size() == n * n;
}

double FullRankNewton::factor_work(const ContactProblem& p) {
  const auto n = static_cast<double>(p.rows());
  return n * n * n / 3;
}

/// Takes W over as a dense matrix. False if it is not symmetric.
bool FullRankNewton::copy(const ContactProblem& p) {
  const BlockMatrix& w = p.matrix;
  const auto n = static_cast<Eigen::Index>(w.rows());
  Eigen::MatrixXd& dense = factor_.numbers();
  dense.resize(n, n);
  for (std::size_t i = 0; i < w.blocks(); ++i) dense.middleRows(w.offset[i], w.dim(i)) = block_row(w, i);
  const double bound = kSymmetric * dense.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j + 1; i < n; ++i)
      if (!(std::abs(dense(i, j) - dense(j, i)) <= bound)) return false;
  dense.diagonal() += Eigen::Map<const Eigen::VectorXd>(p.sigma.data(), n);
  return true;
}

bool FullRankNewton::prepare(const ContactProblem& p, MatrixSeries series) {
  if (series.number != 0 && series.number == series_.number) return factored_;
  series_ = series;
  columns_ = 0;
  place_.assign(p.blocks.size(), -1);
  rho_ = row_masses(p);
  map_.resize(p.blocks);
  if (offset_ == p.matrix.offset && sigma_ == p.sigma && values_ == p.matrix.values) return factored_;
  offset_ = p.matrix.offset;
  values_ = p.matrix.values;
  sigma_ = p.sigma;
  factored_ = copy(p) && factor_.factor(kFullRank);
  return factored_;
}

/// √Σ(Φ/ρ)² [m/s].
double FullRankNewton::merit() const {
  double sum = 0;
  for (std::size_t k = 0; k < rho_.size(); ++k) sum += map_.phi[k] / rho_[k] * (map_.phi[k] / rho_[k]);
  return std::sqrt(sum);
}

/// z of the contacts that stick, and which do not.
void FullRankNewton::sort_blocks(const ContactProblem& p) {
  others_.clear();
  z_.setZero(static_cast<Eigen::Index>(p.rows()));
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    const auto a = map_.a_block(i), b = map_.b_block(i);
    if (!a.isZero(0) || !b.isDiagonal(0)) {
      others_.push_back(i);
      continue;
    }
    for (std::uint32_t k = 0; k < p.blocks[i].dim; ++k) {
      const std::uint32_t row = p.blocks[i].row + k;
      z_[row] = map_.phi[row] / b(k, k);
    }
  }
}

/// Columns of L⁻¹ E of some blocks, in order of their rows, and their products with all others.
void FullRankNewton::append_columns(const ContactProblem& p, std::span<const std::uint32_t> blocks) {
  const Eigen::Index n = factor_.size(), first = columns_, from = p.blocks[blocks.front()].row, height = n - from;
  for (const std::uint32_t i : blocks) {
    place_[i] = static_cast<std::int32_t>(columns_);
    columns_ += p.blocks[i].dim;
  }
  if (columns_ > y_.cols() || y_.rows() != n) {
    const Eigen::Index room = std::min(n, std::max<Eigen::Index>(2 * y_.cols(), columns_ + 4 * kColumnGroup));
    y_.conservativeResize(n, room);
    gram_.conservativeResize(room, room);
  }
  const Eigen::Index count = columns_ - first;
  y_.middleCols(first, count).setZero();
  for (const std::uint32_t i : blocks)
    for (std::uint32_t k = 0; k < p.blocks[i].dim; ++k) y_(p.blocks[i].row + k, place_[i] + k) = 1;
  factor_.forward(from, y_.block(from, first, height, count));
  gram_.block(0, first, columns_, count).noalias() =
      y_.block(from, 0, height, columns_).transpose() * y_.block(from, first, height, count);
  gram_.block(first, 0, count, first) = gram_.block(0, first, first, count).transpose();
  const auto h = static_cast<double>(height), c = static_cast<double>(count);
  work_ += h * h * c + 2 * h * c * static_cast<double>(columns_);
}

void FullRankNewton::find_columns(const ContactProblem& p) {
  std::vector<std::uint32_t> group;
  Eigen::Index rows = 0;
  for (const std::uint32_t i : others_) {
    if (place_[i] >= 0) continue;
    group.push_back(i);
    rows += p.blocks[i].dim;
    if (rows < kColumnGroup) continue;
    append_columns(p, group);
    group.clear();
    rows = 0;
  }
  if (!group.empty()) append_columns(p, group);
  rows_.clear();
  for (const std::uint32_t i : others_)
    for (std::uint32_t k = 0; k < p.blocks[i].dim; ++k) rows_.push_back(place_[i] + static_cast<int>(k));
}

/// z of the others, and d.
bool FullRankNewton::solve_beside() {
  half_ = z_;
  factor_.forward(half_);
  const auto c = static_cast<Eigen::Index>(rows_.size());
  if (c > 0) {
    const Eigen::VectorXd seen = y_.leftCols(columns_).transpose() * half_;
    system_.resize(c, c);
    right_.resize(c);
    Eigen::Index at = 0;
    for (const std::uint32_t i : others_) {
      const auto a = map_.a_block(i), b = map_.b_block(i);
      const Eigen::Index d = map_.dim[i];
      for (Eigen::Index r = 0; r < d; ++r) {
        right_[at + r] = map_.phi[map_.first[i] + r];
        for (Eigen::Index k = 0; k < d; ++k) right_[at + r] -= a(r, k) * seen[rows_[at + k]];
      }
      for (Eigen::Index j = 0; j < c; ++j)
        for (Eigen::Index r = 0; r < d; ++r) {
          double sum = 0;
          for (Eigen::Index k = 0; k < d; ++k) sum += a(r, k) * gram_(rows_[at + k], rows_[j]);
          system_(at + r, j) = sum;
        }
      system_.block(at, at, d, d) += b;
      at += d;
    }
    lu_.compute(system_);
    const Eigen::VectorXd solved = lu_.solve(right_);
    if (!solved.allFinite()) return false;
    beside_.setZero(columns_);
    for (Eigen::Index k = 0; k < c; ++k) beside_[rows_[k]] = solved[k];
    half_.noalias() += y_.leftCols(columns_) * beside_;
    at = 0;
    for (const std::uint32_t i : others_)
      for (std::uint32_t k = 0; k < map_.dim[i]; ++k) z_[map_.first[i] + k] = solved[at++];
    const auto size = static_cast<double>(c);
    work_ += 2.0 / 3.0 * size * size * size;
  }
  direction_ = half_;
  factor_.backward(direction_);
  return direction_.allFinite();
}

/// d by B W + A itself.
bool FullRankNewton::solve_whole(const ContactProblem& p) {
  const auto n = static_cast<Eigen::Index>(p.rows());
  system_.resize(n, n);
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Eigen::Index row = p.blocks[i].row, d = p.blocks[i].dim;
    const auto sigma = Eigen::Map<const Eigen::VectorXd>(p.sigma.data() + row, d).asDiagonal();
    system_.middleRows(row, d) = map_.b_block(i).lazyProduct(block_row(p.matrix, i));
    system_.block(row, row, d, d) += map_.a_block(i);
    system_.block(row, row, d, d) += map_.b_block(i) * sigma;
  }
  lu_.compute(system_);
  direction_ = lu_.solve(Eigen::Map<const Eigen::VectorXd>(map_.phi.data(), n));
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    z_.segment(p.blocks[i].row, p.blocks[i].dim).noalias() = block_row(p.matrix, i) * direction_;
  z_ += Eigen::Map<const Eigen::VectorXd>(p.sigma.data(), n).cwiseProduct(direction_);
  const auto size = static_cast<double>(n);
  work_ += 2.0 / 3.0 * size * size * size;
  return direction_.allFinite() && z_.allFinite();
}

bool FullRankNewton::step(const ContactProblem& p, std::span<double> impulses, std::span<const double> v) {
  const std::size_t n = p.rows();
  work_ = 4.0 * static_cast<double>(n) * static_cast<double>(n);
  alart_curnier_system.evaluate(p, rho_, impulses, v, map_, true);
  const double before = merit();
  sort_blocks(p);
  std::size_t beside = 0;
  for (const std::uint32_t i : others_) beside += p.blocks[i].dim;
  const bool few = static_cast<double>(beside) <= kMostBeside * static_cast<double>(n);
  if (few) find_columns(p);
  if (!(few ? solve_beside() : solve_whole(p))) return false;
  trial_.resize(n);
  trial_v_.resize(n);
  for (double length = 1; length > std::ldexp(0.75, -kFullHalvings); length /= 2) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      trial_[k] = impulses[k] - length * direction_[row];
      trial_v_[k] = v[k] - length * z_[row];
    }
    alart_curnier_system.evaluate(p, rho_, trial_, trial_v_, map_, false);
    if (!(merit() <= (1 - kFullArmijo * length) * before)) continue;
    std::copy(trial_.begin(), trial_.end(), impulses.begin());
    return true;
  }
  return false;
}

}   // namespace stickslip
