// Meshes, of which the importers keep the convex hull.
#pragma once

#include <filesystem>

#include "stickslip/geometry/shape.h"

namespace stickslip::robot {

/// Vertices of all meshes of a file, placed as its scene graph says, in the file's own axes and units.
/// @throws Error if there is no such file or it holds no mesh that can be read
std::vector<Vec3> mesh_vertices(const std::filesystem::path&);

/// Hull of the vertices, each coordinate scaled. @throws Error also if they lie in a plane
ConvexHull mesh_hull(const std::filesystem::path&, const Vec3& scale);

/// An ellipsoid as the hull of points on its surface. @param half_axes along x, y, z [m], > 0
ConvexHull ellipsoid_hull(const Vec3& half_axes);

}   // namespace stickslip::robot
