#include "solve/cone/shifted_system.h"

#include <algorithm>
#include <cmath>

#include "problem/kernels.h"

namespace stickslip {

void ShiftedSystem::setup(const ContactProblem& p) {
  problem_ = &p;
  if (p.is_coupled() || (p.is_factored() && p.velocity_size() <= p.rows())) {
    form_ = Form::velocities;
    velocities_.set_up(p, SegmentMatrix::Stored::lower);
  } else {
    assemble_impulses(p);
  }
  if (form_ != ordered_form_ || !same_pattern(system(), ordered_)) {
    factor_.analyze(system(), form_ != Form::impulses_nonsymmetric);
    ordered_ = system();
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
    const int *first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[k],
              *last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[k + 1];
    diagonal_position_[static_cast<std::size_t>(k)] =
        std::lower_bound(first, last, static_cast<int>(k)) - matrix_.innerIndexPtr();
    diagonal_[static_cast<std::size_t>(k)] = matrix_.valuePtr()[diagonal_position_[static_cast<std::size_t>(k)]];
  }
}

void ShiftedSystem::fill_velocities() {
  const ContactProblem& p = *problem_;
  velocities_.reset();
  for (const Block& b : p.blocks) {
    rows_.resize(std::size_t{b.dim} * p.row_width(b));
    kernels::copy_scaled(p, b, rows_.data());
    const double* left = rows_.data();
    for (const std::uint32_t s : p.segments_of(b)) {
      const std::uint32_t rows_of_s = p.segments[s].size;
      const double* right = rows_.data();
      for (const std::uint32_t t : p.segments_of(b)) {
        const std::uint32_t columns = p.segments[t].size;
        double product[kRigidSize * kRigidSize] = {};
        if (s >= t) {
          for (std::uint32_t k = 0; k < b.dim; ++k)
            for (std::uint32_t j = 0; j < columns; ++j)
              for (std::uint32_t i = 0; i < rows_of_s; ++i)
                product[rows_of_s * j + i] += left[rows_of_s * k + i] * inverse_[b.row + k] * right[columns * k + j];
          velocities_.add(s, t, product);
        }
        right += b.dim * columns;
      }
      left += b.dim * rows_of_s;
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
  return factor_.factor(system());
}

void ShiftedSystem::subtract_relative_velocity(std::span<const double> w, std::span<double> x) const {
  kernels::visit_batches(*problem_, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    if constexpr (A > 0)
      for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
        const Block& block = problem_->blocks[i];
        const kernels::LocalVelocity<A> local(*problem_, block, w.data());
        Eigen::Map<kernels::BlockVector<D>>(x.data() + block.row) -=
            kernels::relative_velocity<D, A>(problem_->scaled_jacobian.data() + block.jacobian, local);
      }
  });
}

void ShiftedSystem::solve_velocities(std::span<const double> right, std::span<double> x) {
  const std::size_t n = right.size();
  scaled_.resize(n);
  for (std::size_t k = 0; k < n; ++k) scaled_[k] = inverse_[k] * right[k];
  w_right_.assign(problem_->velocity_size(), 0.0);
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

}   // namespace stickslip
