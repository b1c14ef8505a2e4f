// Mesh against mesh: vertices against faces and convex edges against each other, wherever the surfaces come within reach.
//
// A vertex in front of a face must stay there. Behind it, it is held by the face that is nearest; a point near a ridge would
// otherwise be held by both sides of it. Two edges touch along the normal that both can be touched from. What is not of these
// kinds (a vertex nearest to an edge or to a vertex) exists only between surfaces that are apart: the nearest points speak
// for it.
#include <algorithm>
#include <cmath>

#include "collide/field_pairs.h"
#include "collide/mesh_gap.h"
#include "collide/mesh_pairs.h"
#include "collide/mesh_side.h"
#include "collide/mesh_touch.h"
#include "collide/pairs.h"
#include "collide/tolerances.h"
#include "stickslip/distance/intersection.h"

namespace stickslip::narrow {
namespace {

// Of meshes that can move farther than this part of the smaller one's radius, contacts are looked for so far beyond the nearest
// one only: what comes later is seen by later looks.
constexpr double kBeyondNearest = 1;

// Part of the smaller mesh's radius within which surfaces that meet touch and do not cut each other.
constexpr double kMeshesTouch = 1e-6;

// Part of the thinner mesh's thickness up to which contacts count that nothing holds; beyond, up to all of it, those whose
// middle lies inside both by this part of their depth: arms that have swung into each other, and not walls side by side.
constexpr double kDeepestSpare = 0.25, kMiddleInside = 0.05;

// Part of the thinner mesh's thickness beyond which a contact that nothing holds counts though others hold the two, and how
// near those must be to be asked whether they suffice, as part of the same.
constexpr double kUnheld = 0.01, kHeldNear = 1;

// Of what a triangle owns, the edges.
constexpr std::uint8_t kOwnEdges = 8 | 16 | 32;

/// Two meshes in the frame of A.
class MeshPair {
 public:
  MeshPair(const MeshSolid& a, const Pose& pose_a, const MeshSolid& b, const Pose& pose_b, double margin, MeshScratch& scratch,
           MeshPairs& near)
      : a_(a),
        b_(b),
        pose_a_(pose_a),
        b_in_a_(pose_a.inverse() * pose_b),
        rotation_(b_in_a_.rotation()),
        margin_(margin),
        scratch_(scratch),
        near_(near) {}

  void collide_all(ContactSink& sink) {
    scratch_.contacts.clear();
    near_.begin(a_, b_, b_in_a_);
    const double thickness =
        a_.closed() && b_.closed() ? std::min(a_.thickness(), b_.thickness()) : std::max(a_.thickness(), b_.thickness());
    reach_ = margin_;
    std::optional<MeshGap> nearest;
    const double beyond = kBeyondNearest * std::min(a_.radius(), b_.radius());
    if (margin_ > beyond) {
      nearest = gap_of(a_, b_, b_in_a_, margin_);
      if (!nearest) return add_enclosed(sink);
      reach_ = std::min(margin_, nearest->distance + beyond);
    }
    const MeshPairs::List& pairs = near_.within(reach_, sink.memory());
    if (pairs.empty()) return add_enclosed(sink);
    const double touch = kMeshesTouch * std::min(a_.radius(), b_.radius());
    add_all(pairs, thickness, touch);
    const double lowest = scratch_.contacts.lowest_gap();
    const bool apart = nearest || lowest > kApart * thickness;
    if (!nearest && (apart || (scratch_.contacts.has_spares() && lowest > touch)))
      nearest = nearest_of(pairs, std::min(lowest, margin_));
    if (nearest && nearest->distance == 0) look_deeper(thickness, touch);
    else if (lowest <= touch && scratch_.contacts.has_spares()) look_elsewhere(pairs, thickness, touch);
    else if (nearest && apart && !nearest->generic) add_nearest(*nearest);
    scratch_.contacts.emit(margin_, std::min(a_.radius(), b_.radius()), sink);
  }

