// Where rays meet shapes.
#pragma once

#include <limits>
#include <optional>

#include "stickslip/geometry/shape.h"

namespace stickslip {

/// Distance along a ray from its origin to the first point of a shape's surface that it meets, from outside or from inside [m];
/// none beyond `range`. Convex shapes are cut by closed forms, meshes by their tree. A ray that only grazes may miss.
/// @param origin, direction in the frame of the shape; the direction is a unit vector
std::optional<double> ray_distance(const Shape&, const Vec3& origin, const Vec3& direction,
                                   double range = std::numeric_limits<double>::infinity());

}   // namespace stickslip
