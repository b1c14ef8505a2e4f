// Repairs of meshes. None happens unless it is asked for, and each says what it did.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

struct RepairStep {
  std::string name;          ///< as in the list of `repair`
  std::size_t changed = 0;   ///< how many things were changed
  std::string what;          ///< in words, with what could not be mended
};

/// Vertices within `distance` [m] of an earlier one become that one; 0: only at equal places. Triangles that this collapses go.
RepairStep merge_vertices(TriangleMesh&, double distance = 0);

RepairStep remove_unused_vertices(TriangleMesh&);

/// Of triangles with the same three vertices the first stays, whichever way the others face.
RepairStep remove_duplicate_triangles(TriangleMesh&);

/// Triangles without area go, and the surface stays as closed as it was: corners at one place become one, and where a corner
/// lies on the
/// opposite side, the triangle behind that side is split there.
RepairStep remove_degenerate_triangles(TriangleMesh&);

/// Turns triangles so that neighbours agree, then closed pieces so that they face outwards, or into the cavity that they bound.
/// Open pieces
/// face as most of their area did. A piece with one side only (a Möbius strip) stays inconsistent, which the step tells.
RepairStep orient(TriangleMesh&);

/// Closes rims of at most `max_edges` edges by the triangulation of least area [Barequet, Sharir 1995], in O(edges³). @param
/// max_edges 3 … 500
RepairStep fill_holes(TriangleMesh&, std::size_t max_edges = 64);

/// Repairs in the order given, separated by commas: merge, merge=DISTANCE, unused, duplicates, degenerate, orient, fill,
/// fill=EDGES; `all` is
/// merge,degenerate,duplicates,unused,orient. @throws Error for other words and bad numbers, before anything is changed
std::vector<RepairStep> repair(TriangleMesh&, std::string_view list);

}   // namespace stickslip
