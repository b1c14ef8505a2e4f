// The world as it was before a step, for steps that may be ended by their caller.
#pragma once

#include "stickslip/step/integrator.h"

namespace stickslip {

/// Most steps change the world only when everything is solved; those that do it piece by piece keep a copy first.
class StepStart {
 public:
  void begin() { kept_ = false; }
  /// Before the world is changed for the first time while there is more to solve. Without a caller who may end the step nothing
  /// is copied.
  void keep(const World& world, const std::atomic<bool>* cancel) {
    if (cancel == nullptr || kept_) return;
    world_ = world;
    kept_ = true;
  }
  void restore(World& world) const {
    if (kept_) world = world_;
  }

 private:
  World world_;
  bool kept_ = false;
};

}   // namespace stickslip
