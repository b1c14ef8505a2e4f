// Colour and picture of a surface, as materials of mesh files give them.
#pragma once

#include <optional>

#include "mesh/files/builder.h"

namespace stickslip::mesh_file {

struct SurfaceLook {
  std::optional<std::array<float, 4>> colour;
  std::filesystem::path picture;   ///< empty: none
};

/// Where a file that another one names is: beside it, also if it is named with a place on another machine.
std::filesystem::path beside(const std::filesystem::path& folder, std::string_view name);

/// What triangles of a surface get: number of a colour of the builder, or −1, and its current picture. With a picture the
/// colour is white: what exporters write beside one is seldom meant to tint it.
std::int64_t begin_surface(Builder&, const SurfaceLook&);

}   // namespace stickslip::mesh_file
