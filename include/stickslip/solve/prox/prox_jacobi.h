// Proximal Jacobi on the exact friction set.
#pragma once

#include <string>

#include "stickslip/solve/solver.h"

namespace stickslip {

/// PROX Jacobi with r-factors and rollback [prox §4, Alg. 1]: all contacts at once from v = Wλ + b,
///
///   λₙ⁺ = max(0, λₙ − rₙ vₙ),   λ_f⁺ = prox_F(λₙ)(λ_f − r_f v_f)
///
/// with F of the old normal impulse. An iteration that moves more than `growth` times as far as the best one so far is undone
/// and all r-factors shrink by `shrink`; so they do after 20 iterations without a new best. The paper has growth 1, which often
/// shrinks them more than convergence needs. `r_factor` as in prox_gauss_seidel.h, except that `global` is 1/λmax(W), by power
/// iteration: the sum of the smallest and largest eigenvalue that theory asks for,
/// where the smallest is 0, as it is with redundant contacts.
class ProxJacobi final : public ContactSolver {
 public:
  struct Options {
    std::string r_factor = "local";
    double relaxation = 1.0;
    double shrink = 0.9;
    double growth = 2.0;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("r_factor", r_factor,
        "local: from the diagonal; global: one for all rows; blocked: the inverse block of friction rows");
      v("relaxation", relaxation, "initial r-factors as a multiple of those of the strategy, > 0");
      v("shrink", shrink,
        "ν in (0, 1): factor on all r-factors at a rollback; the paper has 0.9 for local, 0.5 for the others");
      v("growth", growth, "≥ 1: how much farther than the best an iteration may move before it is undone; 1 as in the paper");
    }
  };

  explicit ProxJacobi(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "prox-jacobi"; }
  bool takes_coupled() const override { return true; }
  bool takes_patches() const override { return true; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