 private:
  void add_all(const MeshPairs::List& pairs, double thickness, double touch) {
    deepest_doubt_ = kDeepestSpare * thickness;
    for (const auto& [ta, tb] : pairs) add_pair(ta, tb);
    scratch_.contacts.settle_doubts([&](const ContactPoint& p, const Vec3& place, bool of_b) {
      return stays_inside(p, place, of_b, kHeldNear * thickness, touch);
    });
  }

  /// Whether a corner that does not look at the face that is nearest to it is inside the other mesh still if what holds nearby
  /// is moved out. Where rims lie on each other it is not: their faces hold it. Corners between ridges that bend inwards, as
  /// those inside a ring, look nowhere, and it is they that ridges of the other mesh lie on.
  bool stays_inside(const ContactPoint& p, const Vec3& place, bool of_b, double near, double touch) const {
    const MeshSolid& other = of_b ? a_ : b_;
    if (!other.closed()) return false;
    const Vec3 way = pose_a_.orientation.conjugate() * scratch_.contacts.way_out(p.position, near, touch);
    const Vec3 at = of_b ? Vec3(place + way) : Vec3(rotation_.transpose() * (place - way - b_in_a_.position));
    const auto left = signed_distance(other.surface(), at);
    return left && left->distance < -clear_of(p, touch);
  }

  /// Surfaces cut each other, but nothing that is behind a face is as near to it as they can move: it lies deeper, or other
  /// parts of the surface are nearer.
  void look_deeper(double thickness, double touch) {
    if (scratch_.contacts.lowest_gap() <= touch) return;
    if (thickness > reach_) {
      scratch_.contacts.clear();
      add_all(near_.within(thickness, nullptr), thickness, touch);
    }
    if (scratch_.contacts.lowest_gap() <= touch) return;
    // No part of the surface is nearer than the valley that a vertex is behind: deeper spares are of what lies farther on.
    if (add_deepest_vertex(thickness, true)) return look_elsewhere(near_.within(thickness, nullptr), thickness, touch);
    const auto may_count = [](const ContactPoint&) { return true; };
    const auto counts = [&](const ContactPoint& p) { return is_overlap(p, thickness); };
    if (!scratch_.contacts.use_spares(thickness, may_count, counts)) add_deepest_vertex(thickness, false);
  }

  /// The vertex of triangles that cut the other mesh that lies deepest in it. Behind a valley it is over neither of the faces
  /// beside it. @param behind_valleys whether only those count @returns whether there is one
  bool add_deepest_vertex(double thickness, bool behind_valleys) {
    std::optional<SignedDistance> deepest;
    Vec3 place;
    bool of_b = false;
    std::uint32_t vertex = 0;
    const auto ask = [&](const MeshSolid& solid, const Vec3& x, bool is_of_b, std::uint32_t v) {
      if (!solid.closed()) return;
      const auto at = signed_distance(solid.surface(), x, SignRule::normals, thickness);
      if (!at || at->gradient.isZero(0) || !(at->distance < (deepest ? deepest->distance : 0.0))) return;
      if (behind_valleys && at->nearest.feature == stickslip::Feature::face) return;
      deepest = at, place = x, of_b = is_of_b, vertex = v;
    };
    const MeshPairs::List& pairs = near_.within(0, nullptr);
    std::vector<std::uint32_t>& vertices = scratch_.triangles;
    for (const bool is_of_b : {false, true}) {
      const MeshSolid& solid = is_of_b ? b_ : a_;
      vertices.clear();
      for (const auto& pair : pairs)
        for (const std::uint32_t v : solid.mesh().triangles[pair[is_of_b ? 1 : 0]]) vertices.push_back(v);
      std::ranges::sort(vertices);
      vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
      for (const std::uint32_t v : vertices)
        ask(is_of_b ? a_ : b_, is_of_b ? near_.vertex_of_b(v) : near_.vertex_of_a(v), is_of_b, v);
    }
    if (!deepest) return false;
    const Vec3 n = of_b ? deepest->gradient : Vec3(-(rotation_ * deepest->gradient));
    const Vec3 at = of_b ? place : a_.mesh().vertices[vertex];
    const double gap = deepest->distance;
    const std::uint32_t facet = facet_part((of_b ? a_ : b_).facet_of(deepest->nearest.triangle));
    add(of_b ? pair_of_parts(facet, 0) : pair_of_parts(0, facet), at + (of_b ? -0.5 : 0.5) * gap * n, n, gap,
        mesh_feature(MeshFeature::other, vertex, of_b ? 1 : 0));
    return true;
  }

