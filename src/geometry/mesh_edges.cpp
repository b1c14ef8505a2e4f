#include "stickslip/geometry/mesh_edges.h"

#include <algorithm>
#include <cmath>

#include "geometry/nearest_on_triangle.h"
#include "geometry/triangle_check.h"

namespace stickslip {

namespace {

struct HalfEdge {
  std::uint64_t key;    ///< lower vertex, then higher vertex
  std::uint32_t half;   ///< 3 face + corner
  bool operator<(const HalfEdge& o) const { return key != o.key ? key < o.key : half < o.half; }
};

std::vector<HalfEdge> sorted_half_edges(const TriangleMesh& mesh) {
  std::vector<HalfEdge> halves;
  halves.reserve(3 * mesh.triangles.size());
  for (std::uint32_t face = 0; face < mesh.triangles.size(); ++face)
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(mesh.triangles[face][k], mesh.triangles[face][(k + 1) % 3]);
      halves.push_back({(std::uint64_t{low} << 32) | high, 3 * face + k});
    }
  std::sort(halves.begin(), halves.end());
  return halves;
}

/// Angle of a triangle at its corner k [rad].
double corner_angle(const TriangleMesh& mesh, std::uint32_t face, int k) {
  const auto& t = mesh.triangles[face];
  const Vec3& at = mesh.vertices[t[k]];
  const Vec3 u = mesh.vertices[t[(k + 1) % 3]] - at, v = mesh.vertices[t[(k + 2) % 3]] - at;
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

Vec3 unit_or_zero(const Vec3& v) {
  const double length = v.norm();
  return length > 0 ? Vec3(v / length) : Vec3(Vec3::Zero());
}

/// Slivers in a row that are followed to a face with an area.
constexpr int kSliversInARow = 8;

EdgeKind bend(const TriangleMesh& mesh, const std::array<std::uint32_t, 2>& ends, const std::array<std::uint32_t, 2>& faces,
              double flat_angle) {
  const Vec3 left = face_normal(mesh, faces[0]), right = face_normal(mesh, faces[1]);
  if (left.isZero(0) || right.isZero(0)) return EdgeKind::irregular;
  const Vec3 along = mesh.vertices[ends[1]] - mesh.vertices[ends[0]];
  const double sine = left.cross(right).norm();
  if (std::atan2(sine, left.dot(right)) < flat_angle) return EdgeKind::flat;
  // Walking along the edge with the outside above, the left face lies on the left: over a ridge, normals lean apart.
  return left.cross(right).dot(along) > 0 ? EdgeKind::convex : EdgeKind::concave;
}

}   // namespace

Vec3 face_normal(const TriangleMesh& mesh, std::size_t face) {
  const auto& t = mesh.triangles[face];
  const Vec3 u = mesh.vertices[t[1]] - mesh.vertices[t[0]], v = mesh.vertices[t[2]] - mesh.vertices[t[0]];
  const Vec3 normal = u.cross(v);
  if (!has_area(u, v, normal)) return Vec3::Zero();
  return normal / normal.norm();
}

Vec3 edge_normal(const TriangleMesh& mesh, const MeshEdges& edges, std::size_t edge) {
  Vec3 sum = Vec3::Zero();
  for (const std::uint32_t face : edges.faces(edge))
    if (face != MeshEdges::kNoFace) sum += face_normal(mesh, face);
  return unit_or_zero(sum);
}

MeshEdges::MeshEdges(const TriangleMesh& mesh, double flat_angle) : flat_angle_(flat_angle) {
  require_finite_triangles(mesh);
  find_edges(mesh);
  find_fans(mesh);
  update(mesh);
}

void MeshEdges::find_edges(const TriangleMesh& mesh) {
  const std::vector<HalfEdge> halves = sorted_half_edges(mesh);
  edges_of_face_.resize(mesh.triangles.size());
  vertices_.reserve(halves.size() / 2), faces_.reserve(halves.size() / 2);
  for (std::size_t i = 0; i < halves.size();) {
    const std::uint32_t half = halves[i].half, edge = static_cast<std::uint32_t>(vertices_.size());
    const auto& t = mesh.triangles[half / 3];
    vertices_.push_back({t[half % 3], t[(half % 3 + 1) % 3]});
    faces_.push_back({half / 3, kNoFace});
    bool crowded = vertices_.back()[0] == vertices_.back()[1];
    std::size_t end = i;
    for (; end < halves.size() && halves[end].key == halves[i].key; ++end) {
      edges_of_face_[halves[end].half / 3][halves[end].half % 3] = edge;
      if (end == i + 1) {
        const auto& other = mesh.triangles[halves[end].half / 3];
        faces_.back()[1] = halves[end].half / 3;
        crowded |= other[halves[end].half % 3] == vertices_.back()[0];
      }
    }
    crowded |= end - i > 2;
    crowded_.push_back(crowded);
    manifold_ &= end - i == 2 && !crowded;
    i = end;
  }
}

void MeshEdges::find_fans(const TriangleMesh& mesh) {
  first_around_.assign(mesh.vertices.size() + 1, 0);
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t vertex : t) ++first_around_[vertex + 1];
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) first_around_[v + 1] += first_around_[v];
  around_.resize(3 * mesh.triangles.size());
  std::vector<std::uint32_t> next(first_around_.begin(), first_around_.end() - 1);
  for (std::uint32_t face = 0; face < mesh.triangles.size(); ++face)
    for (const std::uint32_t vertex : mesh.triangles[face]) around_[next[vertex]++] = face;
  for (std::uint32_t v = 0; manifold_ && v < mesh.vertices.size(); ++v) manifold_ = one_fan(mesh, v);
}

