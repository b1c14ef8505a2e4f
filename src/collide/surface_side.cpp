#include "collide/surface_side.h"

#include <algorithm>
#include <cmath>

namespace stickslip::narrow {
namespace {

/// Cosine of the angle between the normal of a face and the way to its nearest point beyond which a point lies beside it.
constexpr double kBeside = 0.7;
/// Spares count that are no deeper than this times the shallowest.
constexpr double kNotMuchDeeperSpare = 1.1;

}   // namespace

void SeenNumbers::begin(std::size_t size) {
  if (stamps_.size() < size) stamps_.resize(size, now_);
  if (++now_ == 0) {
    std::fill(stamps_.begin(), stamps_.end(), 0u);
    now_ = 1;
  }
}

void VertexGaps::begin(std::size_t size) {
  if (gaps_.size() < size) gaps_.resize(size, {0, Vec3::Zero(), now_});
  if (++now_ == 0) {
    std::fill(gaps_.begin(), gaps_.end(), Gap{});
    now_ = 1;
  }
}

double look_of_vertex(const MeshSurface& surface, std::uint32_t vertex, const Vec3& direction) {
  double most = -1;
  for (const std::uint32_t face : surface.edges().faces_of_vertex(vertex))
    most = std::max(most, face_normal(surface.mesh(), face).dot(direction));
  return most;
}

bool can_touch(const MeshSurface& surface, std::uint32_t vertex, const Vec3& direction) {
  if (look_of(look_of_vertex(surface, vertex, direction)) == Look::at) return true;
  if (direction.dot(surface.edges().vertex_normal(vertex)) <= 0) return false;
  const TriangleMesh& mesh = surface.mesh();
  for (const std::uint32_t face : surface.edges().faces_of_vertex(vertex))
    for (const std::uint32_t other : mesh.triangles[face]) {
      const Vec3 away = mesh.vertices[other] - mesh.vertices[vertex];
      if (direction.dot(away) > kFeatureCone * away.norm()) return false;
    }
  return true;
}

double size_at_vertex(const MeshSurface& surface, std::uint32_t vertex) {
  double size = 0;
  for (const std::uint32_t face : surface.edges().faces_of_vertex(vertex))
    size = std::max(size, size_of_triangle(surface, face));
  return size;
}

double size_near(const MeshSurface& surface, const MeshPoint& p) {
  if (p.feature == stickslip::Feature::face) return size_of_triangle(surface, p.triangle);
  if (p.feature == stickslip::Feature::vertex) return size_at_vertex(surface, surface.mesh().triangles[p.triangle][p.corner]);
  double size = 0;
  for (const std::uint32_t face : surface.edges().faces(surface.edges().edges_of_face(p.triangle)[p.corner]))
    if (face != MeshEdges::kNoFace) size = std::max(size, size_of_triangle(surface, face));
  return size;
}

double size_of_triangle(const MeshSurface& surface, std::uint32_t triangle) {
  const auto& [a, b, c] = surface.mesh().triangles[triangle];
  const auto& x = surface.mesh().vertices;
  return std::sqrt(std::max({(x[b] - x[a]).squaredNorm(), (x[c] - x[b]).squaredNorm(), (x[a] - x[c]).squaredNorm()}));
}

SurfacePart part_of_edge(const MeshSurface& surface, std::uint32_t edge) {
  const std::uint32_t face = surface.edges().faces(edge)[0];
  const auto& of_face = surface.edges().edges_of_face(face);
  std::uint32_t k = 0;
  while (k < 2 && of_face[k] != edge) ++k;
  return {SurfacePartKind::edge, 3 * face + k};
}

SurfacePart part_of_point(const MeshSurface& surface, const MeshPoint& p) {
  switch (p.feature) {
    case stickslip::Feature::vertex:
      return part_of_vertex(surface.mesh().triangles[p.triangle][p.corner]);
    case stickslip::Feature::edge:
      return part_of_edge(surface, surface.edges().edges_of_face(p.triangle)[p.corner]);
    case stickslip::Feature::face:
      break;
  }
  return {SurfacePartKind::triangle, p.triangle};
}

MeshEdge edge_of(const MeshSurface& surface, std::uint32_t id) {
  const MeshEdges& edges = surface.edges();
  const auto& ends = edges.vertices(id);
  const auto& faces = edges.faces(id);
  MeshEdge edge;
  edge.id = id;
  edge.start = surface.mesh().vertices[ends[0]];
  edge.along = surface.mesh().vertices[ends[1]] - edge.start;
  edge.boundary = edges.kind(id) == EdgeKind::boundary;
  edge.irregular = edges.kind(id) == EdgeKind::irregular;
  const Vec3 unit = edge.along.normalized();
  for (int side = 0; side < 2; ++side) {
    edge.facet[side] = faces[side] == MeshEdges::kNoFace ? faces[0] : faces[side];
    edge.normal[side] = face_normal(surface.mesh(), edge.facet[side]);
    edge.into[side] = side == 0 ? edge.normal[side].cross(unit) : unit.cross(edge.normal[side]);
  }
  return edge;
}

std::optional<SignedDistance> depth_behind(const MeshSurface& surface, std::uint32_t triangle, const Vec3& from,
                                           double in_front) {
  const auto& [a, b, c] = surface.mesh().triangles[triangle];
  const auto& x = surface.mesh().vertices;
  const Vec3 normal = face_normal(surface.mesh(), triangle);
  if (normal.isZero(0) || normal.dot(from - x[a]) > in_front) return std::nullopt;
  const ClosestOnTriangle on = closest_on_triangle(from, x[a], x[b], x[c]);
  MeshPoint p;
  p.triangle = triangle;
  p.weights = on.weights;
  p.point = on.weights[0] * x[a] + on.weights[1] * x[b] + on.weights[2] * x[c];
  p.distance = std::sqrt(on.squared_distance);
  if (on.on == OnTriangle::inside) return SignedDistance{normal.dot(from - x[a]), normal, p};
  const int place = static_cast<int>(on.on);
  p.feature = place < 3 ? stickslip::Feature::vertex : stickslip::Feature::edge;
  p.corner = static_cast<std::uint8_t>(place % 3);
  if (p.distance <= in_front) return SignedDistance{normal.dot(from - p.point), normal, p};
  const Vec3 out = (p.point - from) / p.distance;
  if (out.dot(normal) < kBeside) return std::nullopt;
  return SignedDistance{-p.distance, out, p};
}

double SurfaceScratch::nearest_end(const MeshSurface& s, std::uint32_t edge, const VertexGaps& gaps, const Vec3& direction) {
  const auto& ends = s.edges().vertices(edge);
  return std::min(gaps.along(ends[0], direction), gaps.along(ends[1], direction));
}

bool SurfaceScratch::takes_over_in_a(const MeshSurface& s, std::uint32_t edge, const Vec3& direction) const {
  return std::ranges::any_of(s.edges().vertices(edge), [&](std::uint32_t v) {
    return std::isinf(gaps_a.along(v, direction)) && loaded->has_vertex_of_a(v);
  });
}

bool SurfaceScratch::takes_over_in_b(const MeshSurface& s, std::uint32_t edge, const Vec3& direction) const {
  return std::ranges::any_of(s.edges().vertices(edge), [&](std::uint32_t v) {
    return std::isinf(gaps_b.along(v, direction)) && loaded->has_vertex_of_b(v);
  });
}

void SurfaceScratch::emit(ContactSink& sink) {
  if (!spare.empty() && std::none_of(found.begin(), found.end(), [](const Entry& e) { return e.point.gap < 0; })) {
    double shallowest = -std::numeric_limits<double>::infinity();
    for (const Entry& e : spare) shallowest = std::max(shallowest, e.point.gap);
    for (const Entry& e : spare)
      if (e.point.gap >= kNotMuchDeeperSpare * shallowest) found.push_back(e);
  }
  std::sort(found.begin(), found.end(), [](const Entry& x, const Entry& y) {
    if (x.parts != y.parts) return x.parts < y.parts;
    return x.point.feature != y.point.feature ? x.point.feature < y.point.feature : x.point.gap < y.point.gap;
  });
  const auto same = [](const Entry& x, const Entry& y) { return x.parts == y.parts && x.point.feature == y.point.feature; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ContactPoint& p = found[i].point;
    sink.add(p.position, p.normal, p.gap, p.feature);
    if (i + 1 == found.size() || found[i + 1].parts != found[i].parts) sink.end_part(found[i].parts);
  }
}

SurfaceScratch& SurfaceScratch::of_thread() {
  static thread_local SurfaceScratch scratch;
  return scratch;
}

}   // namespace stickslip::narrow

