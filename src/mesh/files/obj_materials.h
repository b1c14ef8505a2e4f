// Materials of Wavefront OBJ files (.mtl): colours and pictures of surfaces.
#pragma once

#include <map>

#include "mesh/files/surface_look.h"

namespace stickslip::mesh_file {

/// The surfaces that a .mtl file names, with pictures in its folder. Lines that say something else are passed over.
std::map<std::string, SurfaceLook, std::less<>> read_obj_materials(std::string_view text, const std::filesystem::path& folder);

}   // namespace stickslip::mesh_file
