// Damped Newton steps on a reformulation of the contact problem, regularised by a proximal point: the engine of the Newton
// family and the finisher of solvers that first come close by cheaper means.
//
// The regularised problem at the reference λ̄ replaces v = Wλ + b by
//
//   v_α(λ) = Wλ + b + α D (λ − λ̄),   Dᵢ = tr(W_ii)/dim · I
//
// which is as solvable as one likes for large α, even where contacts are redundant, and has the solution of the original
// problem where λ = λ̄. W is assembled and its pattern analysed once; every step factorises once.
#pragma once

#include "solve/newton/linear_solvers.h"
#include "solve/newton/maps.h"
#include "solve/newton/velocity_system.h"

namespace stickslip {

/// Newton steps on Φ(x, v_α(λ)) = 0 with λ̄ and α given.
class NewtonEngine {
 public:
  /// Prepares for a problem, which must outlive the steps.
  void set_up(const ContactProblem&, const NewtonSystem&, LinearSolver linear = {});

  /// The unknowns that belong to these impulses, with slacks guessed, and back.
  void from_impulses(std::span<const double> impulses, std::vector<double>& x);
  void to_impulses(std::span<const double> x, std::span<double> impulses) const;

  /// λ̄ of the steps to come.
  void set_reference(std::span<const double> x) { reference_.assign(x.begin(), x.end()); }

  /// One damped Newton step with backtracking on the merit (Armijo). False, with x unchanged, if the system is singular or no
  /// step length brings the merit below the larger of its value before and `allowance` [m/s].
  bool step(std::span<double> x, double alpha, double allowance = 0);

  /// √Σ(Φ_k/ρ_k)²: how far x is from solving the regularised problem [m/s].
  double merit(std::span<const double> x, double alpha);

  /// Operations of one step, about: of its factorisation and solves. Known after set_up, of steps in velocities only.
  double step_work() const { return velocities_.factor_work() * 2 + velocities_.solve_work(); }

  /// Sweeps that the last step cost, about: products with W and H, and n³/3 for a factorisation.
  double step_cost() const;

  bool in_velocities() const { return linear_.kind == LinearSolver::Kind::velocities; }
  double last_merit() const { return merit_; }   ///< after the last step [m/s]

 private:
  void multiply(std::span<const double> impulses, std::span<double> v);
  void velocity(std::span<const double> x, double alpha);
  double norm() const;
  bool solve_direction();

  const ContactProblem* problem_ = nullptr;
  NewtonSystem system_{};
  LinearSolver linear_;
  BlockMatrix w_;   ///< W and H, unless the steps are solved in velocities
  NewtonMatrix matrix_;
  VelocitySystem velocities_;
  Linearisation map_;
  KrylovScratch krylov_;
  std::vector<double> rho_, weight_;   ///< per row; 1/ρ per unknown
  std::vector<double> shift_;          ///< D per row
  std::vector<double> reference_, impulses_, v_, dv_, direction_, trial_, trial_v_;
  double merit_ = 0;
};

/// Tolerances up to which an error is that of a solution which wants digits only; solves that meet theirs go on from there.
inline constexpr double kNearSolution = 10;

/// The schedule of the proximal point: decides α and λ̄ and takes one Newton step at a time.
///
///   ProximalNewton newton;
///   newton.start(problem, impulses);
///   while (newton.step(impulses) && !good_enough(impulses)) {}
///
/// A regularised problem that is solved hands its solution on, extrapolated, as the next λ̄ and α falls; one that resists, or
/// whose steps go round in a circle, sends the impulses back to the last good λ̄ and α grows, and stays so for a while. The
/// error may rise on the way: keep the best impulses seen.
class ProximalNewton {
 public:
  struct Settings {
    double alpha = 1e-2;   ///< first weight; 0: plain Newton, which gives up at the first failure
    double alpha_min = 1e-14, alpha_max = 1e3;
    double alpha_min_in_velocities = 1e-9;   ///< where the impulses are eliminated, which magnifies rounding by 1/α
    double reduction = 4;                    ///< of α after a success, > 1; more where the error fell by more
    double increase = 10;                    ///< of α after a failure, > 1
    double accuracy = 0.1;                   ///< fraction of the error at λ̄ to which a regularised problem is solved
    int inner = 25;                          ///< steps allowed for one λ̄
    int failures = 60;                       ///< without progress in between, after which it gives up
    bool monotone = false;                   ///< every step lowers the merit of its regularised problem
    double near = 0;                         ///< error at λ̄ up to which steps stay with the solution that is there [m/s]
    /// error that is small enough [m/s]: α falls no farther than it takes to get there with the next λ̄, as smaller ones change
    /// contacts to and fro; 0: α follows the error down
    double goal = 0;
    LinearSolver linear;
  };

  ProximalNewton() = default;
  explicit ProximalNewton(Settings settings) : settings_(settings) {}
  void set(const Settings& settings) { settings_ = settings; }   ///< before start()

  /// Begins at these impulses. The problem must outlive the steps.
  void start(const ContactProblem&, std::span<const double> impulses, const NewtonSystem& = alart_curnier_system);

  /// The same in two: what depends on the problem alone, after which `step_work` is known, and where to begin.
  void prepare(const ContactProblem&, const NewtonSystem&);
  void start(std::span<const double> impulses);

  /// One Newton step, with one factorisation, or a step back; the impulses are written. False when nothing helps any more.
  bool step(std::span<double> impulses);

  double step_work() const { return engine_.step_work(); }   ///< operations, of steps in velocities
  double step_cost() const { return engine_.step_cost(); }   ///< of the last step, in sweeps; not of steps in velocities
  double alpha() const { return alpha_; }
  double error() const { return error_; }   ///< merit of the unregularised system at λ̄ [m/s]

 private:
  void begin(std::span<const double> reference);
  void extrapolate();
  void accept();
  bool retreat();
  bool cycles() const;

  Settings settings_;
  NewtonEngine engine_;
  std::vector<double> x_, base_, merits_;    ///< unknowns; where to go back to; merits of the steps since λ̄ [m/s]
  std::vector<double> reference_, solved_;   ///< λ̄; solution of the regularised problem before
  double alpha_ = 0, error_ = 0, best_error_ = 0;
  double held_alpha_ = 0, held_error_ = 0;   ///< α does not fall below the one until the error is well below the other [m/s]
  int failures_ = 0, momentum_ = 0;
};

}   // namespace stickslip
