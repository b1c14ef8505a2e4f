// From a world and its contacts to the contact problem: the only place where bodies become rows.
#pragma once

#include <array>

#include "step/area_laws.h"
#include "step/joints/joint_closing.h"
#include "step/soft/attachment_rows.h"
#include "step/soft/soft_systems.h"
#include "step/turning.h"
#include "step/velocity_space.h"
#include "stickslip/collide/contact.h"
#include "stickslip/problem/contact_problem.h"
#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

inline constexpr std::uint32_t kNoSpin = ~0u;

/// What the builder knows about one contact point beside its rows.
struct BuiltContact {
  std::uint32_t block;     ///< its block in the problem
  std::uint32_t spin;      ///< place among the contacts with torsion or rolling rows, kNoSpin if it has none
  Mat3 frame;              ///< columns normal, t, b
  Vec3 before;             ///< relative velocity of B against A before the step, contact frame [m/s]
  Vec3 driven;             ///< part of the relative velocity that kinematic bodies prescribe, contact frame [m/s]
  double recovery_speed;   ///< separation speed that stabilisation asks for, ≥ 0 [m/s]
  bool touching;           ///< within the band or deeper, and not struck: may be elastic
  double half_gap;         ///< from the contact point to the surface where the arm of a lone body ends, 0 of two bodies [m]
  Vec3 turning;            ///< κ: how the relative velocity changes within half the step by itself, contact frame [m/s]
  double friction;         ///< μ, or how far F(1) reaches along a tangent
  bool elastic = false;    ///< whether the two materials have restitution along normals
  bool rebounds = false;   ///< whether Newton's impact law acts
};

/// What contacts with torsion or rolling rows have beside. Their rows are scaled by a length, so that all rows are velocities
/// in m/s and impulses in N s, of like size.
struct SpinRows {
  double length;    ///< [m]: a row is length · angular velocity, and its impulse times length the angular impulse
  Vec3 before;      ///< relative angular velocity of B against A before the step, contact frame (n, t, b) [rad/s]
  Vec3 driven;      ///< part of it that kinematic bodies prescribe [rad/s]
  double rolling;   ///< how far the rolling part of its law widens an area [m]
};

/// Which turn a row of a contact with `friction_rows` friction rows stands for: 0 torsion, 1 and 2 rolling about t and b; −1 a
/// translation. Rows are t, b, torsion, rolling t, rolling b, and without torsion t, b, rolling t, rolling b.
constexpr int turn_of_row(int friction_rows, int row) { return row < 3 ? -1 : friction_rows == 4 ? row - 2 : row - 3; }

/// Velocities at a contact, of B relative to A, world frame [m/s, rad/s].
struct SideVelocities {
  Vec3 before = Vec3::Zero(), free = Vec3::Zero(), free_spin = Vec3::Zero();   ///< free_spin: contact frame
};

class ProblemBuilder {
 public:
  /// One side of a contact.
  struct Side {
    const Collider* collider;
    std::uint32_t part;
    double sign;             ///< −1 of A, +1 of B
    std::uint32_t segment;   ///< of what the collider moves with; kNoSegment if forces do not move it, or it deforms
  };
  using Sides = std::array<Side, 2>;
  Sides sides_of(const World&, const Manifold&) const;

  /// Gives every body that moves by forces a velocity segment, and computes its velocity before and without contacts.
  void begin(const World&, const StepOptions&, JointCare = JointCare::closed);

  /// What is inside comes back to its place as fast as in a step of this length, where a piece is shorter because it was cut
  /// [s]: all the speed that it gets stays with it in the pieces that follow.
  void recover_in(double time) { recovery_time_ = time; }

  /// Fills the problem and the guess: joints first, then contacts.
  /// @param drift_time positions move this long with the new velocity, before the end of the step [s]
  void build(const World&, const ContactSet&, const StepOptions&, double drift_time);

