// Distance fields from their descriptions.
#pragma once

#include <memory>
#include <string_view>

#include "stickslip/field/distance_field.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip {

/// Makes the field that `MeshSolid::field_text` describes: a union of shapes, or samples of the distance to `solid`, the same
/// bits as when it was first made. @throws Error if the text is not such a description
std::shared_ptr<const DistanceField> make_field(const MeshSolid& solid, std::string_view text);

}   // namespace stickslip
