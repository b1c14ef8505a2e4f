#include "mesh/health/nesting.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

/// Pairs of a piece and a triangle that may be looked at: beyond that boxes alone decide.
constexpr std::uint64_t kMostWindings = 50'000'000;

}   // namespace

std::vector<std::uint32_t> pieces_facing_wrong(const TriangleMesh& mesh, const Pieces& pieces) {
  struct Piece {
    std::vector<std::uint32_t> triangles;
    Aabb box;
    double volume = 0;
  };
  std::vector<Piece> list(pieces.count);
  const Aabb all = bounding_box(mesh);
  const Vec3 origin = all.lower / 2 + all.upper / 2;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    if (is_collapsed(mesh.triangles[t])) continue;
    Piece& piece = list[pieces.of[t]];
    piece.triangles.push_back(t);
    const Vec3 &a = mesh.vertices[mesh.triangles[t][0]], &b = mesh.vertices[mesh.triangles[t][1]],
               &c = mesh.vertices[mesh.triangles[t][2]];
    for (const Vec3* p : {&a, &b, &c})
      piece.box.lower = piece.box.lower.cwiseMin(*p), piece.box.upper = piece.box.upper.cwiseMax(*p);
    piece.volume += (a - origin).dot((b - origin).cross(c - origin)) / 6;
  }
  std::uint64_t work = 0;
  const auto is_inside = [&](const Piece& inner, const Piece& outer) {
    if (&inner == &outer || inner.triangles.empty() || !outer.box.contains(inner.box)) return false;
    work += outer.triangles.size();
    if (work > kMostWindings) return false;
    const Vec3& p = mesh.vertices[mesh.triangles[inner.triangles.front()][0]];
    double turns = 0;
    for (const std::uint32_t t : outer.triangles)
      turns += winding(mesh.vertices[mesh.triangles[t][0]], mesh.vertices[mesh.triangles[t][1]],
                       mesh.vertices[mesh.triangles[t][2]], p);
    return std::abs(turns) > 0.5;
  };
  // A piece can only lie in one with a larger box: sorted by size, a scan of the larger ones suffices.
  std::vector<const Piece*> by_size;
  for (const Piece& piece : list) by_size.push_back(&piece);
  const auto size = [](const Piece* p) { return p->triangles.empty() ? 0 : (p->box.upper - p->box.lower).squaredNorm(); };
  std::stable_sort(by_size.begin(), by_size.end(), [&](const Piece* a, const Piece* b) { return size(a) > size(b); });
  std::vector<std::uint32_t> wrong;
  std::uint64_t looked = 0;
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    const Piece& piece = *by_size[i];
    if (piece.triangles.empty()) continue;
    int around = 0;
    for (std::size_t j = 0; j < i && looked < kMostWindings; ++j, ++looked) around += is_inside(piece, *by_size[j]);
    if ((around % 2 == 0 ? piece.volume : -piece.volume) < 0) wrong.push_back(piece.triangles.front());
  }
  std::sort(wrong.begin(), wrong.end());
  return wrong;
}

}   // namespace stickslip
