#include "stickslip/friction/ellipsoid.h"

#include <cmath>
#include <limits>

namespace stickslip {

// The closest point is xᵢ = aᵢ² yᵢ / (t + aᵢ²) with t > 0 the root of the decreasing, convex
//   g(t) = Σ (aᵢ yᵢ / (t + aᵢ²))² − 1.
// Newton on the concave 1/√(g + 1) − 1 starts left of the root and climbs to it without overshooting.
Vec3 EllipsoidFriction::project(double normal, const Vec3& trial) const {
  const Vec3 a = std::max(normal, 0.0) * axes();
  const double size = trial.cwiseAbs().maxCoeff();
  Vec3 scaled = Vec3::Zero();   // position in units of the axes; an axis without friction cannot be inside
  bool outside = false;
  for (int i = 0; i < 3; ++i) {
    if (a[i] > 0) scaled[i] = trial[i] / a[i];
    else outside = outside || trial[i] != 0;
  }
  if (!outside && scaled.squaredNorm() <= 1) return trial;
  if (!(size > 0) || !(a.maxCoeff() > 0)) return Vec3::Zero();

  // In units of the longest axis, so that nothing overflows.
  const double unit = a.maxCoeff();
  Vec3 s = a / unit, y = trial / unit;
  const auto length = [&](double t, double* slope) {
    double sum = 0, derivative = 0;
    for (int i = 0; i < 3; ++i) {
      if (!(s[i] > 0)) continue;
      const double q = s[i] * y[i] / (t + s[i] * s[i]);
      sum += q * q;
      derivative -= q * q / (t + s[i] * s[i]);
    }
    const double root = std::sqrt(sum);
    *slope = root > 0 ? derivative / root : 0;
    return root;
  };
  double t = 0;
  for (int k = 0; k < 60; ++k) {
    double slope;
    const double size_at_t = length(t, &slope);
    if (!(size_at_t > 1) || slope == 0) break;
    // 1/length grows: from length·(length − 1)/(−slope).
    const double next = t - size_at_t * (size_at_t - 1) / slope;
    if (!(next > t * (1 + 4 * std::numeric_limits<double>::epsilon()))) break;
    t = next;
  }
  Vec3 x = Vec3::Zero();
  for (int i = 0; i < 3; ++i)
    if (s[i] > 0) x[i] = s[i] * s[i] * y[i] / (t + s[i] * s[i]) * unit;
  return x;
}

}  // namespace stickslip
