// Shapes: plain values in their own local frame. The set is closed and visible: `Shape` below.
//
// A body is made of one or more parts, each a shape with its pose in the body; there is no separate compound shape.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// Ball around the local origin.
struct Sphere {
  double radius = 0.5;   ///< [m], > 0
};

/// Box around the local origin, edges along the local axes.
struct Box {
  Vec3 half_extents = Vec3::Constant(0.5);   ///< [m], each > 0
};

/// All points within `radius` of the segment from (0, 0, −half_height) to (0, 0, half_height).
struct Capsule {
  double radius = 0.5;        ///< [m], > 0
  double half_height = 0.5;   ///< [m], ≥ 0; half the length of the straight part, caps not counted
};

/// Solid cylinder around the local z axis with flat caps at z = ±half_height.
struct Cylinder {
  double radius = 0.5;        ///< [m], > 0
  double half_height = 0.5;   ///< [m], > 0
};

/// All points with local z ≤ 0: the outward normal is local +z. Unbounded, so it belongs on fixed or kinematic bodies.
struct HalfSpace {};

/// A closed convex polyhedron: vertices, faces as counter-clockwise loops seen from outside, edges with their two faces.
struct Polytope {
  struct Face {
    Vec3 normal;        ///< outward, unit
    double offset;      ///< [m]; the face plane is normal · x = offset
    int first, count;   ///< range of the vertex loop in `loops`
  };
  struct Edge {
    int vertex[2];
    int face[2];   ///< the faces left and right of the edge from vertex[0] to vertex[1]
  };
  std::vector<Vec3> vertices;   ///< [m]
  std::vector<int> loops;       ///< vertex indices of all face loops, one after the other
  std::vector<Face> faces;
  std::vector<Edge> edges;
  Vec3 interior_point = Vec3::Zero();   ///< mean of the vertices, strictly inside [m]
  double radius = 0;                    ///< largest distance of a vertex from the local origin [m]
};

/// Convex hull of a set of points. Copies share the polytope, which never changes after construction.
struct ConvexHull {
  std::shared_ptr<const Polytope> polytope;
};

class MeshSolid;   // geometry/mesh_solid.h

/// A surface of triangles as it is, convex or not, closed or (on bodies that no force moves) open. Copies share the mesh, which
/// never changes after construction.
struct Mesh {
  std::shared_ptr<const MeshSolid> solid;
};

using Shape = std::variant<Sphere, Box, Capsule, Cylinder, HalfSpace, ConvexHull, Mesh>;

/// Hull of at least four points that span a volume (Qhull; coplanar facets are merged into one polygonal face).
/// @throws Error if fewer than 4 points are given, a coordinate is not finite, or the points are coplanar.
ConvexHull make_convex_hull(const std::vector<Vec3>& points);

/// The name used in scene files and messages: "sphere", "box", "capsule", "cylinder", "half-space", "hull", "mesh".
std::string_view shape_name(const Shape&);
std::string_view shape_name(std::size_t variant_index);

/// Checks every number of a shape. @throws Error naming the field, its value and what is valid.
void validate(const Shape&);

/// Farthest point of a bounded shape in a local direction (need not be unit) [m]. Takes all vertices of hulls and meshes.
/// @pre not a half-space
Vec3 support(const Shape&, const Vec3& direction);

/// Radius of the smallest origin-centred ball that holds the shape [m]; infinity for a half-space.
double bounding_radius(const Shape&);

/// A length typical of the shape's thinnest extent [m] (twice the inscribed radius; of a closed mesh the thickness of its
/// walls; 0 for a half-space and an open mesh): what margins and tolerances are measured in, so that nothing depends on
/// absolute lengths.
double characteristic_length(const Shape&);

}   // namespace stickslip
