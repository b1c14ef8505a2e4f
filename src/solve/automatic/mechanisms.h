// What `auto` does with joints. All bilateral rows are factored once (`JointSystem`); then, whichever fits:
//
//   nothing else in the problem   that is the solution: one step
//   condensation                  joints eliminated, sweeps work on contacts and boxes alone (`Condensation`)
//   one block                     sweeps solve all joints at once after contacts and boxes (`JointSweep`)
//
// Joints that contradict each other get the impulses of least squares; the rest of the problem is solved as if they did not.
#pragma once

#include "solve/automatic/stages.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

class Mechanisms {
 public:
  static constexpr std::string_view kContradiction =
      "Bilateral rows contradict each other: no impulses remove the velocities that remain; the rest is solved.";

  /// Factors the joints. False if they cannot be factored: then the stages must do without.
  /// The arguments must outlive the run. Memory is kept from the last problem.
  bool setup(const ContactProblem&);

  /// Whether joints of this problem, the one set up last, contradict each other, and what was solved instead: the same without
  /// the velocities that they ask for.
  bool contradicts(const ContactProblem& p) const { return given_ == &p && problem_ == &consistent_; }
  const ContactProblem& solved() const { return consistent_; }

  /// Runs until the monitor stops the solve.
  void run(std::span<double> impulses, Workspace&, SolveMonitor&, const AutomaticSolver::Options&);

 private:
  bool condensation_pays(const SolveMonitor&) const;
  void excuse_contradictions(SolveMonitor&);
  std::function<void()> loops_excused(SolveMonitor&);
  void solve_joints_alone(std::span<double> impulses, SolveMonitor&);
  const Plan& plan(const AutomaticSolver::Options&) const;
  void run_condensed(std::span<const double> guess, Workspace&, SolveMonitor&, const AutomaticSolver::Options&,
                     std::function<void()> excuse);

  const ContactProblem* given_ = nullptr;
  const ContactProblem* problem_ = nullptr;   ///< the one to solve, without contradictions
  BlockProducts products_;
  JointSystem joints_;
  Condensation condensation_;
  JointSweep sweep_;
  ContactProblem consistent_;
  std::vector<double> right_, solution_, remaining_, v_, segment_, condensed_;
};

}   // namespace stickslip
