// The boundary of the volume that two solids share, to be drawn.
#pragma once

#include "stickslip/volume/overlap.h"

namespace stickslip {

/// A closed surface around a part of a common volume, in the world [m].
struct OverlapSurface {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;   ///< counter-clockwise from outside
};

/// The surfaces of what two shapes share, one for each convex or connected part. Of convex shapes that is what clipping leaves,
/// with bent surfaces as planes, round_facets per half turn. Where one is a mesh, it is what rays see: their ends, joined from
/// each ray to its neighbours, so that edges are off by up to a cell, and none where no four neighbours see any. `found` is
/// cleared first. It allocates.
/// @throws Error if an option is out of range
void overlap_surfaces(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch&,
                      std::vector<OverlapSurface>& found, const OverlapOptions&);

}   // namespace stickslip
