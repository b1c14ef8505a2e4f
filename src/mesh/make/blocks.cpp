#include <cmath>
#include <numbers>

#include "mesh/make/outlines.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kRadians = std::numbers::pi / 180;

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
  for (const int n : divisions) require_range(n, 1, 1000, "divisions");
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

TriangleMesh triangle_mesh(const EllipseBlock& e) {
  require_length(e.a, "a");
  require_length(e.b, "b");
  require_length(e.thickness, "thickness");
  require_arc(e.from_degrees, e.to_degrees);
  require_length(e.half_height, "half_height");
  const auto map = [&](const Vec3& p) -> Vec3 {
    const double t = kRadians * (e.from_degrees + p.y() * (e.to_degrees - e.from_degrees));
    const Vec2 outwards = Vec2(e.b * std::cos(t), e.a * std::sin(t)).normalized();
    const Vec2 at = Vec2(e.a * std::cos(t), e.b * std::sin(t)) + p.x() * e.thickness * outwards;
    return {at.x(), at.y(), e.half_height * (2 * p.z() - 1)};
  };
  return block(map, {1, e.divisions, 1});
}

}   // namespace stickslip
