// From points to a polytope. Qhull gives facets; here facets of one plane become one polygon, and vertices that are only
// on a side or inside a face go. Two tolerances, both relative to the extent of the points: points closer to a plane than
// `kCoplanar` lie in it (coordinates from single-precision files are that rough); a cloud thinner than `kFlat` is no solid.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "geometry/qhull_facets.h"
#include "stickslip/geometry/shape.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kCoplanar = 1e-7;
constexpr double kFlat = 1e-6;

[[noreturn]] void refuse(std::string message) { throw Error(std::move(message)).at("points"); }

void check_points(const std::vector<Vec3>& points) {
  if (points.size() < 4)
    refuse(fmt::format("{} points cannot make a hull. A convex hull needs at least 4 points that do not lie in one plane.",
                       points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      throw Error(
          fmt::format("({}, {}, {}) is not a point. Coordinates must be finite.", points[i].x(), points[i].y(), points[i].z()))
          .at(std::to_string(i))
          .at("points");
}

/// Index of the point where `measure` is largest.
template <class Measure>
std::size_t farthest(const std::vector<Vec3>& points, Measure measure) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (measure(points[i]) > measure(points[best])) best = i;
  return best;
}

/// Points moved and scaled so that the longest side of their bounding box is 1.
std::vector<Vec3> normalised(const std::vector<Vec3>& points) {
  Vec3 lower = points[0], upper = points[0];
  for (const Vec3& p : points) lower = lower.cwiseMin(p), upper = upper.cwiseMax(p);
  const double extent = (upper / 2 - lower / 2).maxCoeff() * 2;
  const Vec3 middle = lower / 2 + upper / 2;
  if (!(extent > 0))
    refuse(fmt::format("All {} points of the hull are the same. Its points must span a volume.", points.size()));
  std::vector<Vec3> result;
  result.reserve(points.size());
  for (const Vec3& p : points) result.push_back((p - middle) / extent);
  return result;
}

/// Indices of the points without those that lie within `kCoplanar` of an earlier one: as vertices of their own they would
/// only make sides too short to have a direction.
std::vector<int> distinct(const std::vector<Vec3>& points) {
  using Cell = std::array<long, 3>;
  std::map<Cell, std::vector<int>> kept_in;
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    const Vec3& p = points[i];
    const Cell cell = {std::lround(p.x() / kCoplanar), std::lround(p.y() / kCoplanar), std::lround(p.z() / kCoplanar)};
    const auto repeats = [&](int other) { return (points[other] - p).norm() <= kCoplanar; };
    bool is_new = true;
    for (int n = 0; n < 27 && is_new; ++n) {
      const auto near = kept_in.find({cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1});
      is_new = near == kept_in.end() || std::none_of(near->second.begin(), near->second.end(), repeats);
    }
    if (!is_new) continue;
    kept_in[cell].push_back(i);
    kept.push_back(i);
  }
  return kept;
}

/// Grows a tetrahedron by the farthest point from a point, a line and a plane; its height tells how flat the points are.
void check_volume(const std::vector<Vec3>& points) {
  const Vec3 a = points[farthest(points, [&](const Vec3& p) { return (p - points[0]).squaredNorm(); })];
  const Vec3 b = points[farthest(points, [&](const Vec3& p) { return (p - a).squaredNorm(); })];
  const Vec3 along = (b - a).normalized();
  const Vec3 c = points[farthest(points, [&](const Vec3& p) { return (p - a).cross(along).squaredNorm(); })];
  const Vec3 across = (c - a) - (c - a).dot(along) * along;
  if (!(across.norm() > kFlat)) refuse("The points of the hull lie on one line. They must span a volume.");
  const Vec3 normal = along.cross(across.normalized());
  const Vec3 d = points[farthest(points, [&](const Vec3& p) { return std::abs(normal.dot(p - a)); })];
  if (!(std::abs(normal.dot(d - a)) > kFlat)) refuse("The points of the hull lie in one plane. They must span a volume.");
}

