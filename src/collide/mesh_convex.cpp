// Boxes, cylinders and hulls against meshes. Over a face the shape meets the plane of its facet, as it would meet a half-space;
// along an active edge it meets a segment. So a flat floor of triangles is the plane, whatever its triangles are.
#include <algorithm>
#include <cmath>

#include "collide/mesh_side.h"
#include "collide/pairs.h"
#include "collide/tolerances.h"
#include "stickslip/geometry/aabb.h"

namespace stickslip::narrow {
namespace {

/// Part of an edge's length from its ends within which a contact is one of the vertex.
constexpr double kAtVertex = 1e-6;

template <class S>
class ConvexOnMesh {
 public:
  ConvexOnMesh(const S& shape, const Pose& pose, const MeshSolid& solid, const Pose& mesh, double margin, MeshScratch& scratch)
      : shape_(shape), pose_(pose), solid_(solid), mesh_(mesh), margin_(margin), scratch_(scratch) {}

  void collide_all(double size, ContactSink& sink) {
    scratch_.contacts.clear();
    const Aabb box = bounding_box(Shape(shape_), mesh_.inverse() * pose_).grown(margin_);
    overlapping(solid_.mesh(), solid_.surface().tree(), box, scratch_.triangles);
    std::vector<std::uint32_t>& triangles = scratch_.triangles;
    for (const std::uint32_t triangle : triangles)
      for (int k = 0; k < 3; ++k)
        if (solid_.owned_by(triangle) & 8 << k) add_edge(solid_.surface().edges().edges_of_face(triangle)[k], box);
    // Facet by facet.
    std::sort(triangles.begin(), triangles.end(), [&](std::uint32_t x, std::uint32_t y) {
      return solid_.facet_of(x) != solid_.facet_of(y) ? solid_.facet_of(x) < solid_.facet_of(y) : x < y;
    });
    for (std::size_t first = 0, end = 0; first < triangles.size(); first = end) {
      const std::uint32_t facet = solid_.facet_of(triangles[first]);
      while (end < triangles.size() && solid_.facet_of(triangles[end]) == facet) ++end;
      add_facet(facet, std::span(triangles).subspan(first, end - first));
    }
    scratch_.contacts.emit(margin_, size, sink);
  }

 private:
  void add_facet(std::uint32_t id, std::span<const std::uint32_t> triangles) {
    const MeshFacet& facet = solid_.facets()[id];
    if (facet.normal.isZero(0)) return;
    const Pose plane = mesh_ * Pose{facet.offset * facet.normal, rotation_between(Vec3::UnitZ(), facet.normal)};
    scratch_.sink.clear();
    collide(shape_, pose_, HalfSpace{}, plane, margin_, scratch_.sink);
    for (const ContactPoint& p : scratch_.sink.points()) {
      const Vec3 on_shape = mesh_.to_local(p.position - 0.5 * p.gap * p.normal);
      const auto over = std::find_if(triangles.begin(), triangles.end(), [&](auto t) { return is_over(solid_, t, on_shape); });
      if (over == triangles.end()) continue;
      if (p.gap < 0 && !is_nearest(solid_, on_shape, -p.gap, *over)) continue;
      scratch_.contacts.add(pair_of_parts(0, facet_part(id)), p.position, p.normal, p.gap,
                            mesh_feature(MeshFeature::vertex_on_face, static_cast<std::uint32_t>(p.feature), id));
    }
  }

  void add_edge(std::uint32_t id, const Aabb& box) {
    const MeshEdge edge = edge_of(solid_, id);
    const Vec3 end = edge.start + edge.along;
    if (!Aabb{edge.start.cwiseMin(end), edge.start.cwiseMax(end)}.overlaps(box)) return;
    const Vec3 along = mesh_.orientation * edge.along;
    const Capsule segment{0, 0.5 * along.norm()};
    const Pose pose{mesh_ * Vec3(edge.start + 0.5 * edge.along), rotation_between(Vec3::UnitZ(), along)};
    scratch_.sink.clear();
    collide_edge(shape_, pose_, segment, pose, margin_, scratch_.sink);
    const auto place = [&](const ContactPoint& p) {
      return along.dot(p.position + 0.5 * p.gap * p.normal - mesh_ * edge.start) / along.squaredNorm();
    };
    const std::vector<ContactPoint>& points = scratch_.sink.points();
    for (const ContactPoint& p : points) {
      const Vec3 out = mesh_.orientation.conjugate() * Vec3(-p.normal);
      if (!is_touched_from(edge, out, kFeatureCone)) continue;
      const std::uint32_t facing = part_facing(edge, out);
      const double at = place(p);
      const int corner = at < kAtVertex ? 0 : at > 1 - kAtVertex ? 1 : -1;
      const auto on_shape =
          static_cast<std::uint32_t>(std::count_if(points.begin(), points.end(), [&](const auto& q) { return place(q) < at; }));
      const std::uint64_t name =
          corner < 0 ? mesh_feature(MeshFeature::edges, on_shape, id)
                     : mesh_feature(MeshFeature::face_under_vertex, 0, solid_.surface().edges().vertices(id)[corner]);
      scratch_.contacts.add(pair_of_parts(0, facing != 0 ? facing : edge_part(id)), p.position, p.normal, p.gap, name);
    }
  }

  const S& shape_;
  const Pose& pose_;
  const MeshSolid& solid_;
  const Pose& mesh_;
  double margin_;
  MeshScratch& scratch_;
};

template <class S>
void collide_convex(const S& shape, const Pose& pose, const Mesh& mesh, const Pose& pose_mesh, double margin,
                    ContactSink& sink) {
  ConvexOnMesh<S>(shape, pose, *mesh.solid, pose_mesh, margin, MeshScratch::of_thread())
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
void collide(const Mesh& mesh, const Pose& pose, const HalfSpace&, const Pose& half_space, double margin, ContactSink& sink) {
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