  /// The meshes hold each other somewhere, and cut each other where nothing is held, or held enough: one arm rests while the
  /// other sinks in, a corner is nearly out of a ridge that its edges are deep in.
  void look_elsewhere(const MeshPairs::List& pairs, double thickness, double touch) {
    const auto may_count = [&](const ContactPoint& p) { return p.gap < -kUnheld * thickness; };
    scratch_.contacts.use_spares(thickness, may_count, [&](const ContactPoint& p) {
      return is_overlap(p, thickness) &&
             (!scratch_.contacts.is_held_near(p.position, kHeldNear * thickness, touch) ||
              still_cross(pairs, p, scratch_.contacts.way_out(p.position, kHeldNear * thickness, clear_of(p, touch))));
    });
  }

  /// By how much what holds is moved out for a contact to be asked whether it is one still: where an edge lies in a face its
  /// ends are apart by different amounts.
  static double clear_of(const ContactPoint& p, double touch) { return std::max(touch, -kMiddleInside * p.gap); }

  /// Whether edges still go through triangles near a contact if B is moved. @param way world frame [m]
  bool still_cross(const MeshPairs::List& pairs, const ContactPoint& contact, const Vec3& way) {
    const Vec3 place = pose_a_.to_local(contact.position), moved = pose_a_.orientation.conjugate() * way;
    const double radius = 2 * std::abs(contact.gap);
    const auto enters = [&](const std::array<Vec3, 3>& edges, const std::array<Vec3, 3>& triangle) {
      for (int k = 0; k < 3; ++k)
        if (const auto part = within(edges[k], edges[(k + 1) % 3], place, radius))
          if (edge_meets_triangle(part->first, part->second, triangle)) return true;
      return false;
    };
    return std::ranges::any_of(pairs, [&](const auto& pair) {
      std::array<Vec3, 3> a, b;
      for (int k = 0; k < 3; ++k) {
        a[k] = a_.mesh().vertices[a_.mesh().triangles[pair[0]][k]];
        b[k] = near_.vertex_of_b(b_.mesh().triangles[pair[1]][k]) + moved;
      }
      return enters(a, b) || enters(b, a);
    });
  }

  /// The part of an edge in a ball.
  static std::optional<std::pair<Vec3, Vec3>> within(const Vec3& start, const Vec3& end, const Vec3& centre, double radius) {
    const Vec3 along = end - start, from = start - centre;
    const double a = along.squaredNorm(), b = from.dot(along), c = from.squaredNorm() - radius * radius, d = b * b - a * c;
    if (!(d > 0)) return std::nullopt;
    const double first = std::max(0.0, (-b - std::sqrt(d)) / a), last = std::min(1.0, (-b + std::sqrt(d)) / a);
    if (!(first < last)) return std::nullopt;
    return std::pair<Vec3, Vec3>(start + first * along, start + last * along);
  }

  bool is_overlap(const ContactPoint& p, double thickness) const {
    return -p.gap <= kDeepestSpare * thickness ? is_inside_one(p) : is_inside_both(p.position, -kMiddleInside * p.gap);
  }

