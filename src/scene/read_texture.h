// Pictures on surfaces: "texture" of a material, body or part.
#pragma once

#include <filesystem>

#include "scene/reader.h"
#include "stickslip/world/texture.h"

namespace stickslip::document {

/// "wood.png", {"file": "wood.png", "size": 0.5} or {"pattern": "checker", …}; without it nothing changes.
/// @param folder that names of files are relative to
void read_texture(Fields&, SharedTexture&, const std::filesystem::path& folder);

}   // namespace stickslip::document
