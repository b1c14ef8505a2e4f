#include <cmath>
#include <numbers>

#include "mesh/make/outlines.h"
#include "mesh/weld.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// The vertices of one corner of the profile: a ring, or one on the axis.
struct Ring {
  std::size_t first;
  bool on_axis;
  std::size_t at(int i) const { return on_axis ? first : first + static_cast<std::size_t>(i); }
};

}   // namespace

Polygon circle(double radius, int segments) {
  require_length(radius, "radius");
  require_range(segments, 3, 100000, "segments");
  Polygon corners;
  for (int i = 0; i < segments; ++i) {
    const double angle = 2 * std::numbers::pi * i / segments;
    corners.push_back(radius * Vec2(std::cos(angle), std::sin(angle)));
  }
  return corners;
}

TriangleMesh revolve(const Polygon& profile, int segments) {
  const Polygon corners = simple_polygon(profile, "profile");
  for (std::size_t i = 0; i < profile.size(); ++i)
    if (profile[i].x() < 0)
      throw Error(fmt::format("The radius {} lies behind the axis. Give (r, z) with r ≥ 0.", profile[i].x()))
          .at(std::to_string(i))
          .at("profile");
  const Polygon around = circle(1, segments);
  TriangleMesh mesh;
  std::vector<Ring> rings;
  for (const Vec2& p : corners) {
    rings.push_back({mesh.vertices.size(), p.x() == 0});
    if (rings.back().on_axis) mesh.vertices.push_back({0, 0, p.y()});
    else
      for (const Vec2& direction : around) mesh.vertices.push_back({p.x() * direction.x(), p.x() * direction.y(), p.y()});
  }
  for (std::size_t k = 0; k < rings.size(); ++k) {
    const Ring &a = rings[k], &b = rings[(k + 1) % rings.size()];
    for (int i = 0; i < segments; ++i) {
      const int next = (i + 1) % segments;
      if (!a.on_axis) add_triangle(mesh, a.at(i), a.at(next), b.at(next));
      if (!b.on_axis) add_triangle(mesh, a.at(i), b.at(next), b.at(i));
    }
  }
  return mesh;
}

TriangleMesh triangle_mesh(const Cylinder& c, int segments) {
  validate(Shape(c));
  return revolve({{0, -c.half_height}, {c.radius, -c.half_height}, {c.radius, c.half_height}, {0, c.half_height}}, segments);
}

TriangleMesh triangle_mesh(const Capsule& c, int segments) {
  validate(Shape(c));
  require_range(segments, 4, 100000, "segments");
  const int quarter = std::max(1, segments / 4);
  Polygon profile;
  for (int k = 0; k <= 2 * quarter; ++k) {
    const double angle = std::numbers::pi / 2 * k / quarter, z = -c.radius * std::cos(angle);
    const double r = k == 0 || k == 2 * quarter ? 0 : c.radius * std::sin(angle);
    if (k <= quarter) profile.push_back({r, z - c.half_height});
    if (k > quarter || (k == quarter && c.half_height > 0)) profile.push_back({r, z + c.half_height});
  }
  return revolve(profile, segments);
}

TriangleMesh torus(double radius, double tube, int segments, int around) {
  require_length(radius, "radius");
  require_length(tube, "tube");
  if (!(tube < radius))
    throw Error(fmt::format("{} is not less than the radius {}: the ring has no hole.", tube, radius)).at("tube");
  require_range(around, 3, 100000, "around");
  Polygon profile = circle(tube, around);
  for (Vec2& p : profile) p.x() += radius;
  return revolve(profile, segments);
}

TriangleMesh triangle_mesh(const Sphere& s, int divisions) {
  validate(Shape(s));
  require_range(divisions, 1, 256, "divisions");
  // Two poles and two rings of five, every other corner turned by a tenth of a turn.
  std::vector<Vec3> corners = {Vec3::UnitZ()};
  for (int i = 0; i < 10; ++i) {
    const double angle = std::numbers::pi * i / 5, z = (i % 2 ? -1 : 1) / std::sqrt(5.0);
    corners.push_back({2 / std::sqrt(5.0) * std::cos(angle), 2 / std::sqrt(5.0) * std::sin(angle), z});
  }
  corners.push_back(-Vec3::UnitZ());
  std::vector<std::array<int, 3>> faces;
  for (int i = 0; i < 10; ++i) {
    const int a = 1 + i, b = 1 + (i + 1) % 10, c = 1 + (i + 2) % 10;
    if (i % 2) faces.push_back({11, c, a}), faces.push_back({a, c, b});
    else faces.push_back({0, a, c}), faces.push_back({a, b, c});
  }
  TriangleMesh mesh;
  for (const auto& [a, b, c] : faces) {
    const auto first = mesh.vertices.size();
    const auto at = [&](int i, int k) {
      return first + static_cast<std::size_t>(i * (i + 1) / 2 + k);
    };   // row i, k from its start
    for (int i = 0; i <= divisions; ++i)
      for (int k = 0; k <= i; ++k)
        mesh.vertices.push_back(s.radius * ((divisions - i) * corners[a] + (i - k) * corners[b] + k * corners[c]).normalized());
    for (int i = 0; i < divisions; ++i)
      for (int k = 0; k <= i; ++k) {
        add_triangle(mesh, at(i, k), at(i + 1, k), at(i + 1, k + 1));
        if (k < i) add_triangle(mesh, at(i, k), at(i + 1, k + 1), at(i, k + 1));
      }
  }
  weld(mesh, 1e-9 * s.radius);
  return mesh;
}

}   // namespace stickslip
