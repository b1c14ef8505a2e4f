#include "mesh/parts/cut.h"

#include <algorithm>
#include <unordered_map>

#include "mesh/edges.h"
#include "mesh/polygon.h"
#include "mesh/weld.h"

namespace stickslip {

namespace {

using Loop = std::vector<std::uint32_t>;

class Cutter {
 public:
  Cutter(const TriangleMesh& mesh, const CutPlane& plane) : mesh_(mesh), plane_(plane), vertices_(mesh.vertices) {
    height_.reserve(mesh.vertices.size());
    for (const Vec3& v : mesh.vertices) height_.push_back(plane.normal.dot(v) - plane.offset);
  }

  std::optional<Halves> run() {
    for (const auto& t : mesh_.triangles) split(t);
    if (triangles_[0].empty() || triangles_[1].empty()) return std::nullopt;
    const auto loops = cut_loops();
    if (!loops) return std::nullopt;
    const Vec3 u = plane_.normal.unitOrthogonal(), v = plane_.normal.cross(u);
    std::vector<Vec2> flat(vertices_.size(), Vec2::Zero());
    for (std::size_t i = mesh_.vertices.size(); i < vertices_.size(); ++i) flat[i] = {u.dot(vertices_[i]), v.dot(vertices_[i])};
    for (const auto& [a, b, c] : triangulated(flat, *loops)) {
      triangles_[0].push_back({a, b, c});
      triangles_[1].push_back({a, c, b});
    }
    Halves halves{{vertices_, std::move(triangles_[0])}, {vertices_, std::move(triangles_[1])}};
    drop_unused_vertices(halves.below);
    drop_unused_vertices(halves.above);
    return halves;
  }

 private:
  std::uint32_t crossing(std::uint32_t a, std::uint32_t b) {
    if (a > b) std::swap(a, b);   // the same bits from both triangles
    const auto [entry, is_new] =
        crossings_.try_emplace(static_cast<std::uint64_t>(a) << 32 | b, static_cast<std::uint32_t>(vertices_.size()));
    if (is_new)
      vertices_.push_back(mesh_.vertices[a] + height_[a] / (height_[a] - height_[b]) * (mesh_.vertices[b] - mesh_.vertices[a]));
    return entry->second;
  }

  void split(const std::array<std::uint32_t, 3>& t) {
    const int above[3] = {height_[t[0]] > 0, height_[t[1]] > 0, height_[t[2]] > 0};
    if (above[0] == above[1] && above[1] == above[2]) return triangles_[above[0]].push_back(t);
    const int alone = above[1] == above[2] ? 0 : above[0] == above[2] ? 1 : 2;
    const std::uint32_t a = t[alone], b = t[(alone + 1) % 3], c = t[(alone + 2) % 3];
    const std::uint32_t p = crossing(a, b), q = crossing(a, c);
    triangles_[above[alone]].push_back({a, p, q});
    triangles_[!above[alone]].push_back({p, b, c});
    triangles_[!above[alone]].push_back({p, c, q});
    // The lid of the lower half walks against its triangles: these have p → q if the lone corner is below, else q → p.
    if (above[alone]) sides_.emplace_back(p, q);
    else sides_.emplace_back(q, p);
  }

  std::optional<std::vector<Loop>> cut_loops() const {
    std::unordered_map<std::uint32_t, std::uint32_t> next;
    for (const auto& [from, to] : sides_)
      if (!next.emplace(from, to).second) return std::nullopt;
    std::vector<Loop> loops;
    for (const auto& [start, unused] : sides_) {
      if (!next.contains(start)) continue;
      Loop loop;
      std::uint32_t at = start;
      do {
        loop.push_back(at);
        const auto step = next.find(at);
        if (step == next.end()) return std::nullopt;
        at = step->second;
        next.erase(step);
      } while (at != start);
      loops.push_back(std::move(loop));
    }
    return loops;
  }

  const TriangleMesh& mesh_;
  const CutPlane& plane_;
  std::vector<Vec3> vertices_;
  std::vector<double> height_;
  std::unordered_map<std::uint64_t, std::uint32_t> crossings_;
  std::vector<std::array<std::uint32_t, 3>> triangles_[2];   ///< below, above
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sides_;
};

}   // namespace

std::optional<Halves> cut(const TriangleMesh& mesh, const CutPlane& plane) { return Cutter(mesh, plane).run(); }

std::vector<TriangleMesh> solids_of(const TriangleMesh& mesh) {
  const Pieces pieces = pieces_of(mesh, Edges(mesh));
  std::vector<TriangleMesh> list(pieces.count);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (!is_collapsed(mesh.triangles[t])) list[pieces.of[t]].triangles.push_back(mesh.triangles[t]);
  std::erase_if(list, [](const TriangleMesh& m) { return m.triangles.empty(); });
  for (TriangleMesh& m : list) {
    m.vertices = mesh.vertices;
    drop_unused_vertices(m);
  }
  std::vector<TriangleMesh> solids;
  std::vector<const TriangleMesh*> cavities;
  for (const TriangleMesh& m : list) volume(m) > 0 ? solids.push_back(m) : cavities.push_back(&m);
  for (const TriangleMesh* cavity : cavities) {
    TriangleMesh* around = nullptr;
    for (TriangleMesh& solid : solids)
      if (bounding_box(solid).contains(bounding_box(*cavity)) && (!around || volume(solid) < volume(*around))) around = &solid;
    if (!around) continue;   // a sliver that rounding turned inside out
    const auto first = static_cast<std::uint32_t>(around->vertices.size());
    around->vertices.insert(around->vertices.end(), cavity->vertices.begin(), cavity->vertices.end());
    for (const auto& t : cavity->triangles) around->triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return solids;
}

}   // namespace stickslip