  /// Whether the place of one surface lies inside the other mesh. A corner above a table may lie behind the plane of its side,
  /// and is in nothing.
  bool is_inside_one(const ContactPoint& p) const {
    if (!a_.closed() || !b_.closed()) return true;
    const double touch = kMeshesTouch * std::min(a_.radius(), b_.radius());
    const Vec3 on_a = pose_a_.to_local(p.position - 0.5 * p.gap * p.normal);
    const Vec3 on_b = pose_a_.to_local(p.position + 0.5 * p.gap * p.normal);
    return signed_distance(a_.surface(), on_b)->distance < -touch ||
           signed_distance(b_.surface(), rotation_.transpose() * (on_a - b_in_a_.position))->distance < -touch;
  }

  bool is_inside_both(const Vec3& point, double depth) const {
    const Vec3 in_a = pose_a_.to_local(point), in_b = rotation_.transpose() * (in_a - b_in_a_.position);
    return a_.closed() && b_.closed() && signed_distance(a_.surface(), in_a)->distance < -depth &&
           signed_distance(b_.surface(), in_b)->distance < -depth;
  }

  void add_pair(std::uint32_t ta, std::uint32_t tb) {
    const std::uint8_t of_a = a_.owned_by(ta), of_b = b_.owned_by(tb);
    if (!((of_a | of_b) & ~MeshSolid::kSharp) || are_in_front(ta, tb, of_a, of_b)) return;
    for (int k = 0; k < 3; ++k) {
      if (of_a & 1 << k) add_vertex_of_a(a_.mesh().triangles[ta][k], tb);
      if (of_b & 1 << k) add_vertex_of_b(b_.mesh().triangles[tb][k], ta);
    }
    if (!(of_a & kOwnEdges) || !(of_b & kOwnEdges)) return;
    for (int k = 0; k < 3; ++k) {
      if (!(of_a & 8 << k)) continue;
      for (int l = 0; l < 3; ++l)
        if (of_b & 8 << l) add_edges(a_.surface().edges().edges_of_face(ta)[k], b_.surface().edges().edges_of_face(tb)[l]);
    }
  }

  /// Whether a triangle lies all in front of the face of the other one, beyond reach. Then they have no contact, unless edges
  /// are so sharp that they can be touched from behind one of their faces.
  bool are_in_front(std::uint32_t ta, std::uint32_t tb, std::uint8_t of_a, std::uint8_t of_b) {
    const auto all_beyond = [&](const MeshFacet& facet, const std::array<std::uint32_t, 3>& corners, auto&& vertex) {
      return std::all_of(corners.begin(), corners.end(),
                         [&](std::uint32_t v) { return facet.normal.dot(vertex(v)) - facet.offset > reach_; });
    };
    if (!(of_a & MeshSolid::kSharp) && all_beyond(a_.facets()[a_.facet_of(ta)], b_.mesh().triangles[tb],
                                                  [&](std::uint32_t v) -> const Vec3& { return near_.vertex_of_b(v); }))
      return true;
    return !(of_b & MeshSolid::kSharp) && all_beyond(b_.facets()[b_.facet_of(tb)], a_.mesh().triangles[ta],
                                                     [&](std::uint32_t v) -> const Vec3& { return near_.vertex_of_a(v); });
  }

  /// Whether a point is over a triangle, and its height over the plane of the facet. Both in the frame of the solid.
  bool is_near(const MeshSolid& solid, std::uint32_t triangle, const Vec3& point, double& height) const {
    const MeshFacet& facet = solid.facets()[solid.facet_of(triangle)];
    height = facet.normal.dot(point) - facet.offset;
    return height <= reach_ && !facet.normal.isZero(0) && is_over(solid, triangle, point);
  }

  /// Whether a vertex is what touches first along a direction, where the meshes are or as far as they can turn. Where rims of
  /// the same size lie on each other, corners of one are as near to the flank of the other as to its face, and would wedge
  /// the two; what looks at the flank are the corners of the other one only.
  bool looks_at(const MeshSolid& solid, std::uint32_t vertex, const Vec3& direction, double height) const {
    return is_touched_from(solid, vertex, direction, sine_of_turns(margin_, height, solid.radius()));
  }

