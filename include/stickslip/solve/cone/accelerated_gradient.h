// Accelerated projected gradient on the friction cone.
#pragma once

#include <string>

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Nesterov's method on λ ∈ K ⊥ Wλ + b + s ∈ K* [course §1.8]: with β = (k−1)/(k+2) and R one mass per contact,
///
///   y = λ + β (λ − λ_previous),   λ⁺ = P_K(y − R (Wy + b + s) / L)
///
/// L doubles until it bounds the curvature along the step, dᵀWd ≤ L dᵀR⁻¹d, and falls by `decay` after every iteration. k
/// starts anew when the step turns against the momentum. Wy is combined from products already known: one product with W per
/// iteration, one more per doubling.
class AcceleratedGradient final : public ContactSolver {
 public:
  struct Options {
    std::string shift = "coulomb";
    double decay = 0.9;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("shift", shift,
        "coulomb: iterate the normal shift μ‖v_T‖ so that Coulomb's law is solved; none: the convex relaxation");
      v("decay", decay, "in (0, 1]: factor on the curvature bound L after every iteration");
    }
  };

  explicit AcceleratedGradient(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "apgd"; }
  bool takes_coupled() const override { return true; }
  bool takes_patches() const override { return true; }
  FrictionModel model() const override { return coulomb_ ? FrictionModel::exact : FrictionModel::convex; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
  bool coulomb_;
};

}   // namespace stickslip
