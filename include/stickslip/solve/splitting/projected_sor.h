// Projected Gauss–Seidel, successive over-relaxation and symmetric sweeps on the boxed model.
#pragma once

#include "stickslip/solve/ordering.h"

namespace stickslip {

/// Projected Gauss–Seidel on the boxed model [course §3.2.1–3.2.2, Alg. 6].
///
/// Solves each row for vᵢ = 0 and clamps λᵢ to its bounds, λᵢ ← clamp(λᵢ − ω vᵢ / W_ii), with v kept up to date. The bounds of
/// a friction row are those of the box around the friction set at the current normal impulse, so a contact may push with up to
/// √2 μ λₙ along the diagonal: an outer approximation of Coulomb's cone. Once the boxed model is solved the shared residual,
/// which measures against the true cone, falls no further, and the status is `stalled`.
class ProjectedSor : public ContactSolver {
 public:
  struct Options {
    double relaxation = 1.0;
    OrderingOptions order;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("relaxation", relaxation, "ω in (0, 2); 1 is projected Gauss–Seidel");
      order.visit(v);
    }
  };

  explicit ProjectedSor(Options);   ///< @throws Error if ω is outside (0, 2) or the ordering is unknown
  std::string_view name() const override { return "pgs"; }
  FrictionModel model() const override { return FrictionModel::boxed; }
  std::string_view cannot_solve(const ContactProblem& problem) const override { return options_.order.cannot_order(problem); }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

  Options options_;
};

/// The same with over-relaxation, ω = 1.3 unless told otherwise.
class ProjectedOverRelaxation final : public ProjectedSor {
 public:
  struct Options : ProjectedSor::Options {
    Options() { relaxation = 1.3; }
  };
  explicit ProjectedOverRelaxation(Options options) : ProjectedSor(options) {}
  std::string_view name() const override { return "psor"; }
};

/// Symmetric sweeps: forward, then backward through the same blocks [course §3.2.1, eq. 149]. One iteration is both. Inside a
/// contact the normal row still goes before the friction rows, whose bounds it sets.
class SymmetricGaussSeidel final : public ProjectedSor {
 public:
  using Options = ProjectedSor::Options;
  explicit SymmetricGaussSeidel(Options options) : ProjectedSor(options) {}
  std::string_view name() const override { return "sgs"; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;
};

}   // namespace stickslip
