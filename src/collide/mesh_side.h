// What contact generation asks of a mesh: which directions a feature can be touched from, and which points of the surface
// count.
#pragma once

#include <algorithm>

#include "collide/tolerances.h"
#include "stickslip/collide/contact.h"
#include "stickslip/geometry/mesh_names.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::narrow {

/// Part of the thickness from which on shapes count as apart: then the nearest points may be those of a vertex and an edge
/// or of two vertices, which no longer exist once surfaces touch. What rests is nearer.
inline constexpr double kApart = 1e-4;

/// The shapes turn by what uses up their motion this many times at their ends.
inline constexpr double kMeshTurns = 2;

inline constexpr double kFeatureCone = 0.035;   ///< sine of 2°: directions so little outside the cone of a feature belong to it

/// Sine of the angle by which a corner that is so far from a face may not look at it, and touch it all the same: what it may
/// always, and what shapes of this size can turn. @param margin what they can move [m]
inline double sine_of_turns(double margin, double height, double size) {
  return kFeatureCone + kMeshTurns * (margin + std::max(0.0, -height)) / size;
}

/// An edge with what lies beside it, in the frame of the mesh.
struct MeshEdge {
  std::uint32_t id = 0;
  Vec3 start, along;        ///< along: to the end [m]
  Vec3 normal[2];           ///< of the facets on the left and on the right
  Vec3 into[2];             ///< unit, from the edge into them
  std::uint32_t facet[2];   ///< the left one twice at a boundary
  bool boundary = false, irregular = false;
};
MeshEdge edge_of(const MeshSolid&, std::uint32_t edge);

/// Whether an edge can be touched from a unit direction (outwards, from the surface to what touches). @param sine of the angle
/// that may lie outside
bool is_touched_from(const MeshEdge&, const Vec3& direction, double sine);
/// The same of a vertex.
bool is_touched_from(const MeshSolid&, std::uint32_t vertex, const Vec3& direction, double sine);

/// The facet beside a vertex whose normal is within 2° of a unit direction, as the name of a part; 0 if there is none.
std::uint32_t part_facing(const MeshSolid&, std::uint32_t vertex, const Vec3& direction);
/// The same beside an edge.
std::uint32_t part_facing(const MeshEdge&, const Vec3& direction);

/// Whether the projection of a point along the normal of the triangle's facet lies in the triangle, or so little outside as a
/// part of its size.
bool is_over(const MeshSolid&, std::uint32_t triangle, const Vec3& point, double outside = kClipTolerance);

/// By how much something may be nearer to a point than the face that it lies so deep behind, and the face still hold it [m]:
/// less than walls are thick, or a face would hold what is on the other side of its wall.
double slack_behind(const MeshSolid&, double depth);

/// Whether no part of the surface is nearer to a point than `depth`: a point that lies so deep behind a face is held by it
/// only if nothing else is nearer.
bool is_nearest(const MeshSolid&, const Vec3& point, double depth, std::uint32_t hint = TriangleTree::kNone);

/// The facet that is nearest to a point inside a solid.
struct NearFacet {
  std::uint32_t facet = 0;
  double distance = 0;   ///< [m]
};

/// The facet of the triangle that is nearest to a point; none beyond `reach` [m].
std::optional<NearFacet> nearest_facet(const MeshSolid&, const Vec3& point, double reach,
                                       std::uint32_t hint = TriangleTree::kNone);

/// Whether an edge holds a point that lies so deep behind it: at the rim of a face if nothing is nearer than the face, a little
/// inwards from the edge; else if the point is behind both facets beside the edge and one of these is nearest.
/// @param facing part beside the edge that looks along the normal, or 0
/// @param slack by which something may be nearer [m]
/// @param nearest the facet nearest to a point within a reach, as std::optional<NearFacet>(const Vec3&, double reach)
bool is_held_by_edge(const MeshEdge& edge, std::uint32_t facing, const Vec3& point, double depth, double slack,
                     auto&& nearest) {
  if (facing == 0) {
    for (const Vec3& normal : edge.normal)
      if (normal.dot(point - edge.start) > 0) return false;
    const std::optional<NearFacet> near = nearest(point, depth + slack);
    return near && (near->facet == edge.facet[0] || near->facet == edge.facet[1]);
  }
  const int side = facet_part(edge.facet[0]) == facing ? 0 : 1;
  const std::optional<NearFacet> below = nearest(point + 2 * depth * edge.into[side], depth + slack);
  return below && below->distance >= depth - slack && below->facet == edge.facet[side];
}