  const ContactProblem& problem() const { return problem_; }
  std::span<const double> guess() const { return guess_; }
  std::span<double> guess_to_refine() { return guess_; }
  /// Starts the contact at place `point` of the set from an impulse.
  void set_guess(std::uint32_t point, const RememberedImpulse&, double scale = 1);
  /// Gives the contact at place `point` another κ along its normal [m/s].
  void bend(std::uint32_t point, double kappa);
  const std::vector<BuiltContact>& contacts() const { return contacts_; }   ///< as in ContactSet::points
  const SpinRows& spin(const BuiltContact& c) const { return spins_[c.spin]; }
  /// Angular impulse of torsion and rolling rows on body B, contact frame [N m s]; zero for contacts without such rows.
  Vec3 angular_impulse(const BuiltContact&, std::span<const double> impulses) const;
  /// Moment with which the rolling part of the law of an area resists a spin [N m s]. @param spin contact frame [rad/s]
  double rolling_resistance(const BuiltContact&, const Vec3& spin, std::span<const double> impulses) const;
  /// Segments of movers, their velocities before the step and without contacts.
  const VelocitySpace& space() const { return space_; }
  /// Velocity of B relative to A at a contact that bodies with the velocities u have, without what kinematic bodies prescribe,
  /// world frame [m/s]. @param point at place `index` of the set
  Vec3 relative_velocity(const World&, const Sides&, const ContactPoint& point, const BuiltContact&,
                         std::span<const double> u) const;
  /// Of angular velocities, contact frame [rad/s]: what torsion and rolling are about.
  Vec3 relative_spin(const Sides&, const BuiltContact&, std::span<const double> u) const;
  SoftSystems& soft() { return soft_; }
  JointRows& joints() { return joints_; }
  const JointRows& joints() const { return joints_; }
  void reduce_joint_recovery(double part) { joints_.reduce_recovery(problem_, part); }
  const AttachmentRows& attachments() const { return attachments_; }
  AttachmentRows::Setting attachment_setting(const World& world, const StepOptions& options) const {
    return {world, options, space_};
  }
  bool let_joints_agree(const World& world, const StepOptions& options, double drift_time, std::span<const double> impulses,
                        double tolerance) {
    return joints_.agree(joint_setting(world, options, drift_time), problem_, impulses, tolerance);
  }
  /// What the rows of joints were made from. Valid until the next begin().
  JointRows::Setting joint_setting(const World& world, const StepOptions& options, double drift_time) const {
    return {world, options, drift_time, space_.segments(), space_.before(), space_.free(), closing_.ends(), problem_.segments};
  }
  /// How far a solve is from closing joints and attachments at the end of the step, relative to their size
  /// (step/joints/joint_closing.h).
  double look_at_joints(const World&, const StepOptions&, double drift_time, std::span<const double> impulses,
                        std::span<const double> velocity);
  bool averages_arms() const { return closing_.averages(); }
  /// Prepares the solve that brings them closer.
  void correct_joints();
  /// Work of joints beside that of their rows, in a solve [J].
  double work_beside_rows(std::span<const double> velocity) const;
  /// Ends the solves of a step: puts right what they left open of the balance of angular momentum.
  void balance_joints(const World&, std::span<double> velocity);

