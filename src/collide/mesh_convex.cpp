// Boxes, cylinders and hulls against meshes. Over a face the shape meets the plane of its facet, as it would meet a half-space;
// along an active edge a cylinder meets a segment, and polytopes meet vertices and edges as meshes do (mesh_mesh.cpp). So a
// flat floor of triangles is the plane, whatever its triangles are.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "collide/edge_place.h"
#include "collide/field_pairs.h"
#include "collide/mesh_side.h"
#include "collide/mesh_touch.h"
#include "collide/pairs.h"
#include "collide/polytope_side.h"
#include "collide/tolerances.h"
#include "stickslip/collide/separation.h"
#include "stickslip/geometry/aabb.h"
#include "stickslip/geometry/mesh_distance.h"

namespace stickslip::narrow {
namespace {

/// Part of an edge's length from its ends within which a contact is one of the vertex.
constexpr double kAtVertex = 1e-6;

/// Part of a cylinder's radius up to which an edge behind a cap is held by the cap wherever it lies under it; beyond, the side
/// may be nearer.
constexpr double kBehindCap = 2e-3;

/// Part of a gap, and of a cylinder's radius, that the end of the gap may lie beside the edge that it is of.
constexpr double kOffEdge = 0.035, kOffRim = 2e-3;

/// Part of the shape's radius within which surfaces that meet touch and do not cut each other.
constexpr double kShapesTouch = 1e-6;

/// Part of the shape's radius by which faces that a corner looks at may be deeper than the nearest one, and hold it.
constexpr double kFaceDeeper = 0.02;

/// Part of the shape's size from which on what overlaps is deep: corners are then asked how deep they lie.
constexpr double kDeep = 1e-3;

/// Arcs of a rim that are asked how deep they lie, the shortest part of one as a part of the radius, and the halvings to there.
constexpr std::uint32_t kRimArcs = 8;
constexpr double kRimFine = 2e-3;
constexpr int kRimHalvings = 10;

/// Number, among those of an edge, of its deepest place in a cylinder.
constexpr std::uint32_t kDeepestOfEdge = 2;

template <class S>
class ConvexOnMesh {
 public:
  ConvexOnMesh(const S& shape, const Pose& pose, const Mesh& of_triangles, const Pose& mesh, double margin,
               MeshScratch& scratch)
      : shape_(shape),
        pose_(pose),
        of_triangles_(of_triangles),
        solid_(*of_triangles.solid),
        mesh_(mesh),
        margin_(margin),
        scratch_(scratch) {}

  void collide_all(double size, ContactSink& sink) {
    scratch_.contacts.clear();
    const Aabb box = bounding_box(Shape(shape_), mesh_.inverse() * pose_).grown(margin_);
    overlapping(solid_.mesh(), solid_.surface().tree(), box, scratch_.triangles);
    std::vector<std::uint32_t>& triangles = scratch_.triangles;
    // Boxes along the axes of the shape are tighter where it is long and oblique.
    const Aabb tight = bounding_box(Shape(shape_), Pose{}).grown(margin_);
    const Pose to_shape = pose_.inverse() * mesh_;
    const Mat3 rotation = to_shape.rotation();
    std::erase_if(triangles, [&](std::uint32_t triangle) {
      Aabb seen;
      for (const std::uint32_t v : solid_.mesh().triangles[triangle]) {
        const Vec3 x = to_shape.position + rotation * solid_.mesh().vertices[v];
        seen = seen.merged({x, x});
      }
      return !seen.overlaps(tight);
    });
    std::optional<PolytopeSide> side;
    if constexpr (std::is_same_v<S, Cylinder>) {
      for (const std::uint32_t triangle : triangles)
        for (int k = 0; k < 3; ++k)
          if (solid_.owned_by(triangle) & 8 << k)
            add_edge(solid_.surface().edges().edges_of_face(triangle)[k], to_shape, tight);
    } else {
      side.emplace(shape_);
      add_polytope(*side, to_shape, tight);
    }
    // Facet by facet.
    std::sort(triangles.begin(), triangles.end(), [&](std::uint32_t x, std::uint32_t y) {
      return solid_.facet_of(x) != solid_.facet_of(y) ? solid_.facet_of(x) < solid_.facet_of(y) : x < y;
    });
    for (std::size_t first = 0, end = 0; first < triangles.size(); first = end) {
      const std::uint32_t facet = solid_.facet_of(triangles[first]);
      while (end < triangles.size() && solid_.facet_of(triangles[end]) == facet) ++end;
      add_facet(facet, std::span(triangles).subspan(first, end - first), side ? &*side : nullptr);
    }
    complete(size, to_shape, tight, side ? &*side : nullptr);
    scratch_.contacts.emit(margin_, size, sink);
  }

