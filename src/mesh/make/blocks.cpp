#include <cmath>
#include <numbers>

#include "mesh/make/outlines.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kRadians = std::numbers::pi / 180;
constexpr int kMostDivisions = 256;   ///< of the edges of a block: the lattice over it has its cube

/// The points of a lattice over the unit cube that lie on its surface, as vertices.
class CubeSurface {
 public:
  CubeSurface(const std::function<Vec3(const Vec3&)>& map, const std::array<int, 3>& divisions) : map_(map), n_(divisions) {
    vertex_.assign(static_cast<std::size_t>(n_[0] + 1) * (n_[1] + 1) * (n_[2] + 1), -1);
  }

  TriangleMesh run() {
    for (int axis = 0; axis < 3; ++axis)
      for (const bool upper : {false, true}) add_side(axis, upper);
    return std::move(mesh_);
  }

 private:
  std::size_t vertex(const std::array<int, 3>& p) {
    std::int64_t& v = vertex_[(static_cast<std::size_t>(p[2]) * (n_[1] + 1) + p[1]) * (n_[0] + 1) + p[0]];
    if (v < 0) {
      v = static_cast<std::int64_t>(mesh_.vertices.size());
      mesh_.vertices.push_back(map_({double(p[0]) / n_[0], double(p[1]) / n_[1], double(p[2]) / n_[2]}));
    }
    return static_cast<std::size_t>(v);
  }

  void add_side(int axis, bool upper) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < n_[u]; ++i)
      for (int k = 0; k < n_[v]; ++k) {
        std::array<std::size_t, 4> corner;
        for (int c = 0; c < 4; ++c) {
          std::array<int, 3> p;
          p[axis] = upper ? n_[axis] : 0, p[u] = i + (c == 1 || c == 2), p[v] = k + (c >= 2);
          corner[c] = vertex(p);
        }
        if (upper) add_quadrilateral(mesh_, corner[0], corner[1], corner[2], corner[3]);
        else add_quadrilateral(mesh_, corner[0], corner[3], corner[2], corner[1]);
      }
  }

  const std::function<Vec3(const Vec3&)>& map_;
  std::array<int, 3> n_;
  std::vector<std::int64_t> vertex_;
  TriangleMesh mesh_;
};

void require_arc(double from, double to) {
  if (!(std::isfinite(from) && std::isfinite(to) && from < to && to - from < 180))
    throw Error(fmt::format("The arc from {}° to {}° is none. It must go upwards by less than 180°.", from, to))
        .at("to_degrees");
}

}   // namespace

TriangleMesh block(const std::function<Vec3(const Vec3&)>& map, const std::array<int, 3>& divisions) {
  for (const int n : divisions) require_range(n, 1, kMostDivisions, "divisions");
  return CubeSurface(map, divisions).run();
}

TriangleMesh triangle_mesh(const Box& b, int divisions) {
  validate(Shape(b));
  return block([&](const Vec3& p) -> Vec3 { return b.half_extents.cwiseProduct(2 * p - Vec3::Ones()); },
               {divisions, divisions, divisions});
}

TriangleMesh triangle_mesh(const Voussoir& v) {
  require_length(v.inner, "inner");
  if (!(std::isfinite(v.outer) && v.outer > v.inner))
    throw Error(fmt::format("{} is not a radius beyond the inner one, {} m.", v.outer, v.inner)).at("outer");
  require_arc(v.from_degrees, v.to_degrees);
  require_length(v.half_depth, "half_depth");
  const auto map = [&](const Vec3& p) -> Vec3 {
    const double angle = kRadians * (v.from_degrees + p.x() * (v.to_degrees - v.from_degrees)),
                 r = v.inner + p.z() * (v.outer - v.inner);
    return {r * std::sin(angle), v.half_depth * (2 * p.y() - 1), r * std::cos(angle)};
  };
  return block(map, {v.divisions, 1, 1});
}

TriangleMesh triangle_mesh(const WallStone& w) {
  require_length(w.a, "a");
  require_length(w.b, "b");
  require_length(w.thickness, "thickness");
  require_range(w.divisions, 1, kMostDivisions, "divisions");
  if (w.lower.size() < 2) throw Error(fmt::format("{} corners make no line. Give at least 2.", w.lower.size())).at("lower");
  if (w.upper.size() != w.lower.size())
    throw Error(fmt::format("{} corners stand over {}. Give as many.", w.upper.size(), w.lower.size())).at("upper");
  const auto on_wall = [&](const Vec2& at, double depth) -> Vec3 {
    const double t = kRadians * at.x();
    const Vec2 outwards = Vec2(w.b * std::cos(t), w.a * std::sin(t)).normalized();
    const Vec2 place = Vec2(w.a * std::cos(t), w.b * std::sin(t)) + depth * outwards;
    return {place.x(), place.y(), at.y()};
  };
  const Vec3 origin = on_wall(w.origin, 0);
  const int sides = static_cast<int>(w.lower.size()) - 1;
  const auto map = [&](const Vec3& p) -> Vec3 {
    const auto side = static_cast<std::size_t>(std::min(static_cast<int>(p.y() * sides + 1e-9), sides - 1));
    const double share = p.y() * sides - static_cast<double>(side);
    const auto along = [&](const Polygon& line) -> Vec2 { return (1 - share) * line[side] + share * line[side + 1]; };
    return on_wall((1 - p.z()) * along(w.lower) + p.z() * along(w.upper), p.x() * w.thickness) - origin;
  };
  TriangleMesh mesh = block(map, {1, sides * w.divisions, 1});
  if (!(volume(mesh) > 0))
    throw Error("The stone has no volume: both lines run in the direction of t, the upper one above.").at("upper");
  return mesh;
}

}   // namespace stickslip