/// Where two edges cross, seen along the normal that both can be touched from.
struct EdgeCrossing {
  Vec3 on_a, on_b;   ///< [m]
  Vec3 normal;       ///< unit, from A to B; that of a face where one lies across
  std::uint32_t facing_a = 0, facing_b = 0;
  double gap = 0;   ///< [m]
};
/// @param b, b_in_a an edge and the way from its frame to that of A; everything else is in the frame of A
std::optional<EdgeCrossing> crossing(const MeshEdge& a, const MeshEdge& b, const Pose& b_in_a, const Mat3& rotation);

/// Collects the contacts of a pair, then leaves what matters of them. Keeps its memory between uses.
class MeshContacts {
 public:
  void clear() {
    list_.clear();
    spare_.clear();
    doubts_.clear();
  }
  bool empty() const { return list_.empty(); }
  double lowest_gap() const;   ///< infinite if there is none [m]
  void add(std::uint64_t parts, const Vec3& position, const Vec3& normal, double gap, std::uint64_t feature) {
    list_.push_back({parts, {position, normal, gap, feature}});
  }
  /// A contact that other parts of the surface are nearer than, of which only the shallowest count, and only where surfaces
  /// cut each other without one that holds.
  void add_spare(std::uint64_t parts, const Vec3& position, const Vec3& normal, double gap, std::uint64_t feature) {
    spare_.push_back({parts, {position, normal, gap, feature}});
  }
  /// A corner behind the face that is nearest to it, at which it does not look. @param place of the corner, in the frame of A
  void add_doubt(std::uint64_t parts, const ContactPoint& point, const Vec3& place, bool of_b) {
    doubts_.push_back({{parts, point}, place, of_b});
  }
  /// Takes those that count, by what the others hold; the rest are spares. @param counts as bool(const ContactPoint&, const
  /// Vec3& place, bool of_b)
  void settle_doubts(auto&& counts) {
    kept_.clear();
    for (const Doubt& d : doubts_) (counts(d.entry.point, d.place, d.of_b) ? kept_ : spare_).push_back(d.entry);
    list_.insert(list_.end(), kept_.begin(), kept_.end());
    doubts_.clear();
  }
  /// Whether a contact that is no farther apart than `gap` lies within a distance of a place [m].
  bool is_held_near(const Vec3& place, double distance, double gap) const;
  /// How B must be moved for all of these to be apart by `gap`, if that is possible [m].
  Vec3 way_out(const Vec3& place, double distance, double gap) const;
  bool has_spares() const { return !spare_.empty(); }
  /// Takes the spares that count: the shallowest of them, and what is not much deeper. Deeper ones are not asked, and a hundred
  /// at most: meshes that are deep in each other have tens of thousands. @param deepest that counts [m]
  /// @param may_count, counts as bool(const ContactPoint&): quickly, and in full @return whether any did
  bool use_spares(double deepest, auto&& may_count, auto&& counts, std::size_t most = kMostAsked) {
    std::ranges::stable_sort(spare_, [](const Entry& x, const Entry& y) { return x.point.gap > y.point.gap; });
    kept_.clear();
    double lowest = -deepest;
    std::size_t asked = 0;
    for (const Entry& e : spare_) {
      if (e.point.gap < lowest || asked == most) break;
      if (!may_count(e.point)) continue;
      ++asked;
      if (!counts(e.point)) continue;
      if (kept_.empty()) lowest = std::max(kNotMuchDeeper * e.point.gap, lowest);
      kept_.push_back(e);
    }
    list_.insert(list_.end(), kept_.begin(), kept_.end());
    return !kept_.empty();
  }
  void use_spares(double deepest) {
    const auto always = [](const ContactPoint&) { return true; };
    use_spares(deepest, always, always, spare_.size());
  }
  /// Hands on the contacts, one of each name, those that others imply left out.
  /// @param margin what the shapes can move against each other [m] @param size radius of the smaller shape [m]
  void emit(double margin, double size, ContactSink&);

 private:
  struct Entry {
    std::uint64_t parts;
    ContactPoint point;
  };
  struct Doubt {
    Entry entry;
    Vec3 place;   ///< of the corner, in the frame of A [m]
    bool of_b;
  };
  /// Of contacts that nothing holds, those are taken that are no deeper than this times the shallowest.
  static constexpr double kNotMuchDeeper = 1.1;
  static constexpr std::size_t kMostAsked = 100;

  void remove_duplicates();
  void spread(double margin, double size);

  std::vector<Entry> list_, kept_, spare_;
  std::vector<Doubt> doubts_;
  std::vector<double> room_;
};

/// Memory for one pair at a time, of this thread.
struct MeshScratch {
  MeshContacts contacts;
  ContactSink sink;
  std::vector<std::uint32_t> triangles;
  std::vector<std::pair<double, std::uint32_t>> order;

  static MeshScratch& of_thread();
};

}   // namespace stickslip::narrow
