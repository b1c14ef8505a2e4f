// Everything that can touch, as points, edges and triangles: which of them are near each other, which pairs have an energy, and
// how far points may move before something is passed.
//
// A ball is a point with a radius, a capsule an edge with a radius, everything else triangles. Half-spaces stand beside them.
// Two surfaces without common points are nearest to each other where a corner looks at a triangle or an edge at an edge; of
// rigid ones only edges that bend outwards count, since at others a face is as near.
//
// Points are counted once: the barrier of a point is that of the triangles near it, less that of edges between two of them,
// plus that of corners among those, so that it is the same wherever the point stands over a flat floor of many triangles
// [Li et al. 2023]. The plain form of [Li et al. 2020] counts every pair.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "stickslip/geometry/aabb.h"
#include "stickslip/geometry/triangle_mesh.h"
#include "stickslip/potential/barrier.h"
#include "stickslip/potential/contact_pair.h"

namespace stickslip {

class ContactSurface {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  /// What belongs together: one collider.
  struct Patch {
    bool deforms = false;      ///< its points move on their own; else they keep their distances
    bool fixed = false;        ///< its points do not move within a step
    double radius = 0;         ///< of what is round about its points and edges [m]
    double range = 0;          ///< at which the barrier begins; of two patches the smaller counts [m]
    double reach = 0;          ///< below which pairs are collected, no less than the range [m]; of two patches as the range
    double load = 0;           ///< mass that a unit of area may have to carry; of two patches the larger counts [kg/m²]
    double acceleration = 0;   ///< that contacts may have to give; of two patches the larger counts [m/s²]
    std::uint32_t body = 0;    ///< what the caller knows it by
    std::uint32_t collider = 0;
    std::uint32_t first_point = 0, points = 0, first_triangle = 0, first_edge = 0;   ///< filled in
    std::uint8_t corners =
        0;   ///< of its elements: 3 if it is made of triangles, 2 of an edge, 1 of points, 0 of a plane; filled in
    std::uint32_t first_node = 0, nodes = 0;   ///< of its tree; filled in
    double mean_edge = 0;                      ///< length at rest [m]; filled in
  };

  /// Of the tree over the elements of a patch, made once from its rest shape. Behind an inner node stands its first child.
  struct TreeNode {
    std::uint32_t element = 0;   ///< of a leaf: triangle, edge or point
    std::uint32_t second = 0;    ///< child of an inner node; 0: a leaf
    bool is_leaf() const { return second == 0; }
  };

  struct Plane {
    Vec3 normal = Vec3::UnitZ();   ///< outward, unit
    double offset = 0;             ///< [m]
    std::uint32_t patch = 0;
    std::array<std::uint32_t, 3> points = {kNone, kNone, kNone};   ///< of one that moves: in it, anticlockwise from outside

    bool moves() const { return points[0] != kNone; }
    /// Where it is: the same if it does not move.
    Plane at(const Vec3& a, const Vec3& b, const Vec3& c) const {
      const Vec3 n = (b - a).cross(c - a).normalized();
      return {n, n.dot(a), patch, points};
    }
    /// Whether a box lies in front of it, of one that does not move.
    bool is_below(const Aabb& box) const {
      const Vec3 middle = 0.5 * (box.lower + box.upper), half = 0.5 * (box.upper - box.lower);
      return !(normal.dot(middle) - normal.cwiseAbs().dot(half) - offset < 0);
    }
    Plane at(std::span<const Vec3> x) const { return moves() ? at(x[points[0]], x[points[1]], x[points[2]]) : *this; }
  };

  struct Edge {
    std::array<std::uint32_t, 2> points;
    double squared_length;    ///< at rest [m²]
    double area;              ///< that it stands for [m²]
    std::uint8_t triangles;   ///< that share it
    bool active;              ///< meets other edges
    std::uint32_t place;      ///< 3 × triangle + corner that it begins at, of the first triangle that has it, in its patch
  };

  struct Triangle {
    std::array<std::uint32_t, 3> points, edges;   ///< edge k runs from corner k to the next
    std::uint8_t owned;   ///< corners (bits 0 to 2) and edges (bits 3 to 5) that are looked at with this triangle
  };

  /// Adds what a mesh, a ball (one point, no triangle) or a capsule (two points, no triangle) is. @param rest places that
  /// areas and bends of edges are taken from @returns its number
  std::uint32_t add(Patch, const TriangleMesh& rest);
  std::uint32_t add(Patch, const Vec3& normal, double offset);   ///< a half-space
  /// A half-space that moves with three points of its own, which touch nothing. They are anticlockwise seen from outside.
  std::uint32_t add_moving_half_space(Patch);

