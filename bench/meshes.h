// A closed surface of any number of triangles, with bumps so that nothing about it is regular.
#pragma once

#include <cmath>
#include <numbers>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip::bench {

/// A torus of about 1 m with waves on it; nearly `count` triangles.
inline TriangleMesh bumpy_torus(int count) {
  const int n = static_cast<int>(std::sqrt(count / 4.0)), m = 2 * n;
  TriangleMesh mesh;
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>((i % m) * n + j % n); };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const double u = 2 * std::numbers::pi * i / m, v = 2 * std::numbers::pi * j / n;
      const double tube = 0.35 + 0.03 * std::sin(9 * u) * std::cos(5 * v), r = 1 + tube * std::cos(v);
      mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), tube * std::sin(v)});
    }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

}   // namespace stickslip::bench
