// Edges of a surface that deforms against edges of another, of a rigid shape, or of its own.
#pragma once

#include "collide/surface_side.h"

namespace stickslip::narrow {

/// Cosine of the bend below which one of the faces beside an edge is a rim's side.
inline constexpr double kStillFlat = 0.9;

/// Where two edges cross, seen along the normal that both can be touched from.
struct SurfaceCrossing {
  Vec3 on_a, on_b;   ///< [m]
  Vec3 normal;       ///< unit, from A to B
  double gap = 0;    ///< [m]

  Vec3 position() const { return 0.5 * (on_a + on_b); }
};

/// Whether two segments come as near to each other as that inside both, seen along their common normal: a quick look before
/// the faces beside them are asked for.
bool may_cross(const Vec3& start_a, const Vec3& along_a, const Vec3& start_b, const Vec3& along_b, double reach);

/// None beyond the margin, near the ends, or where one of the edges has its faces in the way. At least one is a ridge; the
/// other may be the seam of a flat or hollow place that the ridge presses into.
/// @param deepest by how much they may overlap [m]; deeper, vertices have come inside too
std::optional<SurfaceCrossing> crossing_of(const MeshEdge& a, const MeshEdge& b, double margin, double deepest);

/// How deep crossings are looked for: a part of the mean length of the edges, at least the margin [m].
double deepest_crossing(const MeshSurface&, double margin);

/// Whether an edge bends the surface outwards so much that it bounds flat places.
bool is_sharp(const MeshEdge&);
/// Whether an edge bends outwards at all, or ends the surface.
bool is_ridge(const MeshEdge&);

/// Whether a crossing says more than the contacts of the ends do. Two sharp edges are corners of an overlap. Else one must be
/// nearer than its ends.
bool counts(const SurfaceCrossing&, const MeshEdge& a, double nearest_end_a, const MeshEdge& b, double nearest_end_b);

/// Whether a point that lies under an edge by so much is inside and held there: nothing else is nearer than the faces beside
/// the edge. At the rim of a face that looks along the direction it is asked a little inwards from the edge.
/// @param out direction from the solid at the edge, unit
/// @param value signed distance to the solid that has the edge, as double(const Vec3&) [m]
bool is_held_under(const MeshEdge& e, const Vec3& out, double depth, const Vec3& point, auto&& value) {
  const double left = e.normal[0].dot(out), right = e.normal[1].dot(out), same = kClipTolerance * e.along.norm();
  const bool at_rim = std::max(left, right) > kNearFace && std::min(left, right) < kStillFlat;
  const double at = value(at_rim ? Vec3(point + 2 * depth * e.into[left > right ? 0 : 1]) : point);
  const double wedge = at_rim ? depth : depth * std::clamp(std::min(left, right), 0.0, 1.0);
  return at <= same && -at >= 0.9 * wedge - same;
}

/// An edge in another frame.
MeshEdge placed(const MeshEdge&, const Mat3& rotation, const Vec3& position);

}   // namespace stickslip::narrow
