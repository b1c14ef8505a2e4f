#include "stickslip/distance/mollifier.h"
#include "distance/mirror.h"

namespace stickslip {

double squared_cross_of_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  return (a1 - a0).cross(b1 - b0).squaredNorm();
}

WithDerivatives<12> squared_cross_with_derivatives(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 a = a1 - a0, b = b1 - b0, n = a.cross(b);
  WithDerivatives<12> c;
  c.value = n.squaredNorm();
  const Vec3 by_a = 2 * b.cross(n), by_b = 2 * n.cross(a);
  c.gradient.segment<3>(0) = -by_a;
  c.gradient.segment<3>(3) = by_a;
  c.gradient.segment<3>(6) = -by_b;
  c.gradient.segment<3>(9) = by_b;
  const Mat3 aa = 2 * (b.squaredNorm() * Mat3::Identity() - b * b.transpose());
  const Mat3 bb = 2 * (a.squaredNorm() * Mat3::Identity() - a * a.transpose());
  const Mat3 ab = 4 * a * b.transpose() - 2 * (b * a.transpose() + a.dot(b) * Mat3::Identity());
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const double sign = i == j ? 1 : -1;
      c.hessian.block<3, 3>(3 * i, 3 * j) = sign * aa;
      c.hessian.block<3, 3>(6 + 3 * i, 6 + 3 * j) = sign * bb;
      c.hessian.block<3, 3>(6 + 3 * j, 3 * i) = sign * ab.transpose();
    }
  mirror_lower(c.hessian);
  return c;
}

double mollifier_threshold(const Vec3& rest_a0, const Vec3& rest_a1, const Vec3& rest_b0, const Vec3& rest_b1) {
  return 1e-3 * (rest_a1 - rest_a0).squaredNorm() * (rest_b1 - rest_b0).squaredNorm();
}

double edge_mollifier(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double threshold) {
  const double c = squared_cross_of_edges(a0, a1, b0, b1);
  return c < threshold ? (2 - c / threshold) * c / threshold : 1;
}

WithDerivatives<12> edge_mollifier_with_derivatives(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1,
                                                    double threshold) {
  WithDerivatives<12> m = squared_cross_with_derivatives(a0, a1, b0, b1);
  const double part = m.value / threshold;
  if (!(m.value < threshold)) {
    m = {};
    m.value = 1;
    return m;
  }
  const double slope = 2 * (1 - part) / threshold, bend = -2 / (threshold * threshold);
  m.hessian = slope * m.hessian + bend * m.gradient * m.gradient.transpose();
  mirror_lower(m.hessian);
  m.gradient *= slope;
  m.value = (2 - part) * part;
  return m;
}

}   // namespace stickslip
