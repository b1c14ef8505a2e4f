// What a record says about a joint at the end of a step, whether the joint took part in the step or not.
#pragma once

#include <vector>

#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

enum class JointState : std::uint8_t {
  acts,        ///< took part in the step
  broken,      ///< exerts nothing any more
  absent,      ///< was removed
  rests,       ///< did not take part: nothing holds it (a slack rope), both bodies sleep, or there was no step yet
  conflicts,   ///< took part, but it and others ask for what cannot be
};

struct JointSample {
  JointState state = JointState::absent;
  // Forces are those of the step [N, N m]: 0 of a joint that is broken or slack, NaN if they are not known.
  Vec3 force, torque;      ///< on body B at the origin of frame B, world frame
  double coupling_force;   ///< of a screw or gear
  double error;            ///< of the locked coordinates [m]; NaN of a broken joint and where it is not known
  /// [m, rad] and so on. Of a gear only the error in x, and only if it took part; else NaN.
  std::array<double, kJointCoordinates> position, velocity, motor_force;

  JointSample();
};

/// Samples of the joints of a world after a step.
class JointSamples {
 public:
  /// Both must outlive this. @param report of the step that led here; an empty one if there was none
  JointSamples(const World&, const StepReport& report);

  JointSample of(JointId) const;

 private:
  const World& world_;
  bool after_step_;
  std::vector<const JointRecord*> record_of_slot_;
  std::vector<bool> conflict_of_slot_;
};

/// The coordinates that a joint leaves free, in their order. None of a gear.
std::vector<int> free_coordinates(const JointDescription&);

}   // namespace stickslip
