#include <fmt/format.h>

#include "mesh/edges.h"
#include "mesh/health/nesting.h"
#include "stickslip/mesh/repair.h"

namespace stickslip {

namespace {

/// Triangles to turn so that neighbours agree, found by walking over edges of two triangles.
class Agreement {
 public:
  Agreement(const TriangleMesh& mesh, const Edges& edges)
      : turn(mesh.triangles.size(), false), mesh_(mesh), first_(mesh.triangles.size(), 0) {
    std::vector<std::uint32_t> degree(mesh.triangles.size() + 1, 0);
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (edges[e].size() == 2)
        for (const EdgeUse& use : edges[e]) ++degree[use.triangle + 1];
    for (std::size_t t = 1; t < degree.size(); ++t) degree[t] += degree[t - 1];
    first_ = degree;
    neighbours_.resize(degree.back());
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (edges[e].size() == 2) {
        const EdgeUse &a = edges[e][0], &b = edges[e][1];
        neighbours_[degree[a.triangle]++] = {b.triangle, a.forth == b.forth};
        neighbours_[degree[b.triangle]++] = {a.triangle, a.forth == b.forth};
      }
    std::vector<bool> seen(mesh.triangles.size(), false);
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
      if (!seen[t]) walk(t, seen);
  }

  std::vector<bool> turn;
  std::size_t conflicts = 0;   ///< edges where no choice fits

 private:
  struct Neighbour {
    std::uint32_t triangle;
    bool differs;   ///< as they stand, one of the two has to be turned
  };

  double area_of(std::uint32_t t) const {
    const Vec3& a = mesh_.vertices[mesh_.triangles[t][0]];
    return (mesh_.vertices[mesh_.triangles[t][1]] - a).cross(mesh_.vertices[mesh_.triangles[t][2]] - a).norm();
  }

  void walk(std::uint32_t start, std::vector<bool>& seen) {
    std::vector<std::uint32_t> piece = {start};
    seen[start] = true;
    for (std::size_t i = 0; i < piece.size(); ++i)
      for (std::uint32_t n = first_[piece[i]]; n < first_[piece[i] + 1]; ++n) {
        const auto [next, differs] = neighbours_[n];
        const bool wanted = turn[piece[i]] != differs;
        if (!seen[next]) seen[next] = true, turn[next] = wanted, piece.push_back(next);
        else conflicts += turn[next] != wanted;
      }
    double turned = 0, stays = 0;
    for (const std::uint32_t t : piece) (turn[t] ? turned : stays) += area_of(t);
    if (turned > stays)
      for (const std::uint32_t t : piece) turn[t] = !turn[t];
  }

  const TriangleMesh& mesh_;
  std::vector<std::uint32_t> first_;
  std::vector<Neighbour> neighbours_;
};

}   // namespace

RepairStep orient(TriangleMesh& mesh) {
  const Edges edges(mesh);
  const Agreement agreement(mesh, edges);
  std::vector<bool> turned = agreement.turn;
  for (std::size_t t = 0; t < turned.size(); ++t)
    if (turned[t]) std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);

  std::size_t pieces_turned = 0;
  if (is_closed(mesh)) {
    const Pieces pieces = pieces_of(mesh, edges);
    std::vector<bool> wrong(pieces.count, false);
    for (const std::uint32_t t : pieces_facing_wrong(mesh, pieces)) wrong[pieces.of[t]] = true, ++pieces_turned;
    for (std::size_t t = 0; t < turned.size(); ++t)
      if (wrong[pieces.of[t]]) {
        std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
        turned[t] = !turned[t];
      }
  }
  RepairStep step{"orient", 0, ""};
  for (const bool t : turned) step.changed += t;
  step.what = fmt::format("{} of {} triangles turned round", step.changed, mesh.triangles.size());
  if (pieces_turned > 0) step.what += fmt::format("; {} pieces faced the wrong way as a whole", pieces_turned);
  if (agreement.conflicts > 0)
    step.what +=
        fmt::format("; {} edges stay inconsistent: the surface has only one side there", (agreement.conflicts + 1) / 2);
  if (!is_closed(mesh))
    step.what += "; the mesh is not closed, so that it has no inside and outside: neighbours agree, no more";
  return step;
}

}   // namespace stickslip