 private:
  std::uint32_t meet(const World&, MaterialId a, MaterialId b);   ///< place of the pair in pairs_
  void choose_laws(const World&, const ContactSet&, const StepOptions&);
  void see(const World&, const Manifold&, const ContactPoint&, const ContactPatch*, ContactSite&);
  void number_contacts(const World&, const ContactSet&, const StepOptions&);
  /// What the contacts of a pair have in common.
  struct PairSetting {
    const Manifold& manifold;
    const SurfacePair& surface;
    Sides sides;
    double thickness, band;   ///< of the thinner body; within which it counts as touching [m]
    double threshold;         ///< speed from which on it rebounds [m/s]
    Correction correction;
  };
  void fill_contacts(const World&, const ContactSet&, const StepOptions&);
  void fill_contact(const World&, const ContactSet&, const PairSetting&, std::uint32_t index, const StepOptions&);
  void orient(const PairSetting&, const ContactPoint&, std::uint32_t index, double length);
  template <class F>
  void for_each_segment(const World&, const Side&, const Vec3& place, F&& f) const;
  void find_segments(const World&, const Manifold&);
  void fill_side(const World&, const Side&, const ContactPoint&, BuiltContact&, double*& jacobian, SideVelocities&);
  void drive_held(const World&, const Side&, const Vec3& on_surface, BuiltContact&) const;
  void fill_columns(std::uint32_t segment, double weight, const Vec3& on_surface, const BuiltContact&, double*& jacobian,
                    SideVelocities&);
  double* columns_of(const Block&, std::uint32_t segment, double* end);
  void push(std::uint32_t segment, const Block&, const double* jacobian);
  void fill_spin(const BuiltContact&, std::uint32_t segment, double sign, double* jacobian, Vec3& free_spin);
  /// What the normal row of a place asks for.
  struct Asked {
    double speed = 0;      ///< beside the free velocity [m/s]
    double recovery = 0;   ///< separation speed among it, ≥ 0 [m/s]
    bool touching = false, rebounds = false;
  };
  Asked ask(const World&, const PairSetting&, double gap, double before, double free, const StepOptions&) const;
  void take(const Asked&, double speed, const PairSetting&, BuiltContact&);
  void ask_of_patch(const World&, const PairSetting&, const ContactPatch&, BuiltContact&, const StepOptions&);
  void weigh();
  void let_roll(const World&, const ContactSet&);
  void push_by_guess();
  void expect(const World&, const StepOptions&);
  void follow_supports(const World&, const ContactSet&, const StepOptions&);
  void hold_on(const World&, const Manifold&, const ContactSet&, const StepOptions&);
  void turn(const World&, const ContactSet&, const StepOptions&);
  void soften(const World&, const ContactSet&, const StepOptions&);
  double normal_give(const Block&) const;
  void settle(BuiltContact&, double speed);
  void remember(const World&, const ContactSet&, const StepOptions&);
  void remember(const World&, const ContactSet&, std::span<const Manifold> pair, std::span<const RememberedImpulse> old,
                double scale);
  void soften_wedges(const World&, const ContactSet&);
  void release(const ContactSet&, std::span<const Manifold> pair);

  ContactProblem problem_;
  double recovery_time_ = 0;   ///< [s]
  JointRows joints_;
  AttachmentRows attachments_;
  JointClosing closing_;
  bool closes_joints_ = false;   ///< whether there were joints to look at
  ContactTurning turning_;
  SoftSystems soft_;
  VelocitySpace space_;
  std::vector<Twist> expected_;    ///< by mover
  std::vector<double> velocity_;   ///< the same by segment
  std::vector<double> guess_;
  std::vector<std::uint32_t> found_segments_;   ///< of a manifold
  std::vector<BuiltContact> contacts_;
  std::vector<SpinRows> spins_;
  std::vector<bool> taken_;                  ///< of the points of a manifold: whether they have a remembered impulse
  std::vector<RememberedImpulse> orphans_;   ///< of a manifold: impulses whose features are gone

  /// The pairs of materials met in this step.
  struct MetPair {
    MaterialId a, b;
    SurfacePair surface;
    PreparedLaw law;   ///< empty for Coulomb's
  };
  std::vector<MetPair> pairs_, earlier_pairs_;
  std::vector<std::uint32_t> pair_of_manifold_;
  std::vector<std::uint32_t>
      group_of_segment_;   ///< a segment of the group, which stands for it: all that touch or are joined, directly or not
  std::vector<double> weight_of_group_;   ///< mass, at the segment that stands for the group [kg]
  AreaLaws areas_;
  std::vector<LocalFriction> local_;   ///< per point, empty if every pair has Coulomb's law
  std::vector<double> rolling_;        ///< the same: how far the rolling part of its law widens an area [m]
  std::uint32_t kinds_ = 1;            ///< bit i: some contact has alternative i of FrictionSet
};

}   // namespace stickslip
