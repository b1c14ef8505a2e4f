// Fills the blocks of a sampled field.
#pragma once

#include <functional>

#include "stickslip/field/sampled_field.h"

namespace stickslip {

/// @throws Error for options out of range or a mesh without triangles
FieldArrays build_field(const MeshSurface&, const FieldOptions&);
FieldArrays build_field(const std::function<double(const Vec3&)>& exact, const Aabb& bounds, const FieldOptions&);

/// The options with defaults in place of zeros, for a solid whose longest side is `side` [m]. @throws Error for options out of
/// range
FieldOptions completed(FieldOptions, double side);

}   // namespace stickslip
