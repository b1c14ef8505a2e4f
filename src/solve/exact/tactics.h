// The tactics of `auto`, tried in turn on one problem: accelerated sweeps, Newton, ADMM.
#pragma once

#include "solve/joints/condensation.h"
#include "solve/joints/joint_sweep.h"
#include "stickslip/solve/exact/automatic.h"

namespace stickslip {

/// Operations of one product with W: what a sweep costs, up to a factor.
double sweep_work(const ContactProblem&);

/// One solve: the tactics and what they share.
class Tactics {
 public:
  /// @param impulses in: the guess; the iterates from then on
  Tactics(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor, const AutomaticSolver::Options& options)
      : p_(problem), impulses_(impulses), work_(workspace), monitor_(monitor), options_(options) {}

  /// The problem has joints. `whole` is the one that the monitor judges and that Newton and ADMM factor.
  /// @param newton_work operations of a Newton factorisation of it, about
  void set_whole(const ContactProblem& whole, double newton_work) { whole_ = &whole, newton_work_ = newton_work; }
  /// The problem was condensed from the whole one.
  void set_condensation(Condensation* condensation) { condensation_ = condensation; }
  /// Sweeps solve all joints as one block.
  void set_joints(JointSweep* joints) { joints_ = joints; }

  /// Runs until the monitor stops the solve.
  void run();

 private:
  enum class Outcome { done, slow };   ///< done: the monitor stopped the solve

  void run_with_joints();
  bool fits_the_budget() const;
  void expand(bool on);
  double decades_left() const;
  void tell(std::string_view tactic, int iterations, double before);
  void go_back_to_best();
  std::span<double> start_whole();
  void continue_sweeps();
  void start_from(std::span<const double> impulses);
  Outcome sweeps(bool direct);
  bool leaves_sweeps(bool direct, int sweeps, int window, double gained);
  Outcome newton();
  Outcome admm();

  const ContactProblem& p_;
  std::span<double> impulses_;
  Workspace& work_;
  SolveMonitor& monitor_;
  const AutomaticSolver::Options& options_;
  const ContactProblem* whole_ = nullptr;   ///< of a problem with joints; null without
  Condensation* condensation_ = nullptr;
  JointSweep* joints_ = nullptr;
  std::vector<double> whole_impulses_;
  std::vector<double> swept_;   ///< where the last sweeps ended; empty before
  double best_when_swept_ = 0, newton_work_ = 0;
  int iteration_ = 0, patience_ = 1;
  bool admm_fits_ = true;   ///< until its setup says that it costs too much
};

}  // namespace stickslip
