// Is the state a scene starts in one that can be simulated?
#pragma once

#include <string>
#include <vector>

#include "stickslip/world/world.h"

namespace stickslip::document {

/// "2.5 mm": a length in the unit that keeps the number readable.
std::string readable_length(double metres);

/// @throws Error if two shapes have no collider, or if bodies overlap and may not. @param warnings gets a sentence if they
/// overlap and may.
void check_start(const World&, bool allow_overlap, std::vector<std::string>& warnings);

}  // namespace stickslip::document
