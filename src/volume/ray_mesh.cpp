// Rays through meshes: which triangles they can meet, and where they do.
#include <algorithm>
#include <cmath>
#include <limits>

#include "volume/ray_memory.h"

namespace stickslip {

namespace {

constexpr double kBeyond = std::numeric_limits<double>::infinity();

Aabb box_around(const RayTriangle& t) {
  return {t.corners[0].cwiseMin(t.corners[1]).cwiseMin(t.corners[2]),
          t.corners[0].cwiseMax(t.corners[1]).cwiseMax(t.corners[2])};
}

/// Calls visit(triangle, box around it) for triangles whose boxes meet what `meets` says, in the
/// order of the tree.
template <class Meets, class Visit>
void visit_triangles(const RaySolid& solid, std::vector<std::uint32_t>& stack, const Meets& meets, const Visit& visit) {
  const MeshSolid& mesh = *std::get<Mesh>(*solid.shape).solid;
  const TriangleTree& tree = mesh.surface().tree();
  const Mat3 size = solid.rotation.cwiseAbs();
  const Vec3 origin = solid.rotation * tree.origin() + solid.pose.position;
  const auto look = [&](std::uint32_t triangle) {
    RayTriangle t;
    t.names = mesh.mesh().triangles[triangle];
    for (int k = 0; k < 3; ++k) t.corners[k] = solid.rotation * mesh.mesh().vertices[t.names[k]] + solid.pose.position;
    const Aabb around = box_around(t);
    if (meets(around)) visit(t, around);
  };
  stack.assign(1, 0);
  while (!stack.empty()) {
    const std::uint32_t child = stack.back();
    stack.pop_back();
    if (TriangleTree::is_leaf(child)) {
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(child); ++i)
        look(tree.order()[TriangleTree::leaf_first(child) + i]);
      continue;
    }
    const TriangleTree::Node& node = tree.nodes()[child];
    for (int k = TriangleTree::kWidth; k-- > 0;) {
      if (node.children[k] == TriangleTree::kNone) continue;
      const Vec3 lower(node.lower[0][k], node.lower[1][k], node.lower[2][k]),
          upper(node.upper[0][k], node.upper[1][k], node.upper[2][k]);
      const Vec3 middle = origin + solid.rotation * (0.5 * (lower + upper)), half = size * (0.5 * (upper - lower));
      if (meets(Aabb{middle - half, middle + half})) stack.push_back(node.children[k]);
    }
  }
}

/// The axes along which rays through a box meet what lies in another, before or in theirs.
std::uint32_t axes_that_meet(const Aabb& box, const std::array<bool, 3>& from_below, const Aabb& around) {
  std::array<bool, 3> within, reached;
  for (int k = 0; k < 3; ++k) {
    const bool below = around.lower[k] <= box.upper[k], above = around.upper[k] >= box.lower[k];
    within[k] = below && above;
    reached[k] = from_below[k] ? below : above;
  }
  std::uint32_t axes = 0;
  for (int k = 0; k < 3; ++k)
    if (reached[k] && within[(k + 1) % 3] && within[(k + 2) % 3]) axes |= 1u << k;
  return axes;
}

/// Draws triangles: hits of the rays through them. Which side of an edge a ray is on is found from its ends in the order of
/// their numbers, so that both triangles at an edge agree and every ray goes through exactly one of them.
class TriangleDrawer {
 public:
  TriangleDrawer(const RayGrid& grid, const std::vector<char>& wanted, std::vector<RayHit2d>& hits)
      : grid_(grid), wanted_(wanted), hits_(hits) {}

  void draw(std::uint32_t number, const RayTriangle& t) {
    const int u = grid_.u(), v = grid_.v();
    const auto [low_u, high_u] = std::minmax({t.corners[0][u], t.corners[1][u], t.corners[2][u]});
    const auto [low_v, high_v] = std::minmax({t.corners[0][v], t.corners[1][v], t.corners[2][v]});
    const int i0 = first_cell(low_u - grid_.lower[u], grid_.step_u),
              i1 = last_cell(high_u - grid_.lower[u], grid_.step_u, grid_.columns);
    const int j0 = first_cell(low_v - grid_.lower[v], grid_.step_v),
              j1 = last_cell(high_v - grid_.lower[v], grid_.step_v, grid_.rows);
    if (i0 > i1 || j0 > j1) return;
    const std::array<Edge, 3> edges = {edge(t, 0), edge(t, 1), edge(t, 2)};
    for (int j = j0; j <= j1; ++j)
      for (int i = i0; i <= i1; ++i) {
        if (!wanted_[grid_.ray(i, j)]) continue;
        const Vec2 at = grid_.place(i, j);
        const double a = edges[0].area(at), b = edges[1].area(at), c = edges[2].area(at);
        const bool left = (a >= 0) != edges[0].turned;
        if (((b >= 0) != edges[1].turned) != left || ((c >= 0) != edges[2].turned) != left) continue;
        // Edges of a triangle that is seen from its side say nothing about what lies beyond its ends.
        if (at.x() < low_u || at.x() > high_u || at.y() < low_v || at.y() > high_v) continue;
        hit(grid_.ray(i, j), number, t, {std::abs(b), std::abs(c), std::abs(a)}, left);
      }
  }

