// What contact generation asks of a surface that deforms: which directions its features look, what is nearest of what a corner
// can touch, and the list of contacts in the making.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "collide/mesh_side.h"
#include "collide/tolerances.h"
#include "stickslip/collide/contact.h"
#include "stickslip/collide/surface.h"
#include "stickslip/distance/closest.h"
#include "stickslip/geometry/mesh_distance.h"
#include "stickslip/geometry/surface_part.h"

namespace stickslip::narrow {

/// Part of an edge's length by which its inside must be nearer than its ends for a contact of its own.
inline constexpr double kInsideNearer = 1e-3;
/// Part of the size of things that touch within which places are the same.
inline constexpr double kSamePlace = 1e-9;

/// Part of the size of triangles by which a face that a corner looks at may be deeper than the nearest one, and hold it.
inline constexpr double kAskFarther = 0.25;

/// Numbers that were seen since the last beginning. Keeps its memory.
class SeenNumbers {
 public:
  void begin(std::size_t size);
  bool first(std::uint32_t number) {
    if (stamps_[number] == now_) return false;
    stamps_[number] = now_;
    return true;
  }

 private:
  std::vector<std::uint32_t> stamps_;
  std::uint32_t now_ = 0;
};

/// Gaps of the contacts that vertices have, infinite without one.
class VertexGaps {
 public:
  void begin(std::size_t size);
  /// @param normal of the contact, either way; without one `along` does not know it
  void set(std::uint32_t vertex, double gap, const Vec3& normal = Vec3::Zero()) { gaps_[vertex] = {gap, normal, now_}; }
  double of(std::uint32_t vertex) const { return has(vertex) ? gaps_[vertex].gap : std::numeric_limits<double>::infinity(); }
  bool has(std::uint32_t vertex) const { return gaps_[vertex].stamp == now_; }
  /// Of contacts that hold in this direction: one that is pushed sideways does not speak for what is pressed down beside it.
  double along(std::uint32_t vertex, const Vec3& direction) const {
    const bool holds = has(vertex) && std::abs(gaps_[vertex].normal.dot(direction)) > kHoldsAlong;
    return holds ? gaps_[vertex].gap : std::numeric_limits<double>::infinity();
  }

