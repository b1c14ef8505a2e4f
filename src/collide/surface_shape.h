// A surface that deforms against a rigid shape, one file for each way in which shapes can be touched.
#pragma once

#include "collide/polytope_view.h"
#include "collide/surface_edges.h"
#include "stickslip/field/distance_field.h"
#include "stickslip/field/face_minimum.h"

namespace stickslip::narrow {

/// What contacts of a shape are told by, beside the part of the surface: 0 for vertices of the surface, 1 + number for corners
/// of the shape, these with a number for the rest.
enum class ShapeFeature : std::uint64_t { edge = 1, ball = 2, axis = 3, side = 4, rim = 5, deepest = 6 };
constexpr std::uint64_t shape_feature(ShapeFeature kind, std::uint32_t number) {
  return static_cast<std::uint64_t>(kind) << 32 | number;
}
inline std::uint64_t corner_feature(std::uint32_t corner) { return 1 + std::uint64_t{corner}; }

/// One pair: the surface with what was found of it near the shape.
struct SurfaceNearShape {
  const MeshSurface& a;
  const Pose& pose;
  double margin;
  SurfaceScratch& scratch;

  /// Triangles, vertices and edges of the surface in a box of the world.
  void gather(const Aabb& box);
  void add(SurfacePart part, const Vec3& on_a, const Vec3& normal, double gap, std::uint64_t feature) {
    scratch.add(part, 0, on_a + 0.5 * gap * normal, normal, gap, feature);
  }
  /// A vertex of the surface at a signed distance from the shape, if it looks there or has come inside.
  void add_vertex(std::uint32_t vertex, const FieldSample& of_shape);
  /// A corner of the shape in front of or behind the surface.
  /// @param look how well the corner looks in a direction, as in `nearest_touched`
  /// @param is_tip whether no edge of the corner goes into a direction, as bool(const Vec3&)
  /// @returns its gap, infinite if there is no contact
  double add_corner(const Vec3& corner, std::uint64_t feature, auto&& look, auto&& is_tip) {
    constexpr double kNothing = std::numeric_limits<double>::infinity();
    if (!a.tree().bounds().grown(margin).overlaps({corner, corner})) return kNothing;
    const auto found = nearest_touched(a, corner, SignRule::automatic, kNothing, 0, TriangleTree::kNone, scratch.near, look);
    if (!found || found->distance > margin || found->gradient.isZero(0)) return kNothing;
    const Vec3 toward = -found->gradient;
    if (found->distance > 0 && look_of(look(toward)) != Look::at && !is_tip(toward)) return kNothing;
    const SurfacePart part = part_of_point(a, found->nearest);
    // There the surface has its own vertex for it.
    if (part.kind == SurfacePartKind::vertex && std::isfinite(scratch.gaps_a.of(part.index))) return found->distance;
    add(part, corner - found->distance * found->gradient, found->gradient, found->distance, feature);
    return found->distance;
  }
  /// Where an edge of the surface crosses one of the shape.
  /// @param value_a, value_b as in `worth_of`
  void add_crossing(const MeshEdge& edge, const MeshEdge& of_shape, double deepest, double nearest_end_b, auto&& value_a,
                    auto&& value_b) {
    const SurfacePart part = part_of_edge(a, edge.id);
    const std::uint64_t feature = shape_feature(ShapeFeature::edge, of_shape.id);
    const bool loaded = was_loaded(part, feature);
    const auto x = crossing_of(edge, of_shape, margin, deepest, loaded);
    if (!x) return;
    if (!loaded && !scratch.takes_over_in_a(a, edge.id, x->normal) &&
        !counts(*x, edge, nearest_end(edge.id, x->normal), of_shape, nearest_end_b))
      return;
    const CrossingWorth worth = worth_of(*x, edge, of_shape, value_a, value_b);
    if (worth == CrossingWorth::none) return;
    add(part, x->on_a, x->normal, x->gap, feature);
    if (worth == CrossingWorth::spare && !loaded) scratch.put_aside();
  }
  /// Where an edge of the surface is nearer to a convex shape than at its ends.
  void add_lowest(std::uint32_t edge, const ShapeField&);
  /// Where the gathered triangles are nearest to a shape or deepest in it, if nothing found so far speaks for that: at corners
  /// of coarse surfaces faces can run through rims and edges with none of their own.
  void add_deepest(const ShapeField&, bool convex = true);
  /// The same of triangles and edges where such a place bore a load: else two that are as deep would take turns. The place
  /// stays where it was while no other of its part is deeper by more than hardly anything: along a rim that runs through a
  /// triangle many are as deep, and what rests on one that jumps trembles.
  void add_loaded_deepest(const ShapeField&, bool convex);
  /// A place of a face inside it, on one of its edges or at a corner: contacts move with the part whose point they are.
  struct PlaceOnFace {
    SurfacePart part;
    Vec3 point, normal;
  };
  std::optional<PlaceOnFace> place_on_face(std::uint32_t face, const FieldMinimum&) const;
  std::optional<PlaceOnFace> place_on_edge(std::uint32_t edge, const Vec3& point, const Vec3& gradient) const;
  struct DeepestPlace : PlaceOnFace {
    double value;
  };
  std::optional<DeepestPlace> deepest_on_face(std::uint32_t face, const Vec3& before, const ShapeField&, bool convex) const;
  std::optional<DeepestPlace> deepest_on_edge(std::uint32_t edge, const Vec3& before, const ShapeField&, bool convex) const;
  /// The smaller gap of the contacts that hold an edge's ends in a direction.
  double nearest_end(std::uint32_t edge, const Vec3& direction) const {
    return SurfaceScratch::nearest_end(a, edge, scratch.gaps_a, direction);
  }
  bool was_loaded(SurfacePart part, std::uint64_t feature) const { return scratch.was_loaded(part, 0, feature); }
};

void collide_surface_with(SurfaceNearShape&, const HalfSpace&);
void collide_surface_with(SurfaceNearShape&, const Sphere&);
void collide_surface_with(SurfaceNearShape&, const Capsule&);
void collide_surface_with(SurfaceNearShape&, const Cylinder&);
void collide_surface_with(SurfaceNearShape&, const Box&);
void collide_surface_with(SurfaceNearShape&, const ConvexHull&);
void collide_surface_with(SurfaceNearShape&, const Mesh&);

}   // namespace stickslip::narrow
