// The elastic side of a step: what soft bodies weigh in it, and how they would move without contacts.
//
// Forces act at the end of the step, x⁺ = x + h u⁺, linearised about a trial velocity w [course §4.2, §4.3.3]:
//
//   A (u⁺ − w) = M (u − w) + τ (f(x + h w) − B w) + Jᵀλ,   A = M + τ B + τ h K
//
// where B w brakes what strains change by along the chords h w, so that a turn is no rate of strain.
//
// with τ how long forces act. The first trial goes on as a rigid body would (step/soft/rigid_trial.h); with the solution as the
// next one it is Newton's method on implicit Euler. Held nodes have their trial velocity, and stay in A only as numbers of
// their own.
//
// Of large bodies A is factored when it must be. While it is near the matrix that was factored last, conjugate gradients that
// those factors precondition solve with it, as exactly, and what contacts feel is corrected (step/soft/soft_operators.h). Which
// matrix that is belongs to the state of the body (SoftMemory), so that a world that goes on elsewhere keeps its bits.
#pragma once

#include <memory>

#include "step/velocity_space.h"
#include "stickslip/problem/coupled_mass.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip {

class SoftSystems {
 public:
  /// Times of a step.
  struct Times {
    double kick = 0;    ///< τ: how long forces act [s]
    double h = 0;       ///< until the next contacts [s]
    double ahead = 0;   ///< how far velocities between two steps are ahead of those along the chord of a step [s]
  };

  /// How soft bodies enter.
  enum class Manner : std::uint8_t {
    lumped,     ///< forces act at the start of the step and only masses resist (W_M of the course)
    factored,   ///< A is factored whenever it changes
    reused      ///< factors of large matrices serve while they are near
  };

  /// Begins a whole step: what bodies remember counts, whatever was done with them since.
  void recall();
  /// Ends it: bodies remember where they were factored last.
  void remember(World&) const;
  int factorisations() const { return factorisations_; }   ///< since the step began

  /// Forgets trial velocities: the next linearisation is the first.
  void begin_step() { trial_.clear(); }
  /// Linearises about these velocities next. @param space that the last call of `append` filled
  /// @param share of the way to them, from those of the last linearisation
  void try_velocities(const World&, const VelocitySpace& space, std::span<const double> velocity, double share = 1);
  /// That share of the way to the velocities of a solve along which the objective of the step falls as it should: 1, ½, ¼ …
  /// (velocity_descent.cpp)
  double share_that_descends(const World&, const VelocitySpace& space, std::span<const double> velocity);

  /// Gives free soft bodies back what the forces inside them took of their angular momentum in the step that moved them
  /// (soft_spin.cpp).
  void keep_spin(World&);

  /// Gives the nodes of a soft body their segments, and the carrier that couples them.
  void append(const World&, const NodalBody&, const Times&, Manner, VelocitySpace&, ContactProblem&);

 private:
  /// What stays of a body from step to step.
  struct System {
    explicit System(std::shared_ptr<const ElasticSolid> s) : solid(std::move(s)), assembly(*solid) {}

    std::shared_ptr<const ElasticSolid> solid;
    ElasticSolid::System assembly;
    ElasticSolid::System::Matrix matrix;
    std::shared_ptr<CoupledMass> mass;
    std::vector<std::uint32_t> held;                  ///< nodes that `cut` is for
    std::vector<Eigen::Index> cut;                    ///< numbers of the matrix that couple held nodes with others
    std::vector<Vec3> start, trial, places, forces;   ///< per node; start: velocities along the last chord [m/s]
    Eigen::VectorXd way;                              ///< from the trial velocities to those of a solve
    struct {
      std::vector<Vec3> velocities, places;
    } tried;   ///< on that way
    std::vector<double> right, change;
    Eigen::VectorXd diagonal;
    Times times;             ///< of the last linearisation; zero if it was lumped
    SoftMemory memory;       ///< where `mass` was factored; empty of bodies that are factored whenever they change
    bool recalled = false;   ///< whether that is what the body remembers, or later
  };
  System& system_of(const NodalBody&);
  static void find_cut(System&, const NodalBody&);
  static void assemble(System&, const NodalBody&, std::span<const Vec3> places, const Times&);
  void factor(System&, const Times&, Manner);
  void factor_remembered(System&, const NodalBody&);
  static bool reuse(System&, const NodalBody&);
  static bool has_settled(const System&, const NodalBody&, const Times&);
  static void find_start(const NodalBody&, System&);
  static void find_right(const World&, const NodalBody&, const Times&, System&);
  void solve_free(System&, const NodalBody&, const Times&, Manner);
  void find_trial(const World&, const NodalBody&, const Times&, System&) const;
  static Vec3 inner_couple(const NodalBody&, System&);
  static double objective(const World&, const NodalBody&, System&, double share);

  std::vector<std::pair<std::uint32_t, std::unique_ptr<System>>> systems_;   ///< by body slot
  std::vector<Vec3> trial_;   ///< velocities to linearise about, of all nodes; empty: none
  int factorisations_ = 0;
};

/// Forces on the nodes of a soft body that are not its own: weight, applied force, pressure inside [N]. Adds to `forces`.
void add_applied_forces(const World&, const NodalBody&, std::span<const Vec3> places, std::span<Vec3> forces);

}   // namespace stickslip
