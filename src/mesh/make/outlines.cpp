#include "mesh/make/outlines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mesh/polygon.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

double turn_at(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// Whether c, which lies on the line through a and b, is between them.
bool lies_between(const Vec2& a, const Vec2& b, const Vec2& c) { return (c - a).dot(c - b) <= 0; }

/// Whether two closed segments have a point in common.
bool segments_meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const double abc = turn_at(a, b, c), abd = turn_at(a, b, d), cda = turn_at(c, d, a), cdb = turn_at(c, d, b);
  if ((abc == 0 && lies_between(a, b, c)) || (abd == 0 && lies_between(a, b, d)) || (cda == 0 && lies_between(c, d, a)) ||
      (cdb == 0 && lies_between(c, d, b)))
    return true;
  return (abc > 0) != (abd > 0) && (cda > 0) != (cdb > 0) && abc != 0 && abd != 0 && cda != 0 && cdb != 0;
}

/// Whether the side into b and the side out of it fold onto each other.
bool folds_back(const Vec2& a, const Vec2& b, const Vec2& c) { return turn_at(a, b, c) == 0 && (b - a).dot(c - b) <= 0; }

/// The first two sides that touch although they are not neighbours, or fold back; equal to size() where there are none.
std::pair<std::size_t, std::size_t> first_crossing(const Polygon& p) {
  const std::size_t n = p.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (folds_back(p[i], p[(i + 1) % n], p[(i + 2) % n])) return {i, (i + 1) % n};
    for (std::size_t k = i + 2; k < n && (k + 1) % n != i; ++k)
      if (segments_meet(p[i], p[i + 1], p[k], p[(k + 1) % n])) return {i, k};
  }
  return {n, n};
}

}   // namespace

void require_length(double value, const char* name) {
  if (!(std::isfinite(value) && value > 0))
    throw Error(fmt::format("{} is not a length. It must be finite and greater than 0 m.", value)).at(name);
}

void require_range(double value, double least, double most, const char* name) {
  if (!(value >= least && value <= most))
    throw Error(fmt::format("{} is out of range. Give {} to {}.", value, least, most)).at(name);
}

double signed_area(const Polygon& p) {
  double doubled = 0;
  for (std::size_t i = 1; i + 1 < p.size(); ++i) doubled += turn_at(p[0], p[i], p[i + 1]);
  return 0.5 * doubled;
}

Polygon simple_polygon(const Polygon& p, const char* name) {
  if (p.size() < 3) throw Error(fmt::format("A polygon of {} corners encloses nothing. Give at least 3.", p.size())).at(name);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!p[i].allFinite()) throw Error("A coordinate is not finite.").at(std::to_string(i)).at(name);
  const auto [first, second] = first_crossing(p);
  if (first < p.size())
    throw Error(fmt::format("Sides {} and {} of the polygon touch or cross (counted from 0, side i from corner i to the next). "
                            "Give the corners of a simple polygon, none twice.",
                            first, second))
        .at(name);
  Polygon result = p;
  if (signed_area(p) < 0) std::reverse(result.begin(), result.end());
  return result;
}

void add_triangle(TriangleMesh& mesh, std::size_t a, std::size_t b, std::size_t c) {
  mesh.triangles.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(c)});
}

void add_quadrilateral(TriangleMesh& mesh, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  add_triangle(mesh, a, b, c);
  add_triangle(mesh, a, c, d);
}

void add_flat_face(TriangleMesh& mesh, const std::vector<std::vector<std::uint32_t>>& loops, bool up) {
  std::vector<Vec2> flat;
  std::vector<std::uint32_t> vertex;
  std::vector<std::vector<std::uint32_t>> local(loops.size());
  for (std::size_t l = 0; l < loops.size(); ++l)
    for (const std::uint32_t v : loops[l]) {
      local[l].push_back(static_cast<std::uint32_t>(flat.size()));
      flat.push_back(mesh.vertices[v].head<2>());
      vertex.push_back(v);
    }
  for (auto [a, b, c] : triangulated(flat, local)) {
    if (!up) std::swap(b, c);
    add_triangle(mesh, vertex[a], vertex[b], vertex[c]);
  }
}

}   // namespace stickslip
