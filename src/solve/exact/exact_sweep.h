// Gauss–Seidel sweeps that solve every block exactly while the others stand still, compiled once for the solvers built on them.
// Of contacts with more than two friction rows they can instead take one proximal step, at a third to a tenth of the cost.
#pragma once

#include "solve/acceleration.h"
#include "solve/exact/local_contact.h"
#include "solve/exact/local_set.h"

namespace stickslip {

/// What a visit does to a contact with more than two friction rows (torsion,
/// rolling) that touches others. All others are solved exactly.
enum class ManyRows {
  exact,
  proximal_step,   ///< λ_f ← P(λ_n − v_n/A_nn, λ_f − r v_f), v_f after the push: see docs/solvers/exact.md for what that saves
};

/// What the sweeps need of the diagonal blocks, computed once per problem.
struct ExactBlocks {
  std::vector<LocalContact> contacts;   ///< per block; used for circles, and for ellipses in units of their axes
  /// A⁻¹ of bilateral blocks and of contacts with other friction sets, laid out as `diagonal_values`
  std::vector<double> inverses;
  std::vector<double> matrices;   ///< A of contacts with other friction sets, laid out as `diagonal_values`
  struct Set {
    double friction_mass = 0;   ///< see LocalMatrix [kg]
    bool one_step = false;      ///< a visit takes one proximal step
  };
  std::vector<Set> sets;                 ///< per block; of contacts with other friction sets
  std::vector<std::uint32_t> visitors;   ///< blocks that act on each segment, of a factored problem
  std::vector<char> is_alone;            ///< per block; it touches no other: no visit after the first changes it

  /// @param proximal α ≥ 0: A = W_ii + α tr(W_ii)/dim I. Keeps redundant contacts from cycling; the fixed points stay. A block
  /// that touches no other gets none: one visit solves it. Patches get a part of it.
  void prepare(const ContactProblem&, double proximal, ManyRows = ManyRows::exact);

  std::size_t unsolved = 0;   ///< visits since then that did not solve their contact to rounding: see solve_contact

 private:
  void prepare_set(const ContactProblem&, std::size_t block, double shift, bool one_step);
};

/// One sweep over the runs of an ordering. Returns how far it moved what another sweep may move again, max |Δλ_k| W_kk [m/s]:
/// blocks that touch no other are where they stay, and do not count.
double exact_sweep(const ContactProblem&, ExactBlocks&, std::span<const Batch>, std::span<double> impulses,
                   std::span<double> velocity, Momentum&);

}   // namespace stickslip
