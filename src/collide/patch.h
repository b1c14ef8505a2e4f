// Contact patches: what two supporting features of touching shapes have in common, seen along the contact normal.
//
// Both features are projected into the plane across the normal and intersected there: two polygons give a polygon, a
// polygon and a segment or two parallel segments give a segment, everything else a point. Each feature tells its height
// along the normal over every point of the plane; the gap is the difference of the heights.
#pragma once

#include <array>
#include <cstdint>

#include "collide/polytope_view.h"
#include "stickslip/collide/contact.h"

namespace stickslip::narrow {

/// Most vertices of a feature. A face with more is thinned evenly, which keeps a convex polygon inside the face.
inline constexpr int kMaxFeaturePoints = 64;

/// A supporting feature: polygon (counter-clockwise seen from outside its shape), segment (2) or point (1). World axes; the
/// origin is the caller's.
struct Feature {
  int count = 0;
  std::array<Vec3, kMaxFeaturePoints> points;
  std::array<std::uint32_t, kMaxFeaturePoints> ids;   ///< names of the vertices within the shape
  std::uint32_t id = 0;                               ///< name of the feature within the shape
  Vec3 normal = Vec3::Zero();                         ///< outward normal of a polygon's plane, unit

  void add(const Vec3& point, std::uint32_t point_id) {
    points[count] = point;
    ids[count++] = point_id;
  }
};

/// Fills `out` with face `face` in the local frame, thinned to `kMaxFeaturePoints`.
void add_face(const PolytopeView& view, int face, Feature& out);

/// The same in world axes. @param rotation, position of the polytope; the origin is the caller's
void place_face(const PolytopeView& view, int face, const Mat3& rotation, const Vec3& position, Feature& out);

/// Adds the points with gap ≤ margin of the patch of features `a` and `b` along the unit normal `n` from A to B; `origin`
/// is added to every position. @returns how many points were added
int add_patch(const Feature& a, const Feature& b, const Vec3& n, const Vec3& origin, double margin, ContactSink& sink);

/// The kinds of points in a patch, and names made of the names within both shapes.
enum class PatchPoint : std::uint64_t { corner_of_a, corner_of_b, crossing, lone };
inline constexpr std::uint64_t kEdgePatch = std::uint64_t{1} << 61;   ///< in names of points behind the crossing of two edges
inline std::uint64_t patch_feature(PatchPoint kind, std::uint32_t id_a, std::uint32_t id_b) {
  return static_cast<std::uint64_t>(kind) << 62 | (std::uint64_t{id_a} & 0x3fffffffu) << 31 | (id_b & 0x7fffffffu);
}

/// Two polytopes with the world origin in the first, for the edges of both that are nearest to each other.
struct EdgePair {
  const PolytopeView& a;
  const PolytopeView& b;
  const Mat3& rotation_a;
  const Mat3& rotation_b;
  const Vec3& between;          ///< origin of B minus origin of A [m]
  int faces_a[2], faces_b[2];   ///< on both sides of either edge
};
/// Adds the patch of the faces beside two edges, along their common normal `n` (unit, from A to B): what lies behind the
/// crossing of the edges and comes next when the shapes turn. Names have a bit of their own. @param separation of the edges
/// [m]
/// @returns whether the crossing itself is among the points
bool add_edge_patch(const EdgePair&, const Vec3& n, double separation, const Vec3& origin, double margin, ContactSink& sink);

}   // namespace stickslip::narrow
