// Mesh against mesh: vertices against faces and convex edges against each other, wherever the surfaces come within reach.
//
// A vertex in front of a face must stay there. Behind it, it is held by the face that is nearest; a point near a ridge would
// otherwise be held by both sides of it. Two edges touch along the normal that both can be touched from. What is not of these kinds
// (a vertex nearest to an edge or to a vertex) exists only between surfaces that are apart: the nearest points speak for it.
#include <algorithm>
#include <cmath>

#include "collide/mesh_gap.h"
#include "collide/mesh_side.h"
#include "collide/pairs.h"
#include "collide/tolerances.h"

namespace stickslip::narrow {
namespace {

// Contacts are looked for this part of the thinner mesh's thickness beyond the nearest one: what comes later is seen by later looks.
constexpr double kBeyondNearest = 0.25;

/// Two meshes in the frame of A.
class MeshPair {
 public:
  MeshPair(const MeshSolid& a, const Pose& pose_a, const MeshSolid& b, const Pose& pose_b, double margin, MeshScratch& scratch)
      : a_(a),
        b_(b),
        pose_a_(pose_a),
        b_in_a_(pose_a.inverse() * pose_b),
        rotation_(b_in_a_.rotation()),
        margin_(margin),
        scratch_(scratch) {}

  void collide_all(ContactSink& sink) {
    scratch_.contacts.clear();
    const double thickness =
        a_.closed() && b_.closed() ? std::min(a_.thickness(), b_.thickness()) : std::max(a_.thickness(), b_.thickness());
    reach_ = margin_;
    std::optional<MeshGap> nearest;
    if (margin_ > kBeyondNearest * thickness) {
      nearest = gap_of(a_, b_, b_in_a_, margin_);
      if (!nearest) return add_enclosed(sink);
      reach_ = std::min(margin_, nearest->distance + kBeyondNearest * thickness);
    }
    overlapping_pairs(a_.mesh(), a_.surface().tree(), b_.mesh(), b_.surface().tree(), b_in_a_, reach_, scratch_.descent,
                      scratch_.pairs);
    for (const auto& [ta, tb] : scratch_.pairs) add_pair(ta, tb);
    if (!nearest && scratch_.contacts.empty()) {
      if (scratch_.pairs.empty()) return add_enclosed(sink);
      nearest = gap_of(a_, b_, b_in_a_, margin_);
    }
    if (nearest && nearest->distance > 0 && !nearest->generic) add_nearest(*nearest);
    scratch_.contacts.emit(margin_, std::min(a_.radius(), b_.radius()), sink);
  }

 private:
  Vec3 vertex_of_b(std::uint32_t v) const { return b_in_a_.position + rotation_ * b_.mesh().vertices[v]; }

  void add_pair(std::uint32_t ta, std::uint32_t tb) {
    const std::uint8_t of_a = a_.owned_by(ta), of_b = b_.owned_by(tb);
    for (int k = 0; k < 3; ++k) {
      if (of_a & 1 << k) add_vertex_of_a(a_.mesh().triangles[ta][k], tb);
      if (of_b & 1 << k) add_vertex_of_b(b_.mesh().triangles[tb][k], ta);
    }
    if (of_a < 8 || of_b < 8) return;
    for (int k = 0; k < 3; ++k) {
      if (!(of_a & 8 << k)) continue;
      for (int l = 0; l < 3; ++l)
        if (of_b & 8 << l) add_edges(a_.surface().edges().edges_of_face(ta)[k], b_.surface().edges().edges_of_face(tb)[l]);
    }
  }

  /// Height over the plane of a triangle's facet, if the point counts for it. Both in the frame of the solid.
  bool is_held(const MeshSolid& solid, std::uint32_t triangle, const Vec3& point, double& height) const {
    const MeshFacet& facet = solid.facets()[solid.facet_of(triangle)];
    height = facet.normal.dot(point) - facet.offset;
    if (height > reach_ || facet.normal.isZero(0) || !is_over(solid, triangle, point)) return false;
    return height >= 0 || is_nearest(solid, point, -height, triangle);
  }