namespace stickslip {

namespace {
std::pair<std::uint64_t, std::uint64_t> name_of(const LoadedContacts::Contact& c) { return {c.parts, c.feature}; }
}   // namespace

void LoadedContacts::clear() {
  contacts_.clear();
  vertices_a_.clear();
  vertices_b_.clear();
}

void LoadedContacts::add(std::uint64_t parts, std::uint64_t feature, const Vec3& place) {
  contacts_.push_back({parts, feature, place});
  if (feature != 0) return;   // of a corner or an edge of a shape
  const SurfacePart a = SurfacePart::of(static_cast<std::uint32_t>(parts >> 32)),
                    b = SurfacePart::of(static_cast<std::uint32_t>(parts));
  if (a.kind == SurfacePartKind::vertex) vertices_a_.push_back(a.index);
  if (b.kind == SurfacePartKind::vertex) vertices_b_.push_back(b.index);
}

void LoadedContacts::sort() {
  std::ranges::sort(contacts_, {}, name_of);
  std::ranges::sort(vertices_a_);
  std::ranges::sort(vertices_b_);
}

bool LoadedContacts::has(std::uint64_t parts, std::uint64_t feature) const {
  return std::ranges::binary_search(contacts_, std::pair(parts, feature), {}, name_of);
}
bool LoadedContacts::has_vertex_of_a(std::uint32_t vertex) const { return std::ranges::binary_search(vertices_a_, vertex); }
bool LoadedContacts::has_vertex_of_b(std::uint32_t vertex) const { return std::ranges::binary_search(vertices_b_, vertex); }

}   // namespace stickslip