 private:
  /// @param side of a box or hull
  void add_facet(std::uint32_t id, std::span<const std::uint32_t> triangles, const PolytopeSide* side) {
    const MeshFacet& facet = solid_.facets()[id];
    if (facet.normal.isZero(0)) return;
    const Pose plane = mesh_ * Pose{facet.offset * facet.normal, rotation_between(Vec3::UnitZ(), facet.normal)};
    scratch_.sink.clear();
    collide(shape_, pose_, HalfSpace{}, plane, margin_, scratch_.sink);
    for (const ContactPoint& p : scratch_.sink.points()) {
      const auto corner = static_cast<std::uint32_t>(p.feature);
      const auto to_side = [&](const Vec3& normal) {
        return Vec3(pose_.orientation.conjugate() * (mesh_.orientation * -normal));
      };
      const auto touches = [&](const Vec3& normal) {
        return side->is_touched_from(corner, to_side(normal), sine_of_turns(margin_, p.gap, side->radius()));
      };
      if (side && !side->can_touch(corner, to_side(facet.normal))) continue;
      // What is a little in front of a face without looking at it is beside it; what is farther may turn until it does.
      const bool looks = !side || touches(facet.normal);
      if (!looks && p.gap >= 0 && p.gap <= kApart * side->radius()) continue;
      const Vec3 on_shape = mesh_.to_local(p.position - 0.5 * p.gap * p.normal);
      const auto over = std::find_if(triangles.begin(), triangles.end(), [&](auto t) { return is_over(solid_, t, on_shape); });
      if (over == triangles.end()) {
        lowest_beside_ = std::min(lowest_beside_, p.gap);
        continue;
      }
      const bool held = p.gap >= 0 || (side ? looks && is_held_by_face(solid_, *over, on_shape, -p.gap, touches)
                                            : is_nearest(solid_, on_shape, -p.gap, *over));
      add(pair_of_parts(0, facet_part(id)), p.position, p.normal, p.gap,
          mesh_feature(MeshFeature::vertex_on_face, static_cast<std::uint32_t>(p.feature), id), held);
    }
  }

  /// Active vertices and edges of the mesh against faces and edges of a polytope.
  void add_polytope(const PolytopeSide& side, const Pose& to_shape, const Aabb& tight) {
    const Mat3 rotation = to_shape.rotation();
    for (const std::uint32_t triangle : scratch_.triangles) {
      const std::uint8_t owned = solid_.owned_by(triangle);
      for (int k = 0; k < 3; ++k) {
        if (owned & 1 << k) add_vertex(side, solid_.mesh().triangles[triangle][k], to_shape, rotation);
        if (owned & 8 << k) add_edges(side, solid_.surface().edges().edges_of_face(triangle)[k], to_shape, rotation, tight);
      }
    }
  }

