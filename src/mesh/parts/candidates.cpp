#include "mesh/parts/candidates.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "geometry/qhull_facets.h"
#include "mesh/edges.h"

namespace stickslip {

namespace {

constexpr int kPlanesPerAxis = 7;
constexpr std::size_t kMostInwardEdges = 16;
constexpr int kExtremeDirections = 500;
constexpr std::size_t kMostHullPoints = 2000;   ///< of more points only the farthest are looked at
constexpr double kBeside = 1e-5,
                 kClear =
                     1e-7;   ///< shares of the size: how far beside a face a plane runs, and how far from every vertex it stays

/// Adds the plane with a nearby offset that keeps clear of all vertices, on the side asked for.
void add_clear_plane(const TriangleMesh& mesh, const Vec3& normal, double offset, double side, double size,
                     std::vector<CutPlane>& planes) {
  for (const double away : {1.0, 1.37, 1.73, 2.39, 3.1, 5.3}) {
    const double wanted = offset + side * away * kBeside * size;
    const bool is_clear = std::all_of(mesh.vertices.begin(), mesh.vertices.end(),
                                      [&](const Vec3& v) { return std::abs(normal.dot(v) - wanted) > kClear * size; });
    if (!is_clear) continue;
    planes.push_back({normal, wanted});
    return;
  }
}

void add_axis_planes(const TriangleMesh& mesh, const Vec3& axis, double size, std::vector<CutPlane>& planes) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& v : mesh.vertices) low = std::min(low, axis.dot(v)), high = std::max(high, axis.dot(v));
  for (int i = 1; i <= kPlanesPerAxis; ++i)
    add_clear_plane(mesh, axis, low + (high - low) * i / (kPlanesPerAxis + 1), 1, size, planes);
}

/// Faces at the edges that turn inwards most, by angle times length.
void add_inward_planes(const TriangleMesh& mesh, double size, std::vector<CutPlane>& planes) {
  const Edges edges(mesh);
  struct Inward {
    double weight;
    std::uint32_t triangle[2], vertex;
  };
  std::vector<Inward> inward;
  const auto normal_of = [&](std::uint32_t t) {
    const auto& [a, b, c] = mesh.triangles[t];
    return Vec3((mesh.vertices[b] - mesh.vertices[a]).cross(mesh.vertices[c] - mesh.vertices[a]).stableNormalized());
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].size() != 2) continue;
    const EdgeUse &s = edges[e][0], &t = edges[e][1];
    const Vec3 n = normal_of(s.triangle), m = normal_of(t.triangle);
    const Vec3& opposite = mesh.vertices[mesh.triangles[t.triangle][(t.side + 2) % 3]];
    const Vec3 along = mesh.vertices[s.high] - mesh.vertices[s.low];
    if (n.dot(opposite - mesh.vertices[s.low]) <= 1e-9 * size) continue;
    inward.push_back({std::atan2(n.cross(m).norm(), n.dot(m)) * along.norm(), {s.triangle, t.triangle}, s.low});
  }
  std::stable_sort(inward.begin(), inward.end(), [](const Inward& a, const Inward& b) { return a.weight > b.weight; });
  for (std::size_t i = 0; i < inward.size(); i += std::max<std::size_t>(1, inward.size() / kMostInwardEdges))
    for (const std::uint32_t t : inward[i].triangle)
      for (const double side : {1.0, -1.0}) {
        const Vec3 n = normal_of(t);
        if (n.norm() > 0.5) add_clear_plane(mesh, n, n.dot(mesh.vertices[inward[i].vertex]), side, size, planes);
      }
}

/// Of many points those that are farthest in nearly even directions (a golden-angle spiral).
std::vector<Vec3> farthest_points(const std::vector<Vec3>& points) {
  std::vector<Vec3> result;
  for (int i = 0; i < kExtremeDirections; ++i) {
    const double z = 1 - (2.0 * i + 1) / kExtremeDirections, r = std::sqrt(1 - z * z),
                 u = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const Vec3 direction(r * std::cos(u), r * std::sin(u), z);
    result.push_back(*std::max_element(points.begin(), points.end(),
                                       [&](const Vec3& a, const Vec3& b) { return direction.dot(a) < direction.dot(b); }));
  }
  return result;
}

/// 0 of points in a plane.
double hull_volume(std::vector<Vec3> points) {
  if (points.size() < 4) return 0;
  if (points.size() > kMostHullPoints) points = farthest_points(points);
  Aabb box;
  for (const Vec3& p : points) box.lower = box.lower.cwiseMin(p), box.upper = box.upper.cwiseMax(p);
  const double size = (box.upper - box.lower).maxCoeff();
  if (!(size > 0)) return 0;
  for (Vec3& p : points) p = (p - (box.lower + box.upper) / 2) / size;
  const QhullFacets found = qhull_facets(points);
  if (!found.failure.empty()) return 0;
  std::vector<int> first(static_cast<std::size_t>(found.facet_count), -1);
  double six = 0;
  for (const DirectedEdge& e : found.edges) {
    int& base = first[static_cast<std::size_t>(e.facet)];
    if (base < 0) base = e.from;
    six += points[base].dot(points[e.from].cross(points[e.to]));
  }
  return std::abs(six) / 6 * size * size * size;
}

}   // namespace

std::vector<CutPlane> candidate_planes(const TriangleMesh& mesh) {
  const Aabb box = bounding_box(mesh);
  const double size = (box.upper - box.lower).norm();
  std::vector<CutPlane> planes;
  for (int k = 0; k < 3; ++k) add_axis_planes(mesh, Vec3::Unit(k), size, planes);
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(mass_properties(mesh, 1).inertia);
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = principal.eigenvectors().col(k);
    if (axis.cwiseAbs().maxCoeff() < 0.999) add_axis_planes(mesh, axis, size, planes);
  }
  add_inward_planes(mesh, size, planes);
  return planes;
}

HullVolumes hull_volumes_after(const TriangleMesh& mesh, const CutPlane& plane) {
  std::vector<double> height;
  for (const Vec3& v : mesh.vertices) height.push_back(plane.normal.dot(v) - plane.offset);
  JoinedSets sets(mesh.vertices.size());
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k)
      if ((height[t[k]] > 0) == (height[t[(k + 1) % 3]] > 0)) sets.join(t[k], t[(k + 1) % 3]);
  std::map<std::uint32_t, std::vector<Vec3>> pieces;
  for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v) pieces[sets.root(v)].push_back(mesh.vertices[v]);
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      if (a > b || (height[a] > 0) == (height[b] > 0)) continue;
      const Vec3 p = mesh.vertices[a] + height[a] / (height[a] - height[b]) * (mesh.vertices[b] - mesh.vertices[a]);
      pieces[sets.root(a)].push_back(p), pieces[sets.root(b)].push_back(p);
    }
  HullVolumes volumes;
  for (auto& [root, points] : pieces) (height[root] > 0 ? volumes.above : volumes.below) += hull_volume(std::move(points));
  return volumes;
}

}   // namespace stickslip
