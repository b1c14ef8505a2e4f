// Projected gradient on the friction cone.
#pragma once

#include <string>

#include "stickslip/solve/solver.h"

namespace stickslip {

/// λ ← P_K(λ − t R (Wλ + b + s)) on λ ∈ K ⊥ Wλ + b + s ∈ K* [course §1.8], with R one mass per contact.
///
/// `step=safe`: t = 1/L with L the largest eigenvalue of R W by power iteration, raised when a step proves it too small; the
/// energy ½ λᵀWλ + (b + s)ᵀλ then falls at every iteration. `step=bb`: Barzilai–Borwein steps; the full step is taken unless
/// the energy would exceed the largest of the last ten, else the exact minimum along it. One product with W per iteration.
class ProjectedGradient final : public ContactSolver {
 public:
  struct Options {
    std::string shift = "coulomb";
    std::string step = "bb";

    template <class Visitor>
    void visit(Visitor&& v) {
      v("shift", shift,
        "coulomb: iterate the normal shift μ‖v_T‖ so that Coulomb's law is solved; none: the convex relaxation");
      v("step", step, "bb: Barzilai–Borwein with a safeguard; safe: one over the largest eigenvalue, monotone");
    }
  };

  explicit ProjectedGradient(Options);   ///< @throws Error for an unknown shift or step
  std::string_view name() const override { return "pg"; }
  bool takes_coupled() const override { return true; }
  bool takes_patches() const override { return true; }
  FrictionModel model() const override { return coulomb_ ? FrictionModel::exact : FrictionModel::convex; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
  bool coulomb_, barzilai_borwein_;
};

}   // namespace stickslip
