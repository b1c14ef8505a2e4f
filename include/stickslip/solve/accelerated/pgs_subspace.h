// Projected Gauss–Seidel with subspace minimisation.
#pragma once

#include "stickslip/solve/ordering.h"

namespace stickslip {

/// PGS-SM on the boxed model [course §3.2.6, Alg. 9; thesis C].
///
/// One iteration has two phases. First `sweeps` sweeps of projected Gauss–Seidel guess which rows sit at a bound: friction
/// bounds are those of the current normal impulses. Then up to `subspace` times the rows between their bounds, F, are solved
/// for v_F = 0 directly with the others held,
///
///   (W_FF + γ diag W_FF) Δ_F = −v_F,   λ_F ← λ_F + Δ_F,
///
/// the bounds follow the new normal impulses, and λ is projected on them. γ makes redundant sets solvable and is refined
/// away, so it does not soften the contacts as it does in the paper.
///
/// A wrong guess of F can make the merit (the residual of the boxed model) jump. The iteration therefore goes on from the
/// best of all its subspace iterates and the one of the sweeps: never worse than the sweeps alone. When no subspace iterate
/// was better, the next iteration sweeps twice as long, up to 16 times, for a better guess.
///
/// Beyond the paper, sweeps are extrapolated, and a row belongs to F if λ − v / W_ii lies between its bounds rather than λ:
/// the direct solves can let go of a bound, not only reach one.
class PgsSubspace final : public ContactSolver {
 public:
  struct Options {
    int sweeps = 10;
    int subspace = 5;
    double regularisation = 1e-9;
    int sparse_threshold = 200;
    bool accelerate = true;
    bool release = true;
    OrderingOptions order;   ///< of the sweeps

    template <class Visitor>
    void visit(Visitor&& v) {
      v("sweeps", sweeps, "sweeps of projected Gauss–Seidel per iteration, ≥ 1");
      v("subspace", subspace, "direct solves on the free rows per iteration, ≥ 1");
      v("regularisation", regularisation, "γ ≥ 0, relative to the diagonal of W");
      v("sparse_threshold", sparse_threshold, "more free rows than this are factorised sparsely, ≥ 0");
      v("accelerate", accelerate, "extrapolate between sweeps (Nesterov); false as in the paper");
      v("release", release, "let go of rows at a bound that v pulls away from it; false as in the paper: only sweeps let go");
      order.visit(v);
    }
  };

  explicit PgsSubspace(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "pgs-sm"; }
  FrictionModel model() const override { return FrictionModel::boxed; }
  std::string_view cannot_solve(const ContactProblem& problem) const override { return options_.order.cannot_order(problem); }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
