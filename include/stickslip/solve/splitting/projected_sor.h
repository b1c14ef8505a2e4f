// Projected Gauss–Seidel and successive over-relaxation on the boxed model.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Projected successive over-relaxation on the boxed model [course §3.2.1; §1.7].
///
/// Solves each row for vᵢ = 0 and clamps λᵢ to its bounds. The bounds of a friction row are those of the box around the
/// friction set at the current normal impulse, so a contact may push with up to √2 μ λₙ along the diagonal: an outer
/// approximation of Coulomb's cone. Once the boxed model is solved the shared residual, which measures against the true
/// cone, falls no further, and the status is `stalled`.
class ProjectedSor final : public ContactSolver {
 public:
  struct Options {
    double relaxation = 1.0;   ///< ω in (0, 2); 1 is projected Gauss–Seidel

    template <class Visitor>
    void visit(Visitor&& v) {
      v("relaxation", relaxation, "ω in (0, 2); 1 is projected Gauss–Seidel");
    }
  };

  explicit ProjectedSor(Options);   ///< @throws Error if ω is outside (0, 2)
  std::string_view name() const override { return "pgs"; }
  FrictionModel model() const override { return FrictionModel::boxed; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}  // namespace stickslip