 private:
  /// From the end with the smaller number.
  struct Edge {
    double u, v, along_u, along_v;
    bool turned;   ///< against the way around the triangle

    /// Twice the area between a ray and the edge, positive if the ray is on its left.
    double area(const Vec2& at) const { return along_u * (at.y() - v) - along_v * (at.x() - u); }
  };
  Edge edge(const RayTriangle& t, int k) const {
    int low = k, high = (k + 1) % 3;
    const bool turned = t.names[low] > t.names[high];
    if (turned) std::swap(low, high);
    const int u = grid_.u(), v = grid_.v();
    const Vec3 along = t.corners[high] - t.corners[low];
    return {t.corners[low][u], t.corners[low][v], along[u], along[v], turned};
  }

  /// Rays are in the middle halves of their cells, which leaves room for rounding.
  static constexpr double kNearSide = 0.2, kFarSide = 0.8;
  static int first_cell(double offset, double step) {
    return static_cast<int>(std::clamp(std::ceil(offset / step - kFarSide), 0.0, 1e9));
  }
  static int last_cell(double offset, double step, int count) {
    return static_cast<int>(std::clamp(std::floor(offset / step - kNearSide), -1.0, count - 1.0));
  }

  /// @param weights twice the areas of the triangles of the ray and the edges across from each corner
  void hit(std::uint32_t ray, std::uint32_t number, const RayTriangle& t, const std::array<double, 3>& weights, bool leaves) {
    const double sum = weights[0] + weights[1] + weights[2];
    if (!(sum > 0)) return;
    double along = 0;
    for (int k = 0; k < 3; ++k) along += weights[k] / sum * t.corners[k][grid_.axis];
    hits_.push_back({ray, number, along, leaves});
  }

  const RayGrid& grid_;
  const std::vector<char>& wanted_;
  std::vector<RayHit2d>& hits_;
};

/// Puts hits in the order of their rays, and those of a ray in the order in which it meets them.
void sort_hits(std::uint32_t rays, bool from_below, RayMemory& memory) {
  auto& first = memory.first_hit;
  first.assign(rays + 2, 0);
  for (const RayHit2d& h : memory.hits) ++first[h.ray + 2];
  for (std::size_t k = 2; k < first.size(); ++k) first[k] += first[k - 1];
  memory.sorted.resize(memory.hits.size());
  const auto before = [&](const RayHit2d& a, const RayHit2d& b) {
    if (a.at != b.at) return (a.at < b.at) == from_below;
    return (a.leaves != from_below) > (b.leaves != from_below);   // enters first
  };
  // first[ray + 1] is where the next hit of a ray goes, and their end once all are in.
  for (const RayHit2d& h : memory.hits) memory.sorted[first[h.ray + 1]++] = h;
  for (std::uint32_t ray = 0; ray < rays; ++ray)   // few have more than four
    for (std::uint32_t i = first[ray] + 1; i < first[ray + 1]; ++i) {
      const RayHit2d h = memory.sorted[i];
      std::uint32_t at = i;
      for (; at > first[ray] && before(h, memory.sorted[at - 1]); --at) memory.sorted[at] = memory.sorted[at - 1];
      memory.sorted[at] = h;
    }
}

/// Stretches of a ray from its hits, which are in order.
class HitJoiner {
 public:
  HitJoiner(const std::vector<RayTriangle>& triangles, bool from_below, std::vector<RayStretch>& stretches)
      : triangles_(triangles), from_below_(from_below), stretches_(stretches) {}

  void join(std::span<const RayHit2d> hits) {
    const std::size_t before = stretches_.size();
    int depth = 0;
    const RayHit2d* start = nullptr;
    for (const RayHit2d& h : hits) {
      const bool enters = h.leaves != from_below_;
      if (enters && depth++ == 0) start = &h;
      if (!enters && --depth == 0) {
        const RayHit2d &low = from_below_ ? *start : h, &high = from_below_ ? h : *start;
        stretches_.push_back({low.at, high.at, normal_of(low), normal_of(high)});
      }
      if (depth < 0) return stretches_.resize(before);   // the surface has a hole here: what this ray sees means nothing
    }
    if (depth > 0) {
      RayStretch open = {-kBeyond, kBeyond, Vec3::Zero(), Vec3::Zero()};
      if (from_below_) open.from = start->at, open.from_normal = normal_of(*start);
      else open.to = start->at, open.to_normal = normal_of(*start);
      stretches_.push_back(open);
    }
    if (!from_below_) std::reverse(stretches_.begin() + static_cast<std::ptrdiff_t>(before), stretches_.end());
  }