  void add_vertex(const PolytopeSide& side, std::uint32_t vertex, const Pose& to_shape, const Mat3& rotation) {
    const Vec3 x = to_shape.position + rotation * solid_.mesh().vertices[vertex];
    const NearFacet nearest = side.nearest(x);
    const double sine = sine_of_turns(margin_, -nearest.distance, solid_.radius());
    const auto touches = [&](const Vec3& normal) {
      return is_touched_from(solid_, vertex, -(rotation.transpose() * normal), sine);
    };
    // What is in front of a face is outside; of the faces that it is behind, the nearest that it looks at holds it.
    const bool outside = -nearest.distance > kShapesTouch * side.radius();
    const NearFacet face = outside ? nearest : side.nearest_touched(x, touches);
    const double height = -face.distance;
    if (height > margin_ || !side.is_over(face.facet, x)) return;
    const Vec3& n = side.normal(face.facet);
    const Vec3 in_mesh = -(rotation.transpose() * n);
    if (height >= 0 && !touches(n)) return;
    const std::uint32_t facing = part_facing(solid_, vertex, in_mesh);
    add(pair_of_parts(0, facing != 0 ? facing : vertex_part(vertex)), pose_ * Vec3(x - 0.5 * height * n), pose_.orientation * n,
        height, mesh_feature(MeshFeature::face_under_vertex, face.facet, vertex),
        height >= 0 || (face.distance < nearest.distance + kFaceDeeper * side.radius() &&
                        is_touched_from(solid_, vertex, in_mesh, kFeatureCone)));
  }

  void add_edges(const PolytopeSide& side, std::uint32_t id, const Pose& to_shape, const Mat3& rotation, const Aabb& tight) {
    const MeshEdge edge = edge_of(solid_, id);
    const Vec3 from = to_shape.position + rotation * edge.start, to = from + rotation * edge.along;
    if (!Aabb{from.cwiseMin(to), from.cwiseMax(to)}.overlaps(tight)) return;
    for (const MeshEdge& mine : side.edges()) {
      const std::optional<EdgeCrossing> x = crossing(mine, edge, to_shape, rotation);
      if (!x || x->gap > margin_) continue;
      const bool held = -x->gap <= 1e-9 * side.radius() || is_held(side, mine, edge, *x, to_shape);
      add(pair_of_parts(0, x->facing_b != 0 ? x->facing_b : edge_part(id)), pose_ * Vec3(0.5 * (x->on_a + x->on_b)),
          pose_.orientation * x->normal, x->gap, mesh_feature(MeshFeature::edges, mine.id, id), held);
    }
  }

  bool is_held(const PolytopeSide& side, const MeshEdge& mine, const MeshEdge& edge, const EdgeCrossing& x,
               const Pose& to_shape) const {
    const double depth = -x.gap;
    const Mat3 rotation = to_shape.rotation();
    // An edge touches what one of its faces looks at; rims of other faces may be nearer.
    const auto looks = [](const MeshEdge& e, const Vec3& direction) {
      return std::max(e.normal[0].dot(direction), e.normal[1].dot(direction)) > kFeatureCone;
    };
    const auto of_side = [&](const Vec3& p, double) { return std::optional(side.nearest(p)); };
    const bool by_face =
        x.facing_a != 0 &&
        facet_part(
            side.nearest_touched(x.on_b, [&](const Vec3& normal) { return looks(edge, -(rotation.transpose() * normal)); })
                .facet) == x.facing_a;
    if (!by_face && !is_held_by_edge(mine, x.facing_a, x.on_b, depth, 1e-3 * depth, of_side)) return false;
    const Vec3 on_shape = to_shape.to_local(x.on_a);
    if (x.facing_b != 0) {
      const int of_mesh = facet_part(edge.facet[0]) == x.facing_b ? 0 : 1;
      const auto touches = [&](const Vec3& normal) { return looks(mine, -(rotation * normal)); };
      const auto& faces = solid_.surface().edges().faces(edge.id);
      const std::uint32_t face = faces[of_mesh] == MeshEdges::kNoFace ? faces[0] : faces[of_mesh];
      if (is_held_by_face(solid_, face, on_shape, depth, touches)) return true;
    }
    return is_held_by_edge(edge, x.facing_b, on_shape, depth, slack_behind(solid_, depth),
                           [&](const Vec3& p, double reach) { return nearest_facet(solid_, p, reach); });
  }

