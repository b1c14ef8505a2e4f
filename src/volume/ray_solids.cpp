#include <algorithm>
#include <cmath>
#include <limits>

#include "volume/ray_memory.h"

namespace stickslip {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// The line x + t d in a convex shape, both in its frame.
struct LineClip {
  double from = -kFar, to = kFar;
  Vec3 from_normal = Vec3::Zero(), to_normal = Vec3::Zero();

  bool empty() const { return !(from < to); }
  void by_plane(const Vec3& normal, double offset, const Vec3& x, const Vec3& d) {
    const double speed = normal.dot(d), room = offset - normal.dot(x);
    if (speed == 0) {
      if (room < 0) to = -kFar, from = kFar;
    } else if (speed > 0) {
      if (room / speed < to) to = room / speed, to_normal = normal;
    } else if (room / speed > from) {
      from = room / speed, from_normal = normal;
    }
  }
  /// By the places within `radius` of a centre, as seen across `across` (a projection).
  void by_round(const Vec3& x, const Vec3& d, const Vec3& across, double radius) {
    const Vec3 p = x.cwiseProduct(across), e = d.cwiseProduct(across);
    const double a = e.squaredNorm(), b = p.dot(e), c = p.squaredNorm() - radius * radius;
    if (a < 1e-24 * d.squaredNorm()) {
      if (c > 0) to = -kFar, from = kFar;
      return;
    }
    const double discriminant = b * b - a * c;
    if (!(discriminant > 0)) {
      to = -kFar, from = kFar;
      return;
    }
    const double root = std::sqrt(discriminant), enter = (-b - root) / a, leave = (-b + root) / a;
    if (enter > from) from = enter, from_normal = (p + enter * e) / radius;
    if (leave < to) to = leave, to_normal = (p + leave * e) / radius;
  }
  void join(const LineClip& o) {
    if (o.empty()) return;
    if (empty()) *this = o;
    if (o.from < from) from = o.from, from_normal = o.from_normal;
    if (o.to > to) to = o.to, to_normal = o.to_normal;
  }
};

const Vec3 kAround = Vec3::Ones(), kAcrossZ = Vec3(1, 1, 0);

LineClip line_in(const Sphere& s, const Vec3& x, const Vec3& d) {
  LineClip clip;
  clip.by_round(x, d, kAround, s.radius);
  return clip;
}
LineClip line_in(const Box& b, const Vec3& x, const Vec3& d) {
  LineClip clip;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) clip.by_plane(sign * Vec3::Unit(axis), b.half_extents[axis], x, d);
  return clip;
}
LineClip line_in(const Cylinder& c, const Vec3& x, const Vec3& d) {
  LineClip clip;
  for (const double sign : {-1.0, 1.0}) clip.by_plane(sign * Vec3::UnitZ(), c.half_height, x, d);
  clip.by_round(x, d, kAcrossZ, c.radius);
  return clip;
}
LineClip line_in(const Capsule& c, const Vec3& x, const Vec3& d) {
  LineClip clip;
  clip.from = kFar, clip.to = -kFar;
  if (c.half_height > 0) clip.join(line_in(Cylinder{c.radius, c.half_height}, x, d));
  for (const double sign : {-1.0, 1.0}) clip.join(line_in(Sphere{c.radius}, Vec3(x - sign * c.half_height * Vec3::UnitZ()), d));
  return clip;
}
LineClip line_in(const HalfSpace&, const Vec3& x, const Vec3& d) {
  LineClip clip;
  clip.by_plane(Vec3::UnitZ(), 0, x, d);
  return clip;
}
LineClip line_in(const ConvexHull& h, const Vec3& x, const Vec3& d) {
  LineClip clip;
  for (const Polytope::Face& f : h.polytope->faces) {
    clip.by_plane(f.normal, f.offset, x, d);
    if (clip.empty()) break;
  }
  return clip;
}
LineClip line_in(const Mesh&, const Vec3&, const Vec3&) { return {}; }

}   // namespace

void prepare_shifts(RayMemory& memory, int count) {
  if (memory.shifts_of >= count) return;
  memory.shifts_of = count;
  memory.shifts.clear();
  // Two irrational numbers whose multiples spread evenly over a square.
  constexpr double p = 0.7548776662466927, q = 0.5698402909980532;
  const auto shift = [](double a) { return 0.25 + 0.5 * (a - std::floor(a)); };
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < count; ++i) memory.shifts.push_back({shift(p * i + q * j), shift(q * i - p * j)});
}

void stretches_inside(const RaySolid& solid, const RayGrid& grid, RayMemory& memory) {
  if (solid.is_mesh()) return stretches_in_mesh(solid, grid, memory);
  auto& stretches = memory.inside[solid.slot];
  auto& first = memory.first_inside[solid.slot];
  stretches.clear(), first.clear();
  const Vec3 direction = solid.rotation.row(grid.axis).transpose();
  for (std::uint32_t ray = 0; ray < grid.rays(); ++ray) {
    first.push_back(static_cast<std::uint32_t>(stretches.size()));
    if (!memory.wanted[ray]) continue;
    const Vec2 at = grid.place(ray);
    Vec3 x = Vec3::Zero();
    x[grid.u()] = at.x(), x[grid.v()] = at.y();
    const Vec3 local = solid.rotation.transpose() * (x - solid.pose.position);
    const LineClip clip = std::visit([&](const auto& s) { return line_in(s, local, direction); }, *solid.shape);
    if (!clip.empty())
      stretches.push_back({clip.from, clip.to, solid.rotation * clip.from_normal, solid.rotation * clip.to_normal});
  }
  first.push_back(static_cast<std::uint32_t>(stretches.size()));
}

}   // namespace stickslip