  void add_vertex_of_a(std::uint32_t vertex, std::uint32_t tb) {
    const Vec3& x = a_.mesh().vertices[vertex];
    double height;
    if (!is_held(b_, tb, rotation_.transpose() * (x - b_in_a_.position), height)) return;
    const std::uint32_t facet = b_.facet_of(tb);
    const Vec3 n = -(rotation_ * b_.facets()[facet].normal);
    if (height < 0 && !faces(a_, vertex, n)) return;
    add(pair_of_parts(part_facing(a_, vertex, n), facet_part(facet)), x + 0.5 * height * n, n, height,
        mesh_feature(MeshFeature::vertex_on_face, vertex, facet));
  }

  void add_vertex_of_b(std::uint32_t vertex, std::uint32_t ta) {
    const Vec3 x = vertex_of_b(vertex);
    double height;
    if (!is_held(a_, ta, x, height)) return;
    const std::uint32_t facet = a_.facet_of(ta);
    const Vec3& n = a_.facets()[facet].normal;
    const Vec3 in_b = -(rotation_.transpose() * n);
    if (height < 0 && !faces(b_, vertex, in_b)) return;
    add(pair_of_parts(facet_part(facet), part_facing(b_, vertex, in_b)), x - 0.5 * height * n, n, height,
        mesh_feature(MeshFeature::face_under_vertex, facet, vertex));
  }

  /// Whether a face beside a vertex looks in a direction at all.
  static bool faces(const MeshSolid& solid, std::uint32_t vertex, const Vec3& direction) {
    const auto around = solid.surface().edges().faces_of_vertex(vertex);
    return std::any_of(around.begin(), around.end(),
                       [&](std::uint32_t face) { return solid.facets()[solid.facet_of(face)].normal.dot(direction) > 0; });
  }

  void add_edges(std::uint32_t ea, std::uint32_t eb) {
    const auto &ends_a = a_.surface().edges().vertices(ea), &ends_b = b_.surface().edges().vertices(eb);
    const Vec3& start_a = a_.mesh().vertices[ends_a[0]];
    const Vec3 along_a = a_.mesh().vertices[ends_a[1]] - start_a;
    const Vec3 start_b = vertex_of_b(ends_b[0]), along_b = vertex_of_b(ends_b[1]) - start_b;
    const Vec3 cross = along_a.cross(along_b), between = start_b - start_a;
    const double squared = cross.squaredNorm();
    if (squared <= kEdgesParallel * along_a.squaredNorm() * along_b.squaredNorm()) return;
    const double s = between.cross(along_b).dot(cross), u = between.cross(along_a).dot(cross);
    const double slack = kClipTolerance * squared;
    if (s < -slack || u < -slack || s > squared + slack || u > squared + slack) return;
    const MeshEdge edge_a = edge_of(a_, ea), edge_b = edge_of(b_, eb);
    Vec3 n = cross / std::sqrt(squared);
    if (n.dot(edge_a.normal[0] + edge_a.normal[1]) < 0) n = -n;
    if (!is_touched_from(edge_a, n, kFeatureCone)) return;
    if (!is_touched_from(edge_b, -(rotation_.transpose() * n), kFeatureCone)) return;
    const Vec3 on_a = start_a + s / squared * along_a, on_b = start_b + u / squared * along_b;
    add_crossing(edge_a, edge_b, on_a, on_b, n);
  }

  void add_crossing(const MeshEdge& edge_a, const MeshEdge& edge_b, const Vec3& on_a, const Vec3& on_b, Vec3 n) {
    const std::uint32_t facing_a = part_facing(edge_a, n), facing_b = part_facing(edge_b, -(rotation_.transpose() * n));
    // Where a face lies across, it gives the direction, and the edges are the rim of its patch.
    if (facing_b != 0) n = -(rotation_ * b_.facets()[facing_b - 1].normal);
    else if (facing_a != 0) n = a_.facets()[facing_a - 1].normal;
    const double gap = n.dot(on_b - on_a);
    if (gap > reach_) return;
    if (gap < 0) {
      const Vec3 a_in_b = rotation_.transpose() * (on_a - b_in_a_.position);
      if (!holds(b_, edge_b, facing_b, a_in_b, -gap) || !holds(a_, edge_a, facing_a, on_b, -gap)) return;
    }
    const bool face = facing_a != 0 || facing_b != 0;
    add(face ? pair_of_parts(facing_a, facing_b) : pair_of_parts(edge_part(edge_a.id), edge_part(edge_b.id)),
        0.5 * (on_a + on_b), n, gap, mesh_feature(MeshFeature::edges, edge_a.id, edge_b.id));
  }

