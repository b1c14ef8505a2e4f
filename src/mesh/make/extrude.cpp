#include <cmath>
#include <numbers>

#include "mesh/make/outlines.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// By how much an involute has left the ray through its start where its normal is inclined to the circle around by `a`.
double involute(double a) { return std::tan(a) - a; }

}   // namespace

TriangleMesh extrude(const Polygon& outline, double half_height, const std::vector<Polygon>& holes) {
  require_length(half_height, "half_height");
  std::vector<Polygon> loops = {simple_polygon(outline, "outline")};
  for (std::size_t i = 0; i < holes.size(); ++i) try {
      loops.push_back(simple_polygon(holes[i], std::to_string(i).c_str()));
      std::reverse(loops.back().begin(), loops.back().end());
    } catch (Error& e) {
      throw e.at("holes");
    }
  TriangleMesh mesh;
  std::vector<std::vector<std::uint32_t>> bottom, top;
  for (const Polygon& loop : loops) {
    const std::size_t first = mesh.vertices.size(), n = loop.size();
    bottom.emplace_back(), top.emplace_back();
    for (const Vec2& p : loop) {
      bottom.back().push_back(static_cast<std::uint32_t>(mesh.vertices.size()));
      mesh.vertices.push_back({p.x(), p.y(), -half_height});
      top.back().push_back(static_cast<std::uint32_t>(mesh.vertices.size()));
      mesh.vertices.push_back({p.x(), p.y(), half_height});
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t a = first + 2 * i, b = first + 2 * ((i + 1) % n);
      add_quadrilateral(mesh, a, b, b + 1, a + 1);
    }
  }
  add_flat_face(mesh, bottom, false);
  add_flat_face(mesh, top, true);
  return mesh;
}

Polygon gear_outline(const Gear& gear) {
  require_range(gear.teeth, 6, 1000, "teeth");
  require_length(gear.module, "module");
  require_range(gear.pressure_degrees, 10, 30, "pressure_degrees");
  require_range(gear.backlash, 0, gear.module, "backlash");
  require_range(gear.flank_points, 1, 1000, "flank_points");
  const double m = gear.module, pressure = gear.pressure_degrees * std::numbers::pi / 180;
  const double pitch = 0.5 * m * gear.teeth, base = pitch * std::cos(pressure), tip = pitch + m, root = pitch - 1.25 * m;
  const double half_tooth = (0.5 * std::numbers::pi * m - gear.backlash) / (2 * pitch) + involute(pressure);
  const auto half_angle = [&](double r) { return r > base ? half_tooth - involute(std::acos(base / r)) : half_tooth; };
  if (!(half_angle(tip) > 0))
    throw Error(
        fmt::format("{} teeth end in points below the tip circle. Give more teeth, or less pressure_degrees or backlash.",
                    gear.teeth))
        .at("teeth");
  // One flank from the root up; below the base circle it runs along the ray.
  std::vector<Vec2> flank;   // radius, angle from the middle of the tooth
  if (root < base) flank.push_back({root, half_tooth});
  const double foot = std::max(root, base);
  for (int i = 0; i <= gear.flank_points; ++i) {
    const double r = foot + (tip - foot) * i / gear.flank_points;
    flank.push_back({r, half_angle(r)});
  }
  Polygon outline;
  const auto add = [&](double r, double angle) { outline.push_back(r * Vec2(std::cos(angle), std::sin(angle))); };
  for (int k = 0; k < gear.teeth; ++k) {
    const double middle = 2 * std::numbers::pi * k / gear.teeth;
    for (auto p = flank.begin(); p != flank.end(); ++p) add(p->x(), middle - p->y());
    for (auto p = flank.rbegin(); p != flank.rend(); ++p) add(p->x(), middle + p->y());
  }
  return outline;
}

}   // namespace stickslip
