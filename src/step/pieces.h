// A step in pieces, where the bodies of joints move too violently for a whole one.
//
// Joints are closed where a step ends (step/joint_closing.h), and their bodies move there on chords of their arcs. A body
// that turns by θ about a joint has a velocity that is off by θ²/8 of itself, leaves the tangent by about θ²/2 of its
// arm, and its impulse has to turn the velocity by θ: nothing of that matters for a pendulum, and all of it for the end of a
// whip. So a step is taken in halves, quarters … down to `kUnits`-ths while points held by joints leave the tangent by
// more than a part of their bodies' size, or while the joints cannot be closed; pieces become longer again as soon as
// they may. How long they are follows from the world alone, never from what a stepper remembers.
//
// For the caller nothing changes: he sees steps of h, with the impulses and energies of the pieces added up and the forces
// averaged. Velocities are means over the last piece; so forces act in every piece for the mean of it and the one before
// (`kick_time`), as the times between the middles of two drifts ask for.
#pragma once

#include "stickslip/step/options.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// How far points that joints hold leave the tangents of their paths in a time h, ½ h² |ω × (ω × r)|, between the two
/// bodies of a joint and relative to its size: the largest of all joints.
double largest_bend(const World&, double h);
/// The same with other velocities. @param velocity 6 numbers per segment
double largest_bend(const World&, double h, std::span<const std::uint32_t> segment_of_body, std::span<const double> velocity);

class StepPieces {
 public:
  static constexpr double kBend = 0.02;          ///< that a piece may have: a turn of 0.15 rad of a rod about its end
  static constexpr double kBendOfSolved = 4 * kBend;   ///< that a solved piece may have: twice as long as it should be

  void begin(const World&, const StepOptions&);
  bool left() const { return done_ < kUnits; }
  /// Length of the next piece [s].
  double next(const World&);
  bool can_shorten() const { return !whole_only_ && size_ > 1; }
  /// Half of the piece that could not be taken [s].
  double shorten();
  /// The piece has been taken. Adds its report to those before, which become the report.
  void take(const World&, StepReport&);
  int count() const { return count_; }

 private:
  static constexpr int kUnits = 32;
  double length(int units) const { return h_ * units / kUnits; }

  bool whole_only_ = false;
  double h_ = 0;
  int done_ = 0, size_ = kUnits, count_ = 0;
  StepReport sum_;
};

}  // namespace stickslip
