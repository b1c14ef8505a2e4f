// Capsule against capsule: the nearest points of two segments; side by side as seen along the normal, the ends of their common
// stretch. One of these ends is far ahead if the capsules are tilted against each other. Crosswise, the ends within reach
// come as well.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "collide/side_ends.h"
#include "collide/sphere_point.h"
#include "collide/tolerances.h"

namespace stickslip::narrow {
namespace {

constexpr double kEndOnly = 0.3;   // cosine of an axis' tilt from which on its capsule touches with one end
constexpr double kStretchMisses =
    1e-4;   // of the radii: a stretch that misses the nearest points by more does not speak for them

// Coordinate within ±h_b on line B nearest to the point s on line A, and the reverse, are used to clamp in turn.
struct Lines {
  Vec3 u, v, d;   // unit axes of A and B, centre of B minus centre of A
  double cosine, du, dv;

  Lines(const Vec3& axis_a, const Vec3& axis_b, const Vec3& between)
      : u(axis_a), v(axis_b), d(between), cosine(u.dot(v)), du(d.dot(u)), dv(d.dot(v)) {}
  double on_b(double s) const { return s * cosine - dv; }
  double on_a(double t) const { return du + t * cosine; }
  Vec3 between(double s, double t) const { return d + t * v - s * u; }
};

}   // namespace

void collide(const Capsule& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b, double margin, ContactSink& sink) {
  const Lines lines(pose_a.orientation * Vec3::UnitZ(), pose_b.orientation * Vec3::UnitZ(), pose_b.position - pose_a.position);
  const double ha = a.half_height, hb = b.half_height;
  const double sine_squared = lines.u.cross(lines.v).squaredNorm();

  // Nearest points of the lines, clamped to A, then to B, then to A again: exact for segments.
  double s = 0;
  if (sine_squared > 1e-14) s = std::clamp((lines.du - lines.cosine * lines.dv) / sine_squared, -ha, ha);
  const double t = std::clamp(lines.on_b(s), -hb, hb);
  s = std::clamp(lines.on_a(t), -ha, ha);
  const Vec3 d = lines.between(s, t);
  const double distance = d.norm();
  if (distance > a.radius + b.radius + margin) return;

  Vec3 normal;
  if (distance > kConcentric * (a.radius + b.radius)) {
    normal = d / distance;
  } else if (sine_squared > 1e-14) {   // crossing axes: across both
    normal = lines.u.cross(lines.v).normalized();
    if (normal.dot(lines.d) < 0) normal = -normal;
  } else {
    normal = pose_a.orientation * Vec3::UnitX();
  }

  double lowest = std::numeric_limits<double>::infinity();
  const auto add = [&](double at_a, double at_b, std::uint32_t feature) {
    const Vec3 p = pose_a.position + at_a * lines.u, q = pose_b.position + at_b * lines.v;
    const double gap = normal.dot(q - p) - a.radius - b.radius;
    if (gap > margin) return;
    lowest = std::min(lowest, gap);
    sink.add(0.5 * (p + q + normal * (a.radius - b.radius)), normal, gap, feature);
  };

  // The axes in the plane across the normal.
  const Vec3 u = lines.u - normal.dot(lines.u) * normal, v = lines.v - normal.dot(lines.v) * normal;
  const double length_u = u.norm(), length_v = v.norm();
  if (ha > 0 && hb > 0 && length_u > kEndOnly && length_v > kEndOnly &&
      u.cross(v).norm() < kSegmentsParallel * length_u * length_v) {
    // The stretch of A beside B, measured along u.
    const Vec3 along = u / length_u;
    const double v_along = v.dot(along), middle = lines.d.dot(along), reach = hb * std::abs(v_along);
    const double low = std::max(-ha * length_u, middle - reach), high = std::min(ha * length_u, middle + reach);
    if (high - low > 1e-3 * std::min(ha, hb)) {
      for (const auto& [x, feature] : {std::pair(low, 1u), std::pair(high, 2u)})
        add(std::clamp(x / length_u, -ha, ha), std::clamp((x - middle) / v_along, -hb, hb), feature);
      if (lowest <= distance - (1 - kStretchMisses) * (a.radius + b.radius)) return;
    }
  }
  add(s, t, 0);
  if (distance > kConcentric * (a.radius + b.radius))
    add_side_ends({Vec3::Zero(), lines.u, ha, a.radius, false}, s, {lines.d, lines.v, hb, b.radius, false}, t, pose_a.position,
                  margin, 3, sink);
}

}   // namespace stickslip::narrow
