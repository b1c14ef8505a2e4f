// What a step does with the bodies of each kind: rigid_bodies.cpp, nodal_bodies.cpp. All else in this room speaks of movers.
#pragma once

#include "step/motion_judge.h"
#include "step/soft/soft_systems.h"
#include "step/velocity_space.h"
#include "stickslip/step/report.h"

namespace stickslip {

/// How velocities change in a step.
struct Kick {
  double time = 0;         ///< how long forces act [s]
  double drift_time = 0;   ///< how long positions move afterwards [s]
  double h = 0;            ///< [s]
  Gyroscopic gyroscopic = Gyroscopic::conserving;
};

class BodyKindSteps {
 public:
  virtual ~BodyKindSteps() = default;

  /// @throws Error if the state of a body is not finite.
  virtual void check(const World&) const = 0;
  /// Gives what moves by forces its segments, with their masses, and finds its velocity without contacts. @param kick how long
  /// forces act [s] @param soft null: nodes of soft bodies are as free as others
  virtual void append(const World&, const StepOptions&, double kick, VelocitySpace&, ContactProblem&,
                      SoftSystems* soft) const = 0;
  /// Moves what moves by forces for time t with its own velocity.
  virtual void drift(World&, Gyroscopic, double t) const = 0;
  /// Gives it the velocities of a solve, and moves it on.
  virtual void move(World&, const VelocitySpace&, std::span<const double> velocity, const Kick&, EnergyLedger&,
                    MotionJudge&) const = 0;
  /// Changes positions by a displacement in velocity space [m, rad].
  virtual void displace(World&, const VelocitySpace&, std::span<const double> change) const = 0;
  /// Counts how long bodies have been slow, and how far they went (step/sleep.h).
  virtual void watch(World&, const StepOptions&) const = 0;
  /// Of a body that falls asleep.
  virtual void stop(World&, Body&) const = 0;
};

/// Of every kind, in the order of their segments.
std::span<const BodyKindSteps* const> body_kinds();
inline const BodyKindSteps& steps_of(const Body& body) { return *body_kinds()[static_cast<std::size_t>(body.kind)]; }

/// Where a mover is after time t with this velocity, as the drift of a step moves it.
Motion drifted(const World&, std::uint32_t mover, const Twist&, Gyroscopic, double t);

}   // namespace stickslip