  void add_vertex_of_a(std::uint32_t vertex, std::uint32_t tb) {
    const Vec3& x = a_.mesh().vertices[vertex];
    const Vec3& in_b = near_.vertex_of_a(vertex);
    double height;
    if (!is_near(b_, tb, in_b, height)) return;
    const std::uint32_t facet = b_.facet_of(tb);
    const Vec3 n = -(rotation_ * b_.facets()[facet].normal);
    if (!can_touch(a_, vertex, n)) return;
    const auto touches = [&](const Vec3& normal) { return looks_at(a_, vertex, -(rotation_ * normal), height); };
    const bool looks = touches(b_.facets()[facet].normal);
    if (height >= 0 && !looks) return;
    const std::uint64_t parts = pair_of_parts(part_facing(a_, vertex, n), facet_part(facet));
    const std::uint64_t feature = mesh_feature(MeshFeature::vertex_on_face, vertex, facet);
    const Vec3 at = x + 0.5 * height * n;
    if (!looks && is_doubtful(b_, tb, in_b, height)) return add_doubt(parts, at, n, height, feature, x, false);
    add(parts, at, n, height, feature, height >= 0 || (looks && is_held_by_face(b_, tb, in_b, -height, touches)));
  }

  void add_vertex_of_b(std::uint32_t vertex, std::uint32_t ta) {
    const Vec3& x = near_.vertex_of_b(vertex);
    double height;
    if (!is_near(a_, ta, x, height)) return;
    const std::uint32_t facet = a_.facet_of(ta);
    const Vec3& n = a_.facets()[facet].normal;
    const Vec3 in_b = -(rotation_.transpose() * n);
    if (!can_touch(b_, vertex, in_b)) return;
    const auto touches = [&](const Vec3& normal) { return looks_at(b_, vertex, -(rotation_.transpose() * normal), height); };
    const bool looks = touches(n);
    if (height >= 0 && !looks) return;
    const std::uint64_t parts = pair_of_parts(facet_part(facet), part_facing(b_, vertex, in_b));
    const std::uint64_t feature = mesh_feature(MeshFeature::face_under_vertex, facet, vertex);
    const Vec3 at = x - 0.5 * height * n;
    if (!looks && is_doubtful(a_, ta, x, height)) return add_doubt(parts, at, n, height, feature, x, true);
    add(parts, at, n, height, feature, height >= 0 || (looks && is_held_by_face(a_, ta, x, -height, touches)));
  }

  /// Whether a corner that does not look at a face is nearest to it all the same, and so little behind it that it may have come
  /// through. @param point in the frame of the solid
  bool is_doubtful(const MeshSolid& solid, std::uint32_t triangle, const Vec3& point, double height) const {
    return -height <= deepest_doubt_ && is_nearest(solid, point, -height, triangle);
  }

  void add_doubt(std::uint64_t parts, const Vec3& at, const Vec3& n, double gap, std::uint64_t feature, const Vec3& corner,
                 bool of_b) {
    scratch_.contacts.add_doubt(parts, {pose_a_ * at, pose_a_.orientation * n, gap, feature}, corner, of_b);
  }

  void add_edges(std::uint32_t ea, std::uint32_t eb) {
    if (!may_cross(ea, eb)) return;
    const MeshEdge edge_a = edge_of(a_, ea), edge_b = edge_of(b_, eb);
    const std::optional<EdgeCrossing> x = crossing(edge_a, edge_b, b_in_a_, rotation_);
    if (!x || x->gap > reach_) return;
    const auto touched_by_a = [&](const Vec3& normal) { return looks(edge_a, -(rotation_ * normal)); };
    const auto touched_by_b = [&](const Vec3& normal) { return looks(edge_b, -(rotation_.transpose() * normal)); };
    const bool held = x->gap >= 0 || (holds(b_, edge_b, x->facing_b, rotation_.transpose() * (x->on_a - b_in_a_.position),
                                            -x->gap, touched_by_a) &&
                                      holds(a_, edge_a, x->facing_a, x->on_b, -x->gap, touched_by_b));
    const bool face = x->facing_a != 0 || x->facing_b != 0;
    add(face ? pair_of_parts(x->facing_a, x->facing_b) : pair_of_parts(edge_part(ea), edge_part(eb)), 0.5 * (x->on_a + x->on_b),
        x->normal, x->gap, mesh_feature(MeshFeature::edges, ea, eb), held);
  }

