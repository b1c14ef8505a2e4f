#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "mesh/edges.h"
#include "mesh/health/intersections.h"
#include "stickslip/math/error.h"
#include "stickslip/mesh/repair.h"

namespace stickslip {

namespace {

using Rim = std::vector<std::uint32_t>;

std::uint64_t edge_key(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
}

/// Closed walks along the open edges, against the direction of their triangles: the way that the triangles of a lid go. A walk
/// that comes
/// back to a vertex sheds the loop between.
std::vector<Rim> rims_of(const Edges& edges) {
  std::unordered_multimap<std::uint32_t, std::uint32_t> next;
  std::vector<std::uint32_t> starts;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges[e].size() == 1) {
      const EdgeUse& use = edges[e].front();
      next.emplace(use.forth ? use.high : use.low, use.forth ? use.low : use.high);
      starts.push_back(use.forth ? use.high : use.low);
    }
  std::vector<Rim> rims;
  for (const std::uint32_t start : starts) {
    Rim walk;
    std::unordered_map<std::uint32_t, std::size_t> place;
    for (std::uint32_t at = start;;) {
      if (const auto before = place.find(at); before != place.end()) {
        rims.emplace_back(walk.begin() + static_cast<std::ptrdiff_t>(before->second), walk.end());
        while (walk.size() > before->second + 1) place.erase(walk.back()), walk.pop_back();
      } else {
        place[at] = walk.size();
        walk.push_back(at);
      }
      const auto step = next.find(at);
      if (step == next.end()) break;
      at = step->second;
      next.erase(step);
    }
  }
  return rims;
}

/// Triangles of least total area between the vertices of a rim that add no edge which is there already. Empty if there are
/// none.
std::vector<std::array<std::uint32_t, 3>> least_lid(const TriangleMesh& mesh, const Rim& rim,
                                                    const std::unordered_set<std::uint64_t>& taken) {
  const std::size_t n = rim.size();
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> least(n * n, kNever);
  std::vector<std::uint16_t> apex(n * n, 0);
  for (std::size_t i = 0; i + 1 < n; ++i) least[i * n + i + 1] = 0;
  double around = 0;
  for (std::size_t i = 0; i < n; ++i) around += (mesh.vertices[rim[(i + 1) % n]] - mesh.vertices[rim[i]]).norm();
  // A triangle without area costs more than any lid: it is the last resort.
  const auto cost_of = [&](std::size_t i, std::size_t k, std::size_t j) {
    const Vec3 &a = mesh.vertices[rim[i]], &b = mesh.vertices[rim[k]], &c = mesh.vertices[rim[j]];
    return (b - a).cross(c - a).norm() + (is_degenerate(a, b, c) ? around * around : 0);
  };
  for (std::size_t span = 2; span < n; ++span)
    for (std::size_t i = 0; i + span < n; ++i) {
      const std::size_t j = i + span;
      if (span < n - 1 && taken.contains(edge_key(rim[i], rim[j]))) continue;
      for (std::size_t k = i + 1; k < j; ++k) {
        const double total = least[i * n + k] + least[k * n + j] + cost_of(i, k, j);
        if (total < least[i * n + j]) least[i * n + j] = total, apex[i * n + j] = static_cast<std::uint16_t>(k);
      }
    }
  std::vector<std::array<std::uint32_t, 3>> lid;
  if (!(least[n - 1] < kNever)) return lid;
  std::vector<std::pair<std::size_t, std::size_t>> open = {{0, n - 1}};
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    if (j < i + 2) continue;
    const std::size_t k = apex[i * n + j];
    lid.push_back({rim[i], rim[k], rim[j]});
    open.insert(open.end(), {{i, k}, {k, j}});
  }
  return lid;
}

}   // namespace

RepairStep fill_holes(TriangleMesh& mesh, std::size_t max_edges) {
  if (max_edges < 3 || max_edges > 500)
    throw Error(fmt::format("{} is not a number of edges for holes to fill. Give 3 to 500.", max_edges)).at("fill");
  const Edges edges(mesh);
  std::unordered_set<std::uint64_t> taken;
  const std::vector<Rim> rims = rims_of(edges);
  if (!rims.empty())
    for (std::size_t e = 0; e < edges.size(); ++e) taken.insert(edge_key(edges[e].front().low, edges[e].front().high));
  std::size_t filled = 0, large = 0, impossible = 0, added = 0;
  for (const Rim& rim : rims) {
    if (rim.size() > max_edges) {
      ++large;
      continue;
    }
    const auto lid = rim.size() < 3 ? std::vector<std::array<std::uint32_t, 3>>{} : least_lid(mesh, rim, taken);
    if (lid.empty()) ++impossible;
    else ++filled, added += lid.size();
    for (const auto& t : lid) {
      for (int k = 0; k < 3; ++k) taken.insert(edge_key(t[k], t[(k + 1) % 3]));
      mesh.triangles.push_back(t);
    }
  }
  RepairStep step{"fill", filled, fmt::format("{} holes filled with {} triangles", filled, added)};
  if (large > 0) step.what += fmt::format("; {} holes have more than {} edges and stay open", large, max_edges);
  if (impossible > 0) step.what += fmt::format("; {} stay open because every lid would repeat an edge", impossible);
  return step;
}

}   // namespace stickslip
