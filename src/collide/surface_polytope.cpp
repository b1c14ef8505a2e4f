// A surface that deforms against boxes, hulls and meshes: vertices of each at the faces of the other, and edges that cross.
#include <algorithm>
#include <cmath>

#include "collide/surface_shape.h"

namespace stickslip::narrow {
namespace {

constexpr double kNoGap = std::numeric_limits<double>::infinity();

/// A box or hull in the world. Keeps its memory.
struct PlacedPolytope {
  std::vector<Polytope::Face> faces;
  std::vector<Vec3> corners;
  std::vector<MeshEdge> edges;
  std::vector<Aabb> boxes;                ///< of the edges
  std::vector<std::array<int, 2>> ends;   ///< of the edges
  std::vector<double> gaps;               ///< of the corners
  double radius = 0;

  void place(const PolytopeView& view, const Pose& pose) {
    const Mat3 rotation = pose.rotation();
    radius = view.radius;
    faces.assign(view.faces.begin(), view.faces.end());
    for (Polytope::Face& f : faces) {
      f.normal = rotation * f.normal;
      f.offset += f.normal.dot(pose.position);
    }
    corners.clear(), edges.clear(), boxes.clear(), ends.clear();
    for (const Vec3& v : view.vertices) corners.push_back(pose.position + rotation * v);
    gaps.assign(corners.size(), kNoGap);
    for (const Polytope::Edge& e : view.edges) add_edge(e);
  }

  void add_edge(const Polytope::Edge& e) {
    MeshEdge edge;
    edge.id = static_cast<std::uint32_t>(edges.size());
    edge.start = corners[static_cast<std::size_t>(e.vertex[0])];
    const Vec3& end = corners[static_cast<std::size_t>(e.vertex[1])];
    edge.along = end - edge.start;
    const Vec3 unit = edge.along.normalized();
    for (const int side : {0, 1}) {
      edge.facet[side] = static_cast<std::uint32_t>(e.face[side]);
      edge.normal[side] = faces[static_cast<std::size_t>(e.face[side])].normal;
      edge.into[side] = side == 0 ? edge.normal[side].cross(unit) : unit.cross(edge.normal[side]);
    }
    edges.push_back(edge);
    boxes.push_back({edge.start.cwiseMin(end), edge.start.cwiseMax(end)});
    ends.push_back({e.vertex[0], e.vertex[1]});
  }

  double look(int corner, const Vec3& direction) const {
    double most = -1;
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (ends[i][0] == corner || ends[i][1] == corner)
        most = std::max({most, edges[i].normal[0].dot(direction), edges[i].normal[1].dot(direction)});
    return most;
  }
  bool is_tip(int corner, const Vec3& direction) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (ends[i][0] != corner && ends[i][1] != corner) continue;
      const Vec3 away = (ends[i][0] == corner ? 1 : -1) * edges[i].along;
      if (direction.dot(away) > kFeatureCone * away.norm()) return false;
    }
    return true;
  }
};

class PolytopeOnSurface {
 public:
  PolytopeOnSurface(SurfaceNearShape& near, const Shape& shape, const PolytopeView& view)
      : near_(near), a_(near.a), field_(shape, near.pose), p_(of_thread()) {
    p_.place(view, near.pose);
  }

  void collide_all() {
    for (const std::uint32_t v : near_.scratch.vertices) near_.add_vertex(v, held(v));
    for (std::uint32_t i = 0; i < p_.corners.size(); ++i) {
      const int corner = static_cast<int>(i);
      p_.gaps[i] = near_.add_corner(
          p_.corners[i], corner_feature(i), [&](const Vec3& d) { return p_.look(corner, d); },
          [&](const Vec3& d) { return p_.is_tip(corner, d); });
    }
    for (const std::uint32_t e : near_.scratch.edges) cross(e);
    // Near corners, edges can run through without a crossing that is held.
    const auto& found = near_.scratch.found;
    if (near_.scratch.spare.empty() && std::none_of(found.begin(), found.end(), [](const auto& e) { return e.point.gap < 0; }))
      add_cut_through();
    near_.add_deepest(field_);
  }

 private:
  static PlacedPolytope& of_thread() {
    static thread_local PlacedPolytope placed;
    return placed;
  }

  /// Edges that lie inside with none of their ends.
  void add_cut_through() {
    const std::size_t before = near_.scratch.found.size();
    for (const std::uint32_t e : near_.scratch.edges) near_.add_lowest(e, field_);
    const auto apart = [](const SurfaceScratch::Entry& e) { return e.point.gap >= 0; };
    auto& found = near_.scratch.found;
    found.erase(std::remove_if(found.begin() + static_cast<std::ptrdiff_t>(before), found.end(), apart), found.end());
  }

