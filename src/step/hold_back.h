// Bodies that would pass through something though contacts keep them off it: what is left of the step is lost to them.
//
// A step is cut at first touches (step/impact_watch.h) and has contacts where bodies touch. Contacts are planes, and a body
// that turns by radians in a step leaves them: a needle that lies on a sheet and spins at a thousand radians a second has
// its ends on both sides of it while every row is satisfied. Cuts for every touch of it would be hundreds a step. So pairs
// that touch, or are past their cuts, and move farther than contacts can tell (`ImpactWatch::may_pass`) are followed through
// the solved motion (step/pair_follow.h). Where they overlap by more than a quarter of the thinner one, and more than at the
// start, the smaller body stops: for the rest of the step it moves along with the other. Its velocity stays. That holds
// whatever the shape is, and however many cuts were made.
#pragma once

#include "step/impact_watch.h"
#include "step/pair_follow.h"

namespace stickslip {

class HoldBack {
 public:
  void clear() { stops_.clear(); }   ///< before each piece
  /// Before bodies move. @param motion of every mover
  void find(const World&, const ImpactWatch&, std::span<const ProxyPair> doubtful, std::span<const Twist> motion, double h,
            Gyroscopic);
  /// After they have moved.
  void apply(World&) const;

 private:
  struct Stop {
    double time;           ///< after the start of the step [s]
    std::uint32_t body;    ///< that stops
    std::uint32_t other;   ///< that it stops at
    Pose in_other;         ///< where it is then, in the frame of the other
  };
  std::vector<Stop> stops_;   ///< sorted by body, the first of each counts
  PairFollow follow_;
};

}   // namespace stickslip
