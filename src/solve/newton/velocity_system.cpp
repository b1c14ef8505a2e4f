#include "solve/newton/velocity_system.h"

#include <algorithm>
#include <cmath>

#include "problem/kernels.h"

namespace stickslip {

namespace {

template <int D>
using Square = Eigen::Map<Eigen::Matrix<double, D, D>>;
template <int D>
using Slot = Eigen::Map<const Eigen::Matrix<double, kRigidSize, D>>;   ///< Gᵀ of one segment of a block
template <int D>
using Rows = Eigen::Map<Eigen::Matrix<double, D, 1>>;
using Body = Eigen::Map<Eigen::Matrix<double, kRigidSize, 1>>;

/// Calls f(rows, block, slots) for every block; `slots(s)` is Gᵀ of its segment s.
template <class F>
void each_block(const ContactProblem& p, const std::vector<double>& numbers, F&& f) {
  for (const Block& b : p.blocks)
    kernels::with_rows(b.dim, [&](auto rows) {
      constexpr int D = rows;
      f(rows, b, [&](std::uint32_t s) { return Slot<D>(numbers.data() + b.jacobian + kRigidSize * D * s); });
    });
}

}   // namespace

void VelocitySystem::set_up(const ContactProblem& p) {
  problem_ = &p;
  for (std::vector<double>* v : {&local_, &rest_, &correction_}) v->resize(p.rows());
  rigid_ = p.inertia_factors.size() == p.segments.size();
  if (!rigid_) {
    others_.set_up(p);
    return;
  }
  bodies_.analyze(p);
  rows_.resize(p.scaled_jacobian.size());
  for (const Block& b : p.blocks) kernels::copy_scaled(p, b, rows_.data() + b.jacobian);
  inverse_.resize(p.diagonal_values.size());
  stiffness_.resize(p.diagonal_values.size());
  y_.resize(p.velocity_size());
}

bool VelocitySystem::factor(const Linearisation& l) {
  if (!rigid_) return others_.factor(l);
  const ContactProblem& p = *problem_;
  bool symmetric = true, regular = true;
  each_block(p, rows_, [&](auto rows, const Block& b, auto&&) {
    constexpr int D = rows;
    const auto i = static_cast<std::size_t>(&b - p.blocks.data());
    const Eigen::Map<const Eigen::Matrix<double, D, D>> a(l.a.data() + l.first_a[i]), by_velocity(l.b.data() + l.first_b[i]);
    const Eigen::Matrix<double, D, D> c =
        a + by_velocity * Eigen::Map<const Eigen::Matrix<double, D, 1>>(p.sigma.data() + b.row).asDiagonal();
    Square<D> inverse(inverse_.data() + b.diagonal), stiffness(stiffness_.data() + b.diagonal);
    if constexpr (D == 1) inverse(0, 0) = 1 / c(0, 0);
    else if constexpr (D <= 4) inverse = c.inverse();
    else inverse = c.partialPivLu().inverse();
    stiffness.noalias() = inverse * by_velocity;
    regular = regular && stiffness.allFinite() && inverse.allFinite();
    symmetric =
        symmetric && (stiffness - stiffness.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * stiffness.cwiseAbs().maxCoeff();
  });
  if (!regular) return false;
  bodies_.set_identity();
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    const Square<D> stiffness(stiffness_.data() + b.diagonal);
    if ((stiffness.array() == 0).all()) return;   // open
    const auto segments = p.segments_of(b);
    for (std::uint32_t s = 0; s < b.arity; ++s) {
      const Eigen::Matrix<double, kRigidSize, D> pushed = slot(s).lazyProduct(stiffness);
      for (std::uint32_t t = 0; t < b.arity; ++t) {
        if (symmetric && bodies_.is_upper(segments[s], segments[t])) continue;
        const Eigen::Matrix<double, kRigidSize, kRigidSize> product = pushed.lazyProduct(slot(t).transpose());
        bodies_.add(segments[s], segments[t], product.data());
      }
    }
  });
  return bodies_.factor(symmetric);
}

/// x = H⁻¹ phi but for rounding that C⁻¹ magnifies.
void VelocitySystem::eliminate(const double* phi, double* x) {
  if (!rigid_) return others_.eliminate(phi, x);
  const ContactProblem& p = *problem_;
  std::fill(y_.begin(), y_.end(), 0.0);
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    Rows<D> local(local_.data() + b.row);
    local.noalias() = Square<D>(inverse_.data() + b.diagonal) * Eigen::Map<const Eigen::Matrix<double, D, 1>>(phi + b.row);
    for (std::uint32_t s = 0; s < b.arity; ++s) Body(y_.data() + p.offset(p.segments_of(b)[s])).noalias() += slot(s) * local;
  });
  bodies_.solve(y_);
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    Eigen::Matrix<double, D, 1> v = Eigen::Matrix<double, D, 1>::Zero();
    for (std::uint32_t s = 0; s < b.arity; ++s)
      v.noalias() += slot(s).transpose() * Body(y_.data() + p.offset(p.segments_of(b)[s]));
    Rows<D>(x + b.row) = Rows<D>(local_.data() + b.row) - Square<D>(stiffness_.data() + b.diagonal) * v;
  });
}

void VelocitySystem::multiply(std::span<const double> x, std::span<double> product) {
  if (!rigid_) return others_.multiply(x, product);
  const ContactProblem& p = *problem_;
  std::fill(y_.begin(), y_.end(), 0.0);
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    for (std::uint32_t s = 0; s < b.arity; ++s)
      Body(y_.data() + p.offset(p.segments_of(b)[s])).noalias() +=
          slot(s) * Eigen::Map<const Eigen::Matrix<double, D, 1>>(x.data() + b.row);
  });
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    Rows<D> v(product.data() + b.row);
    v = Eigen::Map<const Eigen::Matrix<double, D, 1>>(p.sigma.data() + b.row)
            .cwiseProduct(Eigen::Map<const Eigen::Matrix<double, D, 1>>(x.data() + b.row));
    for (std::uint32_t s = 0; s < b.arity; ++s)
      v.noalias() += slot(s).transpose() * Body(y_.data() + p.offset(p.segments_of(b)[s]));
  });
}

bool VelocitySystem::solve(const Linearisation& l, std::span<const double> phi, std::span<double> x) {
  const ContactProblem& p = *problem_;
  eliminate(phi.data(), x.data());
  multiply(x, rest_);
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& b = p.blocks[i];
    kernels::with_rows(b.dim, [&](auto rows) {
      constexpr int D = rows;
      using Fixed = Eigen::Map<const Eigen::Matrix<double, D, D>>;
      const Rows<D> mine(x.data() + b.row);
      Rows<D> rest(rest_.data() + b.row);
      rest = (Eigen::Map<const Eigen::Matrix<double, D, 1>>(phi.data() + b.row) - Fixed(l.a.data() + l.first_a[i]) * mine -
              Fixed(l.b.data() + l.first_b[i]) * rest)
                 .eval();
    });
  }
  eliminate(rest_.data(), correction_.data());
  bool finite = true;
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] += correction_[k];
    finite = finite && std::isfinite(x[k]);
  }
  return finite;
}

}   // namespace stickslip
