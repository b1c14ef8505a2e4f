// Motion of rigid bodies without contacts: forces, the gyroscopic torque, drift of positions.
#pragma once

#include "step/velocity_space.h"
#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// How long forces act in a step [s]. Velocities are means over a drift: from the middle of the last drift to that of the
/// next, where these are not of one length. (Of Moreau's scheme they are those of the end of the step.)
double kick_time(const World&, Scheme, double h);
inline double kick_time(const World& world, const StepOptions& options) { return kick_time(world, options.scheme, options.h); }

/// What remembered impulses are proportional to [s]: how long forces act, and the length of a piece where joints make pieces,
/// since theirs are mostly those of arcs.
inline double guess_time(const World& world, const StepOptions& options) {
  return world.joint_count() > 0 ? options.h : kick_time(world, options);
}

/// Velocity that a rigid body would have after h without contacts: gravity, applied wrench, gyroscopic torque.
/// @param kick how long gravity and the wrench act [s]
Twist free_velocity(const Body&, const Vec3& gravity, Gyroscopic, double h, double kick);

/// Where a rigid body is after time t with a velocity, and how it moves then, as `drift` and `drift_kinematic_bodies` move it
/// with its own.
Motion drifted(const Body&, const Twist&, Gyroscopic, double t);

/// Of a rigid body that `drifted` turns about a wandering axis: how fast it turns at most [rad/s]. 0 if the axis stays.
double wandering_spin(const Body&, const Vec3& angular_velocity, Gyroscopic);

/// Moves a rigid body for time t with its own velocity. With `Gyroscopic::conserving` the angular velocity changes too,
/// so that the angular momentum stays what it is.
void drift(Body&, Gyroscopic, double t);

/// Gives every kinematic body the constant velocity that takes it to its scripted pose at time + h.
void aim_kinematic_bodies(World&, double h);
/// Moves every kinematic body for time t with its velocity.
void drift_kinematic_bodies(World&, double t);
/// Puts every kinematic body exactly where its script wants it at world.time.
void place_kinematic_bodies(World&);

}   // namespace stickslip
