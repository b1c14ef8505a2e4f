#include "solve/newton/velocity_system.h"

#include <algorithm>
#include <cmath>

#include "math/small_matrices.h"
#include "problem/kernels.h"

namespace stickslip {

namespace {

/// Part of the equation that a solve with other segments than rigid bodies may leave: it is no more than a step towards the
/// solution, and refining it costs half of a step.
constexpr double kExactEnough = 1e-4;

// Plain loops: of matrices of Eigen every size and every kind of product would take its time to compile. A square matrix of a
// block is column-major; Gᵀ of one of its segments has six numbers for every row.

/// y = M x
template <int D>
void multiply_square(const double* m, const double* x, double* y) {
  for (int i = 0; i < D; ++i) y[i] = m[i] * x[0];
  for (int k = 1; k < D; ++k)
    for (int i = 0; i < D; ++i) y[i] += m[D * k + i] * x[k];
}

/// y += Gᵀ x of one segment.
template <int D>
void push_segment(const double* g, const double* x, double* y) {
  double sum[kRigidSize];
  for (int c = 0; c < kRigidSize; ++c) sum[c] = g[c] * x[0];
  for (int k = 1; k < D; ++k)
    for (int c = 0; c < kRigidSize; ++c) sum[c] += g[kRigidSize * k + c] * x[k];
  for (int c = 0; c < kRigidSize; ++c) y[c] += sum[c];
}

/// v += G y of one segment.
template <int D>
void pull_segment(const double* g, const double* y, double* v) {
  for (int k = 0; k < D; ++k) {
    double sum = 0;
    for (int c = 0; c < kRigidSize; ++c) sum += g[kRigidSize * k + c] * y[c];
    v[k] += sum;
  }
}

/// C⁻¹ and C⁻¹ B with C = A + B Σ. @return whether all numbers are finite
template <int D>
bool make_stiffness(const double* a, const double* b, const double* sigma, double* inverse, double* stiffness) {
  Eigen::Matrix<double, D, D> c;
  for (int k = 0; k < D; ++k)
    for (int i = 0; i < D; ++i) c(i, k) = a[D * k + i] + b[D * k + i] * sigma[k];
  if constexpr (D == 1) {
    inverse[0] = 1 / c(0, 0);
  } else if constexpr (D <= 4) {
    const Eigen::Matrix<double, D, D> inverted = c.inverse();
    std::copy(inverted.data(), inverted.data() + D * D, inverse);
  } else {
    if (!invert(D, c.data(), inverse)) return false;
  }
  for (int k = 0; k < D; ++k) multiply_square<D>(inverse, b + D * k, stiffness + D * k);
  bool finite = true;
  for (int k = 0; k < D * D; ++k) finite = finite && std::isfinite(inverse[k]) && std::isfinite(stiffness[k]);
  return finite;
}

double norm(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())).norm();
}

template <int D>
bool is_symmetric(const double* m) {
  double size = 0, difference = 0;
  for (int k = 0; k < D; ++k)
    for (int i = 0; i < D; ++i) {
      size = std::max(size, std::abs(m[D * k + i]));
      difference = std::max(difference, std::abs(m[D * k + i] - m[D * i + k]));
    }
  return difference <= 1e-12 * size;
}

/// G_aᵀ S, six numbers for every row.
template <int D>
void multiply_slot(const double* g, const double* stiffness, double* pushed) {
  for (int k = 0; k < D; ++k) {
    double sum[kRigidSize] = {};
    for (int i = 0; i < D; ++i)
      for (int c = 0; c < kRigidSize; ++c) sum[c] += g[kRigidSize * i + c] * stiffness[D * k + i];
    std::copy(sum, sum + kRigidSize, pushed + kRigidSize * k);
  }
}

/// G_aᵀ S G_b from that, column-major.
template <int D>
void multiply_slots(const double* pushed, const double* g, double* product) {
  for (int c = 0; c < kRigidSize; ++c) {
    double sum[kRigidSize] = {};
    for (int k = 0; k < D; ++k)
      for (int r = 0; r < kRigidSize; ++r) sum[r] += pushed[kRigidSize * k + r] * g[kRigidSize * k + c];
    std::copy(sum, sum + kRigidSize, product + kRigidSize * c);
  }
}

