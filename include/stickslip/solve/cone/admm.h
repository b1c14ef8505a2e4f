// The alternating direction method of multipliers on the friction cone.
#pragma once

#include <string>

#include "stickslip/solve/solver.h"

namespace stickslip {

/// ADMM on λ ∈ K ⊥ Wλ + b + s ∈ K* [course §1.8 for the cone model]: a linear system with one factorisation for many
/// iterations, a projection on the cones, a multiplier. For contacts in the metric R, one mass 1/max(W_nn, λmax(W_ff)) each,
///
///   (W + (η + ρ) R⁻¹) x⁺ = −b − s − y + η R⁻¹ x + ρ R⁻¹ z
///   ξ = α x⁺ + (1 − α) z + R y / ρ,   λ = z⁺ = P_K(ξ),   y⁺ = ρ R⁻¹ (ξ − z⁺)
///
/// ρ starts at √(Lη) (L/η)^0.2, L the largest eigenvalue of R W, and is searched by factors of 3, up or down, while the
/// residuals fall slowly; only then is the matrix factored again. It is factored in velocity space, six numbers a body, where
/// that is smaller; as W itself, by Cholesky or by LU if W is not symmetric, otherwise.
class Admm final : public ContactSolver {
 public:
  struct Options {
    std::string shift = "coulomb";
    double relaxation = 1.6;
    double proximal = 1e-6;
    double penalty = 0;
    bool adapt = true;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("shift", shift,
        "coulomb: iterate the normal shift μ‖v_T‖ so that Coulomb's law is solved; none: the convex relaxation");
      v("relaxation", relaxation, "α in (0, 2): over-relaxation");
      v("proximal", proximal, "η > 0: proximal weight, relative to the diagonal of W");
      v("penalty", penalty, "ρ ≥ 0 at the start, relative to the diagonal of W; 0: from the spectrum");
      v("adapt", adapt, "search a better ρ on the way, by factors of 3");
    }
  };

  explicit Admm(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "admm"; }
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