  /// Quickly: whether the lines of two edges are nearest inside both.
  bool may_cross(std::uint32_t ea, std::uint32_t eb) {
    const auto &ends_a = a_.surface().edges().vertices(ea), &ends_b = b_.surface().edges().vertices(eb);
    const Vec3& start_a = a_.mesh().vertices[ends_a[0]];
    const Vec3 along_a = a_.mesh().vertices[ends_a[1]] - start_a;
    const Vec3 start_b = near_.vertex_of_b(ends_b[0]), along_b = near_.vertex_of_b(ends_b[1]) - start_b;
    const Vec3 cross = along_a.cross(along_b), between = start_b - start_a;
    const double squared = cross.squaredNorm(), slack = 2 * kClipTolerance * squared;
    const double s = between.cross(along_b).dot(cross), u = between.cross(along_a).dot(cross);
    return s >= -slack && u >= -slack && s <= squared + slack && u <= squared + slack;
  }

  /// Whether one of the faces beside an edge looks in a direction.
  static bool looks(const MeshEdge& edge, const Vec3& direction) {
    return std::max(edge.normal[0].dot(direction), edge.normal[1].dot(direction)) > kFeatureCone;
  }

  static bool holds(const MeshSolid& solid, const MeshEdge& edge, std::uint32_t facing, const Vec3& point, double depth,
                    auto&& touches) {
    if (depth <= 1e-9 * solid.radius()) return true;
    if (facing != 0) {
      const auto& faces = solid.surface().edges().faces(edge.id);
      const std::uint32_t face = faces[facet_part(edge.facet[0]) == facing ? 0 : 1];
      if (is_held_by_face(solid, face == MeshEdges::kNoFace ? faces[0] : face, point, depth, touches)) return true;
    }
    return is_held_by_edge(edge, facing, point, depth, slack_behind(solid, depth), [&](const Vec3& from, double reach) {
      return nearest_facet(solid, from, reach, solid.surface().edges().faces(edge.id)[0]);
    });
  }

  void add_nearest(const MeshGap& gap) {
    const Vec3 n = (gap.on_b - gap.on_a) / gap.distance;
    add(pair_of_parts(0, 0), 0.5 * (gap.on_a + gap.on_b), n, gap.distance,
        mesh_feature(MeshFeature::other, gap.triangle_a, gap.triangle_b));
  }

  /// No surface is near the other: a mesh may still lie inside the other one, all of it.
  void add_enclosed(ContactSink& sink) {
    const Vec3& of_a = a_.mesh().vertices[a_.mesh().triangles[0][0]];
    const Vec3 of_b = near_.vertex_of_b(b_.mesh().triangles[0][0]);
    if (may_enclose(b_, a_, b_in_a_.inverse())) {
      const auto d = signed_distance(b_.surface(), rotation_.transpose() * (of_a - b_in_a_.position));
      if (d && d->distance < 0) {
        const Vec3 n = -(rotation_ * d->gradient);
        add(0, of_a + 0.5 * d->distance * n, n, d->distance, mesh_feature(MeshFeature::other, 0, 0));
      }
    } else if (may_enclose(a_, b_, b_in_a_)) {
      if (const auto d = signed_distance(a_.surface(), of_b); d && d->distance < 0)
        add(0, of_b - 0.5 * d->distance * d->gradient, d->gradient, d->distance, mesh_feature(MeshFeature::other, 0, 1));
    }
    scratch_.contacts.emit(margin_, std::min(a_.radius(), b_.radius()), sink);
  }

