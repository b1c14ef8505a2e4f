// Planes that a solid may be cut by, and how good a cut would be.
#pragma once

#include "mesh/parts/cut.h"

namespace stickslip {

/// Planes along the axes of the box and of inertia, and along the faces at edges that turn inwards, none through a vertex.
std::vector<CutPlane> candidate_planes(const TriangleMesh&);

/// Volume of the hulls of all pieces that a cut would leave on each side; of very many points nearly.
struct HullVolumes {
  double below = 0, above = 0;
};
HullVolumes hull_volumes_after(const TriangleMesh&, const CutPlane&);

}   // namespace stickslip
