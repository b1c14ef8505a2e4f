// What is wrong with a mesh, and what it is fit for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

enum class MeshFault {
  open_edge,             ///< an edge of one triangle: the rim of a hole
  non_manifold_edge,     ///< an edge of three triangles or more
  non_manifold_vertex,   ///< a vertex where several fans of triangles meet in a point
  inconsistent_edge,     ///< an edge that both its triangles walk the same way: one of them faces the wrong way
  inside_out,            ///< a piece whose triangles face inwards, or a piece inside another that does not face into a cavity
  duplicate_vertex,      ///< a vertex at the very place of another
  unused_vertex,
  duplicate_triangle,    ///< the same three vertices once more
  degenerate_triangle,   ///< no area: height over the longest side ≤ 1e-12 of that side
  self_intersection,     ///< two triangles that have a point in common which is no common corner
};

std::string_view fault_name(MeshFault);   ///< "open edges", "self-intersections", …

struct MeshFinding {
  MeshFault fault{};
  std::size_t count = 0;
  struct Place {
    std::string what;   ///< "edge 3–17", "triangles 5 and 8"; counted from 0
    Vec3 at;            ///< [m]
  };
  std::vector<Place> places;   ///< the first few
  std::string remedy;
};

enum class MeshUse {
  mass,              ///< volume, centre of mass and inertia
  contact,           ///< a body that moves and collides with its true shape
  signed_distance,   ///< a distance that is negative inside
  tetrahedra,        ///< filling with tetrahedra
  static_contact     ///< something fixed to collide with: may be open
};
inline constexpr MeshUse kMeshUses[] = {MeshUse::mass, MeshUse::contact, MeshUse::signed_distance, MeshUse::tetrahedra,
                                        MeshUse::static_contact};

std::string_view use_name(MeshUse);   ///< "mass", "contact", "distance", "tetrahedra", "static"

struct MeshFitness {
  MeshUse use{};
  std::vector<MeshFault> against;   ///< why not; empty: fit
};

struct MeshHealth {
  std::size_t vertices = 0, triangles = 0, edges = 0;
  std::size_t pieces = 0;   ///< that hang together by edges
  std::size_t holes = 0;    ///< rims that hang together
  long euler = 0;           ///< used vertices − edges + triangles: 2 for each sphere, 0 for a torus
  bool closed = false;      ///< every edge is walked as often one way as the other
  Aabb box;
  double area = 0;                       ///< [m²]
  double volume = 0;                     ///< signed [m³]; means something only if closed
  std::optional<MassProperties> solid;   ///< for the density 1 kg/m³, if closed with a positive volume
  bool intersections_complete = true;    ///< false: the search ended before all were found
  std::vector<MeshFinding> findings;     ///< in the order of MeshFault
  std::vector<MeshFitness> fitness;      ///< in the order of MeshUse

  std::size_t count(MeshFault) const;   ///< 0 if there is none
  bool is_fit(MeshUse) const;
};

struct HealthOptions {
  std::size_t max_intersections = 1000;   ///< the search ends there
  std::size_t max_places = 5;             ///< places named per finding
};

/// Examines a mesh in O(n log n). @throws Error if an index is out of range or a coordinate not finite
MeshHealth check(const TriangleMesh&, const HealthOptions& = {});

/// Where a mesh runs through itself, one place; nothing else is looked for. O(n log n). @throws Error as above
std::optional<MeshFinding::Place> self_intersection(const TriangleMesh&);

}   // namespace stickslip
