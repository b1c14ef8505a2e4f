// Newton's method on Coulomb's law written as optimality conditions, with a slack per contact.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Newton's method on the conditions of maximal dissipation [course §3.3.3–3.3.4, (192)–(199)]. Unknowns per contact: λₙ, λ_f
/// and the slip γ that opposes them,
///
///   ψ(λₙ, ρₙvₙ) = 0,   v_f + γ ∂‖λ_f‖/∂λ_f = 0,   ψ(γ, μλₙ − ‖λ_f‖) = 0
///
/// with ψ the minimum map or Fischer's function, on the exact cone. The course keeps the velocities of the bodies as unknowns
/// too; here they are eliminated, v = Wλ + b. Where a contact opens the conditions do not hold (the cone is a point): λ_f = 0
/// and γ = 0 take their place. An ellipsoid replaces the norm by its gauge; rolling has two discs and two slacks. Sets that are
/// not ellipsoids or products of them are not honoured.
///
/// The proximal point of `alart-curnier` regularises redundant contacts.
class CoulombNewton final : public ContactSolver {
 public:
  struct Options {
    std::string function = "fischer";
    double alpha = 1e-2;
    int sweeps = 10;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("function", function, "ψ of the complementarity conditions: fischer or min-map");
      v("alpha", alpha, "first weight of the proximal point, relative to the diagonal of W, ≥ 0; 0 is plain Newton");
      v("sweeps", sweeps, "sweeps of proximal Gauss–Seidel before the first Newton step, ≥ 0");
    }
  };

  explicit CoulombNewton(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "coulomb-newton"; }
  std::string_view cannot_honour(const FrictionSet&) const override;

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