/// @pre two opposite faces at every edge
bool MeshEdges::one_fan(const TriangleMesh& mesh, std::uint32_t vertex) const {
  const auto around = faces_of_vertex(vertex);
  if (around.empty()) return true;
  std::uint32_t face = around[0];
  for (std::size_t steps = 1; steps <= around.size(); ++steps) {
    const auto& t = mesh.triangles[face];
    const std::size_t corner = static_cast<std::size_t>(std::find(t.begin(), t.end(), vertex) - t.begin());
    const auto& sides = faces_[edges_of_face_[face][corner]];
    face = sides[0] == face ? sides[1] : sides[0];
    if (face == around[0]) return steps == around.size();
  }
  return false;
}

void MeshEdges::update(const TriangleMesh& mesh) {
  kinds_.resize(vertices_.size());
  for (std::size_t e = 0; e < vertices_.size(); ++e)
    kinds_[e] =
        crowded_[e] ? EdgeKind::irregular
        : faces_[e][1] == kNoFace
            ? EdgeKind::boundary
            : bend(mesh, vertices_[e], {face_continued(mesh, faces_[e][0]), face_continued(mesh, faces_[e][1])}, flat_angle_);
  vertex_normals_.assign(mesh.vertices.size(), Vec3::Zero());
  closed_ = manifold_;
  for (std::uint32_t face = 0; face < mesh.triangles.size(); ++face) {
    const Vec3 normal = face_normal(mesh, face);
    closed_ &= !normal.isZero(0);
    for (int k = 0; k < 3; ++k) vertex_normals_[mesh.triangles[face][k]] += corner_angle(mesh, face, k) * normal;
  }
  for (Vec3& normal : vertex_normals_) normal = unit_or_zero(normal);
}

// The longest side of a triangle without an area lies on the two others. Those border what it was cut from; the longest is the
// true edge there. A side without a length borders nothing, so the one of middle length counts.
std::uint32_t MeshEdges::face_continued(const TriangleMesh& mesh, std::uint32_t face) const {
  std::uint32_t at = face;
  for (int i = 0; i < kSliversInARow && face_normal(mesh, at).isZero(0); ++i) {
    std::array<std::pair<double, std::uint32_t>, 3> sides;
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t edge = edges_of_face_[at][k];
      sides[k] = {(mesh.vertices[vertices_[edge][1]] - mesh.vertices[vertices_[edge][0]]).squaredNorm(), edge};
    }
    std::sort(sides.begin(), sides.end());
    const auto& faces = faces_[sides[1].second];
    const std::uint32_t next = faces[0] == at ? faces[1] : faces[0];
    if (next == kNoFace) break;
    at = next;
  }
  return at;
}

std::size_t MeshEdges::count(EdgeKind kind) const {
  return static_cast<std::size_t>(std::count(kinds_.begin(), kinds_.end(), kind));
}

std::size_t MeshEdges::bytes() const {
  return vertices_.size() * (2 * sizeof(vertices_[0]) + 1) + vertices_.size() / 8 +
         edges_of_face_.size() * sizeof(edges_of_face_[0]) + (first_around_.size() + around_.size()) * 4 +
         vertex_normals_.size() * sizeof(Vec3);
}

}   // namespace stickslip
