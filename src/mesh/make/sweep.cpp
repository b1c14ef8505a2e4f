#include <cmath>

#include "mesh/make/outlines.h"
#include "mesh/polygon.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kSharpestTurn = -0.9;   ///< cosine: beyond it mitres are longer than 4 sections

/// Where the section stands at a corner of the path.
struct Station {
  Vec3 at, along;     ///< along: unit, halves the turn
  Vec3 u, v;          ///< axes of the section, u × v = along
  Vec3 bend;          ///< unit, in the plane of the turn, across `along`; any where the path is straight
  double mitre = 1;   ///< stretch along `bend`
  Vec3 place(const Vec2& p) const {
    const Vec3 plain = p.x() * u + p.y() * v;
    return at + plain + (mitre - 1) * plain.dot(bend) * bend;
  }
};

/// Unit directions of the sides of the path.
std::vector<Vec3> directions_of(const std::vector<Vec3>& path, bool closed) {
  const std::size_t n = path.size();
  if (n < (closed ? 3u : 2u))
    throw Error(fmt::format("{} points are no path. Give at least {}.", n, closed ? 3 : 2)).at("path");
  std::vector<Vec3> directions;
  for (std::size_t i = 0; i + (closed ? 0 : 1) < n; ++i) {
    const Vec3 side = path[(i + 1) % n] - path[i];
    if (!side.allFinite() || !(side.norm() > 0))
      throw Error("The next point is at the same place, or a coordinate is not finite.").at(std::to_string(i)).at("path");
    directions.push_back(side.normalized());
  }
  return directions;
}

/// Stations without their axes.
std::vector<Station> stations_of(const std::vector<Vec3>& path, const std::vector<Vec3>& directions, bool closed) {
  std::vector<Station> stations;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Vec3& before = directions[i > 0 ? i - 1 : closed ? directions.size() - 1 : 0];
    const Vec3& after = directions[std::min(i, directions.size() - 1)];
    if (before.dot(after) < kSharpestTurn)
      throw Error("The path turns back by more than 154°. Give points between, around a bend.")
          .at(std::to_string(i))
          .at("path");
    Station s;
    s.at = path[i];
    s.along = (before + after).normalized();
    const Vec3 across = after - before;
    s.bend = across.norm() > 0 ? across.normalized() : frame_from_normal(s.along).col(1);
    s.mitre = 1 / before.dot(s.along);
    stations.push_back(s);
  }
  return stations;
}

/// Axes that stay as near to `up` as they can.
void keep_upright(std::vector<Station>& stations, const Vec3& up) {
  for (std::size_t i = 0; i < stations.size(); ++i) {
    Station& s = stations[i];
    const Vec3 across = up - up.dot(s.along) * s.along;
    if (!(across.norm() > 1e-6 * up.norm()))
      throw Error("The path runs along `up` there: which way the section stands is not known.")
          .at(std::to_string(i))
          .at("path");
    s.v = across.normalized();
    s.u = s.v.cross(s.along);
  }
}

/// Axes carried on by the smallest rotations from side to side. The angle that a closed path leaves is spread over it.
void turn_least(std::vector<Station>& stations, const std::vector<Vec3>& directions, bool closed) {
  const std::size_t n = stations.size();
  Vec3 u = frame_from_normal(directions[0]).col(1);   // of the side, not of the corner
  const Vec3 first = u;
  const auto carry = [&](const Vec3& from, const Vec3& to) { u = rotation_between(from, to) * u; };
  for (std::size_t i = 0; i < n; ++i) {
    Station& s = stations[i];
    const Vec3& after = directions[std::min(i, directions.size() - 1)];
    if (i > 0) carry(directions[i - 1], s.along), s.u = u, carry(s.along, after);
    else s.u = rotation_between(after, s.along) * u;
  }
  double left = 0;
  if (closed) {
    carry(directions[n - 1], stations[0].along), carry(stations[0].along, directions[0]);
    left = std::atan2(u.cross(first).dot(directions[0]), u.dot(first));
  }
  for (std::size_t i = 0; i < n; ++i) {
    Station& s = stations[i];
    s.u = Eigen::AngleAxisd(left * static_cast<double>(i) / static_cast<double>(n), s.along) * s.u;
    s.u = (s.u - s.u.dot(s.along) * s.along).normalized();
    s.v = s.along.cross(s.u);
  }
}

}   // namespace

TriangleMesh sweep(const std::vector<Vec3>& path, const Polygon& section, const SweepOptions& options) {
  const Polygon corners = simple_polygon(section, "section");
  const std::vector<Vec3> directions = directions_of(path, options.closed);
  std::vector<Station> stations = stations_of(path, directions, options.closed);
  if (options.up) keep_upright(stations, *options.up);
  else turn_least(stations, directions, options.closed);
  TriangleMesh mesh;
  for (const Station& s : stations)
    for (const Vec2& p : corners) mesh.vertices.push_back(s.place(p));
  const std::size_t m = corners.size(), n = stations.size();
  for (std::size_t i = 0; i + (options.closed ? 0 : 1) < n; ++i)
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t a = i * m, b = (i + 1) % n * m, next = (k + 1) % m;
      add_quadrilateral(mesh, a + k, a + next, b + next, b + k);
    }
  if (options.closed) return mesh;
  std::vector<std::uint32_t> loop(m);
  for (std::size_t k = 0; k < m; ++k) loop[k] = static_cast<std::uint32_t>(k);
  for (const auto& [a, b, c] : triangulated(corners, {loop})) {
    add_triangle(mesh, a, c, b);
    add_triangle(mesh, (n - 1) * m + a, (n - 1) * m + b, (n - 1) * m + c);
  }
  return mesh;
}

}   // namespace stickslip
