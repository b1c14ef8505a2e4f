// The largest ball inside a convex polyhedron.
#pragma once

#include "stickslip/geometry/shape.h"

namespace stickslip {

/// Radius of the largest ball inside the polytope, from below, to about one part in a million [m].
double inscribed_radius(const Polytope&);

}   // namespace stickslip
