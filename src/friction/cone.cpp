#include "stickslip/friction/cone.h"

namespace stickslip {

// Outside the cone and its polar the closest point has fᵢ = aᵢ² xᵢ / (aᵢ² + θ) and (1 − θ) n = xₙ with a multiplier θ > 0, and
// n = N(θ) = √Σ (aᵢ xᵢ / (aᵢ² + θ))² on the boundary. So θ is the root of (1 − θ) N(θ) − xₙ, which falls from N(0) − xₙ > 0 to
// −‖a x‖ − xₙ < 0.
ConeVector<EllipsoidFriction> project_on_cone(const EllipsoidFriction& law, const Vec4& x) {
  const Vec3 a = law.axes(), friction = x.tail<3>();
  if (law.support(friction) <= -x[0]) return Vec4::Zero();
  if (x[0] >= 0 && law.project(x[0], friction) == friction) return x;
  const Vec3 a_squared = a.cwiseProduct(a), weighted = a.cwiseProduct(friction);
  double slope = 0;
  const auto value = [&](double theta) {
    double sum = 0, derivative = 0;
    for (int i = 0; i < 3; ++i) {
      if (!(a[i] > 0)) continue;
      const double q = weighted[i] / (a_squared[i] + theta);
      sum += q * q;
      derivative -= q * q / (a_squared[i] + theta);
    }
    const double n = std::sqrt(sum);
    slope = n > 0 ? (1 - theta) * derivative / n - n : 0;
    return (1 - theta) * n - x[0];
  };
  const auto point = [&](double theta) {
    Vec4 y = Vec4::Zero();
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      if (!(a[i] > 0)) continue;
      const double q = weighted[i] / (a_squared[i] + theta);
      sum += q * q;
      y[i + 1] = a[i] * q;
    }
    // Where only rows without friction stick out, the normal part is that of the point.
    y[0] = std::max(std::sqrt(sum), theta < 1 ? x[0] : 0.0);
    return y;
  };
  if (!(value(0) > 0)) return point(0);
  double low = 0, high = 1;
  for (int k = 0; k < 1000 && value(high) > 0; ++k) {
    low = high;
    high *= 4;
  }
  double theta = low;
  for (int k = 0; k < 200; ++k) {
    const double f = value(theta);
    (f > 0 ? low : high) = theta;
    double next = theta - f / slope;
    // Newton while it stays between the brackets; halves them otherwise, and every third time to make sure that they shrink.
    if (!(next > low && next < high) || k % 3 == 2) next = 0.5 * (low + high);
    if (f == 0 || next == theta || high - low <= 4e-16 * high) break;
    theta = next;
  }
  return point(theta);
}

}  // namespace stickslip
