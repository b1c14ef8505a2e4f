// The moments of the intersection of two convex shapes.
#pragma once

#include "volume/memory.h"

namespace stickslip {

/// Leaves the sums, and points of the surface in `memory.points`. @returns whether the shapes meet. @pre convex, not both
/// half-spaces; poses relative to a place near both
bool clip_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, int facets, OverlapScratch::Memory&,
                 MomentSums&);

/// Likewise for a tetrahedron of A and a convex shape B.
bool clip_tetrahedron(const std::array<Vec3, 4>& corners, const Shape& b, const Pose& pose_b, int facets,
                      OverlapScratch::Memory&, MomentSums&);

}   // namespace stickslip
