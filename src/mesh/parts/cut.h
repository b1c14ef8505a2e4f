// A closed mesh cut in two by a plane, both halves closed again.
#pragma once

#include <optional>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

struct CutPlane {
  Vec3 normal;     ///< unit
  double offset;   ///< [m]; normal · x = offset
};

struct Halves {
  TriangleMesh below, above;   ///< normal · x < offset and >
};

/// Triangles across the plane are split, and the cut is closed by triangles in the plane. Empty if a side is, or if the lines
/// of the cut do not
/// form simple loops because the mesh is not manifold there. @pre closed, and no vertex on the plane
std::optional<Halves> cut(const TriangleMesh&, const CutPlane&);

/// The solids that a closed mesh consists of: pieces with a positive volume, each with the cavities (pieces of negative volume)
/// in its box.
std::vector<TriangleMesh> solids_of(const TriangleMesh&);

}   // namespace stickslip
