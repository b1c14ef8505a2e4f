// Proximal Gauss–Seidel on the exact friction set.
#pragma once

#include "stickslip/solve/ordering.h"
#include "stickslip/solve/solver.h"

namespace stickslip {

/// PROX Gauss–Seidel with r-factors and rollback [prox §4, Alg. 2; course §3.4.2].
///
/// For each contact, with v = Gw + b kept up to date after every impulse that changes:
///
///   λₙ ← max(0, λₙ − rₙ vₙ),   λ_f ← prox_F(λₙ)(λ_f − r_f v_f)
///
/// `r_factor` is the strategy of [prox §4.2]:
///   local     rₙ = 1/W_nn and r_f = 1/λmax(W_ff): one number for all friction rows of a contact, since different ones would
///             turn the friction away from the slip direction
///   global    one r for all rows: the smallest of the local ones
///   blocked   rₙ = 1/W_nn, r_f = W_ff⁻¹, and the closest point in the metric of W_ff, by a few projected gradient steps. The
///             paper takes the Euclidean closest point, which has another fixed point where W_ff is not a multiple of the
///             identity: friction would no longer oppose the slip
///
/// A sweep that moves more than `growth` times as far as the best one so far is undone, all r-factors shrink by `shrink`, and
/// the best counts double, since it may have been small by chance; growth = ∞ keeps the r-factors fixed. The motion of a sweep
/// is measured in m/s, max |Δλ| W_ii, rather than in N s as in the paper, so that light and heavy bodies count alike.
///
/// Between sweeps λ is extrapolated along its last change with Nesterov's weight (k−1)/(k+2), and k starts anew when a
/// sweep moves against the extrapolation. On stacks this saves a factor of ten and more in sweeps.
/// Where two hundred sweeps and more bring no smaller one, they run in a cycle: plain sweeps follow for as long, and if those
/// cycle too, smaller r-factors.
///
/// `friction=box` takes the box around F(λₙ) for F, a product of intervals: every row is a proximal point of its own, with
/// r_k = 1/W_kk. Without rollback and acceleration that is PSOR [prox §4.2].
class ProxGaussSeidel final : public ContactSolver {
 public:
  struct Options {
    double relaxation = 1.0;
    double shrink = 0.9;
    double growth = 10.0;
    bool accelerate = true;
    std::string r_factor = "local";
    std::string friction = "law";
    OrderingOptions order;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("relaxation", relaxation, "initial r-factors as a multiple of those of the strategy, > 0");
      v("shrink", shrink,
        "ν in (0, 1): factor on all r-factors at a rollback; the paper has 0.9 for local, 0.5 for the others");
      v("growth", growth, "≥ 1: how much farther than the best a sweep may move before it is undone; 1 as in the paper");
      v("accelerate", accelerate,
        "extrapolate between sweeps (Nesterov, restarted when it points backwards); false as in the paper");
      v("r_factor", r_factor,
        "local: from the diagonal; global: one for all rows; blocked: the inverse block of friction rows");
      v("friction", friction, "law: the friction set of the contact; box: the box around it, row by row (PSOR)");
      order.visit(v);
    }
  };

  explicit ProxGaussSeidel(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "prox-gs"; }
  FrictionModel model() const override { return boxed_ ? FrictionModel::boxed : FrictionModel::exact; }
  bool takes_patches() const override { return !boxed_; }
  std::string_view cannot_solve(const ContactProblem&) const override;

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  OrderingOptions::Use order_use() const;

  Options options_;
  bool boxed_;
};

}   // namespace stickslip
