// Checkpoints as bytes, for files that hold one among other things.
#pragma once

#include <string>

#include "stickslip/scene/scene.h"

namespace stickslip {

/// What `save_checkpoint` writes. @param about everything of the scene but its world. @throws Error
std::string checkpoint_bytes(const Scene& about, const World&);

/// @throws Error if they are truncated, damaged or of a version that is too old or too new
Scene scene_of_checkpoint(const std::string& bytes);

}   // namespace stickslip
