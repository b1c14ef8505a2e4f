// Meshes of robots: as they are, as a cover of hulls, or as one hull.
#pragma once

#include "import/tree.h"

namespace stickslip::robot {

/// All triangles of a file, placed as its scene graph says, in the file's own axes and units, each coordinate scaled.
/// @throws Error if there is no such file or it holds no mesh that can be read
TriangleMesh mesh_of_file(const std::filesystem::path&, const Vec3& scale);

/// The number of a mesh in the tree: the one of the same file and scale, or a new one. @param name that it gets if it is new
int add_mesh(Tree&, const std::string& name, const std::filesystem::path&, const Vec3& scale);
/// Of a mesh without a file. @throws Error as MeshSolid does
int add_mesh(Tree&, const std::string& name, TriangleMesh);

/// Makes a part of a mesh of the tree.
void set_mesh(TreePart&, const Tree&, int mesh, MeshImport);

/// An ellipsoid as the hull of points on its surface. @param half_axes along x, y, z [m], > 0
ConvexHull ellipsoid_hull(const Vec3& half_axes);

}   // namespace stickslip::robot
