// Friction of materials and pairs in scene documents: a number, a published name, or a law with its numbers; and the surfaces
// they read.
#pragma once

#include <filesystem>
#include <memory>

#include "scene/reader.h"
#include "stickslip/friction/surface_law.h"

namespace stickslip::document {

/// 0.5, "steel-on-steel", or {"law": "ellipse", "along": 0.2, "across": 0.6}.
/// @param friction gets the number, or the first coefficient of the law @param law null for Coulomb's law
void read_friction(const Place&, double& friction, std::shared_ptr<const SurfaceLaw>& law);

/// "structure", "tensor" and "normal_map" of a material. @param folder that names of picture files are relative to
void read_surface(Fields& material, Surface&, const std::filesystem::path& folder);

}   // namespace stickslip::document