  /// Inside, the nearest face of those that the vertex looks at.
  FieldSample held(std::uint32_t v) const {
    const Vec3& x = a_.mesh().vertices[v];
    double highest = -kNoGap;
    for (const Polytope::Face& f : p_.faces) highest = std::max(highest, f.normal.dot(x) - f.offset);
    if (highest > near_.margin) return {highest, Vec3::Zero()};
    if (highest > kClipTolerance * p_.radius) return field_.sample(x);
    const double lowest = highest - kAskFarther * size_at_vertex(a_, v);
    FieldSample best{-kNoGap, Vec3::Zero()};
    Look best_look = Look::away;
    for (const Polytope::Face& f : p_.faces) {
      const double height = f.normal.dot(x) - f.offset;
      if (height < lowest) continue;
      const Look look = look_of(look_of_vertex(a_, v, -f.normal));
      if (look < best_look || (look == best_look && height <= best.value)) continue;
      best = {height, f.normal}, best_look = look;
    }
    return best;
  }

  void cross(std::uint32_t id) {
    const auto& ends = a_.edges().vertices(id);
    const Vec3 &from = a_.mesh().vertices[ends[0]], &to = a_.mesh().vertices[ends[1]];
    const double deepest = std::max(near_.margin, 0.5 * (to - from).norm());
    const Aabb box = Aabb{from.cwiseMin(to), from.cwiseMax(to)}.grown(deepest);
    std::optional<MeshEdge> edge;
    for (std::size_t i = 0; i < p_.edges.size(); ++i) {
      if (!box.overlaps(p_.boxes[i]) || !may_cross(from, to - from, p_.edges[i].start, p_.edges[i].along, deepest)) continue;
      if (!edge) edge = edge_of(a_, id);
      const auto& corners = p_.ends[i];
      const double end_b =
          std::min(p_.gaps[static_cast<std::size_t>(corners[0])], p_.gaps[static_cast<std::size_t>(corners[1])]);
      near_.add_crossing(
          *edge, p_.edges[i], deepest, end_b, [&](const Vec3& p) { return distance_to(a_, p, edge->facet[0]); },
          [&](const Vec3& p) { return field_.sample(p).value; });
    }
  }

  SurfaceNearShape& near_;
  const MeshSurface& a_;
  ShapeField field_;
  PlacedPolytope& p_;
};

class MeshOnSurface {
 public:
  MeshOnSurface(SurfaceNearShape& near, const MeshSolid& solid)
      : near_(near), a_(near.a), solid_(solid), b_(solid.surface()), rotation_(near.pose.rotation()) {
    rule_ = solid.closed() ? SignRule::automatic : SignRule::normals;
    const Aabb& box = a_.tree().bounds();
    reach_ = solid.closed() ? kNoGap : std::max(near.margin, 0.5 * (box.upper - box.lower).minCoeff());
  }

  /// How far from the box of the mesh vertices may lie: below an open one, they have come through it [m].
  double reach() const { return solid_.closed() ? near_.margin : reach_; }

  void collide_all() {
    for (const std::uint32_t v : near_.scratch.vertices) vertex(v);
    near_.scratch.gaps_b.begin(b_.mesh().vertices.size());
    corners();
    deepest_ = deepest_crossing(a_, near_.margin);
    overlapping_pairs(a_.mesh(), a_.tree(), b_.mesh(), b_.tree(), near_.pose, deepest_, near_.scratch.descent,
                      near_.scratch.pairs);
    for (const auto& [ta, tb] : near_.scratch.pairs) cross(ta, tb);
  }

 private:
  Vec3 to_local(const Vec3& x) const { return rotation_.transpose() * (x - near_.pose.position); }

  void vertex(std::uint32_t v) {
    const auto look = [&](const Vec3& d) { return look_of_vertex(a_, v, rotation_ * d); };
    const auto found = nearest_touched(b_, to_local(a_.mesh().vertices[v]), rule_, reach_, kAskFarther * size_at_vertex(a_, v),
                                       hint_, near_.scratch.near, look);
    if (!found) return;
    hint_ = found->nearest.triangle;
    // Behind an open surface and beside it is outside.
    if (found->distance > near_.margin || (found->distance < 0 && !solid_.closed() && is_on_rim(found->nearest))) return;
    if (!found->gradient.isZero(0)) near_.add_vertex(v, {found->distance, rotation_ * found->gradient});
  }

