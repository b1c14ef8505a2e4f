#include "stickslip/mesh/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "mesh/edges.h"
#include "mesh/health/intersections.h"
#include "mesh/weld.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

using Triangle = std::array<std::uint32_t, 3>;

std::size_t drop_collapsed(TriangleMesh& mesh) {
  return std::erase_if(mesh.triangles, [](const Triangle& t) { return is_collapsed(t); });
}

bool is_flat(const TriangleMesh& mesh, const Triangle& t) {
  return is_degenerate(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
}

/// The side of a flat triangle that its other two lie on: the longest.
int longest_side(const TriangleMesh& mesh, const Triangle& t) {
  int best = 0;
  for (int k = 1; k < 3; ++k) {
    const auto length = [&](int side) { return (mesh.vertices[t[(side + 1) % 3]] - mesh.vertices[t[side]]).squaredNorm(); };
    if (length(k) > length(best)) best = k;
  }
  return best;
}

/// One pass over the flat triangles: those at a rim and those that hang on a single side go, others swap their longest side
/// with the triangle behind it. @returns how many changed
std::size_t swap_flat(TriangleMesh& mesh) {
  const Edges edges(mesh);
  const auto has_edge = [&](std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax(a, b);
    std::size_t from = 0, to = edges.size();
    while (from < to) {
      const std::size_t mid = (from + to) / 2;
      const EdgeUse& use = edges[mid].front();
      if (std::pair(use.low, use.high) < std::pair(low, high)) from = mid + 1;
      else to = mid;
    }
    return from < edges.size() && edges[from].front().low == low && edges[from].front().high == high;
  };
  std::vector<std::uint8_t> open_sides(mesh.triangles.size(), 0);
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges[e].size() == 1) ++open_sides[edges[e].front().triangle];
  std::vector<bool> touched(mesh.triangles.size(), false), gone(mesh.triangles.size(), false);
  std::size_t changed = 0;
  for (std::size_t e = 0; e < edges.size(); ++e)
    for (const EdgeUse& use : edges[e]) {
      const std::uint32_t t = use.triangle;
      const Triangle flat = mesh.triangles[t];
      if (touched[t] || !is_flat(mesh, flat) || longest_side(mesh, flat) != use.side) continue;
      if (edges[e].size() == 1 || open_sides[t] == 2) {
        touched[t] = gone[t] = true;
        ++changed;
        continue;
      }
      if (edges[e].size() != 2) continue;
      const EdgeUse& other = edges[e][0].triangle == t ? edges[e][1] : edges[e][0];
      const Triangle behind = mesh.triangles[other.triangle];
      if (touched[other.triangle] || other.forth == use.forth) continue;
      const std::uint32_t p = flat[use.side], q = flat[(use.side + 1) % 3], m = flat[(use.side + 2) % 3],
                          d = behind[(other.side + 2) % 3];
      if (d == m || has_edge(m, d)) continue;
      mesh.triangles[t] = {m, p, d};
      mesh.triangles[other.triangle] = {q, m, d};
      touched[t] = touched[other.triangle] = true;
      ++changed;
    }
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (!gone[t]) mesh.triangles[kept++] = mesh.triangles[t];
  mesh.triangles.resize(kept);
  return changed;
}

/// Corners of flat triangles at one place, but for rounding, become one.
std::size_t join_near_corners(TriangleMesh& mesh) {
  constexpr double kSamePlace = 1e-12;
  JoinedSets sets(mesh.vertices.size());
  std::size_t joined = 0;
  for (const Triangle& t : mesh.triangles) {
    if (is_collapsed(t) || !is_flat(mesh, t)) continue;
    const int side = longest_side(mesh, t);
    const double longest = (mesh.vertices[t[(side + 1) % 3]] - mesh.vertices[t[side]]).norm();
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      if ((mesh.vertices[a] - mesh.vertices[b]).norm() > kSamePlace * longest || sets.root(a) == sets.root(b)) continue;
      sets.join(a, b);
      ++joined;
    }
  }
  if (joined > 0)
    for (Triangle& t : mesh.triangles)
      for (std::uint32_t& v : t) v = sets.root(v);
  return joined;
}

struct RepairOrder {
  std::string name;
  std::function<RepairStep(TriangleMesh&)> run;
};

double repair_number(std::string_view name, std::string_view text, double lowest, double highest) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= lowest && value <= highest))
    throw Error(fmt::format("'{}={}': '{}' is not valid here. Give a number from {} to {}.", name, text, text, lowest, highest))
        .at("repair");
  return value;
}

