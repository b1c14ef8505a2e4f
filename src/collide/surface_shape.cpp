// A surface that deforms against rigid shapes: what all of them share, and planes.
#include "collide/surface_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "stickslip/collide/surface.h"

namespace stickslip {

void collide_surface(const MeshSurface& a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink,
                     const LoadedContacts& loaded) {
  sink.clear();
  if (a.tree().empty()) return;
  narrow::SurfaceScratch& scratch = narrow::SurfaceScratch::of_thread();
  scratch.begin(loaded);
  scratch.gaps_a.begin(a.mesh().vertices.size());
  narrow::SurfaceNearShape near{a, pose_b, margin, scratch};
  std::visit([&](const auto& shape) { narrow::collide_surface_with(near, shape); }, b);
  scratch.emit(sink);
}

namespace narrow {
namespace {

/// Part of a gradient that must be across an edge for its direction to be of use.
constexpr double kLeastAcross = 0.1;
/// Weight of a corner below which a place lies on the opposite edge.
constexpr double kAtBorder = 1e-3;
/// Part of its size by which a triangle or an edge must be deeper elsewhere for a loaded place to move there.
constexpr double kStaysWithin = 1e-4;
/// A contact speaks for places that are no deeper than it is by this factor.
constexpr double kSpeaksFor = 2;

/// The lowest gap of what will be handed on: of spares, which count where nothing else overlaps, the shallowest.
double lowest_found(const SurfaceScratch& scratch) {
  double lowest = std::numeric_limits<double>::infinity(), spare = -lowest;
  for (const auto& e : scratch.found) lowest = std::min(lowest, e.point.gap);
  for (const auto& e : scratch.spare) spare = std::max(spare, e.point.gap);
  return lowest < 0 || scratch.spare.empty() ? lowest : std::min(lowest, spare);
}

/// A value that a field takes nowhere on a triangle: that of a convex solid lies above its tangents, others are no steeper
/// than one.
double lower_bound_on(const std::array<Vec3, 3>& x, const DistanceField& field, bool convex) {
  const Vec3 middle = (x[0] + x[1] + x[2]) / 3;
  const FieldSample at = field.sample(middle);
  double lowest = 0;
  for (const Vec3& corner : x) lowest = std::min(lowest, convex ? at.gradient.dot(corner - middle) : -(corner - middle).norm());
  return at.value + lowest;
}

/// Whether a place of the surface with a triangle of that size is nearer or deeper than what was found speaks for.
bool is_unspoken_for(double value, double lowest, double size) {
  if (value > 0) return value < lowest - kInsideNearer * size;
  return value < kSpeaksFor * std::min(lowest, 0.0) - kClipTolerance * size;
}

constexpr std::uint64_t kDeepest = shape_feature(ShapeFeature::deepest, 0);

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
  scratch.gaps_a.set(vertex, of_shape.value, normal);
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
  const SurfacePart part = part_of_edge(a, edge);
  const std::uint64_t feature = shape_feature(ShapeFeature::side, 0);
  if (least.value > margin) return;
  if (least.value >= nearest_end(edge, least.gradient) - kInsideNearer * length && !was_loaded(part, feature)) return;
  // At the kink of a rim the direction counts that is across the edge.
  const Vec3 unit = along / length, out = least.gradient - least.gradient.dot(unit) * unit;
  if (!(out.norm() > kLeastAcross)) return;
  const MeshEdge e = edge_of(a, edge);
  const Vec3 normal = -out.normalized();
  if (std::max(e.normal[0].dot(normal), e.normal[1].dot(normal)) > kFeatureCone)
    add(part, least.point, normal, least.value, feature);
}

void SurfaceNearShape::add_deepest(const ShapeField& field, bool convex) {
  add_loaded_deepest(field, convex);
  const double lowest = lowest_found(scratch);
  std::optional<FieldMinimum> best;
  std::uint32_t of_face = 0;
  for (const std::uint32_t t : scratch.triangles) {
    const std::array<Vec3, 3> x = corners_of(a.mesh(), t);
    const double size = size_of_triangle(a, t);
    const auto counts = [&](double value) {
      return value <= margin && is_unspoken_for(value, lowest, size) && !(best && value >= best->value);
    };
    if (!counts(lower_bound_on(x, field, convex))) continue;
    const FieldMinimum least = minimise_over_triangle(field, x[0], x[1], x[2], {.subdivisions = convex ? 0 : 1});
    if (counts(least.value) && face_normal(a.mesh(), t).dot(least.gradient) < -kFeatureCone) best = least, of_face = t;
  }
  if (!best) return;
  if (const auto place = place_on_face(of_face, *best)) add(place->part, place->point, place->normal, best->value, kDeepest);
}

void SurfaceNearShape::add_loaded_deepest(const ShapeField& field, bool convex) {
  for (const LoadedContacts::Contact& c : scratch.loaded->all()) {
    const SurfacePart part = SurfacePart::of(static_cast<std::uint32_t>(c.parts >> 32));
    // Vertices have contacts of their own.
    if (c.feature != kDeepest || part.kind == SurfacePartKind::vertex || !c.place.allFinite()) continue;
    const std::optional<DeepestPlace> x =
        part.kind == SurfacePartKind::triangle
            ? deepest_on_face(part.index, c.place, field, convex)
            : deepest_on_edge(a.edges().edges_of_face(part.index / 3)[part.index % 3], c.place, field, convex);
    if (x && x->value <= margin) add(x->part, x->point, x->normal, x->value, kDeepest);
  }
}

std::optional<SurfaceNearShape::DeepestPlace> SurfaceNearShape::deepest_on_face(std::uint32_t face, const Vec3& before,
                                                                                const ShapeField& field, bool convex) const {
  const std::array<Vec3, 3> x = corners_of(a.mesh(), face);
  const FieldMinimum least = minimise_over_triangle(field, x[0], x[1], x[2], {.subdivisions = convex ? 0 : 1});
  const Vec3 normal = face_normal(a.mesh(), face), w = closest_on_triangle(before, x[0], x[1], x[2]).weights;
  const Vec3 there = w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
  if (const double value = field.sample(there).value;
      w.minCoeff() > kAtBorder && value <= least.value + kStaysWithin * size_of_triangle(a, face))
    return DeepestPlace{{{SurfacePartKind::triangle, face}, there, normal}, value};
  if (normal.dot(least.gradient) >= -kFeatureCone) return std::nullopt;
  const std::optional<PlaceOnFace> place = place_on_face(face, least);
  if (!place) return std::nullopt;
  return DeepestPlace{*place, least.value};
}

std::optional<SurfaceNearShape::DeepestPlace> SurfaceNearShape::deepest_on_edge(std::uint32_t edge, const Vec3& before,
                                                                                const ShapeField& field, bool convex) const {
  const auto [start, along] = line_of(a, edge);
  const FieldMinimum least = minimise_over_edge(field, start, start + along, {.subdivisions = convex ? 0 : 1});
  const double weight = closest_on_edge(before, start, start + along).weight;
  const FieldSample there = field.sample(start + weight * along);
  const bool stays = std::min(weight, 1 - weight) > kAtBorder && there.value <= least.value + kStaysWithin * along.norm();
  if (!stays && least.weights.head<2>().minCoeff() < kAtBorder) return std::nullopt;   // the vertex has it
  const auto place =
      stays ? place_on_edge(edge, start + weight * along, there.gradient) : place_on_edge(edge, least.point, least.gradient);
  if (!place) return std::nullopt;
  return DeepestPlace{*place, stays ? there.value : least.value};
}

/// At the rim of a shape the field has several gradients: that counts which the edge looks at, across it, or what its faces
/// look at together.
std::optional<SurfaceNearShape::PlaceOnFace> SurfaceNearShape::place_on_edge(std::uint32_t edge, const Vec3& point,
                                                                             const Vec3& gradient) const {
  const MeshEdge e = edge_of(a, edge);
  const Vec3 unit = e.along.normalized(), out = gradient - gradient.dot(unit) * unit, looks = e.normal[0] + e.normal[1];
  if (looks.dot(out) < -kLeastAcross) return PlaceOnFace{part_of_edge(a, edge), point, -out.normalized()};
  if (!(looks.norm() > kLeastAcross)) return std::nullopt;
  return PlaceOnFace{part_of_edge(a, edge), point, looks.normalized()};
}

std::optional<SurfaceNearShape::PlaceOnFace> SurfaceNearShape::place_on_face(std::uint32_t face,
                                                                             const FieldMinimum& least) const {
  int k = 0;
  const double most = least.weights.maxCoeff(&k), fewest = least.weights.minCoeff();
  const std::uint32_t corner = a.mesh().triangles[face][k];
  if (most > 1 - kAtBorder) return PlaceOnFace{part_of_vertex(corner), a.mesh().vertices[corner], -least.gradient};
  // At a ridge of the shape the field has several gradients: the one across the face makes the minimum, or across the edge.
  if (fewest > kAtBorder) return PlaceOnFace{{SurfacePartKind::triangle, face}, least.point, face_normal(a.mesh(), face)};
  least.weights.minCoeff(&k);
  const std::uint32_t edge = a.edges().edges_of_face(face)[(k + 1) % 3];
  const auto [start, along] = line_of(a, edge);
  return place_on_edge(edge, start + closest_on_edge(least.point, start, start + along).weight * along, least.gradient);
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
