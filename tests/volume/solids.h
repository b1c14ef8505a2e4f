// Closed meshes made by formulas.
#pragma once

#include <cmath>
#include <functional>

#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::volume_test {

/// The surface of the cube of half side 1, n squares along each side, moved by a map that keeps it closed: 12 n² triangles.
inline Mesh cube_like_mesh(int n, const std::function<Vec3(const Vec3&)>& move) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, std::uint32_t> known;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [place, is_new] = known.emplace(at, static_cast<std::uint32_t>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back(move(Vec3(2.0 * at[0] / n - 1, 2.0 * at[1] / n - 1, 2.0 * at[2] / n - 1)));
    return place->second;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {0, n})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto corner = [&](int di, int dj) {
            std::array<int, 3> at;
            at[axis] = side, at[(axis + 1) % 3] = i + di, at[(axis + 2) % 3] = j + dj;
            return vertex(at);
          };
          const std::uint32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (side == 0) mesh.triangles.push_back({a, c, b}), mesh.triangles.push_back({a, d, c});
          else mesh.triangles.push_back({a, b, c}), mesh.triangles.push_back({a, c, d});
        }
  return make_mesh(std::move(mesh));
}

inline Mesh box_mesh(const Vec3& half, int n = 1) {
  return cube_like_mesh(n, [=](const Vec3& x) { return Vec3(x.cwiseProduct(half)); });
}
inline Mesh ball_mesh(double radius, int n) {
  return cube_like_mesh(n, [=](const Vec3& x) { return Vec3(radius * x.normalized()); });
}
/// A cube of half side 1 with bumps.
inline Mesh bumpy_cube_mesh(int n, double height = 0.02) {
  return cube_like_mesh(n, [=](const Vec3& x) {
    return Vec3(x * (1 + height * std::sin(9 * x.x()) * std::sin(11 * x.y()) * std::cos(10 * x.z())));
  });
}

/// A prism along z over a simple polygon with the triangles of its caps.
inline Mesh prism_solid(const std::vector<Vec2>& outline, const std::vector<std::array<std::uint32_t, 3>>& cap, double low,
                        double high) {
  TriangleMesh mesh;
  const auto n = static_cast<std::uint32_t>(outline.size());
  for (const double z : {low, high})
    for (const Vec2& p : outline) mesh.vertices.push_back({p.x(), p.y(), z});
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    mesh.triangles.push_back({i, next, n + next}), mesh.triangles.push_back({i, n + next, n + i});
  }
  for (const auto& [a, b, c] : cap) mesh.triangles.push_back({a, c, b}), mesh.triangles.push_back({n + a, n + b, n + c});
  return make_mesh(std::move(mesh));
}

}   // namespace stickslip::volume_test