  /// The nearest points within a reach, of surfaces whose triangles are nowhere else so near: those that planes and boxes keep
  /// least apart are looked at first.
  std::optional<MeshGap> nearest_of(const MeshPairs::List& pairs, double reach) {
    std::vector<std::pair<double, std::uint32_t>>& order = scratch_.order;
    order.clear();
    for (std::uint32_t i = 0; i < pairs.size(); ++i)
      if (const double apart = kept_apart(pairs[i][0], pairs[i][1]); apart <= reach) order.push_back({apart, i});
    std::sort(order.begin(), order.end());
    NearestTriangles nearest(reach);
    for (const auto& [apart, i] : order) {
      if (nearest.any() && apart >= nearest.distance()) break;
      const auto [ta, tb] = pairs[i];
      const auto &of_a = a_.mesh().triangles[ta], &of_b = b_.mesh().triangles[tb];
      const std::vector<Vec3>& vertices = a_.mesh().vertices;
      nearest.note({vertices[of_a[0]], vertices[of_a[1]], vertices[of_a[2]]}, ta,
                   {near_.vertex_of_b(of_b[0]), near_.vertex_of_b(of_b[1]), near_.vertex_of_b(of_b[2])}, tb);
    }
    return nearest.found();
  }

  /// How far the planes and boxes of two triangles keep them apart, at least [m].
  double kept_apart(std::uint32_t ta, std::uint32_t tb) {
    const auto &of_a = a_.mesh().triangles[ta], &of_b = b_.mesh().triangles[tb];
    const double from_a = narrow::kept_apart(a_.facets()[a_.facet_of(ta)], near_.vertex_of_b(of_b[0]),
                                             near_.vertex_of_b(of_b[1]), near_.vertex_of_b(of_b[2]));
    const double from_b = narrow::kept_apart(b_.facets()[b_.facet_of(tb)], near_.vertex_of_a(of_a[0]),
                                             near_.vertex_of_a(of_a[1]), near_.vertex_of_a(of_a[2]));
    return std::max({from_a, from_b, kSurely * near_.boxes_apart(ta, tb), 0.0});
  }

  /// By their boxes. @param pose of the inner mesh in the frame of the outer one
  static bool may_enclose(const MeshSolid& outer, const MeshSolid& inner, const Pose& pose) {
    const Aabb &box = outer.surface().tree().bounds(), &other = inner.surface().tree().bounds();
    const Vec3 middle = pose * Vec3(0.5 * (other.lower + other.upper));
    return outer.closed() && (other.upper - other.lower).norm() < (box.upper - box.lower).norm() &&
           (middle.array() >= box.lower.array()).all() && (middle.array() <= box.upper.array()).all();
  }

  void add(std::uint64_t parts, const Vec3& position, const Vec3& n, double gap, std::uint64_t feature, bool held = true) {
    if (held) scratch_.contacts.add(parts, pose_a_ * position, pose_a_.orientation * n, gap, feature);
    else scratch_.contacts.add_spare(parts, pose_a_ * position, pose_a_.orientation * n, gap, feature);
  }

  const MeshSolid &a_, &b_;
  const Pose& pose_a_;
  const Pose b_in_a_;
  const Mat3 rotation_;
  double margin_, reach_ = 0, deepest_doubt_ = 0;
  MeshScratch& scratch_;
  MeshPairs& near_;
};

}   // namespace

void collide(const Mesh& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b, double margin, ContactSink& sink) {
  if (b.solid->field()) return collide_field(a, pose_a, b, pose_b, margin, sink);
  if (a.solid->field()) {
    collide_field(b, pose_b, a, pose_a, margin, sink);
    return sink.flip();
  }
  static thread_local MeshPairs near;
  MeshPair(*a.solid, pose_a, *b.solid, pose_b, margin, MeshScratch::of_thread(), near).collide_all(sink);
}

}   // namespace stickslip::narrow
