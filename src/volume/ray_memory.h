// Parallel rays through two solids: what they hit, and memory for it.
//
// Rays along an axis are scan conversion: triangles are drawn onto the plane across the axis. No ray tracer is needed, and only
// triangles before or in the box of the overlap are looked at.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "math/lists.h"
#include "stickslip/geometry/aabb.h"
#include "stickslip/geometry/mesh_solid.h"
#include "volume/polyhedron.h"

namespace stickslip {

/// A stretch of a ray inside a solid; places along the axis, outward normals at its ends. Zero normals: not a surface.
struct RayStretch {
  double from, to;
  Vec3 from_normal, to_normal;
};

/// A stretch inside both.
struct SharedStretch : RayStretch {
  FaceOwner from_owner, to_owner;
  std::uint32_t ray;
  std::uint32_t piece = 0;
};

struct RayHit2d {
  std::uint32_t ray;
  std::uint32_t triangle;   ///< of those collected
  double at;
  bool leaves;   ///< the solid, going up the axis
};

/// A triangle of a mesh, in the frame of the grid.
struct RayTriangle {
  std::array<Vec3, 3> corners;
  std::array<std::uint32_t, 3> names;   ///< of its vertices in the mesh
};

/// One that rays through a box can meet.
struct RayChoice {
  std::uint32_t triangle;   ///< of those collected
  std::uint32_t axes;       ///< bit k: rays along axis k can
};

/// Rays through the middles of cells, each moved by a fixed pattern so that no row of triangles falls between them.
struct RayGrid {
  int axis = 0;
  int columns = 0, rows = 0;   ///< along u and v
  Vec3 lower = Vec3::Zero();   ///< of the box
  double step_u = 0, step_v = 0;

  int u() const { return (axis + 1) % 3; }
  int v() const { return (axis + 2) % 3; }
  double cell() const { return step_u * step_v; }
  const Vec2* shifts = nullptr;   ///< of each ray within its cell, in cells
  int shift_stride = 0;

  std::uint32_t rays() const { return static_cast<std::uint32_t>(columns * rows); }
  std::uint32_t ray(int i, int j) const { return static_cast<std::uint32_t>(j * columns + i); }
  /// (u, v) of a ray: that of column i and row j.
  Vec2 place(int i, int j) const {
    const Vec2& shift = shifts[j * shift_stride + i];
    return {lower[u()] + (i + shift.x()) * step_u, lower[v()] + (j + shift.y()) * step_v};
  }
  Vec2 place(std::uint32_t ray) const { return place(static_cast<int>(ray) % columns, static_cast<int>(ray) / columns); }
};

/// A box that rays are cast through.
struct RayBox {
  Aabb box;
  int level;   ///< how often what it is a part of was looked at
};

struct RayMemory {
  std::vector<Vec2> shifts;   ///< as RayGrid wants them, for `shifts_of` rays along a side
  int shifts_of = 0;
  std::vector<std::uint32_t> stack;
  std::array<std::vector<RayTriangle>, 2> triangles;   ///< of each solid, that rays through the first box can meet
  std::array<std::vector<RayChoice>, 2> chosen;        ///< of these, for the box at hand
  std::vector<char> wanted;                            ///< of each ray: whether it can be in both solids
  std::vector<RayHit2d> hits, sorted;
  std::vector<std::uint32_t> first_hit;   ///< of each ray
  std::array<std::vector<RayStretch>, 2> inside;
  std::array<std::vector<std::uint32_t>, 2> first_inside;
  std::array<std::vector<SharedStretch>, 3> shared;              ///< per axis
  std::array<std::vector<std::uint32_t>, 3> first_shared;        ///< per ray of that axis
  std::vector<std::uint32_t> parent;                             ///< of the stretches of an axis
  std::vector<std::uint32_t> piece_of_component, piece_beside;   ///< of what hangs together along an axis; of its stretches
  std::array<ListsByKey, 3> of_piece;                            ///< stretches of each piece, per axis
  std::vector<Aabb> parts;                                       ///< in which pieces lie apart from each other
  std::vector<bool> is_measured_again;                           ///< of each piece
  std::vector<RayBox> boxes;                                     ///< to look at
};

/// A solid in the frame of the grid.
struct RaySolid {
  const Shape* shape;
  Pose pose;   ///< in the frame of the grid
  Mat3 rotation;
  Aabb box;   ///< tight, in that frame
  int slot;   ///< 0 for A, 1 for B
  /// Along each axis, from which side rays come: where one starts is known to be outside beyond the mesh, and the nearer of its
  /// two sides has less to look through.
  std::array<bool, 3> from_below = {true, true, true};

  bool is_mesh() const { return std::holds_alternative<Mesh>(*shape); }
};

/// Chooses the sides that rays come from, and collects the triangles of a mesh that rays through a box, or through boxes in it,
/// can meet.
void collect_triangles(RaySolid&, const Aabb& box, RayMemory&);
/// Those of them that can be met by rays through a box in it.
void choose_triangles(const RaySolid&, const Aabb& box, RayMemory&);

/// Stretches of the wanted rays of a grid inside a solid: `inside[first_inside[r], first_inside[r + 1])` of its slot for ray r.
void stretches_inside(const RaySolid&, const RayGrid&, RayMemory&);
/// The same of a mesh, by the triangles that were chosen.
void stretches_in_mesh(const RaySolid&, const RayGrid&, RayMemory&);

/// Makes the pattern for so many rays along a side at least, if it is not there.
void prepare_shifts(RayMemory&, int count);

/// Box around what of a mesh lies in a box; empty if nothing does.
Aabb surface_within(const RaySolid& mesh, const Aabb& box, RayMemory&);

}   // namespace stickslip
