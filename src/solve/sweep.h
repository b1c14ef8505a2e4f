// What Gauss–Seidel solvers share: the state (λ, w = Gᵀλ) and a sweep over all blocks with a local rule.
#pragma once

#include "problem/kernels.h"
#include "solve/acceleration.h"
#include "stickslip/solve/solver.h"

namespace stickslip {

/// What a rule sees of one block: everything by pointer, so that it reads only what it needs.
template <int D>
struct BlockView {
  std::uint32_t index;         ///< of the block in the problem
  std::uint32_t row;           ///< its first row
  const double* w;             ///< W_ii, D × D, column-major
  RowSet rows = RowSet::all;   ///< which of them to change, if it is a contact with friction
};

/// Visits the blocks of one batch in order: computes v = Gw + Σλ + b, lets `rule(view, v, λ)` change λ, and updates w.
/// The impulses are extrapolated as `momentum` says just before the block is visited; w has been before the sweep. The rule
/// returns how far it moved, max |Δλ_k| W_kk [m/s]; the largest of these is the result.
template <int D, int A, bool Compliant, class Rule>
requires(A > 0) [[gnu::noinline]] double sweep_batch(const ContactProblem& p, const Batch& batch, double* impulses,
                                                     double* velocity, Momentum& momentum, const Rule& rule) {
  using Vector = kernels::BlockVector<D>;
  // In locals, so that the stores below do not make the compiler fetch them anew for every block.
  const Block* const blocks = p.blocks.data();
  const double *const jacobian = p.scaled_jacobian.data(), *const b = p.b.data(), *const sigma = p.sigma.data();
  const double* const diagonal = p.diagonal_values.data();
  double* const previous = momentum.previous;
  const double beta = momentum.beta;
  const std::uint32_t end = batch.first + batch.count;
  const RowSet rows = batch.rows;
  double largest = 0, along = 0;
  for (std::uint32_t i = batch.first; i < end; ++i) {
    const Block& block = blocks[i];
    const std::uint32_t row = block.row;
    const double* const scaled = jacobian + block.jacobian;
    kernels::LocalVelocity<A> local(p, block, velocity);
    Vector v = kernels::relative_velocity<D, A>(scaled, local), impulse, ahead, change;
    for (int k = 0; k < D; ++k) {
      const double stored = impulses[row + k];
      ahead[k] = beta * (stored - previous[row + k]);
      previous[row + k] = stored;
      change[k] = -(stored + ahead[k]);
      impulse[k] = stored + ahead[k];
      v[k] += b[row + k];
      if constexpr (Compliant) v[k] += sigma[row + k] * impulse[k];
    }
    largest = std::max(largest, rule(BlockView<D>{i, row, diagonal + block.diagonal, rows}, v, impulse));
    for (int k = 0; k < D; ++k) {
      change[k] += impulse[k];
      along += change[k] * ahead[k];
      impulses[row + k] = impulse[k];
    }
    kernels::push<D, A>(scaled, change, local);
    local.write(velocity);
  }
  momentum.along += along;
  return largest;
}

/// The same where W is a matrix: v = Σⱼ W_ij λⱼ + Σλ + b. The impulses have been extrapolated before the sweep.
template <int D, int A, bool Compliant, class Rule>
requires(A == 0) [[gnu::noinline]] double sweep_batch(const ContactProblem& p, const Batch& batch, double* impulses, double*,
                                                      Momentum& momentum, const Rule& rule) {
  using Vector = kernels::BlockVector<D>;
  double largest = 0, along = 0;
  for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
    const Block& block = p.blocks[i];
    const std::uint32_t row = block.row;
    Vector impulse, v = kernels::gathered_velocity<D>(p.matrix, i, impulses);
    for (int k = 0; k < D; ++k) {
      impulse[k] = impulses[row + k];
      v[k] += p.b[row + k];
      if constexpr (Compliant) v[k] += p.sigma[row + k] * impulse[k];
    }
    largest = std::max(largest, rule(BlockView<D>{i, row, p.diagonal_values.data() + block.diagonal, batch.rows}, v, impulse));
    for (int k = 0; k < D; ++k) {
      along += (impulse[k] - impulses[row + k]) * momentum.ahead[row + k];
      impulses[row + k] = impulse[k];
    }
  }
  momentum.along += along;
  return largest;
}

/// The same for blocks of joints, of any arity and form of W: they are few next to contacts, or `auto` solves them directly,
/// and every instance of `sweep_batch` takes its time to compile.
template <int D, class Rule>
[[gnu::noinline]] double sweep_joint_batch(const ContactProblem& p, const Batch& batch, double* impulses, double* velocity,
                                           Momentum& momentum, const Rule& rule) {
  using Vector = kernels::BlockVector<D>;
  double largest = 0;
  for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
    const Block& block = p.blocks[i];
    const std::uint32_t row = block.row;
    Vector ahead, impulse, v;
    for (int k = 0; k < D; ++k) {
      double& stored = impulses[row + k];
      if (block.arity == 0) {   // the impulses have been extrapolated before the sweep
        ahead[k] = momentum.ahead[row + k];
      } else {
        ahead[k] = momentum.beta * (stored - momentum.previous[row + k]);
        momentum.previous[row + k] = stored;
        stored += ahead[k];
      }
      impulse[k] = stored;
      v[k] = p.b[row + k] + p.sigma[row + k] * stored;
    }
    const Vector gathered = block.arity == 0 ? kernels::gathered_velocity<D>(p.matrix, i, impulses) : Vector();
    for (int k = 0; k < D; ++k)
      v[k] = block.arity == 0 ? v[k] + gathered[k]
                              : kernels::row_velocity(p, block, static_cast<std::uint32_t>(k), velocity, v[k]);
    largest = std::max(largest, rule(BlockView<D>{i, row, p.diagonal_values.data() + block.diagonal, batch.rows}, v, impulse));
    for (int k = 0; k < D; ++k) {
      const double change = impulse[k] - impulses[row + k];
      momentum.along += change * ahead[k];
      if (block.arity > 0) kernels::push_row(p, block, static_cast<std::uint32_t>(k), change, velocity);
      impulses[row + k] = impulse[k];
    }
  }
  return largest;
}

