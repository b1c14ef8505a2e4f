// Scripted motion of kinematic bodies: a pose for every time.
#pragma once

#include <variant>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// Moves on with the velocity that the body's state holds.
struct ConstantVelocity {};

/// Swings about the starting pose: displacement amplitude · sin(2π frequency t + phase) − its value at t = 0,
/// rotation likewise about a fixed world axis through the body's centre.
struct Oscillation {
  Vec3 translation = Vec3::Zero();   ///< amplitude [m]
  Vec3 rotation = Vec3::Zero();      ///< amplitude, axis times angle [rad]
  double frequency = 1;              ///< [Hz], > 0
  double phase = 0;                  ///< [rad]
};

/// Passes through given poses at given times; linear in position, constant angular velocity between two; rests outside.
struct Keyframes {
  struct Key {
    double time;   ///< [s], strictly increasing
    Pose pose;     ///< pose of the body frame in the world
  };
  std::vector<Key> keys;
};

using MotionScript = std::variant<ConstantVelocity, Oscillation, Keyframes>;

/// @throws Error naming the field, its value and what is valid.
void validate(const MotionScript&);

/// Pose at time t of a body that the script moves and that stood at `start` at t = 0. @pre not ConstantVelocity
Pose scripted_pose(const MotionScript&, const Pose& start, double t);

}   // namespace stickslip
