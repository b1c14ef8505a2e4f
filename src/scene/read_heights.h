// Height fields in scene documents.
#pragma once

#include <filesystem>

#include "scene/reader.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip::document {

/// "heights" or "file", "size", "scale" and "base" of a height field, as a closed mesh.
/// @param folder that names of files are relative to
TriangleMesh read_heights(Fields&, const std::filesystem::path& folder);

}   // namespace stickslip::document