  /// What features do not see: nearest points that are no crossing and lie over no face, and corners that nothing holds as
  /// deep as they are.
  void complete(double size, const Pose& to_shape, const Aabb& tight, const PolytopeSide* side) {
    if (scratch_.triangles.empty()) return;
    const double length = characteristic_length(Shape(shape_)), lowest = scratch_.contacts.lowest_gap();
    if (lowest > kShapesTouch * size && (lowest > kApart * length || scratch_.contacts.has_spares())) {
      const double distance = separation(shape_, pose_, of_triangles_, mesh_).distance;
      if (distance > 0) {
        if (distance < lowest) add_nearest(to_shape, tight, side);
        return;
      }
      add_deepest_corner(length);
      if (scratch_.contacts.has_spares() && scratch_.contacts.lowest_gap() > kShapesTouch * size)
        scratch_.contacts.use_spares(size);
    } else if (lowest < -kDeep * length || lowest_beside_ < lowest - kApart * length) {
      add_deepest_corner(length);
    }
  }

  /// The corner or place of a rim that lies deepest, if it is deeper than what was found.
  void add_deepest_corner(double length) {
    if (!solid_.closed()) return;
    Deepest deepest{mesh_.inverse() * pose_, std::min(0.0, scratch_.contacts.lowest_gap()) - kApart * length};
    if constexpr (std::is_same_v<S, Cylinder>) {
      for (std::uint32_t k = 0; k < 2 * kRimArcs; ++k) ask_arc(k, deepest);
    } else if constexpr (std::is_same_v<S, Box>) {
      for (std::uint32_t k = 0; k < 8; ++k)
        ask(shape_.half_extents.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)), k, deepest);
    } else {
      for (std::uint32_t k = 0; k < shape_.polytope->vertices.size(); ++k) ask(shape_.polytope->vertices[k], k, deepest);
    }
    if (!deepest.at) return;
    const Vec3 normal = mesh_.orientation * Vec3(-deepest.at->gradient);
    const double gap = deepest.at->distance;
    scratch_.contacts.add(pair_of_parts(0, facet_part(solid_.facet_of(deepest.at->nearest.triangle))),
                          mesh_ * deepest.corner + 0.5 * gap * normal, normal, gap,
                          mesh_feature(MeshFeature::other, deepest.number, 0));
  }

  struct Deepest {
    Pose to_mesh;
    double limit;   ///< signed distance that counts, at most [m]
    std::optional<SignedDistance> at = {};
    Vec3 corner = Vec3::Zero();   ///< in the frame of the mesh
    std::uint32_t number = 0;
  };
  /// Asks how deep a point of the shape lies. @returns its signed distance, or less if it is outside the box of the mesh [m]
  double ask(const Vec3& local, std::uint32_t number, Deepest& deepest) const {
    const Vec3 x = deepest.to_mesh * local;
    const Aabb& box = solid_.surface().tree().bounds();
    const double beside = (x - box.upper).cwiseMax(box.lower - x).maxCoeff();
    if (beside > 0) return beside;
    const auto at = signed_distance(solid_.surface(), x);
    if (!at) return 0;
    if (at->distance < deepest.limit && !at->gradient.isZero(0))
      deepest.limit = at->distance, deepest.at = at, deepest.corner = x, deepest.number = number;
    return at->distance;
  }

  /// Asks along a part of a rim. No point of an arc is deeper than the mean depth of its ends and half its length: what cannot
  /// be deeper than the deepest one by a tenth is left out.
  void ask_arc(std::uint32_t number, Deepest& deepest) const {
    const auto ask_at = [&](double angle) {
      return ask(Vec3(shape_.radius * std::cos(angle), shape_.radius * std::sin(angle),
                      number % 2 == 0 ? shape_.half_height : -shape_.half_height),
                 number, deepest);
    };
    struct Arc {
      double from, to, at_from, at_to;
    };
    const double first = 2 * std::numbers::pi / kRimArcs * (number / 2), last = first + 2 * std::numbers::pi / kRimArcs;
    std::array<Arc, kRimHalvings + 1> waiting;
    std::size_t count = 0;
    waiting[count++] = {first, last, ask_at(first), ask_at(last)};
    while (count > 0) {
      const Arc arc = waiting[--count];
      const double length = shape_.radius * (arc.to - arc.from);
      if (0.5 * (arc.at_from + arc.at_to - length) > 1.1 * deepest.limit || length < kRimFine * shape_.radius) continue;
      const double middle = 0.5 * (arc.from + arc.to), at_middle = ask_at(middle);
      waiting[count++] = {middle, arc.to, at_middle, arc.at_to};
      waiting[count++] = {arc.from, middle, arc.at_from, at_middle};
    }
  }

