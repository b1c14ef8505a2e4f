// Where a surface runs through itself: edges that go through triangles, and how far they get behind them.
#include <algorithm>
#include <cmath>

#include "stickslip/collide/surface.h"
#include "stickslip/distance/closest.h"
#include "stickslip/distance/triangles.h"

namespace stickslip {

namespace {

/// Cosine between the normal of a triangle and the way to it, up to which a place is behind it rather than beside it.
constexpr double kBehind = 0.7;

/// An edge goes through a triangle.
struct Piercing {
  std::uint32_t edge, triangle;
  double at;      ///< part of the edge before it
  double falls;   ///< by how much the end of the edge is lower over the triangle than its start [m]
};

/// Of one thread; keeps its memory.
struct Memory {
  PairScratch descent;
  std::vector<std::array<std::uint32_t, 2>> pairs;
  std::vector<Piercing> piercings;
  std::vector<std::uint32_t> near;

  static Memory& of_thread() {
    static thread_local Memory memory;
    return memory;
  }
};

bool share_a_corner(const TriangleMesh& mesh, std::uint32_t i, std::uint32_t j) {
  const auto& other = mesh.triangles[j];
  return std::ranges::any_of(mesh.triangles[i], [&](std::uint32_t v) { return std::ranges::find(other, v) != other.end(); });
}

void find_piercings(const MeshSurface& s, std::uint32_t face, std::uint32_t triangle, std::vector<Piercing>& found) {
  const TriangleMesh& mesh = s.mesh();
  const std::array<Vec3, 3> corners = corners_of(mesh, triangle);
  const Vec3 normal = face_normal(mesh, triangle);
  for (const std::uint32_t edge : s.edges().edges_of_face(face)) {
    const auto& [from, to] = s.edges().vertices(edge);
    const double start = normal.dot(mesh.vertices[from] - corners[0]), end = normal.dot(mesh.vertices[to] - corners[0]);
    if (start * end > 0 || start == end) continue;
    if (edge_meets_triangle(mesh.vertices[from], mesh.vertices[to], corners))
      found.push_back({edge, triangle, start / (start - end), start - end});
  }
}

/// Distance of a place of an edge from the nearest triangle that it is behind, rather than beside [m]; at most `reach`. What is
/// on the other side of its own part of the surface counts, too: parts are taken for thin rather than for deep.
double depth_at(const MeshSurface& s, const std::array<std::uint32_t, 2>& edge, double at, double reach, Memory& memory) {
  const TriangleMesh& mesh = s.mesh();
  const Vec3 place = mesh.vertices[edge[0]] + at * (mesh.vertices[edge[1]] - mesh.vertices[edge[0]]);
  overlapping(mesh, s.tree(), Aabb{place, place}.grown(reach), memory.near);
  double depth = reach;
  for (const std::uint32_t triangle : memory.near) {
    const auto& t = mesh.triangles[triangle];
    if (std::ranges::any_of(t, [&](std::uint32_t v) { return v == edge[0] || v == edge[1]; })) continue;
    const double height = face_normal(mesh, triangle).dot(place - mesh.vertices[t[0]]);
    if (!(height < 0) || -height >= depth) continue;
    const double distance =
        std::sqrt(closest_on_triangle(place, mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]).squared_distance);
    if (-height >= kBehind * distance) depth = std::min(depth, distance);
  }
  return depth;
}

/// The deepest place of an edge, if it is deeper than what is known, taken to be the middle of a part that is inside, or the
/// end of the edge. @param along its piercings in order
double deepest_along(const MeshSurface& s, std::span<const Piercing> along, double deepest, Memory& memory) {
  const auto& edge = s.edges().vertices(along.front().edge);
  const auto height = [](const Piercing& p, double at) { return std::abs(p.falls * (at - p.at)); };
  const auto look = [&](double at, double reach) {
    if (reach > deepest) deepest = std::max(deepest, depth_at(s, edge, at, reach, memory));
  };
  for (std::size_t k = 0; k < along.size(); ++k) {
    const Piercing& p = along[k];
    const bool enters = p.falls > 0;
    if (enters && k + 1 < along.size()) {
      const Piercing& next = along[k + 1];
      if (next.falls > 0) continue;   // into a second layer: what comes out of that one tells
      const double middle = 0.5 * (p.at + next.at);
      look(middle, std::min(height(p, middle), height(next, middle)));
    } else if (enters || k == 0) {
      const double end = enters ? 1 : 0;
      look(end, height(p, end));
    }
  }
  return deepest;
}

}   // namespace

double self_crossing_depth(const MeshSurface& surface) {
  if (surface.tree().empty()) return 0;
  Memory& memory = Memory::of_thread();
  overlapping_pairs(surface.mesh(), surface.tree(), surface.mesh(), surface.tree(), Pose{}, 0, memory.descent, memory.pairs);
  std::vector<Piercing>& found = memory.piercings;
  found.clear();
  for (const auto& [i, j] : memory.pairs)
    if (i != j && !share_a_corner(surface.mesh(), i, j)) find_piercings(surface, i, j, found);
  // Both faces of an edge find what it goes through.
  std::ranges::sort(found, {}, [](const Piercing& p) { return std::tuple(p.edge, p.at, p.triangle); });
  const auto same = [](const Piercing& p, const Piercing& q) { return p.edge == q.edge && p.triangle == q.triangle; };
  found.erase(std::ranges::unique(found, same).begin(), found.end());
  double deepest = 0;
  for (std::size_t first = 0, end = 0; first < found.size(); first = end) {
    while (end < found.size() && found[end].edge == found[first].edge) ++end;
    deepest = deepest_along(surface, {&found[first], end - first}, deepest, memory);
  }
  return deepest;
}

}   // namespace stickslip
