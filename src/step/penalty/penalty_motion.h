// Velocities of a step under the forces of penalty contacts, in substeps: explicit or implicit. Geometry stays as it was when
// contacts were made (step/penalty/penalty_contacts.h).
#pragma once

#include "step/penalty/penalty_contacts.h"
#include "step/penalty/penalty_driven_rows.h"
#include "step/penalty/penalty_joints.h"
#include "stickslip/math/sparse_factor.h"
#include "stickslip/solve/solver.h"
#include "stickslip/step/integrator.h"

namespace stickslip {

/// Velocity space with masses, and how velocities would change without contacts.
struct PenaltySpace {
  const ContactProblem& problem;   ///< segments with their masses, of nodes of soft bodies those of the nodes; carriers
  const VelocitySpace& space;
  double h = 0;   ///< that the change from `before` to `free` takes [s]
  const std::atomic<bool>* cancel = nullptr;

  double rate(std::size_t i) const { return (space.free()[i] - space.before()[i]) / h; }
};

/// What pushes.
struct PenaltyForces {
  PenaltyContacts& contacts;
  PenaltyJoints& joints;
};

/// What came of it.
struct PenaltyResult {
  std::vector<double> velocity;   ///< at the end
  std::vector<double> mean;       ///< over the step: what positions move by
  int iterations = 0;             ///< substeps if explicit, factorisations if implicit
  SolveStatus status = SolveStatus::converged;
  std::string_view reason;
  double error = 0;     ///< implicit: what is left of the equations [m/s]
  double substep = 0;   ///< explicit: the one that is longest compared with what is stable [s]
  double longest = 0;   ///< explicit: what is stable there [s]; infinite without contacts
};

/// Symplectic Euler. Substeps are fixed if the options say how many, otherwise half of what is stable, and shorter where a law
/// stiffens.
class PenaltyExplicit {
 public:
  void run(const PenaltyForces&, const PenaltySpace&, const PenaltyOptions&, PenaltyResult&);

 private:
  double next_substep(const PenaltyContacts&, const PenaltyOptions&, PenaltyResult&) const;
  void push(const PenaltyForces&, PenaltyFriction, double time);
  void take(const PenaltyForces&, const PenaltySpace&, PenaltyFriction, double time, PenaltyResult&);

  void find_drift(const PenaltySpace&, double time, std::span<const double> velocity);
  void drive(const PenaltyForces&, const PenaltySpace&, double time, std::span<double> velocity);

  PenaltyDrivenRows driven_;
  PenaltyLimits sums_;
  PenaltyLimits::Rates limits_;
  double h_ = 0, left_ = 0;   ///< [s]
  double phase_ = 0;          ///< of the fastest spring that a substep may take [rad]
  std::vector<double> momenta_, solved_, drift_;
  std::vector<char> in_carrier_, carried_;   ///< by segment: of a soft body; rests on something
};

/// Backward Euler: forces are those of the end of a substep, found by Newton's method.
///   A (u⁺ − u_free) = t Jᵀ f(φ + t J u⁺, J u⁺),   (A + Jᵀ D J) Δ = what is left,   D = t (t K + B)
/// Steps leave out how sliding friction grows with what presses, so that the matrix is symmetric and a step can be judged by a
/// convex function; where only that is left, the whole matrix is tried.
class PenaltyImplicit {
 public:
  struct Control {
    double tolerance = 0;   ///< [m/s]
    int max_iterations = 0;
  };
  void run(const PenaltyForces&, const PenaltySpace&, const PenaltyOptions&, const Control&, PenaltyResult&);

 private:
  struct Setting {
    PenaltyContacts& contacts;
    PenaltyJoints& joints;
    const PenaltySpace& space;
    PenaltyFriction friction;
    double time;   ///< of the substep [s]
  };
  struct Left {
    double speed = 0;   ///< largest [m/s]
  };
  void solve(const Setting&, const Control&, PenaltyResult&);
  bool descend(const Setting&, std::vector<double>& u);
  Left leap(const Setting&, const Left&, std::vector<double>& u);
  Left find_left(const Setting&, std::span<const double> u, bool keeps_limits);
  bool find_step(const Setting&, bool symmetric);
  void add_masses(const PenaltySpace&);
  void add_row(const PenaltyJointRow&, double D, bool symmetric);
  void add_blocks(const PenaltyContacts&, const PenaltyContact&, const Mat3& D, bool symmetric);
  void times_mass(const PenaltySpace&, std::span<const double> x, std::span<double> out) const;

  std::vector<double> free_, change_, left_, step_, trial_;
  std::vector<Eigen::Triplet<double>> entries_;
  SparseFactor::Matrix matrix_, analysed_;
  SparseFactor factor_;
  bool analysed_symmetric_ = true;
};

}   // namespace stickslip
