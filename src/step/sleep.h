// Sleeping: islands of bodies that rest stop, and wake together.
//
// Slow is not at rest: a ball on the gentlest slope, a pendulum upside down or a piston in honey start slowly. A body that
// rests trembles about a place. So an island that has been slow for the waiting time T sleeps only if
//   - no body went farther than the limit of speed takes it in one step, and
//   - the farthest that all were from their places, √Σ d², is at most 1.8 times as far after T as after T/2: it is 2 times as
// far at a steady speed, farther for what gains speed, and little farther for what trembles. What solves leave unbalanced is
// too little to count. Otherwise it waits again.
#pragma once

#include "math/unions.h"
#include "stickslip/collide/contact.h"
#include "stickslip/step/options.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Whether neither body of a pair of colliders takes part in a step, because one sleeps.
bool pair_rests(const World&, const PartPair&);

class SleepManager {
 public:
  /// Wakes every sleeping body that an awake or driven one touches now, and all that rest with it.
  /// @returns whether anything woke, so that contacts must be detected again.
  bool wake_touched(World&, const ContactSet&);

  /// After a step: counts quiet time, puts islands to sleep. @returns the number of sleeping bodies.
  std::size_t update(World&, std::span<const ContactRecord>, const StepOptions&);

 private:
  /// What the bodies of an island have in common.
  struct Island {
    double quiet_time = std::numeric_limits<double>::infinity();
    double early_squared = 0, far_squared = 0;   ///< Σ of the squares over the bodies [m²]
    double farthest = 0;                         ///< [m]

    void add(const QuietSpell& q) {
      quiet_time = std::min(quiet_time, q.time);
      early_squared += q.early * q.early;
      far_squared += q.far * q.far;
      farthest = std::max(farthest, q.far);
    }
  };
  void find_islands(World&, std::span<const ContactRecord>);
  bool rests(const Island&, const World&, const StepOptions&) const;

  Unions together_;   ///< bodies of an island
  std::vector<std::uint32_t> stack_;
  std::vector<Island> islands_;   ///< by the body that stands for it
};

}   // namespace stickslip
