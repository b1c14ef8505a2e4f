// Checkpoints as bytes, for files that hold one among other things.
#pragma once

#include <string>

#include "record/texture_pool.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// What `save_checkpoint` writes. @param about everything of the scene but its world
/// @param elsewhere textures that another checkpoint of the scene holds: their pictures are left out. @throws Error
std::string checkpoint_bytes(const Scene& about, const World&, const TexturePool& elsewhere = {});

/// @param elsewhere the checkpoint that holds the pictures which this one leaves out; null: there is none
/// @throws Error if they are truncated, damaged or of a version that is too old or too new
Scene scene_of_checkpoint(const std::string& bytes, const std::string* elsewhere = nullptr);

}   // namespace stickslip
