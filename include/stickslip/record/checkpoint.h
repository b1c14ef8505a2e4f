// Checkpoints: a world saved so that it continues to the same bits.
#pragma once

#include <filesystem>

#include "stickslip/scene/scene.h"

namespace stickslip {

/// Writes world, step options and scene document to an HDF5 file. Writes to a temporary file first and renames it, so an
/// older checkpoint of that name survives a failure. @throws Error
void save_checkpoint(const std::filesystem::path&, const Scene&);

/// A trajectory holds one too, of the last state that its writer kept: a warning of the scene says if frames lie behind it.
/// @throws Error if the file is missing, truncated, of a version that is too old or too new, or inconsistent.
Scene load_checkpoint(const std::filesystem::path&);

/// Whether the file looks like a checkpoint (HDF5 with our marker).
bool is_checkpoint(const std::filesystem::path&);

}   // namespace stickslip
