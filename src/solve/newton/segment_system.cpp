#include "solve/newton/segment_system.h"

#include "problem/kernels.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

using AnySquare = Eigen::Map<SmallSquare>;
using AnyVector = Eigen::Map<Eigen::VectorXd>;
using ConstAnyVector = Eigen::Map<const Eigen::VectorXd>;
using Slot = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Of what is solved again with what is left, as every solve is.
constexpr Gmres::Limits kBent{.products = 60, .tolerance = 1e-9};

constexpr std::size_t kFewNumbers = 1000;   ///< velocities up to which LU factors are as quick, and exact

bool is_symmetric_block(const SmallSquare& m) {
  return (m - m.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * m.cwiseAbs().maxCoeff();
}

/// The stiffness of a contact as if friction did not follow its normal impulse: symmetric and positive semidefinite.
SmallSquare without_follow(const SmallSquare& stiffness) {
  const Eigen::Index tail = stiffness.rows() - 1;
  SmallSquare near = SmallSquare::Zero(tail + 1, tail + 1);
  near(0, 0) = std::max(0.0, stiffness(0, 0));
  const SmallSquare rub = stiffness.bottomRightCorner(tail, tail);
  const Eigen::SelfAdjointEigenSolver<SmallSquare> modes(0.5 * (rub + rub.transpose()));
  near.bottomRightCorner(tail, tail) =
      modes.eigenvectors() * modes.eigenvalues().cwiseMax(0).asDiagonal() * modes.eigenvectors().transpose();
  return near;
}

}   // namespace

void SegmentSystem::set_up(const ContactProblem& p) {
  problem_ = &p;
  segments_.set_up(p, SegmentMatrix::Stored::all);
  if (!same_pattern(segments_.matrix(), analysed_)) {
    analysed_ = segments_.matrix();
    symmetric_.analyze(analysed_, true);
    general_analysed_ = false;
    factor_work_ = symmetric_.factor_work();
  }
  rows_.resize(p.scaled_jacobian.size());
  for (const Block& b : p.blocks) kernels::copy_scaled(p, b, rows_.data() + b.jacobian);
  inverse_.resize(p.diagonal_values.size());
  stiffness_.resize(p.diagonal_values.size());
  local_.resize(p.rows());
  right_.resize(p.velocity_size());
  y_.resize(p.velocity_size());
  solve_work_ = symmetric_.solve_work();
  for (const Carrier& carrier : p.carriers) solve_work_ += carrier.mass->solve_work();   // of the product that refines a solve
}

/// Gᵀ C⁻¹ B G of one block.
void SegmentSystem::add_stiffness(const Block& b, const SmallSquare& stiffness) {
  const ContactProblem& p = *problem_;
  const double* left = rows_.data() + b.jacobian;
  for (const std::uint32_t s : p.segments_of(b)) {
    const SmallSquare pushed = Slot(left, b.dim, p.segments[s].size).transpose().lazyProduct(stiffness);
    const double* right = rows_.data() + b.jacobian;
    for (const std::uint32_t t : p.segments_of(b)) {
      const SmallSquare product = pushed.lazyProduct(Slot(right, b.dim, p.segments[t].size));
      segments_.add(s, t, product.data());
      right += std::size_t{b.dim} * p.segments[t].size;
    }
    left += std::size_t{b.dim} * p.segments[s].size;
  }
}

