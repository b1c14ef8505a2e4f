// Sleeping: islands of bodies that have been slow for a while stop, and wake together.
#pragma once

#include "stickslip/collide/contact.h"
#include "stickslip/step/options.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

class SleepManager {
 public:
  /// Wakes every sleeping body that an awake or driven one touches now, and all that rest with it.
  /// @returns whether anything woke, so that contacts must be detected again.
  bool wake_touched(World&, const ContactSet&);

  /// After a step: counts quiet time, puts islands to sleep. @returns the number of sleeping bodies.
  std::size_t update(World&, std::span<const ContactRecord>, const StepOptions&);

 private:
  std::uint32_t root(std::uint32_t body);

  std::vector<std::uint32_t> parent_, stack_;
  std::vector<double> quiet_;
};

}  // namespace stickslip