RepairOrder repair_order(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  const bool has_number = equals != word.npos;
  const std::string_view number = has_number ? word.substr(equals + 1) : "";
  if (has_number && name != "merge" && name != "fill")
    throw Error(fmt::format("'{}' takes no number. Only merge=DISTANCE and fill=EDGES do.", name)).at("repair");
  if (name == "merge") {
    const double distance = has_number ? repair_number(name, number, 0, 1e300) : 0;
    return {name, [=](TriangleMesh& m) { return merge_vertices(m, distance); }};
  }
  if (name == "fill") {
    const auto most = static_cast<std::size_t>(has_number ? repair_number(name, number, 3, 500) : 64);
    return {name, [=](TriangleMesh& m) { return fill_holes(m, most); }};
  }
  if (name == "unused") return {name, remove_unused_vertices};
  if (name == "duplicates") return {name, remove_duplicate_triangles};
  if (name == "degenerate") return {name, remove_degenerate_triangles};
  if (name == "orient") return {name, orient};
  const std::vector<std::string> known = {"merge", "unused", "duplicates", "degenerate", "orient", "fill", "all"};
  throw Error(fmt::format("There is no repair '{}'. {}", name, suggest(name, known))).at("repair");
}

}   // namespace

RepairStep merge_vertices(TriangleMesh& mesh, double distance) {
  const std::size_t before = mesh.vertices.size();
  weld(mesh, distance);
  const std::size_t merged = before - mesh.vertices.size(), collapsed = drop_collapsed(mesh);
  RepairStep step{"merge", merged,
                  fmt::format("{} of {} vertices merged with others {}", merged, before,
                              distance > 0 ? fmt::format("within {} m", distance) : "at the same places")};
  if (collapsed > 0) step.what += fmt::format("; {} triangles that this collapsed are gone", collapsed);
  return step;
}

RepairStep remove_unused_vertices(TriangleMesh& mesh) {
  const std::size_t dropped = drop_unused_vertices(mesh);
  return {"unused", dropped, fmt::format("{} vertices without triangles removed", dropped)};
}

RepairStep remove_duplicate_triangles(TriangleMesh& mesh) {
  std::vector<std::pair<Triangle, std::uint32_t>> sorted;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    sorted.emplace_back(mesh.triangles[t], t);
    std::sort(sorted.back().first.begin(), sorted.back().first.end());
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> again(mesh.triangles.size(), false);
  for (std::size_t i = 1; i < sorted.size(); ++i) again[sorted[i].second] = sorted[i].first == sorted[i - 1].first;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (!again[t]) mesh.triangles[kept++] = mesh.triangles[t];
  const std::size_t removed = mesh.triangles.size() - kept;
  mesh.triangles.resize(kept);
  return {"duplicates", removed, fmt::format("{} triangles that stood there already removed", removed)};
}

RepairStep remove_degenerate_triangles(TriangleMesh& mesh) {
  constexpr int kPasses = 20;
  const auto flat_count = [&] {
    return static_cast<std::size_t>(
        std::count_if(mesh.triangles.begin(), mesh.triangles.end(), [&](const Triangle& t) { return is_flat(mesh, t); }));
  };
  const std::size_t before = flat_count();
  std::size_t swapped = 0;
  drop_collapsed(mesh);
  for (int pass = 0; pass < kPasses && flat_count() > 0; ++pass) {
    const std::size_t joined = join_near_corners(mesh);
    drop_collapsed(mesh);
    const std::size_t now = swap_flat(mesh);
    swapped += now;
    if (joined + now == 0) break;
  }
  const std::size_t left = flat_count();
  RepairStep step{"degenerate", before - std::min(left, before),
                  fmt::format("{} triangles without area removed", before - std::min(left, before))};
  if (swapped > 0) step.what += fmt::format(", of them {} by splitting the triangle behind their longest side", swapped);
  if (left > 0) step.what += fmt::format("; {} are left: their surroundings do not allow it", left);
  return step;
}

std::vector<RepairStep> repair(TriangleMesh& mesh, std::string_view list) {
  std::vector<RepairOrder> orders;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string_view word = list.substr(at, comma - at);
    if (word == "all")
      for (const char* name : {"merge", "degenerate", "duplicates", "unused", "orient"}) orders.push_back(repair_order(name));
    else orders.push_back(repair_order(word));
    at = comma + 1;
  }
  std::vector<RepairStep> steps;
  for (const RepairOrder& order : orders) steps.push_back(order.run(mesh));
  return steps;
}

}   // namespace stickslip
