// What `auto` does with joints. All bilateral rows are factored once (`JointSystem`); then, whichever fits:
//
//   nothing else in the problem   that is the solution: one iteration
//   condensation                  joints eliminated, the tactics work on contacts and boxes alone (`Condensation`)
//   one block                     the tactics work on the whole problem; sweeps solve all joints at once after contacts and boxes (`JointSweep`)
//
// Joints that contradict each other get the impulses of least squares; the rest of the problem is solved as if they did not.
#pragma once

#include "solve/exact/tactics.h"

namespace stickslip {

class JointTactics {
 public:
  /// Factors the joints. False if there are none or they cannot be factored: then the tactics must do without.
  /// The arguments must outlive the run. Memory is kept from the last problem.
  bool setup(const ContactProblem&);

  /// Runs until the monitor stops the solve.
  void run(std::span<double> impulses, Workspace&, SolveMonitor&, const AutomaticSolver::Options&);

 private:
  bool condensation_pays(const SolveControl&) const;
  double newton_work() const;
  void excuse_contradictions(SolveMonitor&);
  void solve_joints_alone(std::span<double> impulses, SolveMonitor&);
  void run_condensed(std::span<const double> guess, Workspace&, SolveMonitor&, const AutomaticSolver::Options&);

  const ContactProblem* problem_ = nullptr;   ///< the one to solve, without contradictions
  BlockProducts products_;
  JointSystem joints_;
  Condensation condensation_;
  JointSweep sweep_;
  ContactProblem consistent_;
  std::vector<double> right_, solution_, remaining_, v_, segment_, condensed_;
};

}  // namespace stickslip
