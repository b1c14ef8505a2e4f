#include "stickslip/geometry/mesh_solid.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

// Cosine from which on two faces count as square to each other.
constexpr double kSquare = 1e-6;

/// Triangles belong to one facet if their normals differ by less than this from the first one's [rad], and their corners lie in
/// its plane to this part of the mesh's size: single precision of files.
constexpr double kFacetBend = 1e-3, kFacetPlane = 3e-6;

/// Part of the surface that may be thinner than what counts as its thickness.
constexpr double kThinPart = 0.1;
/// Triangles that the thickness is measured at, at most.
constexpr std::size_t kThicknessSamples = 2000;

class Mixer {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

TriangleMesh checked_surface(TriangleMesh mesh) {
  validate(mesh);
  if (mesh.triangles.empty()) throw Error("The mesh has no triangles. A shape needs a surface.");
  const auto has_area = [&](const std::array<std::uint32_t, 3>& t) {
    const Vec3& a = mesh.vertices[t[0]];
    return !(mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).isZero(0);
  };
  if (std::none_of(mesh.triangles.begin(), mesh.triangles.end(), has_area))
    throw Error(
        fmt::format("None of the {} triangles of the mesh has an area. A shape needs a surface.", mesh.triangles.size()));
  mesh.vertices.shrink_to_fit();   // what a reader or maker took in reserve
  mesh.triangles.shrink_to_fit();
  return mesh;
}

/// Grows one facet from a triangle over its neighbours.
class FacetGrower {
 public:
  FacetGrower(const MeshSurface& surface, std::vector<std::uint32_t>& facet_of, double size)
      : surface_(surface), facet_of_(facet_of), flat_(kFacetPlane * size) {}

  MeshFacet grow(std::uint32_t first, std::uint32_t number) {
    const TriangleMesh& mesh = surface_.mesh();
    const Vec3 normal = face_normal(mesh, first);
    const Vec3 origin = mesh.vertices[mesh.triangles[first][0]];
    Vec3 area = Vec3::Zero();
    waiting_.assign(1, first);
    facet_of_[first] = number;
    while (!waiting_.empty()) {
      const std::uint32_t triangle = waiting_.back();
      waiting_.pop_back();
      const auto& t = mesh.triangles[triangle];
      area += (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]);
      for (const std::uint32_t edge : surface_.edges().edges_of_face(triangle)) {
        if (surface_.edges().kind(edge) != EdgeKind::flat) continue;
        const auto& faces = surface_.edges().faces(edge);
        const std::uint32_t other = faces[0] == triangle ? faces[1] : faces[0];
        if (facet_of_[other] != MeshEdges::kNoFace || !lies_in(other, normal, origin)) continue;
        facet_of_[other] = number;
        waiting_.push_back(other);
      }
    }
    const double length = area.norm();
    MeshFacet facet;
    if (!normal.isZero(0) && length > 0) facet.normal = area / length;
    facet.offset = facet.normal.dot(origin);
    return facet;
  }

 private:
  bool lies_in(std::uint32_t triangle, const Vec3& normal, const Vec3& origin) const {
    if (face_normal(surface_.mesh(), triangle).cross(normal).norm() > kFacetBend) return false;
    const auto& t = surface_.mesh().triangles[triangle];
    return std::all_of(t.begin(), t.end(),
                       [&](std::uint32_t v) { return std::abs(normal.dot(surface_.mesh().vertices[v] - origin)) <= flat_; });
  }

  const MeshSurface& surface_;
  std::vector<std::uint32_t>& facet_of_;
  double flat_;
  std::vector<std::uint32_t> waiting_;
};

/// How far it is straight through the solid, for all but the thinnest part of the surface [m].
double thickness_of(const MeshSurface& surface) {
  struct Sample {
    double through, area;
  };
  const TriangleMesh& mesh = surface.mesh();
  const double diagonal = (surface.tree().bounds().upper - surface.tree().bounds().lower).norm();
  std::vector<Sample> samples;
  double total = 0;
  const std::size_t stride = std::max<std::size_t>(1, mesh.triangles.size() / kThicknessSamples);
  for (std::size_t i = 0; i < mesh.triangles.size(); i += stride) {
    const auto& t = mesh.triangles[i];
    const Vec3 normal = face_normal(mesh, i);
    if (normal.isZero(0)) continue;
    const Vec3 middle = (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3;
    const double skin = 1e-6 * diagonal;
    const auto hit = first_hit(mesh, surface.tree(), middle - skin * normal, -normal, diagonal);
    if (!hit) continue;
    const double area = (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm();
    samples.push_back({hit->t + skin, area});
    total += area;
  }
  if (samples.empty()) return diagonal;
  std::sort(samples.begin(), samples.end(), [](const Sample& x, const Sample& y) { return x.through < y.through; });
  double left = kThinPart * total;
  for (const Sample& s : samples) {
    left -= s.area;
    if (left < 0) return s.through;
  }
  return samples.back().through;
}

}   // namespace

std::uint64_t checksum_of(const TriangleMesh& mesh) {
  Mixer mixer;
  mixer.add(mesh.vertices.size());
  for (const Vec3& v : mesh.vertices)
    for (const double x : v) mixer.add(std::bit_cast<std::uint64_t>(x + 0.0));
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t i : t) mixer.add(i);
  return mixer.value();
}

