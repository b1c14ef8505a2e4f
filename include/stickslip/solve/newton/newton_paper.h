// The Fischer–Newton method as the thesis states it, and the same on the minimum map.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Newton's method on Φ(λ) = 0 of the boxed model [thesis A §3, §4.3], without the proximal point, the scaling and the
/// nonmonotone search of `fischer` and `min-map`, which are the ones to use:
///
///   H Δ = −Φ(λ),   λ ← λ + α Δ,   α the first of 1, 1/2, 1/4, … with Ψ(λ + αΔ) ≤ (1 − 2αc) Ψ(λ),   Ψ = ½‖Φ‖²   (31), (38)
///
/// Φ = φ(λ − l, φ(−y, u − λ)) with y = Wλ + b in m/s beside λ in N s, and the bounds ∓μλₙ also where λₙ is negative; or the
/// minimum map in its place. The start is semi-staggered: steps with friction held until Ψ of the normal rows is small.
///
/// The thesis solves the Newton equation by the quasi Fletcher–Reeves method [Alg. 2]: conjugate gradients as if H were
/// symmetric, with products H p ≈ (Φ(λ + hp) − Φ(λ))/h (53). It names no h: here h = `difference` (1 + ‖λ‖∞)/‖p‖∞. H is that
/// of the Newton iterate throughout, as (52) asks; printed β and stopping rule of Alg. 2 are upside down and are turned.
///
/// Every sweep of the start and every Newton step is an iteration. `SolveReport::cost` charges a sweep for each product with W
/// or H and n³ / (3 numbers of W) for a factorisation, which is that of a full matrix [thesis A §3: O(n³)].
class NewtonPaper final : public ContactSolver {
 public:
  struct Options {
    std::string function = "fischer";
    std::string linear = "fletcher-reeves-fd";
    int linear_iterations = 0;
    double linear_tolerance = 1e-8;
    double difference = 1e-7;
    std::string line_search = "armijo";
    double armijo = 1e-4;
    int halvings = 20;
    int sweeps = 0;
    bool staggered = true;
    double staggered_tolerance = 1e-8;
    int staggered_steps = 20;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("function", function, "fischer or min-map");
      v("linear", linear,
        "solver of the Newton equation: direct, gmres, fletcher-reeves (products with H) or fletcher-reeves-fd (finite "
        "differences)");
      v("linear_iterations", linear_iterations, "products with H per Newton step at most, ≥ 0; 0: as many as rows");
      v("linear_tolerance", linear_tolerance, "relative residual at which the iterative ones stop, in (0, 1)");
      v("difference", difference, "length of finite differences relative to λ, > 0");
      v("line_search", line_search, "armijo: the merit falls with every step; none: full steps");
      v("armijo", armijo, "c in (0, 0.5): fraction of the predicted decrease that a step must bring");
      v("halvings", halvings, "of the step at most, ≥ 0");
      v("sweeps", sweeps, "sweeps of projected Gauss–Seidel before the first step, ≥ 0; each is an iteration");
      v("staggered", staggered, "begin with steps that hold friction");
      v("staggered_tolerance", staggered_tolerance, "Ψ of the normal rows at which friction joins, ≥ 0");
      v("staggered_steps", staggered_steps, "steps that hold friction at most, ≥ 0");
    }
  };

  explicit NewtonPaper(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "newton-paper"; }
  FrictionModel model() const override { return FrictionModel::boxed; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