/// Calls f(rows, block, slots) for every block; `slots(s)` is Gᵀ of its segment s.
template <class F>
void each_block(const ContactProblem& p, const std::vector<double>& numbers, F&& f) {
  for (const Block& b : p.blocks)
    kernels::with_rows(b.dim, [&](auto rows) {
      constexpr int D = rows;
      f(rows, b, [&](std::uint32_t s) { return numbers.data() + b.jacobian + kRigidSize * D * s; });
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
    double* const stiffness = stiffness_.data() + b.diagonal;
    regular = regular && make_stiffness<D>(l.a.data() + l.first_a[i], l.b.data() + l.first_b[i], p.sigma.data() + b.row,
                                           inverse_.data() + b.diagonal, stiffness);
    symmetric = symmetric && is_symmetric<D>(stiffness);
  });
  if (!regular) return false;
  bodies_.set_identity();
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    const double* const stiffness = stiffness_.data() + b.diagonal;
    if (std::all_of(stiffness, stiffness + D * D, [](double x) { return x == 0; })) return;   // open
    const auto segments = p.segments_of(b);
    double pushed[kRigidSize * D], product[kRigidSize * kRigidSize];
    for (std::uint32_t s = 0; s < b.arity; ++s) {
      multiply_slot<D>(slot(s), stiffness, pushed);
      for (std::uint32_t t = 0; t < b.arity; ++t) {
        if (symmetric && bodies_.is_upper(segments[s], segments[t])) continue;
        multiply_slots<D>(pushed, slot(t), product);
        bodies_.add(segments[s], segments[t], product);
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
    double* const local = local_.data() + b.row;
    multiply_square<D>(inverse_.data() + b.diagonal, phi + b.row, local);
    for (std::uint32_t s = 0; s < b.arity; ++s) push_segment<D>(slot(s), local, y_.data() + p.offset(p.segments_of(b)[s]));
  });
  bodies_.solve(y_);
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    double v[D] = {}, back[D];
    for (std::uint32_t s = 0; s < b.arity; ++s) pull_segment<D>(slot(s), y_.data() + p.offset(p.segments_of(b)[s]), v);
    multiply_square<D>(stiffness_.data() + b.diagonal, v, back);
    for (int k = 0; k < D; ++k) x[b.row + k] = local_[b.row + k] - back[k];
  });
}

void VelocitySystem::multiply(std::span<const double> x, std::span<double> product) {
  if (!rigid_) return others_.multiply(x, product);
  const ContactProblem& p = *problem_;
  std::fill(y_.begin(), y_.end(), 0.0);
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    for (std::uint32_t s = 0; s < b.arity; ++s)
      push_segment<D>(slot(s), x.data() + b.row, y_.data() + p.offset(p.segments_of(b)[s]));
  });
  each_block(p, rows_, [&](auto rows, const Block& b, auto&& slot) {
    constexpr int D = rows;
    double v[D];
    for (int k = 0; k < D; ++k) v[k] = p.sigma[b.row + k] * x[b.row + k];
    for (std::uint32_t s = 0; s < b.arity; ++s) pull_segment<D>(slot(s), y_.data() + p.offset(p.segments_of(b)[s]), v);
    std::copy(v, v + D, product.data() + b.row);
  });
}

bool VelocitySystem::solve(const Linearisation& l, std::span<const double> phi, std::span<double> x) {
  const ContactProblem& p = *problem_;
  eliminate(phi.data(), x.data());
  multiply(x, rest_);
  if (!rigid_) product_ = rest_;   // through carriers it is dear
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& b = p.blocks[i];
    kernels::with_rows(b.dim, [&](auto rows) {
      constexpr int D = rows;
      double by_impulse[D], by_velocity[D];
      multiply_square<D>(l.a.data() + l.first_a[i], x.data() + b.row, by_impulse);
      multiply_square<D>(l.b.data() + l.first_b[i], rest_.data() + b.row, by_velocity);
      for (int k = 0; k < D; ++k) rest_[b.row + k] = phi[b.row + k] - by_impulse[k] - by_velocity[k];
    });
  }
  if (!rigid_ && norm(rest_) <= kExactEnough * norm(phi)) return true;
  product_.clear();
  eliminate(rest_.data(), correction_.data());
  bool finite = true;
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] += correction_[k];
    finite = finite && std::isfinite(x[k]);
  }
  return finite;
}

}   // namespace stickslip
