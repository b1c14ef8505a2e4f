// Derivatives of the projection on the friction set, P(n, z) = closest point of F(n) to z, for n > 0.
//
// P is piecewise smooth; on a kink (z on the boundary) one of the two sides is taken, which is an element of the
// generalised derivative.
#pragma once

#include <cmath>

#include "stickslip/friction/law.h"

namespace stickslip {

template <class Law>
struct ProjectionDerivative {
  typename Law::Vector value;                                ///< P(n, z)
  Eigen::Matrix<double, Law::rows, Law::rows> by_point;      ///< ∂P/∂z
  typename Law::Vector by_normal;                            ///< ∂P/∂n
};

inline ProjectionDerivative<PlanarFriction> differentiate_projection(const PlanarFriction& law, double n, const PlanarFriction::Vector& z) {
  ProjectionDerivative<PlanarFriction> d;
  const bool inside = std::abs(z[0]) <= law.mu * n;
  d.value = law.project(n, z);
  d.by_point(0, 0) = inside ? 1 : 0;
  d.by_normal[0] = inside ? 0 : std::copysign(law.mu, z[0]);
  return d;
}

inline ProjectionDerivative<CircularFriction> differentiate_projection(const CircularFriction& law, double n, const Vec2& z) {
  const double radius = law.mu * n, size = z.norm();
  ProjectionDerivative<CircularFriction> d;
  d.value = z;
  d.by_point.setIdentity();
  d.by_normal.setZero();
  if (size <= radius) return d;
  const Vec2 direction = z / size;
  d.value = radius * direction;
  d.by_point -= direction * direction.transpose();
  d.by_point *= radius / size;
  d.by_normal = law.mu * direction;
  return d;
}

inline ProjectionDerivative<RollingFriction> differentiate_projection(const RollingFriction& law, double n, const Vec4& z) {
  const auto sliding = differentiate_projection(CircularFriction{law.mu}, n, z.head<2>());
  const auto rolling = differentiate_projection(CircularFriction{law.mu_rolling}, n, z.tail<2>());
  ProjectionDerivative<RollingFriction> d;
  d.value.head<2>() = sliding.value;
  d.value.tail<2>() = rolling.value;
  d.by_point.setZero();
  d.by_point.topLeftCorner<2, 2>() = sliding.by_point;
  d.by_point.bottomRightCorner<2, 2>() = rolling.by_point;
  d.by_normal.head<2>() = sliding.by_normal;
  d.by_normal.tail<2>() = rolling.by_normal;
  return d;
}

/// Outside, with the axes m of F(1): yᵢ = mᵢ qᵢ, qᵢ = mᵢ zᵢ cᵢ, cᵢ = 1/(τ + mᵢ²) and τ > 0 such that Σ qᵢ² = n². Differentiating
/// both and eliminating dτ, with s = Σ qᵢ² cᵢ:
///   ∂yᵢ/∂zⱼ = δᵢⱼ mᵢ² cᵢ − (mᵢ qᵢ cᵢ)(mⱼ qⱼ cⱼ)/s,   ∂yᵢ/∂n = n mᵢ qᵢ cᵢ / s
inline ProjectionDerivative<EllipsoidFriction> differentiate_projection(const EllipsoidFriction& law, double n, const Vec3& z) {
  const Vec3 m = law.axes();
  ProjectionDerivative<EllipsoidFriction> d{law.project(n, z), Mat3::Zero(), Vec3::Zero()};
  const Vec3& y = d.value;
  Vec3 q = Vec3::Zero();
  double trial_squared = 0;   // of z, where n² is the boundary; rows without friction are always on it
  int k = 0;                  // the row nearest to its bound
  for (int i = 0; i < 3; ++i) {
    if (!(m[i] > 0)) continue;
    q[i] = y[i] / m[i];
    trial_squared += z[i] / m[i] * (z[i] / m[i]);
    if (std::abs(q[i]) > std::abs(q[k])) k = i;
  }
  if (trial_squared <= n * n) {
    for (int i = 0; i < 3; ++i) d.by_point(i, i) = m[i] > 0 ? 1 : 0;
    return d;
  }
  if (!(std::abs(q[k]) > 0)) return d;
  const double tau = std::max(0.0, m[k] * m[k] * (z[k] - y[k]) / y[k]);   // zᵢ − yᵢ = τ yᵢ / mᵢ²
  Vec3 c = Vec3::Zero();
  for (int i = 0; i < 3; ++i)
    if (m[i] > 0) c[i] = 1 / (tau + m[i] * m[i]);
  const double s = q.cwiseProduct(q).dot(c);
  const Vec3 g = m.cwiseProduct(q).cwiseProduct(c);
  d.by_point = -g * g.transpose() / s;
  d.by_point.diagonal() += m.cwiseProduct(m).cwiseProduct(c);
  d.by_normal = n / s * g;
  return d;
}

}  // namespace stickslip