  bool is_on_rim(const MeshPoint& p) const {
    const auto& of_face = b_.edges().edges_of_face(p.triangle);
    if (p.feature == stickslip::Feature::face) return false;
    if (p.feature == stickslip::Feature::edge) return b_.edges().kind(of_face[p.corner]) == EdgeKind::boundary;
    const std::uint32_t v = b_.mesh().triangles[p.triangle][p.corner];
    for (const std::uint32_t t : b_.edges().faces_of_vertex(v))
      for (const std::uint32_t e : b_.edges().edges_of_face(t)) {
        const auto& ends = b_.edges().vertices(e);
        if ((ends[0] == v || ends[1] == v) && b_.edges().kind(e) == EdgeKind::boundary) return true;
      }
    return false;
  }

  void corners() {
    const Aabb& box = a_.tree().bounds();
    const Pose middle{0.5 * (box.lower + box.upper), Quat::Identity()};
    const Box whole{0.5 * (box.upper - box.lower)};
    overlapping(b_.mesh(), b_.tree(), bounding_box(whole, near_.pose.inverse() * middle).grown(near_.margin),
                near_.scratch.triangles);
    for (const std::uint32_t t : near_.scratch.triangles)
      for (int k = 0; k < 3; ++k) {
        if (!(solid_.owned_by(t) & 1 << k)) continue;
        const std::uint32_t v = b_.mesh().triangles[t][k];
        const double gap = near_.add_corner(
            near_.pose.position + rotation_ * b_.mesh().vertices[v], corner_feature(v),
            [&](const Vec3& d) { return look_of_vertex(b_, v, rotation_.transpose() * d); },
            [&](const Vec3& d) { return can_touch(b_, v, rotation_.transpose() * d); });
        near_.scratch.gaps_b.set(v, gap);
      }
  }

  void cross(std::uint32_t ta, std::uint32_t tb) {
    if (!(solid_.owned_by(tb) & (8 | 16 | 32))) return;
    for (const std::uint32_t ea : a_.edges().edges_of_face(ta)) {
      if (a_.edges().faces(ea)[0] != ta) continue;
      const auto [start, along] = line_of(a_, ea);
      for (int l = 0; l < 3; ++l) {
        if (!(solid_.owned_by(tb) & 8 << l)) continue;
        const std::uint32_t eb = b_.edges().edges_of_face(tb)[l];
        const auto [start_b, along_b] = line_of(b_, eb);
        if (!may_cross(start, along, near_.pose.position + rotation_ * start_b, rotation_ * along_b, deepest_)) continue;
        const MeshEdge of_a = edge_of(a_, ea), of_b = placed(edge_of(b_, eb), rotation_, near_.pose.position);
        const auto& ends = b_.edges().vertices(eb);
        const double end_b = std::min(near_.scratch.gaps_b.of(ends[0]), near_.scratch.gaps_b.of(ends[1]));
        const std::uint32_t face_b = b_.edges().faces(eb)[0];
        near_.add_crossing(
            of_a, of_b, deepest_, end_b, [&](const Vec3& p) { return distance_to(a_, p, ta); },
            [&](const Vec3& p) { return distance_to(b_, to_local(p), face_b, rule_); });
      }
    }
  }

  SurfaceNearShape& near_;
  const MeshSurface& a_;
  const MeshSolid& solid_;
  const MeshSurface& b_;
  Mat3 rotation_;
  SignRule rule_ = SignRule::automatic;
  double reach_ = 0, deepest_ = 0;   ///< deepest of crossings
  std::uint32_t hint_ = TriangleTree::kNone;
};

}   // namespace

// A shape that lies all inside has no triangle near it, but corners.
void collide_surface_with(SurfaceNearShape& near, const Box& box) {
  const BoxPolytope polytope(box);
  near.gather(bounding_box(box, near.pose).grown(near.margin));
  PolytopeOnSurface(near, box, polytope.view()).collide_all();
}

void collide_surface_with(SurfaceNearShape& near, const ConvexHull& hull) {
  near.gather(bounding_box(hull, near.pose).grown(near.margin));
  PolytopeOnSurface(near, hull, view(hull)).collide_all();
}

void collide_surface_with(SurfaceNearShape& near, const Mesh& mesh) {
  MeshOnSurface on(near, *mesh.solid);
  near.gather(bounding_box(mesh, near.pose).grown(on.reach()));
  on.collide_all();
  // Where many overlap they speak for what lies between them, and to ask a mesh takes long.
  constexpr int kFew = 4;
  const auto& found = near.scratch.found;
  if (!mesh.solid->closed() || std::count_if(found.begin(), found.end(), [](const auto& e) { return e.point.gap < 0; }) >= kFew)
    return;
  near.gather(bounding_box(mesh, near.pose).grown(near.margin));
  near.add_deepest(ShapeField(mesh, near.pose), false);
}

}   // namespace stickslip::narrow
