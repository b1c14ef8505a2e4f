// Meshes that tests of trees, adjacency and fields share.
#pragma once

#include <cmath>
#include <numbers>
#include <random>

#include "geometry/triangle_meshes.h"

namespace stickslip::test_meshes {

/// Sphere around the origin by longitude and latitude: 2 m (n − 1) triangles, closed at the poles.
inline TriangleMesh sphere_mesh(double radius, int m, int n) {
  TriangleMesh mesh;
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(1 + (j - 1) * m + i % m); };
  mesh.vertices.push_back({0, 0, -radius});
  for (int j = 1; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const double u = 2 * std::numbers::pi * i / m, v = std::numbers::pi * j / n;
      mesh.vertices.push_back(radius * Vec3(std::sin(v) * std::cos(u), std::sin(v) * std::sin(u), -std::cos(v)));
    }
  mesh.vertices.push_back({0, 0, radius});
  const auto top = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  for (int i = 0; i < m; ++i) {
    mesh.triangles.push_back({0, at(i + 1, 1), at(i, 1)});
    for (int j = 1; j + 1 < n; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
    mesh.triangles.push_back({at(i, n - 1), at(i + 1, n - 1), top});
  }
  return mesh;
}

/// Triangles of random places and sizes; every fifth has no area, every seventh is there twice.
inline TriangleMesh random_soup(int count, double size, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
    const Vec3 center = size * vector();
    const double extent = size * std::pow(10.0, 1.5 * uniform(random) - 1.5);
    Vec3 corner[3] = {center + extent * vector(), center + extent * vector(), center + extent * vector()};
    if (i % 15 == 4) corner[2] = corner[0];
    if (i % 15 == 9) corner[2] = 0.5 * (corner[0] + corner[1]);
    if (i % 15 == 14) corner[2] = corner[1] = corner[0];
    for (const Vec3& x : corner) mesh.vertices.push_back(x);
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    if (i % 7 == 6) mesh.triangles.push_back(mesh.triangles.back());
  }
  return mesh;
}

}   // namespace stickslip::test_meshes
