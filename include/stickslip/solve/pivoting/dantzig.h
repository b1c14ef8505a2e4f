// Dantzig's incremental pivoting in Baraff's form, on the boxed model.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Incremental pivoting [course §3.1.1, Alg. 3; Baraff 1994] on the boxed model [course §1.7].
///
/// Rows are taken in one at a time, joints first, then normals, the one that approaches fastest first, then friction. The row
/// is driven: its impulse grows until its velocity is zero or a bound is reached. Meanwhile the rows taken in keep Baraff's
/// invariants: free rows keep v = 0 by
///
///   Δλ_F = −W_FF⁻¹ W_Fj Δλ_j,
///
/// rows at a bound stay there while their velocity has the right sign; the drive stops where one of these breaks, and that
/// row changes its place. One such change is one iteration, O(n²) with a Cholesky factor of W_FF that grows and shrinks row
/// by row. A row that depends on the free ones to rounding (a redundant contact) is left idle at the impulse it has, until
/// the free rows it depends on change.
///
/// Bounds of friction rows come from the normal impulse when the row is taken in. Then all bounds move to those of the normal
/// impulses found, with the same invariants along the way, until they agree. After each of these moves the index sets are tried
/// with friction at its bounds as ±μ λₙ in the unknowns. The guess is not used.
class Dantzig final : public ContactSolver {
 public:
  struct Options {
    double redundancy = 1e-10;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("redundancy", redundancy, "a row whose pivot is at most this part of its diagonal is redundant, in (0, 0.1)");
    }
  };
  static constexpr std::size_t kMaxRows = 3000;

  explicit Dantzig(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "dantzig"; }
  FrictionModel model() const override { return FrictionModel::boxed; }
  std::string_view cannot_solve(const ContactProblem&) const override;

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
