// A picture of a friction law: its set, some points with their closest points,
// and how it depends on speed and on the other surface.
#pragma once

#include <filesystem>
#include <string>

#include "stickslip/friction/surface_law.h"

namespace stickslip::cli {

/// "ellipse: along = 0.5, across = 0.2"
std::string title_of(const SurfaceLaw&);

/// Draws the law at its example contact (cli/sample_law.h). Returns the size of the file in bytes.
/// @param length of the bodies [m]
/// @throws Error if the file is neither .svg nor .png, or cannot be written
std::size_t draw_law(const SurfaceLaw&, double length, const std::filesystem::path& file);

}   // namespace stickslip::cli
