// What Gauss–Seidel solvers share: the state (λ, w = Gᵀλ) and a sweep over all blocks with a local rule.
#pragma once

#include "problem/kernels.h"
#include "stickslip/solve/solver.h"

namespace stickslip {

/// Sets workspace.velocity to w = Gᵀλ, the mass-scaled velocity that the impulses cause.
inline void compute_velocity(const ContactProblem& p, std::span<const double> impulses, Workspace& workspace) {
  workspace.velocity.assign(6 * p.segments.size(), 0.0);
  p.add_scaled_velocity(impulses, workspace.velocity);
}

/// Visits every block in order: computes v = Gw + Σλ + b, lets `rule` turn (v, λ) into new impulses, and updates w.
/// `rule` is called as rule(block index, block, law tag or nothing, W_ii, v, λ) and changes λ in place.
/// Returns max |Δλ_k| W_kk: how far the sweep moved [m/s].
template <class Rule>
double gauss_seidel_sweep(const ContactProblem& p, std::span<double> impulses, std::span<double> velocity, Rule&& rule) {
  double largest = 0;
  kernels::visit_batches(p, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    using Vector = kernels::BlockVector<D>;
    using Map = Eigen::Map<const Vector>;
    const auto sweep = [&](auto&& local_rule) {
      for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
        const Block& block = p.blocks[i];
        const double* scaled = p.scaled_jacobian.data() + block.jacobian;
        kernels::LocalVelocity<A> local(block.segment, velocity.data());
        const Vector old = Map(impulses.data() + block.row);
        const Vector v = kernels::relative_velocity<D, A>(scaled, local) + Map(p.b.data() + block.row) +
                         Map(p.sigma.data() + block.row).cwiseProduct(old);
        const Eigen::Map<const Eigen::Matrix<double, D, D>> w(p.diagonal_values.data() + block.diagonal);
        Vector impulse = old;
        local_rule(i, block, w, v, impulse);
        Eigen::Map<Vector>(impulses.data() + block.row) = impulse;
        const Vector change = impulse - old;
        double moved = 0;
        for (int k = 0; k < D; ++k) moved = std::max(moved, std::abs(change[k]) * w(k, k));
        if (moved == 0) continue;
        largest = std::max(largest, moved);
        kernels::push<D, A>(scaled, change, local);
        local.write(block.segment, velocity.data());
      }
    };
    if (batch.kind == BlockKind::contact && D > 1) {
      kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
        if constexpr (Law::rows == D - 1)
          sweep([&](std::uint32_t i, const Block& block, const auto& w, const Vector& v, Vector& impulse) {
            rule.template contact<D>(std::get<Law>(p.laws[i]), block, w, v, impulse);
          });
      });
    } else if (batch.kind == BlockKind::contact) {
      sweep([&](std::uint32_t, const Block& block, const auto& w, const Vector& v, Vector& impulse) {
        rule.template frictionless<D>(block, w, v, impulse);
      });
    } else if (batch.kind == BlockKind::bilateral) {
      sweep([&](std::uint32_t, const Block& block, const auto& w, const Vector& v, Vector& impulse) {
        rule.template bilateral<D>(block, w, v, impulse);
      });
    } else {
      sweep([&](std::uint32_t, const Block& block, const auto& w, const Vector& v, Vector& impulse) {
        rule.template box<D>(block, w, v, impulse);
      });
    }
  });
  return largest;
}

/// Row by row inside one block: λ_k ← clamp(λ_k − ω v_k / W_kk), with v kept up to date through W_ii.
/// `bounds(k, λ)` gives the pair (lower, upper) for row k.
template <int D, class Matrix, class Bounds>
void relax_rows(double relaxation, const Matrix& w, Eigen::Matrix<double, D, 1> v, Eigen::Matrix<double, D, 1>& impulse,
                Bounds&& bounds) {
  for (int k = 0; k < D; ++k) {
    if (!(w(k, k) > 0)) continue;
    const auto [lower, upper] = bounds(k, impulse);
    const double next = std::min(std::max(impulse[k] - relaxation * v[k] / w(k, k), lower), upper);
    v += w.col(k) * (next - impulse[k]);
    impulse[k] = next;
  }
}

}  // namespace stickslip
