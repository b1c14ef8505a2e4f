// Contacts that turn: second order for rows that are set up at the start of a step.
//
// A row asks something of the velocity v = J(q) u⁺ with which the drift of a step begins. While positions drift for h, bodies
// turn and the contact point moves over them, so that the drift ends with another velocity of the contact although u⁺ stays:
// the corner of a tumbling box flies on its circle, a coin rolls on to another point of its rim, a turntable turns away under
// what stands on it. With
//
//   κ = ½ (v(q ⊕ h u, u) − v(q, u))
//
// the mean velocity over the drift is v + κ, and that is what the rows are about: gaps close by h (v + κ), and what sticks has
// v = −κ, so that it neither drifts nor works (the step before left v = +κ, and an impulse λ works against the mean of both).
// It is the κ of locked joints (step/joints/joint_closing.h), with the contact point found by looking at the pair again at the
// end of the drift, so that every shape rolls as it does.
//
// κ is needed before u⁺ is known. It takes the velocities that the impulses of the last step would give, which differ from u⁺
// by a term of order h² where contacts persist, and by anything where bodies are struck: only contacts that carried a load in
// the last step, or touch without approach, have a κ. Where things turn by more than 1 rad in a step, it fades out.
//
// An impulse works against the mean of the velocities before and after. So along the normal −κ is at most the approach before
// the step: a contact that has no step before it would otherwise be given the energy of the chord that it begins.
//
// Where bodies touch at three points or more, what κ has along the face is made one of a rigid motion. The rest of it, of the
// order of how much more one body turns than the other, is a stretching that no bodies can follow: friction would press the
// points against each other until some slip. A face does not roll: along the normal κ is what becomes of the gaps.
#pragma once

#include "step/free_motion.h"
#include "stickslip/collide/contact.h"
#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

class ContactTurning {
 public:
  /// Forgets the last step. @param expected velocities at the start of the drift, as far as they are known, by mover; must
  /// outlive the calls that follow
  void begin(const World&, const StepOptions&, std::span<const Twist> expected);

  /// κ of the points of a manifold, in the order of the points, world frame [m/s]: along the normal for the normal of both
  /// instants. Zero for points that the end of the drift does not know. Valid until the next call.
  std::span<const Vec3> of(const Manifold&, std::span<const ContactPoint> points);

 private:
  /// A mover at both ends of the drift.
  struct Drift {
    Motion now, end;   ///< with the expected velocity
    bool fixed;

    /// Where a point that moves with it is at the end.
    Vec3 taken(const Vec3& point) const { return end.pose * (now.pose.orientation.conjugate() * (point - now.pose.position)); }
  };
  const Drift& drift_of(const Collider&);
  double way_of(const Manifold&, const ContactPoint&, const Drift& a, const Drift& b) const;
  void look_at_end(const Manifold&, double reach, std::uint64_t expected);
  const ContactPoint* later_of(const ContactPoint& now, std::span<const ContactPoint> ends, const Drift& a, const Drift& b);
  void bend(std::size_t i, const ContactPoint& now, const ContactPoint& later, const Drift& a, const Drift& b);
  void make_rigid(std::span<const ContactPoint> points);

  const World* world_ = nullptr;
  const StepOptions* options_ = nullptr;
  std::span<const Twist> expected_;
  std::vector<Drift> drifts_;   ///< by mover
  std::vector<char> known_;
  std::vector<Vec3> kappa_;
  std::vector<double> along_normal_;        ///< κ along the normal from the gaps of both instants [m/s]
  std::vector<std::size_t> known_points_;   ///< that the end of the drift knows
  ContactSink sink_;                        ///< where the drift ends, of the colliders looked at last
  std::pair<std::uint32_t, std::uint32_t> looked_at_;
  double looked_reach_ = 0;   ///< [m]
  ContactPoint moved_;        ///< a point that the end of the drift does not know
};

/// Whether the bodies of a pair of colliders turn at all, beyond what matters.
bool turns(const World&, const Manifold&);

}   // namespace stickslip
