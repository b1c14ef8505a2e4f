// Nonsmooth Newton methods on the boxed model: minimum map and Fischer–Burmeister.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

struct NewtonSystem;

/// What `min-map` and `fischer` share: rows λ between l and u, friction bounds ∓μλₙ that follow the normal impulse, and
/// Newton's method on a function of each row that vanishes where the row is solved [course §3.3; thesis A].
///
/// The start is semi-staggered: sweeps of `pgs`, then Newton steps on the normal impulses alone, then all rows. Each step
/// solves the generalised Newton equation and backtracks (Armijo) on the natural merit ½‖Φ‖². Redundant contacts make the
/// Jacobian singular; a proximal point (see `alart-curnier`) regularises it,
/// which the papers do not have: `alpha` = 0 leaves it out.
class BoxedNewton : public ContactSolver {
 public:
  struct Options {
    int sweeps = 10;
    int staggered = 5;
    double alpha = 1e-2;
    std::string linear = "direct";
    int linear_iterations = 200;
    double linear_tolerance = 1e-8;
    bool precondition = true;
    std::string line_search = "nonmonotone";

    template <class Visitor>
    void visit(Visitor&& v) {
      v("sweeps", sweeps, "sweeps of projected Gauss–Seidel before the first Newton step, ≥ 0");
      v("staggered", staggered, "Newton steps on the normal impulses alone before friction joins, at most, ≥ 0");
      v("alpha", alpha,
        "first weight of the proximal point, relative to the diagonal of W, ≥ 0; 0 is plain Newton as in the papers");
      v("linear", linear, "solver of the Newton equation: direct, gmres or fletcher-reeves");
      v("linear_iterations", linear_iterations, "iterations of gmres and fletcher-reeves per Newton step at most, ≥ 1");
      v("linear_tolerance", linear_tolerance, "relative residual at which gmres and fletcher-reeves stop, in (0, 1)");
      v("precondition", precondition, "whether gmres is preconditioned by the diagonal blocks");
      v("line_search", line_search,
        "nonmonotone: a step may beat the worst of the last four merits, and the first one is nearly free; armijo: every step "
        "lowers the merit, as in the thesis");
    }
  };

  FrictionModel model() const override { return FrictionModel::boxed; }

 protected:
  explicit BoxedNewton(Options);   ///< @throws Error if an option is out of range
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;
  virtual const NewtonSystem& system(bool friction) const = 0;   ///< all rows, or with friction held

 private:
  Options options_;
};

/// Φ = max(λ − u, min(λ − l, ρv)): an active-set method in disguise [course §3.3.1].
class MinMapNewton final : public BoxedNewton {
 public:
  explicit MinMapNewton(Options options) : BoxedNewton(std::move(options)) {}
  std::string_view name() const override { return "min-map"; }

 protected:
  const NewtonSystem& system(bool friction) const override;
};

/// Φ = ψ(λ − l, −ψ(−ρv, u − λ)) with ψ(a, b) = a + b − √(a² + b²) [course §3.3.2; thesis A (27)].
class FischerNewton final : public BoxedNewton {
 public:
  explicit FischerNewton(Options options) : BoxedNewton(std::move(options)) {}
  std::string_view name() const override { return "fischer"; }

 protected:
  const NewtonSystem& system(bool friction) const override;
};

}   // namespace stickslip
