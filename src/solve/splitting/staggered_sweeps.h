// The two kinds of sweep that staggering alternates.
#pragma once

#include "solve/acceleration.h"

namespace stickslip {

/// Moves normal, bilateral and box rows; friction stays. Returns how far it moved [m/s].
double normal_sweep(const ContactProblem&, std::span<const Batch> runs, std::span<double> impulses, std::span<double> velocity,
                    Momentum&);

/// Moves friction, bilateral and box rows; normal impulses stay, and with them
/// the friction sets. Returns how far it moved [m/s].
/// @param exact whether the set is that of the law or the box around it
double friction_sweep(const ContactProblem&, std::span<const Batch> runs, bool exact, std::span<double> impulses,
                      std::span<double> velocity, Momentum&);

}   // namespace stickslip
