// Staggered projections: normal impulses and friction impulses in turn, each as a convex problem of its own.
#pragma once

#include <string>

#include "stickslip/solve/ordering.h"

namespace stickslip {

/// Staggering [course §3.2.5; Kaufman et al. 2008].
///
/// One iteration solves two quadratic programs, each convex where W is symmetric:
///
///   normal:    λ_N = argmin ½ xᵀ W_NN x + xᵀ (b_N + W_NF λ_F)   over x ≥ 0
///   friction:  λ_F = argmin ½ xᵀ W_FF x + xᵀ (b_F + W_FN λ_N)   over x_i ∈ Fᵢ(λ_N,i)
///
/// The friction sets are the exact ones of the law, or their boxes, or polygons inside them, so a fixed point solves the exact,
/// boxed or polyhedral problem. The program on a polygon is the LCP in the impulses along its corners and the slack β
/// [course (162)], whose slack its multiplier is.
/// Bilateral and box rows take part in both. Each program is solved by Gauss–Seidel sweeps with Nesterov's extrapolation,
/// until a sweep moves less than `inner_tolerance` times the residual before the iteration, or less than a tenth of the
/// tolerance of the solve.
///
/// The programs have solutions; whether the sequence of them converges is not known in general. It can be slow, so λ is
/// extrapolated from iteration to iteration as well (same weights and restart as between sweeps: ten and more times fewer
/// iterations on stacks). And it can cycle, typically where one contact at high friction is pressed down by its own
/// friction. When the residual has not fallen by a hundredth within `patience` iterations, the extrapolation is dropped; after
/// that the friction step is halved, λ_F ← λ_F + θ (new λ_F − λ_F), which has the same fixed points; below θ = 1/32 the
/// solver gives up as `stalled`.
class Staggered final : public ContactSolver {
 public:
  struct Options {
    std::string model = "exact";
    int directions = 8;
    double inner_tolerance = 0.2;
    int inner_sweeps = 1000;
    bool accelerate = true;
    int patience = 200;
    OrderingOptions order;   ///< of the sweeps

    template <class Visitor>
    void visit(Visitor&& v) {
      v("model", model, "exact: the friction law itself; boxed: the box around its set; polyhedral: a polygon inside it");
      v("directions", directions, "corners of the polygon of model=polyhedral, even, ≥ 4");
      v("inner_tolerance", inner_tolerance,
        "of each program, as a fraction of the residual before it, in [0, 1); 0: to the tolerance");
      v("inner_sweeps", inner_sweeps, "at most this many sweeps per program, ≥ 1");
      v("accelerate", accelerate, "extrapolate between iterations; false as in the paper");
      v("patience", patience,
        "iterations without progress before extrapolation ends, then before each halving of the step, ≥ 1");
      order.visit(v);
    }
  };

  explicit Staggered(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "staggered"; }
  FrictionModel model() const override { return model_; }
  std::string_view cannot_honour(const FrictionSet&) const override;
  std::string_view cannot_solve(const ContactProblem& problem) const override { return options_.order.cannot_order(problem); }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
  FrictionModel model_;
};

}   // namespace stickslip
