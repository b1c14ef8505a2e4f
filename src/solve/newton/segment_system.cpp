#include "solve/newton/segment_system.h"

#include "problem/kernels.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

using AnySquare = Eigen::Map<Eigen::MatrixXd>;
using AnyVector = Eigen::Map<Eigen::VectorXd>;
using ConstAnyVector = Eigen::Map<const Eigen::VectorXd>;

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
void SegmentSystem::add_stiffness(const Block& b, const Eigen::MatrixXd& stiffness) {
  const ContactProblem& p = *problem_;
  using Slot = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const double* left = rows_.data() + b.jacobian;
  for (const std::uint32_t s : p.segments_of(b)) {
    const Eigen::MatrixXd pushed = Slot(left, b.dim, p.segments[s].size).transpose() * stiffness;
    const double* right = rows_.data() + b.jacobian;
    for (const std::uint32_t t : p.segments_of(b)) {
      const Eigen::MatrixXd product = pushed * Slot(right, b.dim, p.segments[t].size);
      segments_.add(s, t, product.data());
      right += std::size_t{b.dim} * p.segments[t].size;
    }
    left += std::size_t{b.dim} * p.segments[s].size;
  }
}

bool SegmentSystem::factor(const Linearisation& l) {
  const ContactProblem& p = *problem_;
  segments_.reset();
  is_symmetric_ = true;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& b = p.blocks[i];
    const Eigen::Map<const Eigen::MatrixXd> a(l.a.data() + l.first_a[i], b.dim, b.dim),
        by_velocity(l.b.data() + l.first_b[i], b.dim, b.dim);
    const Eigen::MatrixXd c = a + by_velocity * ConstAnyVector(p.sigma.data() + b.row, b.dim).asDiagonal();
    const Eigen::MatrixXd inverse = c.partialPivLu().inverse(), stiffness = inverse * by_velocity;
    if (!inverse.allFinite() || !stiffness.allFinite()) return false;
    AnySquare(inverse_.data() + b.diagonal, b.dim, b.dim) = inverse;
    AnySquare(stiffness_.data() + b.diagonal, b.dim, b.dim) = stiffness;
    if ((stiffness.array() == 0).all()) continue;   // open
    is_symmetric_ =
        is_symmetric_ && (stiffness - stiffness.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * stiffness.cwiseAbs().maxCoeff();
    add_stiffness(b, stiffness);
  }
  if (is_symmetric_ && symmetric_.factor(segments_.matrix())) return true;
  is_symmetric_ = false;
  if (!general_analysed_) {
    general_.analyze(segments_.matrix(), false);
    general_analysed_ = true;
  }
  return general_.factor(segments_.matrix());
}

void SegmentSystem::eliminate(const double* phi, double* x) {
  const ContactProblem& p = *problem_;
  for (const Block& b : p.blocks)
    AnyVector(local_.data() + b.row, b.dim) =
        AnySquare(inverse_.data() + b.diagonal, b.dim, b.dim) * ConstAnyVector(phi + b.row, b.dim);
  std::fill(right_.begin(), right_.end(), 0.0);
  p.add_scaled_velocity(local_, right_);
  (is_symmetric_ ? symmetric_ : general_).solve(right_.data(), y_.data());
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
