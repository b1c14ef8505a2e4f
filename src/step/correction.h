// How what is off its place comes back, contacts and joints alike.
#pragma once

#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// υ and ε of the stabilisation for a step h [course eq. 59].
struct Correction {
  double error_reduction = 0, compliance = 0;
};
Correction correction(const Stabilisation&, double h);

/// Nothing comes back to its place faster than a fall through the size of its bodies, so that what is far off does not explode
/// [m/s]. Infinite without gravity.
double fastest_recovery(const World&, double size);

}   // namespace stickslip
