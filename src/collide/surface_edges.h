// Edges of a surface that deforms against edges of another, of a rigid shape, or of its own.
#pragma once

#include "collide/surface_side.h"

namespace stickslip::narrow {

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
/// @param loaded whether they bore a load when they crossed before: they do so though no ridge is left
std::optional<SurfaceCrossing> crossing_of(const MeshEdge& a, const MeshEdge& b, double margin, double deepest, bool loaded);

/// How deep crossings are looked for: a part of the mean length of the edges, at least the margin [m].
double deepest_crossing(const MeshSurface&, double margin);

/// Whether an edge bends the surface outwards so much that it bounds flat places.
bool is_sharp(const MeshEdge&);
/// Whether an edge bends outwards at all, or ends the surface.
bool is_ridge(const MeshEdge&);

/// Whether an edge can be touched from a unit direction: a ridge from within its cone, the seam of a flat or hollow place from
/// where both its faces look.
bool can_be_touched(const MeshEdge&, const Vec3& direction);

/// Whether a crossing says more than the contacts of the ends do. Two sharp edges are corners of an overlap. Else one must be
/// nearer than its ends.
bool counts(const SurfaceCrossing&, const MeshEdge& a, double nearest_end_a, const MeshEdge& b, double nearest_end_b);

/// Whether a point that lies under an edge by so much is inside and held there: nothing else is nearer than a face beside the
/// edge that looks along the direction. It is asked as far inwards from the edge as it is deep: at the rim of a face, what is
/// beside the face is as near.
/// @param out direction from the solid at the edge, unit
/// @param value signed distance to the solid that has the edge, as double(const Vec3&) [m]
bool is_held_under(const MeshEdge& e, const Vec3& out, double depth, const Vec3& point, auto&& value) {
  const double same = kClipTolerance * e.along.norm();
  for (const int side : {0, 1}) {
    const double looks = e.normal[side].dot(out);
    if (looks < 0.5) continue;
    const double at = value(Vec3(point + depth * e.into[side]));
    if (at <= same && -at >= 0.9 * depth * looks - same) return true;
  }
  return false;
}

/// What a crossing is worth.
enum class CrossingWorth { none, spare, holds };

/// Where surfaces overlap, points must be inside, and held, or the crossing is but a spare.
/// @param value_a, value_b signed distances to the two, as double(const Vec3&) [m]
CrossingWorth worth_of(const SurfaceCrossing& x, const MeshEdge& a, const MeshEdge& b, auto&& value_a, auto&& value_b) {
  if (x.gap >= 0) return CrossingWorth::holds;
  const double same = kClipTolerance * std::max(a.along.norm(), b.along.norm());
  if (value_b(x.on_a) > same || value_a(x.on_b) > same) return CrossingWorth::none;
  const bool holds =
      is_held_under(b, -x.normal, -x.gap, x.on_a, value_b) && is_held_under(a, x.normal, -x.gap, x.on_b, value_a);
  return holds ? CrossingWorth::holds : CrossingWorth::spare;
}

/// An edge in another frame.
MeshEdge placed(const MeshEdge&, const Mat3& rotation, const Vec3& position);

}   // namespace stickslip::narrow
