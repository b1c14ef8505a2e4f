// PGS with subspace minimisation as the thesis states it.
#pragma once

#include "stickslip/solve/ordering.h"

namespace stickslip {

/// PGS-SM line by line [thesis C §4.3, §5; course §3.2.6, Alg. 9], beside `pgs-sm`, which is ours and better.
///
/// `sweeps` sweeps of projected Gauss–Seidel, then `subspace` times: the rows at a bound, L and U, stay there, those between,
/// A, are solved for
///
///   (W_AA + γI) λ_A = −(b_A + W_AL l_L + W_AU u_U)
///
/// the bounds follow the new normal impulses, and λ_A is clamped to them. No best iterate is gone back to. The linear system is
/// solved by plain conjugate gradients from the current λ_A, to ‖residual‖ ≤ 1e-15 or as many iterations as rows, as in the
/// thesis; γ, and γ on friction rows only, are its regularisation [thesis C §5.1], which softens the contacts. So are lazy
/// bounds: those of the last sweep, throughout the subspace phase.
///
/// Every sweep and every subspace solve is an iteration; `SolveReport::cost` charges a sweep for each product with W.
class PgsSubspacePaper final : public ContactSolver {
 public:
  struct Options {
    int sweeps = 25;
    int subspace = 5;
    std::string linear = "cg";
    int cg_iterations = 0;
    double cg_tolerance = 1e-15;
    double regularisation = 0;
    std::string regularise = "all";
    std::string bounds = "current";
    OrderingOptions order;   ///< of the sweeps

    template <class Visitor>
    void visit(Visitor&& v) {
      v("sweeps", sweeps, "k_pgs ≥ 1: sweeps of projected Gauss–Seidel before each subspace phase");
      v("subspace", subspace, "k_sm ≥ 0: solves on the free rows in a phase");
      v("linear", linear, "of the free rows: cg, plain conjugate gradients, or direct, LDLᵀ of a full matrix");
      v("cg_iterations", cg_iterations, "of cg at most, ≥ 0; 0: as many as free rows");
      v("cg_tolerance", cg_tolerance, "norm of the residual at which cg stops [m/s], ≥ 0");
      v("regularisation", regularisation, "γ ≥ 0 on the diagonal of the free rows [1/kg]");
      v("regularise", regularise, "which rows have γ: all, or friction");
      v("bounds", bounds, "current: friction bounds follow every solve; lazy: they stay during the subspace phase");
      order.visit(v);
    }
  };

  explicit PgsSubspacePaper(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "pgs-sm-paper"; }
  FrictionModel model() const override { return FrictionModel::boxed; }
  std::string_view cannot_solve(const ContactProblem& problem) const override { return options_.order.cannot_order(problem); }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