  void add(std::uint64_t parts, const Vec3& position, const Vec3& normal, double gap, std::uint64_t feature, bool held) {
    if (held) scratch_.contacts.add(parts, position, normal, gap, feature);
    else scratch_.contacts.add_spare(parts, position, normal, gap, feature);
  }

  /// The nearest place of an edge to a shape that is apart.
  void add_nearest(const Pose& to_shape, const Aabb& tight, const PolytopeSide* side) {
    std::optional<EdgePlace> nearest;
    std::uint32_t of_edge = 0;
    double lowest = std::min(margin_, scratch_.contacts.lowest_gap());
    for (const std::uint32_t triangle : scratch_.triangles)
      for (int k = 0; k < 3; ++k) {
        if (!(solid_.owned_by(triangle) & 8 << k)) continue;
        const std::uint32_t id = solid_.surface().edges().edges_of_face(triangle)[k];
        const std::optional<EdgePlace> place = place_of(id, to_shape, tight, side, lowest);
        if (place && place->gap < lowest) lowest = place->gap, nearest = place, of_edge = id;
      }
    if (nearest) add_place(*nearest, edge_part(of_edge), mesh_feature(MeshFeature::other, 0, of_edge), true);
  }

  /// The nearest place of an edge within reach.
  std::optional<EdgePlace> place_of(std::uint32_t id, const Pose& to_shape, const Aabb& tight, const PolytopeSide* side,
                                    double reach) const {
    const auto& ends = solid_.surface().edges().vertices(id);
    const Vec3 from = to_shape * solid_.mesh().vertices[ends[0]], to = to_shape * solid_.mesh().vertices[ends[1]];
    if (!Aabb{from.cwiseMin(to), from.cwiseMax(to)}.overlaps(tight)) return std::nullopt;
    if constexpr (std::is_same_v<S, Cylinder>) return nearest_of_edge(shape_, from, to);
    else return nearest_of_edge(side->view(), from, to, reach);
  }

  void add_place(const EdgePlace& place, std::uint32_t part, std::uint64_t name, bool held) {
    add(pair_of_parts(0, part), pose_ * Vec3(0.5 * (place.on_shape + place.on_edge)), pose_.orientation * place.normal,
        place.gap, name, held);
  }

  /// Fills the sink with the points where a cylinder meets an edge. @param tight box of the shape in its own frame, with the
  /// margin
  bool meet_edge(std::uint32_t id, const Pose& to_shape, const Aabb& tight) {
    const auto& ends = solid_.surface().edges().vertices(id);
    const Vec3 from = to_shape * solid_.mesh().vertices[ends[0]], to = to_shape * solid_.mesh().vertices[ends[1]];
    if (!Aabb{from.cwiseMin(to), from.cwiseMax(to)}.overlaps(tight)) return false;
    const Vec3 along = pose_.orientation * (to - from);
    const Capsule segment{0, 0.5 * along.norm()};
    const Pose pose{pose_ * Vec3(0.5 * (from + to)), rotation_between(Vec3::UnitZ(), along)};
    scratch_.sink.clear();
    collide_edge(shape_, pose_, segment, pose, margin_, scratch_.sink);
    return true;
  }

