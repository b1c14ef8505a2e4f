// The default: picks methods by looking at the problem, at their cost and at its own progress.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// `auto` solves the exact law and says in the report's notes what it did and why.
///
/// A problem falls into islands that do not act on each other. Those whose guess is good enough are left alone; the others are
/// solved one by one, very small ones together. On an island a plan is followed (src/solve/automatic/plan.h), a list of stages
/// from cheap and myopic to dear and far-sighted:
///
/// 1. Accelerated exact Gauss–Seidel sweeps (`accelerated-nsgs`). After every window it measures how many decades the residual
///    fell and predicts the sweeps that are left. It leaves when a Newton finish would be cheaper, or the residual stands
///    still.
/// 2. Proximal-point Newton on the Alart–Curnier function (`alart-curnier`) from the best iterate, in velocities of bodies
///    where W comes in factors: a step then costs some twenty sweeps, however redundant the contacts are.
/// 3. ADMM with the Coulomb shift (`admm`).
///
/// As long as a round of these helps, another follows with more patience. If not, the sweeps have the rest of the work to
/// themselves, and are given up only when the residual rests for tens of thousands of them.
///
/// Joints are never swept. All bilateral rows are factored once per solve, mechanism by mechanism (src/solve/joints); without
/// contacts and bounded rows that solves the problem. Otherwise they are eliminated, so that sweeps work on contacts and
/// bounded rows that feel the inertia of the mechanism behind them; or, where that would cost too much, they are one block of
/// the sweeps, solved directly. Joints that contradict each other get the impulses of least squares, the rest is solved, and
/// the status is `stalled` with a reason that says so.
///
/// **An iteration is an amount of work**: that of one sweep over the whole problem and 0.2 ms more, for each mechanism where
/// several do not touch each other, by the cost model of src/solve/automatic/cost_model.h, whatever it is spent on.
/// `max_iterations` = 200 so allows the work of 200 sweeps and 40 ms, which is many factorisations of a small problem. Costs
/// are counted, not measured, so that the same problem always gives the same bits.
class AutomaticSolver final : public ContactSolver {
 public:
  struct Options {
    double proximal = 0.1;
    int window = 20;
    int direct_rows = 30000;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("proximal", proximal, "α ≥ 0 of the sweeps: share of the trace of W_ii added to it, which breaks cycles");
      v("window", window, "sweeps between two looks at the progress, ≥ 8");
      v("direct_rows", direct_rows, "largest number of rows that is factorised (Newton, ADMM); 0: sweeps only, joints too");
    }
  };

  explicit AutomaticSolver(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "auto"; }
  bool takes_coupled() const override { return true; }
  bool takes_patches() const override { return true; }

 protected:
  std::string_view try_at_once(const ContactProblem&, std::span<double> impulses, double tolerance) const override;
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  void solve_coupled(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const;
  enum class Guess { any, swept };   ///< swept: what sweeps over a larger problem were slow at
  void solve_islands(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&, Guess) const;
  void solve_island(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&, Guess) const;

  Options options_;
};

}   // namespace stickslip
