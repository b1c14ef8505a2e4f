// Rigid bodies along their curved paths: conservative advancement [Mirtich 1996].
//
// A body moves with constant velocity and spin, x(t) = x₀ + t v, R(t) = exp(t ω) R₀, for t in [0, 1]. Its points move no
// faster than |v| + |ω| reach, and along a direction n no faster than n·v + |n × ω| reach. So two bodies at a distance d are
// no nearer than `min_distance` until d − min_distance is used up at that rate; there they are looked at again. A body that
// turns about a wandering axis, as free tops do, hands in its orientations and how fast it turns at most.
#pragma once

#include <functional>
#include <optional>

#include "stickslip/math/types.h"

namespace stickslip {

/// The motion of a body during a step.
struct RigidMotion {
  Pose start;
  Vec3 displacement = Vec3::Zero();   ///< v over the whole step [m]
  Vec3 rotation = Vec3::Zero();       ///< ω over the whole step, in the world frame: axis times angle [rad]
  double reach = 0;                   ///< largest distance of a point of the body from the origin of its frame [m]
  /// In place of `rotation`, where the axis wanders: the orientation at a time, and the largest angle per unit of time [rad].
  std::function<Quat(double time)> orientation = {};
  double turn = 0;

  Pose at(double time) const {
    const Quat turned =
        orientation ? orientation(time) : (rotation_from_vector(time * rotation) * start.orientation).normalized();
    return {start.position + time * displacement, turned};
  }
  /// How fast points move along a unit vector by turning, at most [m].
  double turning_along(const Vec3& n) const { return (orientation ? turn : n.cross(rotation).norm()) * reach; }
  double turning() const { return (orientation ? turn : rotation.norm()) * reach; }   ///< the same in any direction
};

/// How far two bodies are apart.
struct Separation {
  double distance = 0;   ///< [m]; not above the true one; 0 or less: they touch
  /// For convex bodies: a direction from A to B along which all of B is farther than `distance` from all of A. Lets bodies
  /// slide past each other in few steps. Zero: unknown.
  Vec3 normal = Vec3::Zero();
};

using SeparationOracle = std::function<Separation(const Pose& a, const Pose& b)>;

struct AdvancementOptions {
  double min_distance = 0;   ///< [m]
  double tolerance = 1e-6;   ///< what is left to min_distance and counts as nothing, relative to the larger reach
  int max_iterations = 10'000;
};

/// The first time at which the distance has fallen to min_distance.
struct RigidImpact {
  double time = 0;   ///< in [0, 1]; the distance is greater than min_distance at all times before it
  /// At that time: the distance is above min_distance by no more than the tolerance, unless it was below it at the start.
  Separation separation;
  int iterations = 0;           ///< calls of the oracle
  bool stopped_early = false;   ///< after `max_iterations`: nothing happens before `time`, but perhaps not at it either
};

/// @returns nothing if the distance stays greater than min_distance for all t in [0, 1]
/// @throws Error for numbers that are not finite, a negative reach, tolerance or min_distance; and what the oracle throws
std::optional<RigidImpact> rigid_impact(const RigidMotion& a, const RigidMotion& b, const SeparationOracle& separation,
                                        const AdvancementOptions& options = {});

}   // namespace stickslip