bool SegmentSystem::factor(const Linearisation& l) {
  const ContactProblem& p = *problem_;
  segments_.reset();
  bends_.clear();
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& b = p.blocks[i];
    const Eigen::Map<const SmallSquare> a(l.a.data() + l.first_a[i], b.dim, b.dim),
        by_velocity(l.b.data() + l.first_b[i], b.dim, b.dim);
    const SmallSquare c = a + by_velocity * ConstAnyVector(p.sigma.data() + b.row, b.dim).asDiagonal();
    const SmallSquare inverse = c.partialPivLu().inverse(), stiffness = inverse.lazyProduct(by_velocity);
    if (!inverse.allFinite() || !stiffness.allFinite()) return false;
    AnySquare(inverse_.data() + b.diagonal, b.dim, b.dim) = inverse;
    AnySquare(stiffness_.data() + b.diagonal, b.dim, b.dim) = stiffness;
    if ((stiffness.array() == 0).all()) continue;   // open
    if (is_symmetric_block(stiffness)) {
      add_stiffness(b, stiffness);
      continue;
    }
    const SmallSquare near = without_follow(stiffness);
    bends_.push_back({static_cast<std::uint32_t>(i), stiffness - near});
    add_stiffness(b, near);
  }
  by_ = bends_.empty() ? By::symmetric : By::iterations;
  if (by_ == By::iterations && p.velocity_size() <= kFewNumbers) return factor_as_it_is();
  return symmetric_.factor(segments_.matrix()) || factor_as_it_is();
}

/// LU of the whole matrix.
bool SegmentSystem::factor_as_it_is() {
  for (const Bend& bend : bends_) add_stiffness(problem_->blocks[bend.block], bend.rest);
  bends_.clear();
  by_ = By::general;
  if (!general_analysed_) {
    general_.analyze(segments_.matrix(), false);
    general_analysed_ = true;
  }
  return general_.factor(segments_.matrix());
}

/// forces = Gᵀ E G y
void SegmentSystem::push_bends(const double* y, std::span<double> forces) const {
  const ContactProblem& p = *problem_;
  std::fill(forces.begin(), forces.end(), 0.0);
  for (const Bend& bend : bends_) {
    const Block& b = p.blocks[bend.block];
    Eigen::VectorXd v(b.dim);
    for (std::uint32_t k = 0; k < b.dim; ++k) v[k] = kernels::row_velocity(p, b, k, y);
    const Eigen::VectorXd push = bend.rest * v;
    const double* row = rows_.data() + b.jacobian;
    for (const std::uint32_t s : p.segments_of(b)) {
      AnyVector(forces.data() + p.offset(s), p.segments[s].size) += Slot(row, b.dim, p.segments[s].size).transpose() * push;
      row += std::size_t{b.dim} * p.segments[s].size;
    }
  }
}

/// @returns false if it does not converge; the matrix as it is then has factors
bool SegmentSystem::solve_bent() {
  bent_.resize(right_.size());
  pushed_.resize(right_.size());
  symmetric_.solve(right_.data(), bent_.data());
  const bool solved = gmres_.solve(bent_, y_, kBent, [&](const double* x, double* y) {
    push_bends(x, pushed_);
    symmetric_.solve(pushed_.data(), y);
    for (std::size_t k = 0; k < y_.size(); ++k) y[k] += x[k];
    return true;
  });
  return solved || !factor_as_it_is();
}

void SegmentSystem::eliminate(const double* phi, double* x) {
  const ContactProblem& p = *problem_;
  for (const Block& b : p.blocks)
    AnyVector(local_.data() + b.row, b.dim) =
        AnySquare(inverse_.data() + b.diagonal, b.dim, b.dim) * ConstAnyVector(phi + b.row, b.dim);
  std::fill(right_.begin(), right_.end(), 0.0);
  p.add_scaled_velocity(local_, right_);
  if (by_ == By::general || (by_ == By::iterations && !solve_bent())) general_.solve(right_.data(), y_.data());
  else if (by_ == By::symmetric) symmetric_.solve(right_.data(), y_.data());
  for (const Block& b : p.blocks) {
    Eigen::VectorXd v(b.dim);
    for (std::uint32_t k = 0; k < b.dim; ++k) v[k] = kernels::row_velocity(p, b, k, y_.data());
    AnyVector(x + b.row, b.dim) =
        AnyVector(local_.data() + b.row, b.dim) - AnySquare(stiffness_.data() + b.diagonal, b.dim, b.dim) * v;
  }
}

void SegmentSystem::multiply(std::span<const double> x, std::span<double> product) {
  const ContactProblem& p = *problem_;
  p.contact_velocity(x, product, right_);
  for (std::size_t k = 0; k < product.size(); ++k) product[k] -= p.b[k];
}

}   // namespace stickslip
