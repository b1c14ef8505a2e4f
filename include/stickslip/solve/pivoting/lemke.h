// Lemke's method on the polyhedral model.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Lemke's complementary pivoting [course §3.1.1] on the linear complementarity problem 0 ≤ w = Mz + q ⊥ z ≥ 0 of the
/// polyhedral friction cone [course §1.6; problem/views.h].
///
/// An artificial variable z₀ ≥ 0 makes w = Mz + q + d z₀ non-negative; then the complement of whatever left the basis enters
/// it, until z₀ leaves. M of a contact problem with W positive semidefinite is copositive, for which this ends at a solution
/// if there is one. One pivot is one iteration and costs O(n²), n = 6 per contact with 4 directions.
///
/// Rows and columns are scaled to a unit diagonal. Ties go to the largest pivot; if a basis ever returns, the method starts
/// again with the lexicographic rule, which cannot cycle but for rounding. The tableau is rebuilt from M at the basis found,
/// and pivoting goes on should rounding have left it infeasible. No way out (a secondary ray): start again with the
/// lexicographic rule, then with another d, then status `failed`. The guess is not used.
class Lemke final : public ContactSolver {
 public:
  struct Options {
    int directions = 4;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("directions", directions, "number of directions of the friction polygon, even, ≥ 4");
    }
  };
  static constexpr std::size_t kMaxUnknowns = 2000;   // 32 MB per copy of the matrix; a rebuild takes about two seconds

  explicit Lemke(Options);   ///< @throws Error if the number of directions is odd or less than 4
  std::string_view name() const override { return "lemke"; }
  FrictionModel model() const override { return FrictionModel::polyhedral(options_.directions); }
  std::string_view cannot_solve(const ContactProblem&) const override;
  std::string_view cannot_honour(const FrictionSet&) const override;

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