 private:
  static constexpr double kHoldsAlong = 0.5;   ///< cosine
  struct Gap {
    double gap = 0;
    Vec3 normal = Vec3::Zero();
    std::uint32_t stamp = 0;
  };
  std::vector<Gap> gaps_;
  std::uint32_t now_ = 0;
};

/// How well something looks into a direction: the sine of the angle by which a face beside it is turned that way, 1 at most.
/// Of equally deep faces those are taken that are looked at, before those along which it stands, before all others.
enum class Look { away, along, at };
inline Look look_of(double sine) { return sine > kFeatureCone ? Look::at : sine > -kFeatureCone ? Look::along : Look::away; }
/// The largest n·d of the faces at a vertex.
double look_of_vertex(const MeshSurface&, std::uint32_t vertex, const Vec3& direction);
/// Whether a vertex of a surface can touch what lies in a unit direction: one of its faces looks there, or none of its edges
/// goes there.
bool can_touch(const MeshSurface&, std::uint32_t vertex, const Vec3& direction);
/// Length of the longest edge [m].
double size_of_triangle(const MeshSurface&, std::uint32_t triangle);
/// That of the faces at a vertex [m].
double size_at_vertex(const MeshSurface&, std::uint32_t vertex);
/// That of the faces at a point [m].
double size_near(const MeshSurface&, const MeshPoint&);

SurfacePart part_of_edge(const MeshSurface&, std::uint32_t edge);
SurfacePart part_of_point(const MeshSurface&, const MeshPoint&);
inline SurfacePart part_of_vertex(std::uint32_t vertex) { return {SurfacePartKind::vertex, vertex}; }

/// Start and way of an edge [m].
inline std::pair<Vec3, Vec3> line_of(const MeshSurface& surface, std::uint32_t edge) {
  const auto& ends = surface.edges().vertices(edge);
  const Vec3& start = surface.mesh().vertices[ends[0]];
  return {start, surface.mesh().vertices[ends[1]] - start};
}
/// An edge with the faces beside it; facets are triangles.
MeshEdge edge_of(const MeshSurface&, std::uint32_t edge);

/// Signed distance of a point [m]. @pre there are triangles
inline double distance_to(const MeshSurface& surface, const Vec3& from, std::uint32_t hint,
                          SignRule rule = SignRule::automatic) {
  return signed_distance(surface, from, rule, std::numeric_limits<double>::infinity(), hint)->distance;
}

/// A point as it lies behind a triangle, or no more than `in_front` before it; none if it does not, or lies beside it.
std::optional<SignedDistance> depth_behind(const MeshSurface&, std::uint32_t triangle, const Vec3& from, double in_front);

/// The point of a surface that holds a corner. Outside that is the nearest one. On the surface or inside, where the nearest
/// face is one that the corner cannot touch, as the side of a box at which it stands flush, it is the nearest of those that it
/// can, if it is at most `farther` deeper [m].
/// @param farther 0 stands for `kAskFarther` times the size of the surface's triangles there
/// @param look how well the corner looks in a direction, as double(const Vec3& unit), from -1 to 1
/// @param near memory
std::optional<SignedDistance> nearest_touched(const MeshSurface& surface, const Vec3& from, SignRule rule, double reach,
                                              double farther, std::uint32_t hint, std::vector<std::uint32_t>& near,
                                              auto&& look) {
  std::optional<SignedDistance> best = signed_distance(surface, from, rule, reach, hint);
  if (!best) return best;
  if (!(farther > 0)) farther = kAskFarther * size_near(surface, best->nearest);
  const double same = kClipTolerance * farther;
  if (best->distance > same) return best;
  // The direction to what is as near as this is all rounding.
  const bool is_on_surface = best->distance > -same;
  if (is_on_surface) best->gradient = normal_at(surface, best->nearest);
  Look best_look = look_of(look(-best->gradient));
  if (best_look == Look::at && (!is_on_surface || best->nearest.feature == stickslip::Feature::face)) return best;
  if (is_on_surface) best_look = Look::away;
  const double limit = std::abs(best->distance) + farther;
  overlapping(surface.mesh(), surface.tree(), Aabb{from, from}.grown(limit), near);
  double best_depth = is_on_surface ? std::numeric_limits<double>::infinity() : -best->distance;
  for (const std::uint32_t t : near) {
    const std::optional<SignedDistance> found = depth_behind(surface, t, from, same);
    if (!found || -found->distance > limit) continue;
    const Look this_look = look_of(look(-face_normal(surface.mesh(), t)));
    const double depth = -found->distance;
    if (this_look < best_look) continue;
    const bool nearer = depth < best_depth || (depth == best_depth && t < best->nearest.triangle);
    if (this_look == best_look && !nearer) continue;
    best = found, best_look = this_look, best_depth = depth;
  }
  return best;
}

/// Contacts in the making, and memory for one pair at a time, of this thread.
struct SurfaceScratch {
  struct Entry {
    std::uint64_t parts;
    ContactPoint point;
  };
  std::vector<Entry> found;
  std::vector<Entry> spare;   ///< crossings of edges inside that other parts of the surfaces are nearer to
  std::vector<std::uint32_t> triangles, vertices, edges, near;
  SeenNumbers seen;
  VertexGaps gaps_a, gaps_b;
  const LoadedContacts* loaded = nullptr;   ///< of the pair, while it is looked at
  PairScratch descent;
  std::vector<std::array<std::uint32_t, 2>> pairs;

  void add(SurfacePart a, std::uint32_t part_b, const Vec3& position, const Vec3& normal, double gap, std::uint64_t feature) {
    found.push_back({pair_of_parts(a.number(), part_b), {position, normal, gap, feature}});
  }
  void begin(const LoadedContacts& before) {
    found.clear();
    spare.clear();
    loaded = &before;
  }
  /// Makes the last contact a spare: it counts only where surfaces overlap and nothing else says so.
  void put_aside() {
    spare.push_back(found.back());
    found.pop_back();
  }
  bool was_loaded(SurfacePart a, std::uint32_t part_b, std::uint64_t feature) const {
    return loaded->has(pair_of_parts(a.number(), part_b), feature);
  }
  /// The smaller gap of the contacts that hold the ends of an edge in a direction.
  static double nearest_end(const MeshSurface&, std::uint32_t edge, const VertexGaps&, const Vec3& direction);
  /// Whether an end of the edge bore a load that nothing holds there any more: it has left a face, whose rim the edge crosses.
  bool takes_over_in_a(const MeshSurface&, std::uint32_t edge, const Vec3& direction) const;
  bool takes_over_in_b(const MeshSurface&, std::uint32_t edge, const Vec3& direction) const;
  /// Sorts, leaves one contact of each name, hands them on.
  void emit(ContactSink&);
  static SurfaceScratch& of_thread();
};

}   // namespace stickslip::narrow
