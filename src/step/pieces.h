// A step in pieces, where the bodies of joints move too violently for a whole one.
//
// Joints are closed where a step ends (step/joints/joint_closing.h), and their bodies move there on chords of their arcs. Of a
// body that turns by θ about a joint, the path leaves the tangent by θ²/2 of its arm, and its energy is off by a like part.
// For a pendulum that is nothing; for the end of a whip, or a chain that snaps taut, it is everything. So a step is taken in
// halves, quarters … while a body turns by more than 0.1 rad about a joint or joints cannot be closed; pieces become longer
// again as soon as they may.
//
// Whether a piece is too long is judged by its own velocity, the one solved for. That costs a solve thrown away whenever
// pieces become shorter, but it treats both directions of time alike. Choosing by the velocity before makes pieces too long
// whenever motion quickens and too short whenever it slows down, and such a scheme loses energy in every swing.
//
// Bodies that touch by volume or turn far, and end up deep in each other whatever their rows ask for (step/contact_bends.h),
// halve pieces too.
//
// A piece ends early where a body first touches another (step/impact_watch.h); the rest of it is the next piece then.
//
// How long pieces are follows from the world alone, never from what a stepper remembers. The caller sees steps of h, with
// the impulses and energies of the pieces added up and the forces of joints averaged. Velocities are means over the last
// piece, so forces act in every piece for half of it and half of the one before (`kick_time`). Moreau's scheme takes no
// pieces.
#pragma once

#include "stickslip/step/options.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Contacts of both, each once: impulses add up. Those of bodies that rest are those of an earlier step, and stay what they
/// are.
void add_contacts(const World&, std::vector<ContactRecord>& sum, const std::vector<ContactRecord>& piece);

class StepPieces {
 public:
  void begin(const World&, const StepOptions&);
  bool left() const { return done_ < kUnits; }
  /// Length of the next piece, for the velocities that bodies have [s].
  double next(const World&);
  /// Whether the piece is too long for the velocities of its solve. @param velocity 6 numbers per segment
  bool bends_too_far(const World&, std::span<const std::uint32_t> segment_of_body, std::span<const double> velocity) const;
  bool can_shorten() const { return follows_joints_ && size_ > 1; }
  /// The same for soft bodies, which are allowed fewer pieces.
  bool can_shorten_for_soft() const { return can_shorten() && size_ > kUnits / soft_pieces_; }
  /// The same for bodies that end deep in each other. @param turning whether because they turn far
  bool can_shorten_for_contacts(bool turning) const {
    return !whole_only_ && size_ > kUnits / (turning ? kTurningPieces : kContactPieces);
  }
  /// Half of the piece that could not be taken [s].
  double shorten();
  /// The piece has been taken, or the first part of it. The last one leaves the report of the whole step. @param time that it
  /// took [s]
  void take(const World&, StepReport&, double time);
  int count() const { return count_; }
  double length() const { return length(size_) - within_; }   ///< of the piece [s]
  /// In which what is inside comes back: pieces that contacts ask for make it no faster [s].
  double recovery_time() const { return follows_joints_ ? length() : h_ - within_; }
  /// Whether a piece is shorter than any that joints ask for: what they are off by would be corrected with too much speed.
  bool is_brief(double time) const { return time < length(1) / 2; }

 private:
  /// Shortest pieces in a step: links that a ball of a hundred times their mass snaps taut need them.
  static constexpr int kUnits = 256;
  /// Pieces that contacts may ask for: depths fall with the square of their length.
  static constexpr int kContactPieces = 8;
  /// The same of bodies that turn far, where depths fall with pieces only once these are short.
  static constexpr int kTurningPieces = 32;
  double length(int units) const { return h_ * units / kUnits; }

  bool whole_only_ = false;       ///< by the scheme
  bool follows_joints_ = false;   ///< or soft bodies
  int soft_pieces_ = 1;           ///< that soft bodies may ask for
  double h_ = 0;
  int done_ = 0, size_ = kUnits, count_ = 0;
  double within_ = 0;   ///< time since `done_` that earlier parts of the piece took [s]
  StepReport sum_;
};

}   // namespace stickslip