 private:
  Vec3 normal_of(const RayHit2d& h) const {
    const RayTriangle& t = triangles_[h.triangle];
    const Vec3 normal = (t.corners[1] - t.corners[0]).cross(t.corners[2] - t.corners[0]);
    return normal / normal.norm();
  }

  const std::vector<RayTriangle>& triangles_;
  bool from_below_;
  std::vector<RayStretch>& stretches_;
};

/// Box around the part of a triangle in a box.
Aabb part_within(const std::array<Vec3, 3>& corners, const Aabb& box) {
  std::array<Vec3, 12> polygon, next;
  int count = 3;
  std::copy(corners.begin(), corners.end(), polygon.begin());
  for (int side = 0; side < 6 && count > 0; ++side) {
    const int axis = side / 2;
    const double sign = side % 2 == 0 ? -1 : 1, limit = sign < 0 ? -box.lower[axis] : box.upper[axis];
    if (!std::isfinite(limit)) continue;
    int kept = 0;
    for (int k = 0; k < count; ++k) {
      const Vec3 &from = polygon[k], &to = polygon[(k + 1) % count];
      const double a = sign * from[axis] - limit, b = sign * to[axis] - limit;
      if (a <= 0) next[kept++] = from;
      if ((a <= 0) != (b <= 0)) next[kept++] = from + a / (a - b) * (to - from);
    }
    std::swap(polygon, next), count = kept;
  }
  Aabb around;
  for (int k = 0; k < count; ++k) around = around.merged({polygon[k], polygon[k]});
  return around;
}

}   // namespace

void collect_triangles(RaySolid& solid, const Aabb& box, RayMemory& memory) {
  for (int axis = 0; axis < 3; ++axis)
    solid.from_below[axis] = box.lower[axis] - solid.box.lower[axis] <= solid.box.upper[axis] - box.upper[axis];
  auto& triangles = memory.triangles[solid.slot];
  triangles.clear();
  const auto meets = [&](const Aabb& around) { return axes_that_meet(box, solid.from_below, around) != 0; };
  visit_triangles(solid, memory.stack, meets, [&](const RayTriangle& t, const Aabb&) { triangles.push_back(t); });
}

void choose_triangles(const RaySolid& solid, const Aabb& box, RayMemory& memory) {
  const auto& triangles = memory.triangles[solid.slot];
  auto& chosen = memory.chosen[solid.slot];
  chosen.clear();
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    if (const std::uint32_t axes = axes_that_meet(box, solid.from_below, box_around(triangles[i])); axes != 0)
      chosen.push_back({i, axes});
}

void stretches_in_mesh(const RaySolid& solid, const RayGrid& grid, RayMemory& memory) {
  const auto& triangles = memory.triangles[solid.slot];
  memory.hits.clear();
  TriangleDrawer drawer(grid, memory.wanted, memory.hits);
  for (const RayChoice& c : memory.chosen[solid.slot])
    if (c.axes >> grid.axis & 1) drawer.draw(c.triangle, triangles[c.triangle]);
  const bool from_below = solid.from_below[grid.axis];
  sort_hits(grid.rays(), from_below, memory);
  auto& stretches = memory.inside[solid.slot];
  auto& first = memory.first_inside[solid.slot];
  stretches.clear(), first.clear();
  HitJoiner joiner(triangles, from_below, stretches);
  for (std::uint32_t ray = 0; ray < grid.rays(); ++ray) {
    first.push_back(static_cast<std::uint32_t>(stretches.size()));
    joiner.join(std::span(memory.sorted).subspan(memory.first_hit[ray], memory.first_hit[ray + 1] - memory.first_hit[ray]));
  }
  first.push_back(static_cast<std::uint32_t>(stretches.size()));
}

Aabb surface_within(const RaySolid& solid, const Aabb& box, RayMemory& memory) {
  Aabb found;
  const auto meets = [&](const Aabb& around) { return around.overlaps(box); };
  visit_triangles(solid, memory.stack, meets, [&](const RayTriangle& t, const Aabb& around) {
    if (!found.contains(around)) found = found.merged(box.contains(around) ? around : part_within(t.corners, box));
  });
  return found;
}

}   // namespace stickslip