  /// Whether an edge holds a point that lies so deep behind it: at the rim of a face if nothing is nearer than the face, a little
  /// inwards from the edge; else if the surface that is nearest is beside the edge. @param facing part beside it, or 0
  static bool holds(const MeshSolid& solid, const MeshEdge& edge, std::uint32_t facing, const Vec3& point, double depth) {
    if (depth <= 1e-9 * solid.radius()) return true;
    const MeshEdges& edges = solid.surface().edges();
    const std::uint32_t hint = edges.faces(edge.id)[0];
    if (facing != 0) {
      const int side = facet_part(edge.facet[0]) == facing ? 0 : 1;
      const auto below =
          closest_point(solid.mesh(), solid.surface().tree(), point + 2 * depth * edge.into[side], 1.001 * depth, hint);
      return below && below->distance >= 0.999 * depth && solid.facet_of(below->triangle) == edge.facet[side];
    }
    const auto near = closest_point(solid.mesh(), solid.surface().tree(), point, depth, hint);
    if (!near) return true;
    const std::uint32_t facet = solid.facet_of(near->triangle);
    return facet == edge.facet[0] || facet == edge.facet[1];
  }

  void add_nearest(const MeshGap& gap) {
    const Vec3 n = (gap.on_b - gap.on_a) / gap.distance;
    add(pair_of_parts(0, 0), 0.5 * (gap.on_a + gap.on_b), n, gap.distance,
        mesh_feature(MeshFeature::other, gap.triangle_a, gap.triangle_b));
  }

  /// No surface is near the other: a mesh may still lie inside the other one, all of it.
  void add_enclosed(ContactSink& sink) {
    const auto holds = [](const Aabb& box, const Vec3& x) {
      return (x.array() >= box.lower.array()).all() && (x.array() <= box.upper.array()).all();
    };
    const Vec3& of_a = a_.mesh().vertices[a_.mesh().triangles[0][0]];
    const Vec3 a_in_b = rotation_.transpose() * (of_a - b_in_a_.position);
    const std::uint32_t first_b = b_.mesh().triangles[0][0];
    if (b_.closed() && holds(b_.surface().tree().bounds(), a_in_b)) {
      if (const auto d = signed_distance(b_.surface(), a_in_b); d && d->distance < 0) {
        const Vec3 n = -(rotation_ * d->gradient);
        add(0, of_a + 0.5 * d->distance * n, n, d->distance, mesh_feature(MeshFeature::other, 0, 0));
      }
    } else if (a_.closed() && holds(a_.surface().tree().bounds(), vertex_of_b(first_b))) {
      if (const auto d = signed_distance(a_.surface(), vertex_of_b(first_b)); d && d->distance < 0)
        add(0, vertex_of_b(first_b) - 0.5 * d->distance * d->gradient, d->gradient, d->distance,
            mesh_feature(MeshFeature::other, 0, 1));
    }
    scratch_.contacts.emit(margin_, std::min(a_.radius(), b_.radius()), sink);
  }

  void add(std::uint64_t parts, const Vec3& position, const Vec3& n, double gap, std::uint64_t feature) {
    scratch_.contacts.add(parts, pose_a_ * position, pose_a_.orientation * n, gap, feature);
  }

  const MeshSolid &a_, &b_;
  const Pose& pose_a_;
  const Pose b_in_a_;
  const Mat3 rotation_;
  double margin_, reach_ = 0;
  MeshScratch& scratch_;
};

}   // namespace

void collide(const Mesh& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b, double margin, ContactSink& sink) {
  MeshPair(*a.solid, pose_a, *b.solid, pose_b, margin, MeshScratch::of_thread()).collide_all(sink);
}

}   // namespace stickslip::narrow
