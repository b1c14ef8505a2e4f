// Runs the stages of a plan on a problem that hangs together.
#pragma once

#include "solve/acceleration.h"
#include "solve/automatic/plan.h"
#include "solve/automatic/regions.h"
#include "solve/joints/condensation.h"
#include "solve/joints/joint_sweep.h"
#include "solve/newton/newton_engine.h"
#include "stickslip/solve/automatic/automatic.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

/// In which form the stages see a problem.
class ProblemForm {
 public:
  /// As it is.
  static ProblemForm plain(const ContactProblem& p) { return {p, p, nullptr, nullptr}; }
  /// Sweeps solve all joints as one block.
  static ProblemForm with_joint_block(const ContactProblem& p, JointSweep& joints) { return {p, p, nullptr, &joints}; }
  /// Sweeps work on a problem from which joints were eliminated.
  /// @param excuse called after the condensed problem was expanded, if there is anything to do; may change b of the whole
  static ProblemForm condensed(const ContactProblem& whole, Condensation& c, std::function<void()> excuse) {
    ProblemForm form(c.problem(), whole, &c, nullptr);
    form.excuse = std::move(excuse);
    return form;
  }

  const ContactProblem& swept;   ///< what sweeps work on
  const ContactProblem& whole;   ///< what the monitor judges and factorisations work on
  Condensation* const condensation;
  JointSweep* const joints;
  std::function<void()> excuse;

 private:
  ProblemForm(const ContactProblem& s, const ContactProblem& w, Condensation* c, JointSweep* j)
      : swept(s), whole(w), condensation(c), joints(j) {}
};

/// One solve: the stages and what they share. Work is counted by the cost model and handed to the monitor, which must count it
/// (`SolveMonitor::count_work`).
class Stages {
 public:
  /// @param impulses of the swept problem; in: the guess; the iterates from then on
  Stages(const ProblemForm& form, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor,
         const AutomaticSolver::Options& options);

  /// Sweeps over a plain problem are to solve the worst of it by these means every now and then (solve/automatic/regions.h).
  /// Newton steps then begin at the best: mended, it shares loads among redundant contacts as solutions do.
  void mend_with(SubSolver solve) {
    mender_ = std::move(solve);
    guess_.clear();
  }

  /// Runs until the monitor stops the solve.
  void run(const Plan&);

 private:
  enum class Outcome { done, slow };   ///< done: the monitor stopped the solve

  Outcome run(Method);
  bool can_afford(double price) const { return price <= monitor_.work_left(); }
  ProximalNewton& engine() { return work_.scratch<ProximalNewton>(); }
  double discount() const;
  double newton_price();
  std::size_t sliding_contacts() const;
  bool chooses_share() const;
  bool is_linear() const;
  void expand(bool on);
  double decades_left() const;
  void tell(std::string_view method, int steps, double before);
  void go_back_to_best();
  std::span<double> start_whole();
  void continue_sweeps();
  void start_from(std::span<const double> impulses);
  void find_velocity();
  Outcome sweeps(bool others_follow);
  void mend(Acceleration&);
  bool leaves_sweeps(int sweeps, int window, double gained);
  void start_newton(std::span<double> iterate, bool trial);
  Outcome newton(bool trial);
  Outcome try_newton();
  Outcome linear_steps();
  bool is_full() const;
  Outcome full_rank_steps();
  double interior_price() const;
  Outcome interior();
  Outcome interior(bool exact);
  double admm_price() const;
  bool admm_is_cheaper();
  Outcome admm();

  const ProblemForm form_;
  std::span<double> impulses_;
  Workspace& work_;
  SolveMonitor& monitor_;
  const AutomaticSolver::Options& options_;
  SubSolver mender_;   ///< may be empty
  std::vector<double> whole_impulses_;
  std::vector<double> guess_;   ///< until Newton steps began at it; empty where they should not
  double guess_residual_ = 0;   ///< [m/s]
  double fastest_ = 0;          ///< velocity of the problem [m/s]
  std::vector<double> swept_;   ///< where the last sweeps ended; empty before
  double best_when_swept_ = 0;
  double sweep_cost_ = 0, newton_cost_ = 0;   ///< of one step [ns]; newton_cost_ is 0 until asked for
  double best_of_newton_ = 0;                 ///< residual when Newton steps last made progress [m/s]
  int newton_steps_ = 0;                      ///< taken since Newton's method last began
  int step_ = 0, patience_ = 1;
  bool admm_fits_ = true;   ///< until its setup says that it costs too much
  bool admm_began_ = false;
  bool goes_inside_ = false;   ///< whether interior point steps come before others that factor
};

}   // namespace stickslip