/// Qhull's facets with what merging needs: neighbours over sides, and the area vector (area times normal).
struct Facets {
  std::vector<DirectedEdge> edges;
  std::vector<int> twin;                    ///< facet on the other side of each edge
  std::vector<std::vector<int>> edges_of;   ///< per facet
  std::vector<Vec3> area;
};

std::optional<Facets> connect(const QhullFacets& found, const std::vector<Vec3>& points) {
  Facets f;
  f.edges = found.edges;
  std::map<std::pair<int, int>, int> facet_at;
  for (const DirectedEdge& e : f.edges)
    if (!facet_at.emplace(std::pair(e.from, e.to), e.facet).second) return std::nullopt;
  f.edges_of.resize(found.facet_count);
  f.area.assign(found.facet_count, Vec3::Zero());
  for (std::size_t i = 0; i < f.edges.size(); ++i) {
    const DirectedEdge& e = f.edges[i];
    const auto opposite = facet_at.find({e.to, e.from});
    if (opposite == facet_at.end()) return std::nullopt;
    f.twin.push_back(opposite->second);
    f.edges_of[e.facet].push_back(static_cast<int>(i));
    const Vec3 base = points[f.edges[f.edges_of[e.facet][0]].from];
    f.area[e.facet] += 0.5 * (points[e.from] - base).cross(points[e.to] - base);
  }
  // Which way round Qhull walks is a choice made when it was compiled: the sign of the volume tells.
  double volume = 0;
  for (int i = 0; i < found.facet_count; ++i) volume += f.area[i].dot(points[f.edges[f.edges_of[i][0]].from]);
  if (volume < 0) {
    for (DirectedEdge& e : f.edges) std::swap(e.from, e.to);
    for (Vec3& area : f.area) area = -area;
  }
  return f;
}

/// Group of each facet: from the largest facet down, each takes the connected neighbours that lie in its plane. Large
/// facets first, because the plane of a sliver says nothing.
std::vector<int> coplanar_groups(const Facets& f, const std::vector<Vec3>& points) {
  const int count = static_cast<int>(f.area.size());
  std::vector<int> order(count), group(count, -1), stack;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return f.area[a].squaredNorm() > f.area[b].squaredNorm(); });
  for (int seed : order) {
    if (group[seed] >= 0) continue;
    group[seed] = seed;
    const Vec3 normal = f.area[seed].normalized();
    double offset = 0;
    for (int e : f.edges_of[seed]) offset += normal.dot(points[f.edges[e].from]) / static_cast<double>(f.edges_of[seed].size());
    const auto in_plane = [&](int facet) {
      return std::all_of(f.edges_of[facet].begin(), f.edges_of[facet].end(),
                         [&](int e) { return std::abs(normal.dot(points[f.edges[e].from]) - offset) <= kCoplanar; });
    };
    stack.assign(1, seed);
    while (!stack.empty()) {
      const int facet = stack.back();
      stack.pop_back();
      for (int e : f.edges_of[facet]) {
        const int next = f.twin[e];
        if (group[next] >= 0 || !in_plane(next)) continue;
        group[next] = seed;
        stack.push_back(next);
      }
    }
  }
  return group;
}

/// Outer loops of all groups, each starting at its smallest point, sorted; vertices that fewer than three groups share are
/// left out. Empty if a group does not have exactly one loop of three or more vertices.
std::optional<std::vector<std::vector<int>>> face_loops(const Facets& f, const std::vector<int>& group) {
  std::map<int, std::map<int, int>> next;      // group → from → to
  std::map<int, std::vector<int>> groups_at;   // vertex → groups around it
  for (std::size_t i = 0; i < f.edges.size(); ++i) {
    const DirectedEdge& e = f.edges[i];
    const int own = group[e.facet];
    if (own == group[f.twin[i]]) continue;
    if (!next[own].emplace(e.from, e.to).second) return std::nullopt;
    groups_at[e.from].push_back(own);
  }
  std::vector<std::vector<int>> loops;
  for (const auto& [own, sides] : next) {
    std::vector<int> loop;
    std::size_t walked = 0;
    const int start = sides.begin()->first;
    int at = start;
    do {
      if (groups_at[at].size() >= 3) loop.push_back(at);
      const auto side = sides.find(at);
      if (side == sides.end() || walked++ > sides.size()) return std::nullopt;
      at = side->second;
    } while (at != start);
    if (walked != sides.size() || loop.size() < 3) return std::nullopt;
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    loops.push_back(std::move(loop));
  }
  std::sort(loops.begin(), loops.end());
  return loops;
}

