// A surface that deforms against rigid shapes: what all of them share, and planes.
#include "collide/surface_shape.h"

#include <algorithm>
#include <cmath>

#include "stickslip/collide/surface.h"
#include "stickslip/field/face_minimum.h"

namespace stickslip {

void collide_surface(const MeshSurface& a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink) {
  sink.clear();
  if (a.tree().empty()) return;
  narrow::SurfaceScratch& scratch = narrow::SurfaceScratch::of_thread();
  scratch.begin();
  scratch.gaps_a.begin(a.mesh().vertices.size());
  narrow::SurfaceNearShape near{a, pose_b, margin, scratch};
  std::visit([&](const auto& shape) { narrow::collide_surface_with(near, shape); }, b);
  scratch.emit(sink);
}

namespace narrow {
namespace {

/// Part of a gradient that must be across an edge for its direction to be of use.
constexpr double kLeastAcross = 0.1;

}   // namespace

void SurfaceNearShape::gather(const Aabb& box) {
  overlapping(a.mesh(), a.tree(), box, scratch.triangles);
  scratch.vertices.clear();
  scratch.edges.clear();
  scratch.seen.begin(a.mesh().vertices.size());
  for (const std::uint32_t t : scratch.triangles)
    for (const std::uint32_t v : a.mesh().triangles[t])
      if (scratch.seen.first(v)) scratch.vertices.push_back(v);
  scratch.seen.begin(a.edges().size());
  for (const std::uint32_t t : scratch.triangles)
    for (const std::uint32_t e : a.edges().edges_of_face(t))
      if (scratch.seen.first(e)) scratch.edges.push_back(e);
}

void SurfaceNearShape::add_vertex(std::uint32_t vertex, const FieldSample& of_shape) {
  if (!(of_shape.value <= margin)) return;
  const Vec3 normal = -of_shape.gradient;
  if (of_shape.value > 0 && !can_touch(a, vertex, normal)) return;
  scratch.gaps_a.set(vertex, of_shape.value);
  add(part_of_vertex(vertex), a.mesh().vertices[vertex], normal, of_shape.value, 0);
}

void SurfaceNearShape::add_lowest(std::uint32_t edge, const ShapeField& field) {
  const auto& ends = a.edges().vertices(edge);
  const Vec3 &from = a.mesh().vertices[ends[0]], &to = a.mesh().vertices[ends[1]], along = to - from;
  const FieldSample start = field.sample(from), end = field.sample(to);
  const double length = along.norm();
  if (0.5 * (start.value + end.value - length) > margin) return;
  if (!(start.gradient.dot(along) < 0 && end.gradient.dot(along) > 0)) return;
  const FieldMinimum least = minimise_over_edge(field, from, to, {.tolerance = 1e-9, .subdivisions = 0});
  if (least.value > margin || least.value >= nearest_end(edge) - kInsideNearer * length) return;
  // At the kink of a rim the direction counts that is across the edge.
  const Vec3 unit = along / length, out = least.gradient - least.gradient.dot(unit) * unit;
  if (!(out.norm() > kLeastAcross)) return;
  const MeshEdge e = edge_of(a, edge);
  const Vec3 normal = -out.normalized();
  if (std::max(e.normal[0].dot(normal), e.normal[1].dot(normal)) > kFeatureCone)
    add(part_of_edge(a, edge), least.point, normal, least.value, shape_feature(ShapeFeature::side, 0));
}

double SurfaceNearShape::nearest_end(std::uint32_t edge) const {
  const auto& ends = a.edges().vertices(edge);
  return std::min(scratch.gaps_a.of(ends[0]), scratch.gaps_a.of(ends[1]));
}

/// The lowest points of triangles are vertices.
void collide_surface_with(SurfaceNearShape& near, const HalfSpace&) {
  const Vec3 up = near.pose.orientation * Vec3::UnitZ();
  const double offset = up.dot(near.pose.position);
  const Aabb& bounds = near.a.tree().bounds();
  if (up.dot(Vec3((up.array() > 0).select(bounds.lower, bounds.upper))) - offset > near.margin) return;
  const auto& vertices = near.a.mesh().vertices;
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    const double gap = up.dot(vertices[v]) - offset;
    if (gap <= near.margin && !near.a.edges().faces_of_vertex(v).empty()) near.add_vertex(v, {gap, up});
  }
}

}   // namespace narrow
}   // namespace stickslip
