#include "stickslip/mesh/mesh_distance.h"

#include <cmath>
#include <unordered_map>

#include "mesh/edges.h"
#include "mesh/triangle_tree.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// The nearest point of a triangle and what it lies on: 0, 1, 2 a corner, 3, 4, 5 the side after that corner, 6 the face.
struct NearestOnTriangle {
  Vec3 point;
  int feature;
};

NearestOnTriangle nearest(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d1 <= 0 && d2 <= 0) return {a, 0};
  if (d3 >= 0 && d4 <= d3) return {b, 1};
  if (d6 >= 0 && d5 <= d6) return {c, 2};
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + ab * (d1 / (d1 - d3)), 3};
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + ac * (d2 / (d2 - d6)), 5};
  if (va <= 0 && d4 >= d3 && d5 >= d6) return {b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), 4};
  const double sum = va + vb + vc;
  return {a + ab * (vb / sum) + ac * (vc / sum), 6};
}

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

double squared_distance(const Vec3& p, const TriangleTree::Node& node) {
  return (node.lower - p).cwiseMax(p - node.upper).cwiseMax(0.0).squaredNorm();
}

}   // namespace

struct MeshDistance::Impl {
  TriangleMesh mesh;
  TriangleTree tree;
  std::vector<Vec3> corner_normal;                ///< per vertex, weighted by angles; not of length 1
  std::vector<std::array<Vec3, 3>> side_normal;   ///< per triangle and side: sum of the normals of both triangles

  explicit Impl(const TriangleMesh& given)
      : mesh(given), tree(mesh), corner_normal(mesh.vertices.size(), Vec3::Zero()), side_normal(mesh.triangles.size()) {
    for (const auto& t : mesh.triangles) {
      const Vec3 n = face_normal(t);
      for (int k = 0; k < 3; ++k) {
        const Vec3& at = mesh.vertices[t[k]];
        corner_normal[t[k]] += angle_between(mesh.vertices[t[(k + 1) % 3]] - at, mesh.vertices[t[(k + 2) % 3]] - at) * n;
      }
    }
    const Edges edges(mesh);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      Vec3 sum = Vec3::Zero();
      for (const EdgeUse& use : edges[e]) sum += face_normal(mesh.triangles[use.triangle]);
      for (const EdgeUse& use : edges[e]) side_normal[use.triangle][use.side] = sum;
    }
  }

  Vec3 face_normal(const std::array<std::uint32_t, 3>& t) const {
    const Vec3& a = mesh.vertices[t[0]];
    return (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).stableNormalized();
  }

  double signed_distance(const Vec3& p) const {
    double least = std::numeric_limits<double>::infinity();
    NearestOnTriangle best{};
    std::uint32_t at = 0;
    std::pair<std::uint32_t, double> stack[64];
    int depth = 0;
    stack[depth++] = {0, squared_distance(p, tree.nodes()[0])};
    while (depth > 0) {
      const auto [i, away] = stack[--depth];
      if (away >= least) continue;
      const TriangleTree::Node& node = tree.nodes()[i];
      if (node.count == 0) {
        const double left = squared_distance(p, tree.nodes()[node.first]),
                     right = squared_distance(p, tree.nodes()[node.first + 1]);
        const bool left_first = left <= right;
        stack[depth++] = {node.first + left_first, left_first ? right : left};
        stack[depth++] = {node.first + !left_first, left_first ? left : right};
        continue;
      }
      for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
        const auto& t = mesh.triangles[tree.order()[k]];
        const NearestOnTriangle found = nearest(p, mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
        if (const double squared = (p - found.point).squaredNorm(); squared < least)
          least = squared, best = found, at = tree.order()[k];
      }
    }
    const auto& t = mesh.triangles[at];
    const Vec3 normal = best.feature < 3   ? corner_normal[t[best.feature]]
                        : best.feature < 6 ? side_normal[at][best.feature - 3]
                                           : face_normal(t);
    return normal.dot(p - best.point) < 0 ? -std::sqrt(least) : std::sqrt(least);
  }
};

MeshDistance::MeshDistance(const TriangleMesh& mesh) {
  validate(mesh);
  if (mesh.triangles.empty() || !is_closed(mesh))
    throw Error("The mesh is not closed, so it has no inside. Close it: `stickslip mesh check` shows where it is open.");
  TriangleMesh solid = mesh;
  std::erase_if(solid.triangles, [](const auto& t) { return is_collapsed(t); });
  impl_ = std::make_shared<const Impl>(solid);
}

double MeshDistance::operator()(const Vec3& p) const { return impl_->signed_distance(p); }

}   // namespace stickslip
