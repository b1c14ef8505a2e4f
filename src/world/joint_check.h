// What makes a joint one that can be simulated.
#pragma once

#include "stickslip/world/world.h"

namespace stickslip {

/// Checks a description against the world it is to stand in, sets the locks of its type and fills in what follows from where
/// the bodies are.
/// @throws Error naming the field, its value and what is valid
Joint checked_joint(const World&, JointDescription);

/// Checks the settings of one coordinate. @throws Error
void check_axis(const JointDescription&, int coordinate, const JointAxis&);

}   // namespace stickslip
