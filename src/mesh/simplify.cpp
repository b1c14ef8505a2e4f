#include "stickslip/mesh/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "mesh/edges.h"
#include "mesh/weld.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kRimWeight = 1000;   ///< of the planes that hold a rim, relative to those of triangles
constexpr double kLeastTurn = 0.2;    ///< cosine between the normals of a triangle before and after

/// Σ w (n · x − d)² = xᵀAx − 2 bᵀx + c, with the sum of the weights.
struct Quadric {
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  double c = 0, weight = 0;

  void add_plane(const Vec3& n, double d, double w) { A += w * n * n.transpose(), b += w * d * n, c += w * d * d, weight += w; }
  void add(const Quadric& o) { A += o.A, b += o.b, c += o.c, weight += o.weight; }
  double at(const Vec3& x) const { return std::max(x.dot(A * x) - 2 * b.dot(x) + c, 0.0); }
};

class Simplifier {
 public:
  Simplifier(const TriangleMesh& given, const SimplifyOptions& options) : options_(options), mesh_(given) {
    std::erase_if(mesh_.triangles, [](const auto& t) { return is_collapsed(t); });
    const Aabb box = bounding_box(mesh_);
    size_ = mesh_.vertices.empty() ? 1 : std::max((box.upper - box.lower).maxCoeff(), std::numeric_limits<double>::min());
    middle_ = mesh_.vertices.empty() ? Vec3::Zero() : Vec3(box.lower / 2 + box.upper / 2);
    for (Vec3& v : mesh_.vertices) v = (v - middle_) / size_;   // so that the numbers of the quadrics are of one size
    around_.resize(mesh_.vertices.size());
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t)
      for (const std::uint32_t v : mesh_.triangles[t]) around_[v].push_back(t);
    alive_.assign(mesh_.triangles.size(), true);
    version_.assign(mesh_.vertices.size(), 0);
    make_quadrics();
  }

  Simplified run() {
    Simplified result;
    std::size_t left = mesh_.triangles.size();
    while (left > options_.triangles && !queue_.empty()) {
      const Candidate next = queue_.top();
      queue_.pop();
      if (version_[next.a] != next.version_a || version_[next.b] != next.version_b) continue;
      if (!is_allowed(next)) continue;
      left -= collapse(next);
      ++result.collapsed;
      result.error = std::max(result.error, next.error * size_);
    }
    result.reached = left <= options_.triangles || std::isfinite(options_.max_error);
    std::size_t kept = 0;
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      if (alive_[t]) mesh_.triangles[kept++] = mesh_.triangles[t];
    mesh_.triangles.resize(kept);
    drop_unused_vertices(mesh_);
    for (Vec3& v : mesh_.vertices) v = size_ * v + middle_;
    result.mesh = std::move(mesh_);
    return result;
  }

 private:
  struct Candidate {
    double cost = 0, error = 0;
    std::uint32_t a = 0, b = 0, version_a = 0, version_b = 0;
    Vec3 place;
    bool operator<(const Candidate& o) const { return cost != o.cost ? cost > o.cost : std::pair(a, b) > std::pair(o.a, o.b); }
  };

  Vec3 area_vector(const std::array<std::uint32_t, 3>& t) const {
    const Vec3& a = mesh_.vertices[t[0]];
    return (mesh_.vertices[t[1]] - a).cross(mesh_.vertices[t[2]] - a) / 2;
  }

  void make_quadrics() {
    quadric_.resize(mesh_.vertices.size());
    for (const auto& t : mesh_.triangles) {
      const Vec3 across = area_vector(t);
      const double area = across.norm();
      if (!(area > 0)) continue;
      const Vec3 n = across / area;
      for (const std::uint32_t v : t) quadric_[v].add_plane(n, n.dot(mesh_.vertices[t[0]]), area);
    }
    const Edges edges(mesh_);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const EdgeUse& use = edges[e].front();
      if (edges[e].size() == 1) {
        const Vec3 along = mesh_.vertices[use.high] - mesh_.vertices[use.low];
        const Vec3 n = along.cross(area_vector(mesh_.triangles[use.triangle])).stableNormalized();
        for (const std::uint32_t v : {use.low, use.high})
          quadric_[v].add_plane(n, n.dot(mesh_.vertices[use.low]), kRimWeight * along.squaredNorm());
      }
    }
    for (std::size_t e = 0; e < edges.size(); ++e) offer(edges[e].front().low, edges[e].front().high);
  }

  void offer(std::uint32_t a, std::uint32_t b) {
    Quadric sum = quadric_[a];
    sum.add(quadric_[b]);
    Candidate c;
    c.a = a, c.b = b, c.version_a = version_[a], c.version_b = version_[b];
    const Vec3 &p = mesh_.vertices[a], &q = mesh_.vertices[b], half = (p + q) / 2;
    // Where the planes fix a point well, there; else the best of ends and middle.
    const double scale = sum.A.trace() / 3, det = sum.A.determinant();
    c.place = half;
    if (det > 1e-6 * scale * scale * scale) {
      c.place = sum.A.inverse() * sum.b;
      if (!((c.place - half).norm() <= 2 * (p - q).norm())) c.place = half;
    }
    for (const Vec3& other : {p, q, half})
      if (sum.at(other) < sum.at(c.place)) c.place = other;
    const double spread = 1e-9 * sum.weight * (p - q).squaredNorm();   // on flat ground short edges first
    c.cost = sum.at(c.place) + spread;
    c.error = sum.weight > 0 ? std::sqrt(sum.at(c.place) / sum.weight) : 0;
    if (c.error * size_ <= options_.max_error) queue_.push(c);
  }

  std::vector<std::uint32_t> neighbours(std::uint32_t v) const {
    std::vector<std::uint32_t> result;
    for (const std::uint32_t t : around_[v])
      for (const std::uint32_t w : mesh_.triangles[t])
        if (w != v) result.push_back(w);
    std::sort(result.begin(), result.end());
    return result;
  }

  /// A vertex on a rim has a neighbour that only one of its triangles touches.
  static bool is_on_rim(const std::vector<std::uint32_t>& sorted) {
    for (std::size_t i = 0; i < sorted.size();) {
      std::size_t end = i;
      while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
      if (end - i != 2) return true;
      i = end;
    }
    return false;
  }

  bool is_allowed(const Candidate& c) const {
    std::size_t shared = 0;
    for (const std::uint32_t t : around_[c.a])
      shared += std::count(mesh_.triangles[t].begin(), mesh_.triangles[t].end(), c.b) > 0;
    if (shared == 0 || shared > 2) return false;
    std::vector<std::uint32_t> near_a = neighbours(c.a), near_b = neighbours(c.b), common;
    if (shared == 2 && is_on_rim(near_a) && is_on_rim(near_b)) return false;
    near_a.erase(std::unique(near_a.begin(), near_a.end()), near_a.end());
    near_b.erase(std::unique(near_b.begin(), near_b.end()), near_b.end());
    std::set_intersection(near_a.begin(), near_a.end(), near_b.begin(), near_b.end(), std::back_inserter(common));
    if (common.size() != shared) return false;
    for (const std::uint32_t v : common)   // it loses a triangle, and must not be left with two on each other, or none
      if (around_[v].size() <= (is_on_rim(neighbours(v)) ? 1u : 3u)) return false;
    return keeps_directions(c.a, c.b, c.place) && keeps_directions(c.b, c.a, c.place);
  }

  /// Whether the triangles of `moved` that stay keep facing about the same way when it goes to `place`.
  bool keeps_directions(std::uint32_t moved, std::uint32_t other, const Vec3& place) const {
    for (const std::uint32_t t : around_[moved]) {
      const auto& corners = mesh_.triangles[t];
      if (std::count(corners.begin(), corners.end(), other) > 0) continue;
      Vec3 p[3];
      for (int k = 0; k < 3; ++k) p[k] = corners[k] == moved ? place : mesh_.vertices[corners[k]];
      const Vec3 before = area_vector(corners), after = (p[1] - p[0]).cross(p[2] - p[0]) / 2;
      if (!(after.norm() > 1e-8 * (p[1] - p[0]).squaredNorm())) return false;
      if (before.dot(after) < kLeastTurn * before.norm() * after.norm()) return false;
    }
    return true;
  }

  /// @returns how many triangles are gone
  std::size_t collapse(const Candidate& c) {
    std::size_t gone = 0;
    for (const std::uint32_t t : around_[c.b]) {
      auto& corners = mesh_.triangles[t];
      if (std::count(corners.begin(), corners.end(), c.a) > 0) {
        alive_[t] = false;
        ++gone;
        for (const std::uint32_t v : corners)
          if (v != c.b) std::erase(around_[v], t);
      } else {
        std::replace(corners.begin(), corners.end(), c.b, c.a);
        around_[c.a].push_back(t);
      }
    }
    around_[c.b].clear();
    mesh_.vertices[c.a] = c.place;
    quadric_[c.a].add(quadric_[c.b]);
    ++version_[c.a], ++version_[c.b];
    std::vector<std::uint32_t> near = neighbours(c.a);
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (const std::uint32_t v : near) offer(std::min(c.a, v), std::max(c.a, v));
    return gone;
  }

  SimplifyOptions options_;
  TriangleMesh mesh_;
  double size_ = 1;
  Vec3 middle_ = Vec3::Zero();
  std::vector<std::vector<std::uint32_t>> around_;
  std::vector<bool> alive_;
  std::vector<std::uint32_t> version_;
  std::vector<Quadric> quadric_;
  std::priority_queue<Candidate> queue_;
};

}   // namespace

Simplified simplify(const TriangleMesh& mesh, const SimplifyOptions& options) {
  validate(mesh);
  if (!(options.max_error >= 0))
    throw Error(fmt::format("{} is not an error. It must be a length, 0 m or more.", options.max_error)).at("max_error");
  return Simplifier(mesh, options).run();
}

}   // namespace stickslip
