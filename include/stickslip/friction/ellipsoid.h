// Anisotropic friction: an ellipse in the tangents, and Coulomb–Contensou
// friction, where sliding and spinning share an ellipsoid.
#pragma once

#include "stickslip/friction/disc_laws.h"

namespace stickslip {

/// Closest point to `point` of the solid ellipsoid with these axes (half lengths, ≥ 0), which lies along the coordinate axes: a
/// bracketed search for the root of g(t) = Σ (aᵢ yᵢ / (t + aᵢ²))² − 1 [prox §4.1] with steps of third order, see
/// src/friction/ellipsoid.cpp. At most 12 evaluations of g, two in most cases. The error is below 1e-15 of the length of the
/// result. A point inside is returned unchanged. An axis shorter than 1e-30 of the longest counts as 0.
/// @param evaluations if given, the number of evaluations of g is stored there
template <int Rows>
Eigen::Matrix<double, Rows, 1> closest_point_on_ellipsoid(const Eigen::Matrix<double, Rows, 1>& axes,
                                                          const Eigen::Matrix<double, Rows, 1>& point,
                                                          int* evaluations = nullptr);
extern template Vec2 closest_point_on_ellipsoid<2>(const Vec2&, const Vec2&, int*);
extern template Vec3 closest_point_on_ellipsoid<3>(const Vec3&, const Vec3&, int*);

/// F(λₙ) = { λ ∈ ℝ² : (λ_t/μ_t)² + (λ_b/μ_b)² ≤ λₙ² }, an ellipse along the tangents of the contact [course §6.1]. An axis of 0
/// leaves that row without friction.
struct EllipseFriction {
  static constexpr int rows = 2;
  using Vector = Vec2;
  double mu_t = 0;   ///< coefficient along tangent t, ≥ 0, dimensionless
  double mu_b = 0;   ///< coefficient along tangent b, ≥ 0, dimensionless

  Vec2 axes() const { return {mu_t, mu_b}; }
  Vec2 project(double normal, const Vec2& trial) const;
  double support(const Vec2& direction) const;
  Vec2 support_point(const Vec2& direction) const { return friction_detail::farthest_on_ellipsoid<2>(axes(), direction); }
  FrictionBox<2> box(double normal) const;
  ProjectionDerivative<2> differentiate(double normal, const Vec2& trial) const;
  ImplicitValue<2> implicit(double normal, const Vec2& x) const {
    return friction_detail::implicit_ellipsoid<2>(axes(), normal, x);
  }
  static constexpr bool scales_with_normal() { return true; }
};

/// F(λₙ) = { λ ∈ ℝ³ : (λ_t/μ_t)² + (λ_b/μ_b)² + (λ_s/μ_s)² ≤ λₙ² }, an ellipsoid in the two tangential impulses and the
/// torsional one [prox §3, §5; course §6.1]. An axis of 0 leaves that row without friction.
struct EllipsoidFriction {
  static constexpr int rows = 3;
  using Vector = Vec3;
  double mu_t = 0;         ///< coefficient along tangent t, ≥ 0, dimensionless
  double mu_b = 0;         ///< coefficient along tangent b, ≥ 0, dimensionless
  double mu_torsion = 0;   ///< coefficient of torsion, ≥ 0 [m]

  Vec3 axes() const { return {mu_t, mu_b, mu_torsion}; }
  Vec3 project(double normal, const Vec3& trial) const;
  double support(const Vec3& direction) const;
  Vec3 support_point(const Vec3& direction) const { return friction_detail::farthest_on_ellipsoid<3>(axes(), direction); }
  FrictionBox<3> box(double normal) const;
  ProjectionDerivative<3> differentiate(double normal, const Vec3& trial) const;
  ImplicitValue<3> implicit(double normal, const Vec3& x) const {
    return friction_detail::implicit_ellipsoid<3>(axes(), normal, x);
  }
  static constexpr bool scales_with_normal() { return true; }
};

}   // namespace stickslip
