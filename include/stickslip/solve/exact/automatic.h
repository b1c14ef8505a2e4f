// The default: picks methods by looking at the problem and at its own progress.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// `auto` solves the exact law with three tactics and says in the report's story which it used and why.
///
/// 1. Accelerated exact Gauss–Seidel sweeps (`accelerated-nsgs`). After every window of sweeps it measures how many decades
///    the residual fell and predicts how many sweeps the rest would take. When the factorisations of a Newton finish would be
///    cheaper, or the residual stands still, it leaves; but never for factorisations that cost much more than all the sweeps
///    that `max_iterations` allows.
/// 2. Proximal-point Newton on the Alart–Curnier function (`alart-curnier`) from the best iterate.
/// 3. ADMM with the Coulomb shift (`admm`), which does not mind redundant contacts.
///
/// As long as 2 or 3 help, it goes round again with more patience. If they do not, the sweeps have the rest of the iterations
/// to themselves, and are given up only when the residual rests for tens of thousands of them.
///
/// Joints are never swept. All bilateral rows are factored once per solve, mechanism by mechanism (src/solve/joints); without contacts and bounded rows
/// that solves the problem. Otherwise they are eliminated, so that the tactics work on contacts and bounded rows that feel the inertia of the mechanism
/// behind them; or, where that would cost too much, they are one block of the sweeps, solved directly. Newton and ADMM then come early, the one where
/// contacts are few, the other where they are many. Joints that contradict each other get the impulses of least squares, the rest is solved, and the
/// status is `stalled` with a reason that says so.
///
/// Costs are counted in floating-point operations, not measured in time, so that the same problem always gives the same bits. An iteration is a
/// sweep, a Newton step or an ADMM step.
class AutomaticSolver final : public ContactSolver {
 public:
  struct Options {
    double proximal = 0.1;       ///< α ≥ 0 of the sweeps
    int window = 60;             ///< sweeps between two looks at the progress, ≥ 8
    int direct_rows = 30000;     ///< Newton and ADMM factorise problems up to this many rows; 0: nothing is factorised, not even joints

    template <class Visitor>
    void visit(Visitor&& v) {
      v("proximal", proximal, "α ≥ 0 of the sweeps: share of the trace of W_ii added to it, which breaks cycles");
      v("window", window, "sweeps between two looks at the progress, ≥ 8");
      v("direct_rows", direct_rows, "largest number of rows that is factorised (Newton, ADMM); 0: sweeps only, joints too");
    }
  };

  explicit AutomaticSolver(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "auto"; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}  // namespace stickslip