  /// A cylinder against an active edge.
  void add_edge(std::uint32_t id, const Pose& to_shape, const Aabb& tight) {
    if (!meet_edge(id, to_shape, tight)) return;
    const MeshEdge edge = edge_of(solid_, id);
    add_under_caps(edge, to_shape);
    const auto place = [&](const ContactPoint& p) {
      return edge.along.dot(mesh_.to_local(p.position + 0.5 * p.gap * p.normal) - edge.start) / edge.along.squaredNorm();
    };
    const std::vector<ContactPoint>& points = scratch_.sink.points();
    bool passes_beside = false;
    for (const ContactPoint& p : points) {
      const Vec3 out = mesh_.orientation.conjugate() * Vec3(-p.normal);
      const double at = place(p);
      const bool on_both = is_on_both(edge, at, p), held = on_both && is_touched_from(edge, out, kFeatureCone);
      passes_beside = passes_beside || (!on_both && p.gap < 0);
      if (!on_both || (!held && p.gap >= 0)) continue;
      const std::uint32_t facing = part_facing(edge, out);
      const int corner = at < kAtVertex ? 0 : at > 1 - kAtVertex ? 1 : -1;
      const auto on_shape =
          static_cast<std::uint32_t>(std::count_if(points.begin(), points.end(), [&](const auto& q) { return place(q) < at; }));
      const std::uint64_t name =
          corner < 0 ? mesh_feature(MeshFeature::edges, on_shape, id)
                     : mesh_feature(MeshFeature::face_under_vertex, 0, solid_.surface().edges().vertices(id)[corner]);
      add(pair_of_parts(0, facing != 0 ? facing : edge_part(id)), p.position, p.normal, p.gap, name, held);
    }
    if (!passes_beside) return;
    const std::optional<EdgePlace> deepest = place_of(id, to_shape, tight, nullptr, 0);
    if (deepest && deepest->gap < 0)
      add_place(*deepest, edge_part(id), mesh_feature(MeshFeature::edges, kDeepestOfEdge, id), false);
  }

  /// Whether the ends of a gap lie on the cylinder and on the edge, but for how the core is rounded: what a patch spans where
  /// an edge is deep inside the rim need not.
  bool is_on_both(const MeshEdge& edge, double at, const ContactPoint& p) const {
    const double allowed = kOffEdge * std::abs(p.gap) + kOffRim * shape_.radius;
    const Vec3 start = pose_.to_local(p.position - 0.5 * p.gap * p.normal);
    if (std::max(std::hypot(start.x(), start.y()) - shape_.radius, std::abs(start.z()) - shape_.half_height) > allowed)
      return false;
    const Vec3 end = mesh_.to_local(p.position + 0.5 * p.gap * p.normal);
    return (end - edge.start - std::clamp(at, 0.0, 1.0) * edge.along).norm() <= allowed;
  }

  /// Where an edge runs under a cap, it touches from rim to rim: the rounded rim of the core would let its last thousandth
  /// slip off. Leaves those points in the sink in place of what looks that way.
  void add_under_caps(const MeshEdge& edge, const Pose& to_shape) {
    const Vec3 start = to_shape * edge.start, along = to_shape.orientation * edge.along;
    const double flat = along.head<2>().squaredNorm();
    // Of an edge across a cap the rim is nearest, in a direction of its own.
    if (!(flat > 0) || std::abs(along.z()) > kFeatureCone * along.norm()) return;
    // The part of the edge over which |(x, y)| ≤ radius.
    const double middle = -start.head<2>().dot(along.head<2>()) / flat;
    const double square = middle * middle - (start.head<2>().squaredNorm() - shape_.radius * shape_.radius) / flat;
    if (!(square > 0)) return;
    const double ends[2] = {std::max(0.0, middle - std::sqrt(square)), std::min(1.0, middle + std::sqrt(square))};
    if (!(ends[0] < ends[1])) return;
    std::vector<ContactPoint>& points = scratch_.sink.points();
    for (const double side : {-1.0, 1.0}) {
      const Vec3 cap = pose_.orientation * Vec3(0, 0, side);
      if (!is_touched_from(edge, mesh_.orientation.conjugate() * Vec3(-cap), kFeatureCone)) continue;
      const double gap[2] = {side * (start.z() + ends[0] * along.z()) - shape_.half_height,
                             side * (start.z() + ends[1] * along.z()) - shape_.half_height};
      if (std::min(gap[0], gap[1]) < -kBehindCap * shape_.radius) continue;
      std::erase_if(points, [&](const ContactPoint& p) { return p.normal.dot(cap) > 0; });
      for (const int k : {0, 1})
        if (gap[k] <= margin_) points.push_back({pose_ * Vec3(start + ends[k] * along) - 0.5 * gap[k] * cap, cap, gap[k], 0});
    }
  }

