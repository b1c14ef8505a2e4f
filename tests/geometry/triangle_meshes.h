// Meshes made by formulas, for tests. All are closed and outward unless their names say otherwise.
#pragma once

#include <cmath>
#include <numbers>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// Adds two triangles for a quadrilateral that goes round counter-clockwise seen from outside.
inline void add_quad(TriangleMesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  mesh.triangles.push_back({a, b, c});
  mesh.triangles.push_back({a, c, d});
}

inline TriangleMesh box_mesh(const Vec3& half, const Vec3& middle = Vec3::Zero()) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(middle + half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  add_quad(mesh, 0, 2, 3, 1), add_quad(mesh, 4, 5, 7, 6);
  add_quad(mesh, 0, 1, 5, 4), add_quad(mesh, 2, 6, 7, 3);
  add_quad(mesh, 0, 4, 6, 2), add_quad(mesh, 1, 3, 7, 5);
  return mesh;
}

/// A surface that is closed in both directions: point(i, j) with i of `around`, j of `along`.
template <class Point>
TriangleMesh doubly_closed_mesh(int around, int along, Point point) {
  TriangleMesh mesh;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < along; ++j) mesh.vertices.push_back(point(i, j));
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i % around * along + j % along); };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < along; ++j) add_quad(mesh, at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
  return mesh;
}

/// Torus around z: ring radius R, tube radius r.
inline TriangleMesh torus_mesh(double R, double r, int around, int along) {
  return doubly_closed_mesh(around, along, [=](int i, int j) {
    const double u = 2 * std::numbers::pi * i / around, v = 2 * std::numbers::pi * j / along;
    return Vec3((R + r * std::cos(v)) * std::cos(u), (R + r * std::cos(v)) * std::sin(u), r * std::sin(v));
  });
}

/// Surface of revolution around z of a profile (radius, z) from bottom to top; poles at its first and last height are added.
inline TriangleMesh revolved_mesh(const std::vector<Vec2>& profile, double bottom, double top, int around) {
  TriangleMesh mesh;
  const auto rings = static_cast<std::uint32_t>(profile.size()), n = static_cast<std::uint32_t>(around);
  for (const Vec2& p : profile)
    for (int i = 0; i < around; ++i) {
      const double u = 2 * std::numbers::pi * i / around;
      mesh.vertices.push_back({p.x() * std::cos(u), p.x() * std::sin(u), p.y()});
    }
  mesh.vertices.push_back({0, 0, bottom});
  mesh.vertices.push_back({0, 0, top});
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    mesh.triangles.push_back({rings * n, next, i});
    mesh.triangles.push_back({rings * n + 1, (rings - 1) * n + i, (rings - 1) * n + next});
    for (std::uint32_t k = 0; k + 1 < rings; ++k) add_quad(mesh, k * n + i, k * n + next, (k + 1) * n + next, (k + 1) * n + i);
  }
  return mesh;
}

inline TriangleMesh sphere_mesh(double radius, int around) {
  std::vector<Vec2> profile;
  for (int k = 1; k < around / 2; ++k) {
    const double v = 2 * std::numbers::pi * k / around;
    profile.push_back({radius * std::sin(v), -radius * std::cos(v)});
  }
  return revolved_mesh(profile, -radius, radius, around);
}

inline TriangleMesh capsule_mesh(double radius, double half_height, int around) {
  std::vector<Vec2> profile;
  const int quarter = around / 4;
  for (int k = 1; k <= quarter; ++k)
    profile.push_back({radius * std::sin(std::numbers::pi / 2 * k / quarter),
                       -half_height - radius * std::cos(std::numbers::pi / 2 * k / quarter)});
  for (int k = quarter; k >= 1; --k) profile.push_back({profile[k - 1].x(), -profile[k - 1].y()});
  return revolved_mesh(profile, -half_height - radius, half_height + radius, around);
}

/// A prism along z over a polygon (counter-clockwise) with the triangles of its caps.
inline TriangleMesh prism_mesh(const std::vector<Vec2>& outline, const std::vector<std::array<std::uint32_t, 3>>& cap,
                               double height) {
  TriangleMesh mesh;
  const auto n = static_cast<std::uint32_t>(outline.size());
  for (const double z : {0.0, height})
    for (const Vec2& p : outline) mesh.vertices.push_back({p.x(), p.y(), z});
  for (std::uint32_t i = 0; i < n; ++i) add_quad(mesh, i, (i + 1) % n, n + (i + 1) % n, n + i);
  for (const auto& [a, b, c] : cap) mesh.triangles.push_back({a, c, b}), mesh.triangles.push_back({n + a, n + b, n + c});
  return mesh;
}

/// An L of arms 2 × 1 and 1 × 1, 1 high: volume 3.
inline TriangleMesh l_mesh() {
  return prism_mesh({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}, 1);
}

/// A plus sign of five unit squares, 1 high: volume 5.
inline TriangleMesh cross_mesh() {
  return prism_mesh(
      {{-0.5, -1.5},
       {0.5, -1.5},
       {0.5, -0.5},
       {1.5, -0.5},
       {1.5, 0.5},
       {0.5, 0.5},
       {0.5, 1.5},
       {-0.5, 1.5},
       {-0.5, 0.5},
       {-1.5, 0.5},
       {-1.5, -0.5},
       {-0.5, -0.5}},
      {{0, 1, 2}, {0, 2, 11}, {2, 3, 4}, {2, 4, 5}, {5, 6, 7}, {5, 7, 8}, {8, 9, 10}, {8, 10, 11}, {2, 5, 8}, {2, 8, 11}}, 1);
}

inline TriangleMesh placed(TriangleMesh mesh, const Pose& pose) {
  for (Vec3& v : mesh.vertices) v = pose * v;
  return mesh;
}

/// Both, side by side or through each other.
inline TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto first = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

inline TriangleMesh turned_inside_out(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

}   // namespace stickslip