/// Vertices in the order of the points given, faces by loop, edges by vertices. Empty if the faces do not close.
std::optional<Polytope> assemble(const std::vector<std::vector<int>>& loops, const std::vector<Vec3>& points) {
  Polytope p;
  std::map<int, int> vertex_of;
  for (const auto& loop : loops)
    for (int point : loop) vertex_of.emplace(point, 0);
  for (auto& [point, vertex] : vertex_of) {
    vertex = static_cast<int>(p.vertices.size());
    p.vertices.push_back(points[point]);
  }
  for (const Vec3& v : p.vertices) {
    p.interior_point += v / static_cast<double>(p.vertices.size());
    p.radius = std::max(p.radius, v.norm());
  }
  std::map<std::pair<int, int>, int> face_at;
  for (const auto& loop : loops) {
    const int face = static_cast<int>(p.faces.size()), first = static_cast<int>(p.loops.size());
    for (int point : loop) p.loops.push_back(vertex_of[point]);
    const int count = static_cast<int>(loop.size());
    const Vec3 base = p.vertices[p.loops[first]];
    Vec3 area = Vec3::Zero();
    for (int i = 0; i < count; ++i) {
      const int from = p.loops[first + i], to = p.loops[first + (i + 1) % count];
      area += (p.vertices[from] - base).cross(p.vertices[to] - base);
      if (!face_at.emplace(std::pair(from, to), face).second) return std::nullopt;
    }
    const Vec3 normal = area.stableNormalized();
    double offset = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i) offset = std::max(offset, normal.dot(p.vertices[p.loops[first + i]]));
    if (!(normal.dot(p.interior_point) < offset)) return std::nullopt;
    p.faces.push_back({normal, offset, first, count});
  }
  for (const auto& [side, face] : face_at) {
    const auto [from, to] = side;
    const auto opposite = face_at.find({to, from});
    if (opposite == face_at.end()) return std::nullopt;
    if (from < to) p.edges.push_back({{from, to}, {face, opposite->second}});
  }
  if (p.vertices.size() + p.faces.size() != p.edges.size() + 2) return std::nullopt;
  return p;
}

}   // namespace

ConvexHull make_convex_hull(const std::vector<Vec3>& given) {
  check_points(given);
  const std::vector<Vec3> all_unit_points = normalised(given);
  check_volume(all_unit_points);
  std::vector<Vec3> points, unit_points;
  for (int i : distinct(all_unit_points)) points.push_back(given[i]), unit_points.push_back(all_unit_points[i]);
  const QhullFacets found = qhull_facets(unit_points);
  if (!found.failure.empty())
    refuse(fmt::format("Qhull cannot make a hull of these {} points: {}", given.size(), found.failure));

  if (const auto facets = connect(found, unit_points)) {
    std::vector<int> each_its_own(found.facet_count);
    std::iota(each_its_own.begin(), each_its_own.end(), 0);
    // Where merging by plane would tear the surface (curvature at the size of the tolerance), Qhull's facets stand as they are.
    for (const auto& group : {coplanar_groups(*facets, unit_points), each_its_own})
      if (const auto loops = face_loops(*facets, group))
        if (auto polytope = assemble(*loops, points)) return {std::make_shared<const Polytope>(*std::move(polytope))};
  }
  refuse(
      fmt::format("The hull of these {} points has no clean surface. Points that nearly coincide or nearly lie in one plane "
                  "are the usual cause; remove them.",
                  given.size()));
}

}   // namespace stickslip
