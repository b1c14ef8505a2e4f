// What viewers change about a scene while it runs.
#pragma once

#include <optional>

#include "stickslip/world/world.h"

namespace stickslip::serve {

/// The materials of a world, or the same with one coefficient everywhere and Coulomb's law.
MaterialTable materials_of(const World&, std::optional<double> friction);

/// What sleeps would not notice a change.
void wake_all(World&);

}   // namespace stickslip::serve
