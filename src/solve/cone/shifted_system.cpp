#include "solve/cone/shifted_system.h"

#include <algorithm>
#include <cmath>

#include "problem/kernels.h"

namespace stickslip {

namespace {

constexpr int kSize = kernels::kSegmentSize;

}  // namespace

void ShiftedSystem::setup(const ContactProblem& p) {
  problem_ = &p;
  if (p.is_factored() && kSize * p.segments.size() <= p.rows()) {
    form_ = Form::velocities;
    assemble_velocity_pattern(p);
  } else {
    assemble_impulses(p);
  }
  if (form_ != ordered_form_ || !same_pattern(matrix_, ordered_)) {
    factor_.analyze(matrix_, form_ != Form::impulses_nonsymmetric);
    ordered_ = matrix_;
    ordered_form_ = form_;
  }
}

void ShiftedSystem::assemble_impulses(const ContactProblem& p) {
  const BlockMatrix w = delassus(p);
  form_ = p.is_factored() || w.is_symmetric(1e-14) ? Form::impulses : Form::impulses_nonsymmetric;
  matrix_ = w.sparse();
  matrix_.makeCompressed();
  diagonal_.resize(p.rows());
  diagonal_position_.resize(p.rows());
  for (Eigen::Index k = 0; k < matrix_.rows(); ++k) {
    const int *first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[k], *last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[k + 1];
    diagonal_position_[static_cast<std::size_t>(k)] = std::lower_bound(first, last, static_cast<int>(k)) - matrix_.innerIndexPtr();
    diagonal_[static_cast<std::size_t>(k)] = matrix_.valuePtr()[diagonal_position_[static_cast<std::size_t>(k)]];
  }
}

void ShiftedSystem::assemble_velocity_pattern(const ContactProblem& p) {
  // The lower triangle of blocks: per segment, itself and the later ones it shares a block with.
  std::vector<std::vector<int>> later(p.segments.size());
  for (std::size_t s = 0; s < later.size(); ++s) later[s].push_back(static_cast<int>(s));
  for (const Block& b : p.blocks)
    for (int s = 0; s < b.arity; ++s)
      for (int t = 0; t < s; ++t) later[std::min(b.segment[s], b.segment[t])].push_back(static_cast<int>(std::max(b.segment[s], b.segment[t])));
  std::size_t entries = 0;
  for (std::vector<int>& list : later) {
    std::sort(list.begin() + 1, list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    entries += kSize * kSize * list.size();
  }
  const Eigen::Index n = static_cast<Eigen::Index>(kSize * p.segments.size());
  matrix_.resize(n, n);
  matrix_.resizeNonZeros(static_cast<Eigen::Index>(entries));
  int next = 0;
  for (std::size_t s = 0; s < later.size(); ++s)
    for (int j = 0; j < kSize; ++j) {
      matrix_.outerIndexPtr()[kSize * s + static_cast<std::size_t>(j)] = next;
      for (const int t : later[s])
        for (int i = 0; i < kSize; ++i) matrix_.innerIndexPtr()[next++] = kSize * t + i;
    }
  matrix_.outerIndexPtr()[n] = next;
}

void ShiftedSystem::fill_velocities() {
  const ContactProblem& p = *problem_;
  std::fill_n(matrix_.valuePtr(), matrix_.nonZeros(), 0.0);
  for (Eigen::Index k = 0; k < matrix_.cols(); ++k) matrix_.valuePtr()[matrix_.outerIndexPtr()[k] + k % kSize] = 1;
  for (const Block& b : p.blocks)
    for (int s = 0; s < b.arity; ++s)
      for (int t = 0; t < b.arity; ++t) {
        if (b.segment[s] < b.segment[t]) continue;
        Eigen::Matrix<double, kSize, kSize> product = Eigen::Matrix<double, kSize, kSize>::Zero();
        for (int k = 0; k < b.dim; ++k)
          for (int j = 0; j < kSize; ++j)
            for (int i = 0; i < kSize; ++i) product(i, j) += kernels::scaled_number(p, b, s, k, i) * inverse_[b.row + static_cast<std::uint32_t>(k)] * kernels::scaled_number(p, b, t, k, j);
        for (int j = 0; j < kSize; ++j) {
          const int column = kSize * static_cast<int>(b.segment[t]) + j;
          const int *first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column], *last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
          double* value = matrix_.valuePtr() + (std::lower_bound(first, last, kSize * static_cast<int>(b.segment[s])) - matrix_.innerIndexPtr());
          for (int i = 0; i < kSize; ++i) value[i] += product(i, j);
        }
      }
}

bool ShiftedSystem::factor(std::span<const double> c) {
  const ContactProblem& p = *problem_;
  c_.assign(c.begin(), c.end());
  if (form_ == Form::velocities) {
    inverse_.resize(p.rows());
    refine_ = false;
    for (const Block& b : p.blocks)
      for (std::uint32_t k = 0; k < b.dim; ++k) {
        inverse_[b.row + k] = 1 / (p.sigma[b.row + k] + c[b.row + k]);
        // E⁻¹ magnifies rounding: where it is this large, a solve is followed by one correction.
        refine_ = refine_ || p.diagonal_values[b.diagonal + k * (b.dim + 1u)] * inverse_[b.row + k] > 1e4;
      }
    fill_velocities();
  } else {
    for (std::size_t k = 0; k < c.size(); ++k) matrix_.valuePtr()[diagonal_position_[k]] = diagonal_[k] + c[k];
  }
  return factor_.factor(matrix_);
}

void ShiftedSystem::subtract_relative_velocity(std::span<const double> w, std::span<double> x) const {
  kernels::visit_batches(*problem_, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    if constexpr (A > 0)
      for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
        const Block& block = problem_->blocks[i];
        const kernels::LocalVelocity<A> local(block.segment, w.data());
        Eigen::Map<kernels::BlockVector<D>>(x.data() + block.row) -= kernels::relative_velocity<D, A>(problem_->scaled_jacobian.data() + block.jacobian, local);
      }
  });
}

void ShiftedSystem::solve_velocities(std::span<const double> right, std::span<double> x) {
  const std::size_t n = right.size();
  scaled_.resize(n);
  for (std::size_t k = 0; k < n; ++k) scaled_[k] = inverse_[k] * right[k];
  w_right_.assign(static_cast<std::size_t>(matrix_.rows()), 0.0);
  w_.resize(w_right_.size());
  problem_->add_scaled_velocity(scaled_, w_right_);
  factor_.solve(w_right_.data(), w_.data());
  std::copy(right.begin(), right.end(), x.begin());
  subtract_relative_velocity(w_, x);
  for (std::size_t k = 0; k < n; ++k) x[k] *= inverse_[k];
}

void ShiftedSystem::solve(std::span<const double> right, std::span<double> x) {
  if (form_ != Form::velocities) {
    factor_.solve(right.data(), x.data());
    return;
  }
  solve_velocities(right, x);
  if (!refine_) return;
  const ContactProblem& p = *problem_;
  product_.resize(right.size());
  correction_.resize(right.size());
  p.contact_velocity(x, product_, segment_);
  for (std::size_t k = 0; k < right.size(); ++k) product_[k] = right[k] - (product_[k] - p.b[k]) - c_[k] * x[k];
  solve_velocities(product_, correction_);
  for (std::size_t k = 0; k < right.size(); ++k) x[k] += correction_[k];
}

}  // namespace stickslip
