// Is the state that a run by barriers starts in one that they do not change?
#pragma once

#include <vector>

#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Two bodies that begin nearer to each other than barriers reach, though they do not touch: they push each other apart from
/// the start. (Bodies that touch are moved apart by half the range.)
struct NearStart {
  BodyId a, b;
  double gap, range;   ///< of the two [m]
};

/// Those of a world by the barrier integrator, the smallest gap over its range first.
/// @throws Error if barriers cannot take a body, or reach farther than its own points and edges are apart at rest
std::vector<NearStart> find_near_starts(const World&, const StepOptions&);

}   // namespace stickslip