  std::size_t points() const { return patch_of_point_.size(); }
  const std::vector<Patch>& patches() const { return patches_; }
  const std::vector<Plane>& planes() const { return planes_; }
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  const std::vector<TreeNode>& nodes() const { return nodes_; }
  /// Points of a triangle, an edge or a point. @param corners of the elements of its patch
  std::span<const std::uint32_t> points_of(std::uint8_t corners, const std::uint32_t& element) const {
    if (corners == 3) return triangles_[element].points;
    if (corners == 2) return edges_[element].points;
    return {&element, 1};
  }
  const Patch& patch_of(std::uint32_t point) const { return patches_[patch_of_point_[point]]; }
  std::uint32_t patch_number(std::uint32_t point) const { return patch_of_point_[point]; }
  double area_of(std::uint32_t point) const { return area_of_point_[point]; }   ///< that a point stands for [m²]
  /// Whether all around a point or an edge is surface.
  bool is_inner(std::uint32_t point) const { return inner_[point]; }
  double range_of(std::uint32_t patch_a, std::uint32_t patch_b) const;   ///< [m]
  double reach_of(std::uint32_t patch_a, std::uint32_t patch_b) const;   ///< [m]
  /// Scale of contact forces per area [Pa].
  double pressure_of(std::uint32_t patch_a, std::uint32_t patch_b) const;
  /// Says that a body holds a point where it is, on its surface or in it: what has that point does not touch the body.
  void set_holder(std::uint32_t point, std::uint32_t body) { holder_of_point_[point] = body; }
  /// Whether a body of one side holds a point of the other. @param a points of one patch @param b points of another
  bool hold_each_other(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
    return any_held(a, patch_of(b[0]).body) || any_held(b, patch_of(a[0]).body);
  }
  bool any_held(std::span<const std::uint32_t> points, std::uint32_t body) const {
    for (const std::uint32_t p : points)
      if (holder_of_point_[p] == body) return true;
    return false;
  }
  void set_range(std::uint32_t patch, double range, double reach) {
    patches_[patch].range = range;
    patches_[patch].reach = std::max(range, reach);
  }
  void set_fixed(std::uint32_t patch, bool fixed) { patches_[patch].fixed = fixed; }
  void set_acceleration(std::uint32_t patch, double acceleration) { patches_[patch].acceleration = acceleration; }

 private:
  void add_elements(std::uint32_t patch, std::uint8_t corners, std::uint32_t first, std::span<const Vec3> middles);

  std::vector<Patch> patches_;
  std::vector<Plane> planes_;
  std::vector<std::uint32_t> patch_of_point_, holder_of_point_;   ///< the second: bodies, or kNone
  std::vector<double> area_of_point_;
  std::vector<bool> inner_;
  std::vector<Edge> edges_;
  std::vector<Triangle> triangles_;
  std::vector<TreeNode> nodes_;
};

class ElementPairs;

/// Pairs of features that may come near each other while every point stays in a box of its own.
class ContactCandidates {
 public:
  ContactCandidates();
  ~ContactCandidates();
  ContactCandidates(ContactCandidates&&) noexcept;
  ContactCandidates& operator=(ContactCandidates&&) noexcept;

  using Pairs = std::vector<std::array<std::uint32_t, 2>>;
  /// Whether two patches may touch.
  using Filter = std::function<bool(std::uint32_t, std::uint32_t)>;

  /// Looks for all pairs. Every point may be anywhere in the box around its two places, grown by its range and a part of
  /// the ways of its patch. Patches that were looked for since `clear` and have both places in their boxes are not looked
  /// for again, nor those that are fixed. The first time since `begin_step` they may go on as far again.
  /// @param bends of the ways (PointPaths); empty: they are straight @returns whether there was something to look for
  bool find(const ContactSurface&, std::span<const Vec3> from, std::span<const Vec3> to, std::span<const double> bends,
            const Filter&);
  /// The same for points that are at x: patches that are in their boxes there are not looked for, wherever they go.
  /// @param next where the others may go
  bool find_at(const ContactSurface&, std::span<const Vec3> x, std::span<const Vec3> next, const Filter&);
  void clear() { boxes_.clear(); }   ///< the next look begins from nothing
  void begin_step() { seen_.assign(seen_.size(), false); }
  void clear_pairs();
  void sort_pairs();   ///< of lists that are not looked for any more

  Pairs point_triangle, edge_edge, point_edge, point_point, point_plane;

