// The contacts of a step as springs: what each pushes with, what it moves, and where it is anchored.
//
// Contacts are looked for once, and within the step (or a piece of it) their points and normals stay where they are relative to
// the bodies: gaps and stretches follow from velocities, φ' = n·v and s' = v_t, where v is the velocity of B against A at the
// contact, v = Σ w (v + ω × arm) over the movers of both sides, those of A with negative weight w.
//
// Friction that is anchored pulls with −k s − b v_t, s being how far the point of B is from where it stuck to A last; where
// that is more than µ times the normal force the anchor follows [course §5.1.4]. The force of that spring at the end of the
// step is remembered with the world, and s follows from it in the next.
#pragma once

#include <span>
#include <vector>

#include "step/penalty/penalty_law.h"
#include "step/velocity_space.h"
#include "stickslip/collide/contact.h"
#include "stickslip/problem/contact_problem.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// A mover of a contact.
struct PenaltyMover {
  std::uint32_t segment = 0, offset = 0;   ///< its numbers in a vector of velocities begin at `offset`
  bool rigid = false;
  double weight = 0;   ///< negative on the side of A
  Vec3 arm = Vec3::Zero();
};

struct PenaltyContact {
  // What it is.
  Vec3 normal = Vec3::UnitZ();
  PenaltySpring spring;
  PenaltyDamper damper;
  double friction = 0;                                       ///< µ
  double tangential_stiffness = 0, tangential_damping = 0;   ///< of what sticks [N/m, N s/m]
  Vec3 driven = Vec3::Zero();                                ///< velocity that scripts and held nodes prescribe [m/s]
  std::uint32_t first = 0, count = 0;                        ///< movers
  double mass = 0;                                           ///< that its normal feels with its movers alone [kg]
  // State.
  double gap = 0;                 ///< φ [m]
  PenaltySpring::Value value;     ///< of its spring there
  Vec3 stretch = Vec3::Zero();    ///< s, along the surface [m]
  Vec3 velocity = Vec3::Zero();   ///< of B against A [m/s]
  double pull = 0;                ///< largest acceleration of its movers without contacts [m/s²]
  double damping = 0;             ///< of the damper in this substep [N s/m]
  PenaltyForce normal_force;      ///< of the last evaluation
  Vec3 friction_force = Vec3::Zero();
  double tried_friction = 0;   ///< size of that before Coulomb's limit [N]
  double limit = 0;            ///< Coulomb's limit of the last evaluation, or that to keep [N]
  // Sums over the step.
  Vec3 impulse = Vec3::Zero();                         ///< on B [N s]
  Vec3 slip = Vec3::Zero();                            ///< way along the surface [m]
  double damper_work = 0;                              ///< on the bodies, ≤ 0 but for errors [J]
  double friction_work = 0, driven_work = 0;           ///< on the bodies; of it what scripts put in [J]
  double energy_start = 0, stretch_energy_start = 0;   ///< stored at the start [J]

  /// Adds the work of the last evaluated force over a substep. @param mean velocity over it [m/s]
  void book(double time, const Vec3& mean) {
    if (!(normal_force.total > 0 || normal_force.spring > 0)) return;
    damper_work += time * (normal_force.total - normal_force.spring) * mean.dot(normal);
    friction_work += time * friction_force.dot(mean);
    driven_work += time * (normal_force.total * normal + friction_force).dot(driven);
  }
  /// Moves on. @param drift velocity of B against A meanwhile [m/s]
  void move(double time, const Vec3& drift) {
    const double parting = drift.dot(normal);
    const Vec3 along = time * (drift - parting * normal);
    gap += time * parting;
    stretch += along;
    slip += along;
  }
};

/// What contacts are made from.
struct PenaltySetting {
  const World& world;
  const ContactSet& set;
  const StepOptions& options;
  const VelocitySpace& space;
  const ContactProblem& problem;        ///< its segments have masses
  std::span<const double> loads = {};   ///< by body slot: of all that joints hang together with it [N]; empty: no joints
};

/// What bounds explicit substeps t [course §5.1.3 asks for it]: λ_k t² + 2 λ_b t < 4 with λ_k at least the largest
/// eigenvalue of M⁻¹ Jᵀ K J and λ_b of M⁻¹ Jᵀ B J. (Σ wᵢ xᵢ)² ≤ Σ|wᵢ| Σ|wᵢ| xᵢ²: what couples movers is bounded by
/// what each feels alone, and movers can be looked at one by one.
struct PenaltyLimits {
  using Sum = Eigen::Matrix<double, 6, 6>;
  std::vector<Sum> stiffness, damping;   ///< by segment: Σ Jᵀ K J and Σ Jᵀ B J

  struct Rates {
    double stiffness = 0;     ///< λ_k [1/s²]
    double damping = 0;       ///< λ_b [1/s]
    double longest() const;   ///< t that is stable [s]; infinite without contacts
  };
  void begin(std::size_t segments) {
    stiffness.assign(segments, Sum::Zero());
    damping.assign(segments, Sum::Zero());
  }
  Rates rates(const ContactProblem&) const;
};

class PenaltyContacts {
 public:
  /// Makes the contacts, in the order of the set, with the gaps and anchors that they start from.
  /// @throws Error if a pair has another friction law than Coulomb's
  void build(const PenaltySetting&);

  std::vector<PenaltyContact>& all() { return contacts_; }
  const std::vector<PenaltyContact>& all() const { return contacts_; }
  std::span<const PenaltyMover> movers(const PenaltyContact& c) const { return std::span(movers_).subspan(c.first, c.count); }

  /// Velocity of B against A at a contact [m/s]. @param u velocities of segments
  Vec3 velocity(const PenaltyContact&, std::span<const double> u) const;
  /// Adds the effect of an impulse on B to momenta of segments. @param impulse [N s]
  void push(const PenaltyContact&, const Vec3& impulse, std::span<double> momenta) const;
  /// Force on B for what its spring, stretch and velocity would be [N]; sets `normal_force` and `friction_force`.
  /// @param keeps_limit friction stays within `limit`, whatever presses now
  static void find_force(PenaltyContact&, PenaltyFriction, const PenaltySpring::Value&, const Vec3& stretch,
                         const Vec3& velocity, bool keeps_limit = false);
  /// The stretch that the friction force of the last evaluation leaves: that of the spring, within Coulomb's limit [m].
  static Vec3 held_stretch(const PenaltyContact&, PenaltyFriction, const Vec3& stretch);

  void add_limits(PenaltyLimits&, PenaltyFriction) const;
  /// How much stiffer than `PenaltySpring::stiffness`, which `add_limits` takes, the stiffest contact is now; at least 1.
  double stiffening() const;

 private:
  void fill_pair(const PenaltySetting&, const Manifold&);
  void add_side(const PenaltySetting&, const Collider&, std::uint32_t part, double sign, const Vec3& place, PenaltyContact&);
  void weigh(const PenaltySetting&, const Manifold&, PenaltyContact&) const;
  void anchor(const PenaltySetting&, const Manifold&);
  double inverse_mass(const ContactProblem&, const PenaltyContact&) const;
  static double wanted_force(const PenaltySetting&, const Manifold&, double depth);

  std::vector<PenaltyContact> contacts_;
  std::vector<PenaltyMover> movers_;
  double heap_height_ = 1;   ///< of as many bodies as there are, in bodies
};

}   // namespace stickslip
