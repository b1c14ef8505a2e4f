// Is the state a scene starts in one that can be simulated?
#pragma once

#include <string>
#include <vector>

#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip::document {

/// "2.5 mm": a length in the unit that keeps the number readable.
std::string readable_length(double metres);

/// @throws Error if two shapes have no collider, or if bodies overlap and may not. @param warnings gets a sentence if they
/// overlap and may.
void check_start(const World&, bool allow_overlap, std::vector<std::string>& warnings);

/// Checks the friction laws of all materials that can meet.
/// @throws Error if laws do not combine, or if the solver of the step cannot honour one; it names solvers that can.
/// @param warnings gets a sentence for every law that does what its user should know
void check_laws(const World&, const StepOptions&, std::vector<std::string>& warnings);

}  // namespace stickslip::document
