#include "stickslip/geometry/tet_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// The four sides of a tetrahedron of positive volume, each counter-clockwise seen from outside.
constexpr int kTetSides[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

struct TetSide {
  std::array<std::uint32_t, 3> sorted, corners;
  std::uint32_t tetrahedron;
};

}   // namespace

double tet_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) { return (b - a).dot((c - a).cross(d - a)) / 6; }

double volume(const TetMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.tetrahedra)
    sum += tet_volume(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]);
  return sum;
}

TetBoundary boundary(std::span<const std::array<std::uint32_t, 4>> tetrahedra) {
  std::vector<TetSide> sides;
  sides.reserve(4 * tetrahedra.size());
  for (std::size_t t = 0; t < tetrahedra.size(); ++t)
    for (const auto& side : kTetSides) {
      TetSide s{{}, {}, static_cast<std::uint32_t>(t)};
      for (int k = 0; k < 3; ++k) s.corners[k] = tetrahedra[t][side[k]];
      s.sorted = s.corners;
      std::sort(s.sorted.begin(), s.sorted.end());
      sides.push_back(s);
    }
  std::sort(sides.begin(), sides.end(), [](const TetSide& a, const TetSide& b) {
    return a.sorted != b.sorted ? a.sorted < b.sorted : a.tetrahedron < b.tetrahedron;
  });
  std::vector<TetSide> outer;
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].sorted == sides[i].sorted) ++end;
    if (end == i + 1) outer.push_back(sides[i]);
    i = end;
  }
  std::stable_sort(outer.begin(), outer.end(),
                   [](const TetSide& a, const TetSide& b) { return a.tetrahedron < b.tetrahedron; });
  TetBoundary result;
  for (const TetSide& s : outer) result.triangles.push_back(s.corners), result.tetrahedron.push_back(s.tetrahedron);
  return result;
}

TetSurface surface(const TetMesh& mesh) {
  TetBoundary outer = boundary(mesh.tetrahedra);
  TetSurface result;
  std::vector<std::uint32_t> own(mesh.vertices.size(), 0);
  for (const auto& triangle : outer.triangles)
    for (const std::uint32_t v : triangle) own[v] = 1;
  for (std::uint32_t v = 0; v < own.size(); ++v)
    if (own[v]) {
      own[v] = static_cast<std::uint32_t>(result.tet_vertex.size());
      result.tet_vertex.push_back(v);
      result.mesh.vertices.push_back(mesh.vertices[v]);
    }
  for (const auto& t : outer.triangles) result.mesh.triangles.push_back({own[t[0]], own[t[1]], own[t[2]]});
  result.tetrahedron = std::move(outer.tetrahedron);
  return result;
}

TetQuality quality(const TetMesh& mesh) {
  TetQuality q{std::numbers::pi, 0, std::numeric_limits<double>::infinity(), 0};
  for (const auto& t : mesh.tetrahedra) {
    const Vec3 p[4] = {mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]};
    const double v = tet_volume(p[0], p[1], p[2], p[3]);
    q.smallest_volume = std::min(q.smallest_volume, v), q.largest_volume = std::max(q.largest_volume, v);
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j) {
        const int k = i == 0 ? (j == 1 ? 2 : 1) : 0, l = 6 - i - j - k;
        const Vec3 along = (p[j] - p[i]).normalized();
        const Vec3 a = (p[k] - p[i]) - along.dot(p[k] - p[i]) * along, b = (p[l] - p[i]) - along.dot(p[l] - p[i]) * along;
        const double angle = std::atan2(a.cross(b).norm(), a.dot(b));
        q.smallest_angle = std::min(q.smallest_angle, angle), q.largest_angle = std::max(q.largest_angle, angle);
      }
  }
  return q;
}

void validate(const TetMesh& mesh) {
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vec3& p = mesh.vertices[v];
    if (!p.allFinite())
      throw Error(fmt::format("({}, {}, {}) is not a point. Coordinates must be finite.", p.x(), p.y(), p.z()))
          .at(std::to_string(v))
          .at("vertices");
  }
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    const auto place = [&](Error&& e) { return e.at(std::to_string(t)).at("tetrahedra"); };
    for (const std::uint32_t v : mesh.tetrahedra[t])
      if (v >= mesh.vertices.size())
        throw place(Error(fmt::format("There is no vertex {}: there are {}, counted from 0.", v, mesh.vertices.size())));
    const auto& [a, b, c, d] = mesh.tetrahedra[t];
    const double v = tet_volume(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c], mesh.vertices[d]);
    if (!(v > 0))
      throw place(Error(fmt::format(
          "The tetrahedron has the volume {} m³. It must be greater than 0; swap two of its vertices if it is negative.", v)));
  }
}

}   // namespace stickslip
