// Projected Jacobi on the boxed model: all rows at once.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Projected Jacobi [course §3.2.1, Table 3]: from v = Wλ + b of the last iterate, every row at once,
///
///   λᵢ ← clamp(λᵢ − ω vᵢ / dᵢ),   dᵢ = Σⱼ |W_ij| if safe, W_ii as in the textbook if not
///
/// with friction bounds at the new normal impulse of the same contact. The textbook's diagonal diverges as soon as a body has
/// a few contacts. With row sums diag(d) − W is positive semi-definite for a symmetric W, so the normal problem converges
/// for every ω < 2. Needs W once, to sum its rows.
class ProjectedJacobi final : public ContactSolver {
 public:
  struct Options {
    double relaxation = 1.0;
    bool safe = true;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("relaxation", relaxation, "ω in (0, 2)");
      v("safe", safe, "divide by the row sums of |W|, which converges; false: by the diagonal, as in the textbook");
    }
  };

  explicit ProjectedJacobi(Options);   ///< @throws Error if ω is outside (0, 2)
  std::string_view name() const override { return "jacobi"; }
  FrictionModel model() const override { return FrictionModel::boxed; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