std::string checksum_text(std::uint64_t checksum) { return fmt::format("{:016x}", checksum); }

MeshSolid::MeshSolid(TriangleMesh mesh, std::string name, MeshLook look)
    : surface_(checked_surface(std::move(mesh))), name_(std::move(name)), look_(std::move(look)) {
  validate(look_, this->mesh().triangles.size());
  checksum_ = checksum_of(this->mesh());
  find_facets();
  measure();
}

void MeshSolid::find_facets() {
  const MeshEdges& edges = surface_.edges();
  const Aabb& box = surface_.tree().bounds();
  facet_of_.assign(mesh().triangles.size(), MeshEdges::kNoFace);
  FacetGrower grower(surface_, facet_of_, (box.upper - box.lower).norm());
  // What has no area has no plane to grow in: it comes last, if no facet has taken it.
  for (const bool slivers : {false, true})
    for (std::uint32_t triangle = 0; triangle < facet_of_.size(); ++triangle)
      if (facet_of_[triangle] == MeshEdges::kNoFace && (slivers || !face_normal(mesh(), triangle).isZero(0)))
        facets_.push_back(grower.grow(triangle, static_cast<std::uint32_t>(facets_.size())));
  facets_.shrink_to_fit();
  active_edges_.resize(edges.size());
  active_vertices_.assign(mesh().vertices.size(), false);
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    const auto& [left, right] = edges.faces(edge);
    active_edges_[edge] = edges.active(edge) &&
                          (right == MeshEdges::kNoFace || left == MeshEdges::kNoFace || facet_of_[left] != facet_of_[right]);
    if (active_edges_[edge])
      for (const std::uint32_t v : edges.vertices(edge)) active_vertices_[v] = true;
  }
  find_owned();
}

void MeshSolid::find_owned() {
  const MeshEdges& edges = surface_.edges();
  std::vector<bool> sharp(mesh().vertices.size(), false);
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    if (!active_edges_[edge]) continue;
    const auto& [left, right] = edges.faces(edge);
    const bool is_sharp = edges.kind(edge) == EdgeKind::irregular ||
                          (left != MeshEdges::kNoFace && right != MeshEdges::kNoFace &&
                           facets_[facet_of_[left]].normal.dot(facets_[facet_of_[right]].normal) < -kSquare);
    if (is_sharp)
      for (const std::uint32_t v : edges.vertices(edge)) sharp[v] = true;
  }
  owned_.assign(mesh().triangles.size(), 0);
  for (std::uint32_t triangle = 0; triangle < owned_.size(); ++triangle)
    for (int k = 0; k < 3; ++k) {
      if (sharp[mesh().triangles[triangle][k]]) owned_[triangle] |= kSharp;
      const std::uint32_t vertex = mesh().triangles[triangle][k], edge = edges.edges_of_face(triangle)[k];
      if (active_vertices_[vertex] && edges.faces_of_vertex(vertex).front() == triangle) owned_[triangle] |= 1 << k;
      if (active_edges_[edge] && edges.faces(edge)[0] == triangle) owned_[triangle] |= 8 << k;
    }
}

void MeshSolid::measure() {
  for (const auto& t : mesh().triangles)
    for (const std::uint32_t v : t) radius_ = std::max(radius_, mesh().vertices[v].norm());
  if (!is_closed(mesh()) || !(volume(mesh()) > 0)) return;
  solid_ = mass_properties(mesh(), 1);
  thickness_ = thickness_of(surface_);
}

std::size_t MeshSolid::bytes() const {
  return surface_.bytes() + facets_.capacity() * sizeof(MeshFacet) + facet_of_.capacity() * sizeof(std::uint32_t) +
         owned_.capacity() + (active_edges_.capacity() + active_vertices_.capacity()) / 8;
}

Mesh make_mesh(TriangleMesh mesh, std::string name, MeshLook look) {
  return {std::make_shared<const MeshSolid>(std::move(mesh), std::move(name), std::move(look))};
}

}   // namespace stickslip