 private:
  friend class NearFinder;
  struct Finder;
  bool look(const ContactSurface&, std::span<const Vec3> from, std::span<const Vec3> to, std::span<const double> bends,
            auto&& is_covered, const Filter&);
  bool covers(std::span<const Vec3> x, std::span<const double> bends, const ContactSurface::Patch&) const;
  void make_boxes(const ContactSurface::Patch&, std::span<const Vec3> from, std::span<const Vec3> to,
                  std::span<const double> bends, bool again);
  void drop_pairs_of(const ContactSurface&, const std::vector<bool>& changed);
  void open_group(std::uint32_t patch_a, std::uint32_t patch_b);
  void follow(const ContactSurface&, std::span<const Vec3> x);

  // Pairs of the same two patches stand one behind the other, those of half-spaces in no order. Of each pair is known how far
  // it was from mattering when it was last looked at, and of each group how far its patches have moved against each other: so
  // most pairs are passed over at the cost of a comparison.
  static constexpr std::array<Pairs ContactCandidates::*, 4> kGrouped = {
      &ContactCandidates::point_triangle, &ContactCandidates::edge_edge, &ContactCandidates::point_edge,
      &ContactCandidates::point_point};
  struct Group {
    std::uint32_t patch_a, patch_b;
    std::array<std::uint32_t, 4> first;   ///< of its pairs in the lists
    double moved = 0;                     ///< how far points of one may have moved against those of the other [m]
  };
  std::vector<Group> groups_;
  std::array<std::vector<double>, 4> beyond_;   ///< of each pair: `moved` of its group when it may begin to matter [m]
  std::vector<Vec3> last_;                      ///< places that `moved` is known for
  std::vector<bool> seen_, changed_;            ///< by patch: looked for in this step, in the last look
  std::vector<Aabb> boxes_;                     ///< in which points are known to be seen, without range
  std::unique_ptr<ElementPairs> elements_;
};

/// Those of all candidates that are within range, sorted: the same whatever else there is.
/// @param all learn how far they are @param near of which only the lists are changed
void find_near(const ContactSurface&, ContactCandidates& all, std::span<const Vec3> x, ContactCandidates& near);

/// The pairs of candidates that are within range, and where they are.
struct NearPairs {
  std::vector<ContactPair> pairs;    ///< in the order of their points, then of their edges
  std::vector<PairMember> members;   ///< of pairs that several edges are
  std::vector<PairState> states;     ///< of the pairs

  std::span<const PairMember> members_of(const ContactPair& p) const {
    return std::span(members).subspan(p.first_member, p.members);
  }

 private:
  friend class PairCollector;
  std::vector<std::uint32_t> first_of_point_, next_of_pair_;   ///< chains of pairs of ends
  std::vector<std::pair<std::uint32_t, PairMember>> found_;    ///< pairs, and what is to become their members
};

/// Makes the list anew. @param near of which all are sorted @param stiffness factor of all weights [1]
void collect(const ContactSurface&, const ContactCandidates& near, std::span<const Vec3> x, BarrierForm, double stiffness,
             NearPairs& out);

/// How points move in a step: along chords, or along arcs near them.
struct PointPaths {
  std::span<const Vec3> start, end;
  std::span<const double> bends = {};   ///< of each point: its acceleration over the path, at most [m]; empty: all are straight
  std::function<Vec3(std::uint32_t point, double time)> at = {};   ///< of those that bend, time from 0 to 1
};

/// Finds how far points may go along their paths so that every pair of candidates keeps half of its distance, or a part of its
/// range where that is less. Never too far, whatever rounding does (ccd/inclusion.h). Groups of points go equally far; groups
/// that are near each other, now or on their ways, become one, so that a body that strikes does not hold up those that fly.
/// @param links groups that belong together anyway
/// @param group_of_point kNone: does not move @param parts for each group: what it is limited to; on return how far it may go
/// @param pieces on return for each group the number of what it has become one with
/// @param near on return the candidates that may come within range on their ways, sorted @returns how many pieces there are
std::uint32_t find_free_parts(const ContactSurface&, ContactCandidates&, const PointPaths&,
                              std::span<const std::uint32_t> group_of_point,
                              std::span<const std::array<std::uint32_t, 2>> links, std::span<double> parts,
                              std::span<std::uint32_t> pieces, ContactCandidates& near);

/// A pair of features that is nearer than it may be. Of patches that overlap `distance` is 0.
struct NearPair {
  std::uint32_t patch_a = 0, patch_b = 0;
  double distance = 0;   ///< without radii [m]
};
/// Triangles, round things and half-spaces that have points in common, by exact predicates for triangles: the first pair of
/// every two patches.
std::vector<NearPair> find_intersections(const ContactSurface&, std::span<const Vec3> x, const ContactCandidates::Filter&);

/// The smallest gap between two patches [m]; infinite if no candidate is within range.
double smallest_gap(const ContactSurface&, const ContactCandidates&, std::span<const Vec3> x);

}   // namespace stickslip
