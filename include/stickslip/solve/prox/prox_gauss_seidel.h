// Proximal Gauss–Seidel on the exact friction set.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// PROX Gauss–Seidel with local r-factors and rollback [prox §4, Alg. 2; course §3.4.2].
///
/// For each contact, with v = Gw + b kept up to date after every impulse that changes:
///
///   λₙ ← max(0, λₙ − rₙ vₙ),   λ_f ← prox_F(λₙ)(λ_f − r_f v_f)
///
/// with rₙ = 1/W_nn and r_f = 1/λmax(W_ff): one number for all friction rows of a contact, since different ones would turn
/// the friction away from the slip direction. A sweep that moves more than `growth` times as far as the best one so far is
/// undone and all r-factors shrink by `shrink`. The motion of a sweep is measured in m/s, max |Δλ| W_ii, rather than in
/// N s as in the paper, so that light and heavy bodies count alike.
///
/// Between sweeps λ is extrapolated along its last change with Nesterov's weight (k−1)/(k+2), and k starts anew when a
/// sweep moves against the extrapolation. On stacks this saves a factor of ten and more in sweeps.
class ProxGaussSeidel final : public ContactSolver {
 public:
  struct Options {
    double relaxation = 1.0;   ///< initial r-factors as a multiple of the local ones, > 0
    double shrink = 0.9;       ///< ν in (0, 1): factor on all r at a rollback
    double growth = 10.0;      ///< ≥ 1: how much farther than the best a sweep may move; 1 is the rule of the paper
    bool accelerate = true;    ///< extrapolate between sweeps; false is the scheme of the paper

    template <class Visitor>
    void visit(Visitor&& v) {
      v("relaxation", relaxation, "initial r-factors as a multiple of the local ones, > 0");
      v("shrink", shrink, "ν in (0, 1): factor on all r-factors at a rollback");
      v("growth", growth, "≥ 1: how much farther than the best a sweep may move before it is undone; 1 as in the paper");
      v("accelerate", accelerate, "extrapolate between sweeps (Nesterov, restarted when it points backwards); false as in the paper");
    }
  };

  explicit ProxGaussSeidel(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "prox-gs"; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}  // namespace stickslip