  const S& shape_;
  const Pose& pose_;
  const Mesh& of_triangles_;
  const MeshSolid& solid_;
  const Pose& mesh_;
  double margin_;
  MeshScratch& scratch_;
  double lowest_beside_ = 0;   ///< gap of points over the plane of a face but beside the face, 0 at most [m]
};

template <class S>
void collide_convex(const S& shape, const Pose& pose, const Mesh& mesh, const Pose& pose_mesh, double margin,
                    ContactSink& sink) {
  if (mesh.solid->field()) return collide_field(shape, pose, mesh, pose_mesh, margin, sink);
  ConvexOnMesh<S>(shape, pose, mesh, pose_mesh, margin, MeshScratch::of_thread())
      .collide_all(bounding_radius(Shape(shape)), sink);
}

}   // namespace

void collide(const Box& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_convex(a, pose_a, b, pose_b, margin, sink);
}
void collide(const Cylinder& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_convex(a, pose_a, b, pose_b, margin, sink);
}
void collide(const ConvexHull& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_convex(a, pose_a, b, pose_b, margin, sink);
}

// The lowest points of a mesh are active vertices.
void collide(const Mesh& mesh, const Pose& pose, const HalfSpace& s, const Pose& half_space, double margin, ContactSink& sink) {
  if (mesh.solid->field()) {
    collide_field(s, half_space, mesh, pose, margin, sink);
    return sink.flip();
  }
  const MeshSolid& solid = *mesh.solid;
  const TriangleTree& tree = solid.surface().tree();
  const Vec3 world_up = half_space.orientation * Vec3::UnitZ(), up = pose.orientation.conjugate() * world_up;
  const double offset = world_up.dot(pose.position - half_space.position);
  const Eigen::Vector3f up_f = up.cast<float>();
  const double base = offset + up.dot(tree.origin());
  const auto limit = static_cast<float>(margin - base + 4e-6 * (solid.radius() + std::abs(base)));
  std::vector<std::uint32_t>& waiting = MeshScratch::of_thread().triangles;
  waiting.assign(1, 0);
  while (!waiting.empty()) {
    const std::uint32_t at = waiting.back();
    waiting.pop_back();
    if (!TriangleTree::is_leaf(at)) {
      const TriangleTree::Node& node = tree.nodes()[at];
      TriangleTree::Lanes low = TriangleTree::Lanes::Zero();
      for (int axis = 0; axis < 3; ++axis) low += (up_f[axis] * node.lower[axis]).min(up_f[axis] * node.upper[axis]);
      for (int k = 0; k < TriangleTree::kWidth && node.children[k] != TriangleTree::kNone; ++k)
        if (low[k] <= limit) waiting.push_back(node.children[k]);
      continue;
    }
    for (std::uint32_t i = 0; i < TriangleTree::leaf_count(at); ++i) {
      const std::uint32_t triangle = tree.order()[TriangleTree::leaf_first(at) + i];
      for (int k = 0; k < 3; ++k) {
        if (!(solid.owned_by(triangle) & 1 << k)) continue;
        const std::uint32_t vertex = solid.mesh().triangles[triangle][k];
        const double gap = up.dot(solid.mesh().vertices[vertex]) + offset;
        if (gap > margin) continue;
        sink.add(pose * solid.mesh().vertices[vertex] - 0.5 * gap * world_up, -world_up, gap,
                 mesh_feature(MeshFeature::vertex_on_face, vertex, 0));
      }
    }
  }
}

}   // namespace stickslip::narrow
