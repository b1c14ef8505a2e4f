// Blocked Gauss–Seidel: groups of contacts solved together, by any small solver; joints as one linear system.
#pragma once

#include <memory>

#include "stickslip/solve/ordering.h"

namespace stickslip {

/// Blocked Gauss–Seidel [course §3.2.4, Alg. 8]: for one group of blocks after the other, all others standing still, solve
///
///   v_G = W_GG λ_G + (v − W_GG λ)_G   with the contact conditions of the group.
///
/// A group is one contact, all contacts of one pair of bodies, one layer of the contact graph (src/solve/contact_graph.h), or
/// everything. It is solved
///   exact     to the last digit on the boxed model by principal pivoting; groups of more than 96 rows, or that pivoting fails
///             on, by sweeps instead
///   sweeps    with `sub_iterations` sweeps of projected Gauss–Seidel
///   NAME      with `sub_iterations` iterations of any other solver of the table. The whole then solves the model of that
///             solver: with an exact one, Coulomb's law.
/// Joints (bilateral blocks) are one group of their own, solved as a linear system before the contacts: directly with a sparse
/// factorisation made once, or by preconditioned conjugate gradients, which need a symmetric W. Where a group or the joints are
/// not solved as asked for, the notes of the report say so.
///
/// Where W is a matrix bodies are unknown, and a pair is one contact.
///
/// Groups are visited in their own order, or where an ordering (solve/ordering.h) has the first of their rows. Within a group
/// order counts for `sub_solver=sweeps` alone.
///
/// `scheme=jacobi` is blocked Jacobi [course §3.2.4]: all groups are solved against the same impulses, and each then goes a
/// part
/// ω of its way δ. With ω = 1 that diverges where groups share bodies. By default ω_g is 1 over the largest number of groups
/// that a group which g acts on acts on, itself among them. For a symmetric positive semi-definite W
///
///   Σ_gh ω_g ω_h δ_gᵀ W_gh δ_h ≤ Σ_g ω_g δ_gᵀ W_gg δ_g Σ_h ω_h   with sums over the h that g acts on, of at most 1,
///
/// so that no iteration raises ½λᵀWλ + bᵀλ of the normal problem.
class BlockedGaussSeidel final : public ContactSolver {
 public:
  struct Options {
    std::string block = "pair";
    std::string sub_solver = "exact";
    int sub_iterations = 10;
    std::string joints = "direct";
    std::string scheme = "gauss-seidel";
    double relaxation = 0;
    OrderingOptions order;   ///< of the groups

    template <class Visitor>
    void visit(Visitor&& v) {
      v("block", block, "contact, pair (all contacts of two bodies), layer (one distance from the unmoving world) or all");
      v("sub_solver", sub_solver, "exact (pivoting), sweeps (projected Gauss–Seidel) or the name of another solver");
      v("sub_iterations", sub_iterations, "≥ 1: iterations of the sub-solver per visit");
      v("joints", joints, "direct (sparse factorisation), pcg (conjugate gradients) or block (joints like contacts)");
      v("scheme", scheme, "gauss-seidel: one group after the other; jacobi: all from the same impulses");
      v("relaxation", relaxation,
        "ω of scheme=jacobi in (0, 1]: how far a group goes to its solution; 0: so far that it cannot diverge");
      order.visit(v);
    }
  };

  explicit BlockedGaussSeidel(Options);   ///< @throws Error for an unknown choice or a number out of range
  ~BlockedGaussSeidel() override;
  std::string_view name() const override { return "bgs"; }
  FrictionModel model() const override;
  std::string_view cannot_solve(const ContactProblem&) const override;
  std::string_view cannot_honour(const FrictionSet&) const override;
  std::string_view cannot_hold(BlockKind) const override;

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  struct Groups;
  void prepare_groups(const ContactProblem&, const BlockMatrix&, Groups&) const;
  void prepare_joints(const ContactProblem&, const BlockMatrix&, Groups&) const;
  double relax(const ContactProblem&, std::span<const std::uint32_t> blocks, double part, std::span<double> impulses,
               Workspace&) const;
  double sweep_together(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const;
  double sweep_in_turn(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const;
  double visit_group(const ContactProblem&, std::size_t group, std::span<double> impulses, Workspace&, SolveMonitor&) const;
  double visit_joints(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const;

  Options options_;
  std::unique_ptr<ContactSolver> sub_solver_;   ///< null for exact and sweeps
};

}   // namespace stickslip
