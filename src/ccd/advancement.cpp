#include "stickslip/ccd/advancement.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {
namespace {

void check_length(double value, const char* name) {
  if (!(value >= 0 && std::isfinite(value)))
    throw Error(fmt::format("{} is not a length. It must be finite, 0 or greater.", value)).at(name);
}

void check_motion(const RigidMotion& motion) {
  check_length(motion.reach, "reach");
  check_length(motion.turn, "turn");
  if (!motion.start.position.allFinite() || !motion.start.orientation.coeffs().allFinite() ||
      !motion.displacement.allFinite() || !motion.rotation.allFinite())
    throw Error("A motion has numbers that are not finite. Position, orientation, displacement and rotation must be finite.");
}

/// How fast the distance can shrink at most [m per unit of time].
double closing_rate(const RigidMotion& a, const RigidMotion& b, const Vec3& normal) {
  const Vec3 relative = a.displacement - b.displacement;
  const double anyhow = relative.norm() + a.turning() + b.turning();
  const double length = normal.norm();
  if (!(length > 0)) return anyhow;
  const Vec3 n = normal / length;
  return std::min(anyhow, n.dot(relative) + a.turning_along(n) + b.turning_along(n));
}

}   // namespace

std::optional<RigidImpact> rigid_impact(const RigidMotion& a, const RigidMotion& b, const SeparationOracle& separation,
                                        const AdvancementOptions& options) {
  check_motion(a);
  check_motion(b);
  check_length(options.min_distance, "min_distance");
  check_length(options.tolerance, "tolerance");
  const double nothing = std::max(options.tolerance, 1e-14) * std::max(a.reach, b.reach);
  RigidImpact impact;
  for (;;) {
    impact.separation = separation(a.at(impact.time), b.at(impact.time));
    ++impact.iterations;
    const double left = impact.separation.distance - options.min_distance;
    if (std::isnan(left)) throw Error(fmt::format("The distance of two bodies at time {} is not a number.", impact.time));
    if (left <= nothing) return impact;
    if (impact.iterations >= options.max_iterations) {
      impact.stopped_early = true;
      return impact;
    }
    const double rate = closing_rate(a, b, impact.separation.normal);
    // A little less than allowed: rounding of the rate must not carry it beyond.
    const double step = (1 - 1e-12) * left / rate;
    if (!(rate > 0) || impact.time + step > 1) return std::nullopt;
    impact.time += step;
  }
}

}   // namespace stickslip
