#include "mesh/health/intersections.h"

#include <algorithm>

#include "mesh/face_tree.h"
#include "mesh/health/predicates.h"
#include "mesh/weld.h"

namespace stickslip {

namespace {

constexpr std::uint64_t kPairsPerTriangle = 500, kPairsAtLeast = 10'000'000;
constexpr double kThinnest = 1e-12;

/// Which triangles are none that could cut another; a hundred thousand of them at one place would all be pairs.
std::vector<bool> without_area(const TriangleMesh& mesh) {
  std::vector<bool> flat(mesh.triangles.size());
  for (std::size_t t = 0; t < flat.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    flat[t] = is_degenerate(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
  }
  return flat;
}

class IntersectionSearch {
 public:
  IntersectionSearch(const TriangleMesh& mesh, std::size_t limit)
      : mesh_(mesh),
        tree_(mesh, without_area(mesh)),
        place_(first_at_place(mesh.vertices, 0)),
        limit_(limit),
        most_tests_(std::max(kPairsAtLeast, kPairsPerTriangle * mesh.triangles.size())) {}

  Intersections run() {
    const auto& nodes = tree_.nodes();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
    if (!nodes.empty()) stack.emplace_back(0, 0);
    while (!stack.empty() && found_.complete) {
      const auto [i, j] = stack.back();
      stack.pop_back();
      const FaceTree::Node &a = nodes[i], &b = nodes[j];
      if (i == j) {
        if (a.count > 0) test_leaves(a, a, true);
        else stack.insert(stack.end(), {{a.first, a.first}, {a.first + 1, a.first + 1}, {a.first, a.first + 1}});
        continue;
      }
      if (!(a.lower.array() <= b.upper.array()).all() || !(b.lower.array() <= a.upper.array()).all()) continue;
      if (a.count > 0 && b.count > 0) test_leaves(a, b, false);
      else if (b.count > 0 || (a.count == 0 && (a.upper - a.lower).squaredNorm() > (b.upper - b.lower).squaredNorm()))
        stack.insert(stack.end(), {{a.first, j}, {a.first + 1, j}});
      else stack.insert(stack.end(), {{i, b.first}, {i, b.first + 1}});
    }
    std::sort(found_.pairs.begin(), found_.pairs.end());
    return std::move(found_);
  }

 private:
  void test_leaves(const FaceTree::Node& a, const FaceTree::Node& b, bool same) {
    for (std::uint32_t x = a.first; x < a.first + a.count; ++x)
      for (std::uint32_t y = same ? x + 1 : b.first; y < b.first + b.count; ++y) {
        const std::uint32_t s = tree_.order()[x], t = tree_.order()[y];
        if (!meet(s, t)) continue;
        if (found_.pairs.size() >= limit_) {
          found_.complete = false;
          return;
        }
        found_.pairs.emplace_back(std::min(s, t), std::max(s, t));
      }
    if (tests_ > most_tests_) found_.complete = false;
  }

  bool meet(std::uint32_t s, std::uint32_t t) {
    Vec3 a[3], b[3];
    for (int k = 0; k < 3; ++k) a[k] = mesh_.vertices[mesh_.triangles[s][k]], b[k] = mesh_.vertices[mesh_.triangles[t][k]];
    for (int k = 0; k < 3; ++k) {
      const auto [al, ah] = std::minmax({a[0][k], a[1][k], a[2][k]});
      const auto [bl, bh] = std::minmax({b[0][k], b[1][k], b[2][k]});
      if (al > bh || bl > ah) return false;
    }
    ++tests_;
    int shared = 0, own_a[3], own_b[3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (place_[mesh_.triangles[s][i]] == place_[mesh_.triangles[t][j]]) own_a[shared] = i, own_b[shared] = j, ++shared;
    if (shared >= 3) return false;
    if (shared == 0) return triangles_meet(a, b);
    if (shared == 2) return is_folded(a[own_a[0]], a[own_a[1]], a[3 - own_a[0] - own_a[1]], b[3 - own_b[0] - own_b[1]]);
    const int i = own_a[0], j = own_b[0];
    return triangles_meet_beyond_corner({a[i], a[(i + 1) % 3], a[(i + 2) % 3]}, {b[j], b[(j + 1) % 3], b[(j + 2) % 3]});
  }

  const TriangleMesh& mesh_;
  FaceTree tree_;
  std::vector<std::uint32_t> place_;
  std::size_t limit_;
  std::uint64_t most_tests_, tests_ = 0;
  Intersections found_;
};

}   // namespace

bool is_degenerate(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return !((b - a).cross(c - a).norm() > kThinnest * longest);
}

Intersections find_intersections(const TriangleMesh& mesh, std::size_t limit) { return IntersectionSearch(mesh, limit).run(); }

}   // namespace stickslip
