#include "mesh/edges.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace stickslip {

Edges::Edges(const TriangleMesh& mesh) {
  // Counted into buckets by the lower vertex; a bucket holds a handful, whatever the size of the mesh.
  std::vector<std::size_t> bucket(mesh.vertices.size() + 1, 0);
  const auto each = [&](auto&& f) {
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto& corners = mesh.triangles[t];
      if (is_collapsed(corners)) continue;
      for (std::uint8_t k = 0; k < 3; ++k) {
        const std::uint32_t from = corners[k], to = corners[(k + 1) % 3];
        f(EdgeUse{std::min(from, to), std::max(from, to), t, k, from < to});
      }
    }
  };
  each([&](const EdgeUse& use) { ++bucket[use.low + 1]; });
  std::partial_sum(bucket.begin(), bucket.end(), bucket.begin());
  uses_.resize(bucket.back());
  std::vector<std::size_t> next(bucket.begin(), bucket.end() - 1);
  each([&](const EdgeUse& use) { uses_[next[use.low]++] = use; });
  for (std::size_t v = 0; v + 1 < bucket.size(); ++v)
    std::stable_sort(uses_.begin() + static_cast<std::ptrdiff_t>(bucket[v]),
                     uses_.begin() + static_cast<std::ptrdiff_t>(bucket[v + 1]),
                     [](const EdgeUse& a, const EdgeUse& b) { return a.high < b.high; });
  for (std::size_t i = 0; i < uses_.size(); ++i)
    if (i == 0 || uses_[i].low != uses_[i - 1].low || uses_[i].high != uses_[i - 1].high) starts_.push_back(i);
  starts_.push_back(uses_.size());
}

JoinedSets::JoinedSets(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0u); }

std::uint32_t JoinedSets::root(std::uint32_t i) {
  while (above_[i] != i) i = above_[i] = above_[above_[i]];
  return i;
}

void JoinedSets::join(std::uint32_t a, std::uint32_t b) {
  a = root(a), b = root(b);
  above_[std::max(a, b)] = std::min(a, b);
}

Pieces pieces_of(const TriangleMesh& mesh, const Edges& edges) {
  JoinedSets sets(mesh.triangles.size());
  for (std::size_t e = 0; e < edges.size(); ++e)
    for (const EdgeUse& use : edges[e]) sets.join(edges[e].front().triangle, use.triangle);
  Pieces pieces;
  pieces.of.resize(mesh.triangles.size());
  for (std::uint32_t t = 0; t < pieces.of.size(); ++t) {
    const std::uint32_t root = sets.root(t);
    pieces.of[t] = root == t ? pieces.count++ : pieces.of[root];
  }
  return pieces;
}

double winding(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const Vec3 x = a - p, y = b - p, z = c - p;
  const double u = x.norm(), v = y.norm(), w = z.norm();
  return std::atan2(x.dot(y.cross(z)), u * v * w + x.dot(y) * w + y.dot(z) * u + z.dot(x) * v) / (2 * std::numbers::pi);
}

}   // namespace stickslip
