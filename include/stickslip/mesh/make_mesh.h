// Meshes made by formulas. All are closed, outward and fit for contact; the same numbers make the same bits.
//
// Outlines, profiles and sections are simple polygons in the plane, given either way round, no corner twice.
// Round things are inscribed: their vertices lie on the true surface, their volumes are smaller than the true ones.
// All throw Error with the name of the number that is wrong.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "stickslip/field/distance_field.h"
#include "stickslip/geometry/triangle_mesh.h"
#include "stickslip/mesh/stuffing.h"

namespace stickslip {

using Polygon = std::vector<Vec2>;   ///< corners [m]

/// @param divisions of each edge, 1 … 256
TriangleMesh triangle_mesh(const Box&, int divisions = 1);
/// An icosahedron whose edges are divided: 10 n² + 2 vertices. @param divisions n, 1 … 256
TriangleMesh triangle_mesh(const Sphere&, int divisions);
/// @param segments around, 3 … 100000
TriangleMesh triangle_mesh(const Cylinder&, int segments);
/// @param segments around, 4 … 100000; a quarter as many rings make each cap
TriangleMesh triangle_mesh(const Capsule&, int segments);
/// A ring around z. @param radius of its middle line @param tube its own radius, less than that
TriangleMesh torus(double radius, double tube, int segments, int around);

/// Bumps all over a mesh: every vertex is moved along its own place, by up to `height` at the end of the box around the origin.
/// @param half_extents of that box @param height of bumps over that of the box, 0 … 0.2 @param waves of bumps along a side, > 0
TriangleMesh with_bumps(TriangleMesh, const Vec3& half_extents, double height, double waves);

/// The solid that a profile sweeps out around z. @param profile (r, z) with r ≥ 0; may touch the axis, with corners or sides
TriangleMesh revolve(const Polygon& profile, int segments);

/// A prism along z from −half_height to half_height. @param holes inside the outline and apart from each other
TriangleMesh extrude(const Polygon& outline, double half_height, const std::vector<Polygon>& holes = {});

/// Teeth of involutes of a circle, which drive each other at a constant ratio. Wheels of one module whose middles are
/// m (z₁ + z₂)/2 apart mesh.
struct Gear {
  int teeth = 20;                 ///< z, 6 … 1000; the first points along x
  double module = 0.01;           ///< m [m], > 0: the pitch circle has the radius m z/2, teeth are 2.25 m high
  double pressure_degrees = 20;   ///< of the line of action, 10 … 30
  double backlash = 0;            ///< by which teeth are thinner at the pitch circle than half the pitch [m], ≥ 0
  int flank_points = 6;           ///< sides of each flank, 1 … 1000
};
Polygon gear_outline(const Gear&);

struct SweepOptions {
  bool closed = false;   ///< the path ends where it starts
  /// The second axis of the section stays as near to it as it can; without it frames turn as little as they can.
  std::optional<Vec3> up = std::nullopt;
};
/// A section carried along a path: mitred at its corners, so that every straight piece is a prism over the section; capped at
/// the ends of an open path. With (u, v) the coordinates of the section and t the direction of the path, u × v = t.
/// Bends must be wider than the section is, which is not checked.
TriangleMesh sweep(const std::vector<Vec3>& path, const Polygon& section, const SweepOptions& = {});

/// A regular polygon whose corners lie on a circle, the first on the first axis.
Polygon circle(double radius, int segments);

/// A right-handed helical thread of trapezoidal profile. A nut at height z turned by 2π z/pitch sits in the middle of the play.
struct Thread {
  double radius = 0.003;       ///< of the crest of the bolt [m]
  double pitch = 0.001;        ///< way along z per turn [m]
  double depth = 0.0006;       ///< of the groove of the bolt [m]
  double flank_degrees = 30;   ///< of each flank from the plane across the axis, 5 … 60
  double clearance = 5e-5;     ///< between bolt and nut, across the surface [m], > 0
  int segments = 48;           ///< around, 8 … 10000
};
struct Bolt {
  Thread thread = {};
  double length = 0.02;          ///< of the thread, from z = 0 up [m]
  double head_radius = 0.0055;   ///< of the corners of the hexagon [m]
  double head_height = 0.004;    ///< below z = 0 [m]
};
struct Nut {
  Thread thread = {};             ///< of the bolt that it fits
  double half_height = 0.0025;    ///< [m]
  double outer_radius = 0.0055;   ///< of the corners of the hexagon [m]
};
TriangleMesh triangle_mesh(const Bolt&);
TriangleMesh triangle_mesh(const Nut&);

/// The surface of {distance < 0}: that of tetrahedra which fill it (mesh/stuffing.h), relaxed to even triangles with vertices
/// on the surface. Sharp edges are cut off. @param size of the lattice [m]; triangles are about as large
TriangleMesh surface_of(const DistanceFunction& distance, const Aabb& box, double size);
TriangleMesh surface_of(const DistanceField&, double size);   ///< in its bounds

/// All points within `radius` of a segment; of one point if both ends are the same.
struct Stick {
  Vec3 from, to;   ///< [m]
  double radius = 0;
};
/// Sticks joined with rounded creases. @param blend width of the creases (field/distance_field.h) [m], ≥ 0
TriangleMesh joined_sticks(const std::vector<Stick>&, double blend, double size);

/// A block with six faces, the image of the unit cube under a map that keeps its orientation; divided where faces bend.
TriangleMesh block(const std::function<Vec3(const Vec3&)>& map, const std::array<int, 3>& divisions = {1, 1, 1});

/// A stone of an arch over the x axis: between two cylinders about y, x = r sin a, z = r cos a.
struct Voussoir {
  double inner = 1, outer = 1.5;                ///< radii of the cylinders [m]
  double from_degrees = -10, to_degrees = 10;   ///< a, from the vertical towards x, less than 180 apart
  double half_depth = 0.25;                     ///< along y [m]
  int divisions = 4;                            ///< along the arc, 1 … 256
};
TriangleMesh triangle_mesh(const Voussoir&);

/// A stone of a wall that stands along an ellipse about z, x = a cos t, y = b sin t at its inner face, with joints across the
/// ellipse. Its outline on the unrolled wall is given by two lines of corners (t in degrees, z), both in the direction of t.
struct WallStone {
  double a = 10, b = 8;                      ///< half axes of the inner face [m]
  double thickness = 1;                      ///< outwards [m]
  Polygon lower = {{0, -0.5}, {10, -0.5}};   ///< 2 corners or more
  Polygon upper = {{0, 0.5}, {10, 0.5}};     ///< as many
  int divisions = 4;                         ///< of each side of these lines, 1 … 256 on all
  Vec2 origin = Vec2::Zero();                ///< (t, z) on the inner face: the origin of the mesh
};
TriangleMesh triangle_mesh(const WallStone&);

}   // namespace stickslip
