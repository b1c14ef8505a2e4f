// Gauss–Seidel sweeps that solve every block exactly while the others stand still, compiled once for the solvers built on them.
#pragma once

#include "solve/exact/local_contact.h"
#include "solve/acceleration.h"

namespace stickslip {

/// What the sweeps need of the diagonal blocks, computed once per problem.
struct ExactBlocks {
  std::vector<LocalContact> contacts;   ///< per block; used for circular friction
  std::vector<double> inverses;         ///< W_ii⁻¹ of bilateral blocks, laid out as `diagonal_values`
  std::vector<std::uint32_t> visitors;  ///< blocks that act on each segment, of a factored problem

  /// @param proximal α ≥ 0: A = W_ii + α tr(W_ii)/dim I. Keeps redundant contacts from cycling; the fixed points stay. A block
  /// that touches no other gets none: one visit solves it.
  void prepare(const ContactProblem&, double proximal);
};

/// One sweep over the runs of an ordering. Returns how far it moved, max |Δλ_k| W_kk [m/s].
double exact_sweep(const ContactProblem&, const ExactBlocks&, std::span<const Batch>, std::span<double> impulses, std::span<double> velocity,
                   Momentum&);

}  // namespace stickslip