/// Visits all blocks of `batches` in order with the rules that `rule` has for each kind of block: contact, frictionless,
/// bilateral, box. Returns how far the sweep moved [m/s].
template <class Rule>
double gauss_seidel_sweep(const ContactProblem& p, std::span<const Batch> batches, std::span<double> impulses,
                          std::span<double> velocity, Momentum& momentum, const Rule& rule) {
  double largest = 0;
  momentum.along = 0;
  const auto visit_contacts = [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    using Vector = kernels::BlockVector<D>;
    const auto compliant_sweep = [&](const auto& local_rule) {
      largest = std::max(largest, sweep_batch<D, A, true>(p, batch, impulses.data(), velocity.data(), momentum, local_rule));
    };
    if constexpr (D > 1) {
      kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
        if constexpr (Law::rows == D - 1) {
          const auto contact = [&](const BlockView<D>& block, const Vector& v, Vector& impulse) __attribute__((always_inline)) {
            const Law& law = *std::get_if<Law>(&p.laws[block.index]);
            if constexpr (!std::is_same_v<Law, PatchFriction>) return rule.template contact<D>(law, block, v, impulse);
            else if constexpr (requires { rule.patch(law, block, v, impulse); }) return rule.patch(law, block, v, impulse);
            else return 0.0;   // solvers with such a rule refuse patches
          };
          // Most contacts have circles, and most of them no Σ. One instance with Σ, which may be 0, serves all others.
          if constexpr (std::is_same_v<Law, CircularFriction>)
            if (!p.has_compliance) {
              const double moved = sweep_batch<D, A, false>(p, batch, impulses.data(), velocity.data(), momentum, contact);
              largest = std::max(largest, moved);
              return;
            }
          compliant_sweep(contact);
        }
      });
    } else {
      compliant_sweep([&](const BlockView<D>& block, const Vector& v, Vector& impulse) {
        return rule.template frictionless<D>(block, v, impulse);
      });
    }
  };
  const auto visit_joints = [&](const Batch& batch, auto rows) {
    constexpr int D = rows;
    using Vector = kernels::BlockVector<D>;
    largest = std::max(largest, sweep_joint_batch<D>(p, batch, impulses.data(), velocity.data(), momentum,
                                                     [&](const BlockView<D>& block, const Vector& v, Vector& impulse) {
                                                       return batch.kind == BlockKind::bilateral
                                                                  ? rule.template bilateral<D>(block, v, impulse)
                                                                  : rule.template box<D>(block, v, impulse);
                                                     }));
  };
  for (const Batch& batch : batches) {
    if (batch.kind == BlockKind::contact)
      kernels::with_sizes(batch.dim, batch.arity, [&](auto rows, auto arity) { visit_contacts(batch, rows, arity); });
    else kernels::with_rows(batch.dim, [&](auto rows) { visit_joints(batch, rows); });
  }
  return largest;
}

/// Row by row inside one block: λ_k ← clamp(λ_k − ω v_k / W_kk), with v kept up to date through W_ii.
/// `bounds(k, λ)` gives the pair (lower, upper) for row k. Returns how far it moved [m/s].
template <int D, class Bounds>
double relax_rows(double relaxation, const BlockView<D>& block, Eigen::Matrix<double, D, 1> v,
                  Eigen::Matrix<double, D, 1>& impulse, Bounds&& bounds) {
  double moved = 0;
  for (int k = 0; k < D; ++k) {
    if (block.rows != RowSet::all && (block.rows == RowSet::normal) != (k == 0)) continue;
    const double diagonal = block.w[k * (D + 1)];
    if (!(diagonal > 0)) continue;
    const auto [lower, upper] = bounds(k, impulse);
    const double next = std::min(std::max(impulse[k] - relaxation * v[k] / diagonal, lower), upper);
    const double change = next - impulse[k];
    for (int i = 0; i < D; ++i) v[i] += block.w[D * k + i] * change;
    impulse[k] = next;
    moved = std::max(moved, std::abs(change) * diagonal);
  }
  return moved;
}

/// All blocks in the order given.
template <class Rule>
double gauss_seidel_sweep(const ContactProblem& p, std::span<double> impulses, std::span<double> velocity, Momentum& momentum,
                          const Rule& rule) {
  return gauss_seidel_sweep(p, p.batches, impulses, velocity, momentum, rule);
}

}   // namespace stickslip
