// Nonsmooth Newton method on the Alart–Curnier function of the exact law.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Newton's method on the Alart–Curnier function, with a proximal point against redundant contacts.
///
/// With n̂ = max(0, λₙ − ρₙvₙ), ρₙ = 1/W_nn and ρ_f = 1/λmax(W_ff), Coulomb's law holds exactly where
///
///   Φₙ = λₙ − n̂ = 0,   Φ_f = λ_f − prox_F(n̂)(λ_f − ρ_f v_f) = 0
///
/// Where there are more contact rows than degrees of freedom W is singular and plain Newton diverges. The proximal point
/// solves v = Wλ + b + α D (λ − λ̄) instead, D the mean diagonal of each block, makes the solution the next λ̄ and lowers α; if
/// Newton fails it goes back and raises α. α follows the error down, so the convergence stays quadratic where W allows it.
///
/// Every iteration factorises one sparse nonsymmetric matrix of the size and pattern of W, analysed once.
class AlartCurnier final : public ContactSolver {
 public:
  struct Options {
    double alpha = 1e-2;
    double reduction = 4;
    double increase = 10;
    double accuracy = 0.1;
    int inner = 25;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("alpha", alpha, "first weight of the proximal point, relative to the diagonal of W, ≥ 0; 0 is plain Newton");
      v("reduction", reduction, "> 1: at least by this the weight falls after a success");
      v("increase", increase, "> 1: by this the weight grows after a failure");
      v("accuracy", accuracy, "in (0, 1): fraction of the error to which each regularised problem is solved");
      v("inner", inner, "Newton steps allowed for each regularised problem, ≥ 1");
    }
  };

  explicit AlartCurnier(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "alart-curnier"; }
  bool takes_coupled() const override { return true; }
  bool takes_patches() const override { return true; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
