// Coulomb's laws whose friction set is a disc, or a product of discs: in the plane, in space, with rolling.
#pragma once

#include <algorithm>
#include <cmath>

#include "stickslip/friction/set_values.h"

namespace stickslip {

namespace friction_detail {

/// Closest point to `trial` of the disc with this radius.
template <class Vector>
inline Vector project_on_disc(double radius, const Vector& trial) {
  const double size_squared = trial.squaredNorm();
  if (size_squared <= radius * radius) return trial;
  return trial * (radius / std::sqrt(size_squared));
}

// What follows is compiled once, in src/friction/disc_laws.cpp, for as many rows as the laws have.

/// The same with derivatives. @param growth dradius/dn
template <int Rows>
ProjectionDerivative<Rows> differentiate_disc(double radius, double growth, const Eigen::Matrix<double, Rows, 1>& trial);

/// Gauge of the ellipsoid with these axes, less n. Rows without an axis count only in that they must be zero.
template <int Rows>
ImplicitValue<Rows> implicit_ellipsoid(const Eigen::Matrix<double, Rows, 1>& axes, double normal,
                                       const Eigen::Matrix<double, Rows, 1>& x);

/// The farthest point along `direction` of the ellipsoid with these axes; 0 where all are equal.
template <int Rows>
Eigen::Matrix<double, Rows, 1> farthest_on_ellipsoid(const Eigen::Matrix<double, Rows, 1>& axes,
                                                     const Eigen::Matrix<double, Rows, 1>& direction);

/// The projection on a product of two sets, from those on its factors.
template <int A, int B>
ProjectionDerivative<A + B> join(const ProjectionDerivative<A>& a, const ProjectionDerivative<B>& b);

/// The implicit function of a product of two sets: the larger of those of its factors.
template <int A, int B>
ImplicitValue<A + B> larger(const ImplicitValue<A>& a, const ImplicitValue<B>& b);

}   // namespace friction_detail

/// Coulomb friction in the plane: F(λₙ) = { λ ∈ ℝ : |λ| ≤ μ λₙ }.
struct PlanarFriction {
  static constexpr int rows = 1;   ///< friction rows beside the normal row
  using Vector = Eigen::Matrix<double, 1, 1>;
  double mu = 0;   ///< coefficient of friction, ≥ 0, dimensionless

  Vector project(double normal, const Vector& trial) const {
    const double bound = mu * std::max(normal, 0.0);
    return Vector(std::clamp(trial[0], -bound, bound));
  }
  double support(const Vector& direction) const { return mu * std::abs(direction[0]); }
  Vector support_point(const Vector& direction) const {
    return Vector(direction[0] == 0 ? 0 : std::copysign(mu, direction[0]));
  }
  FrictionBox<1> box(double normal) const { return FrictionBox<1>::symmetric(Vector(mu * std::max(normal, 0.0))); }
  ProjectionDerivative<1> differentiate(double normal, const Vector& trial) const {
    return friction_detail::differentiate_disc<1>(mu * normal, mu, trial);
  }
  ImplicitValue<1> implicit(double normal, const Vector& x) const {
    return friction_detail::implicit_ellipsoid<1>(Vector(mu), normal, x);
  }
  static constexpr bool scales_with_normal() { return true; }
};

/// Isotropic Coulomb friction: F(λₙ) = { λ ∈ ℝ² : ‖λ‖ ≤ μ λₙ }.
struct CircularFriction {
  static constexpr int rows = 2;
  using Vector = Vec2;
  double mu = 0;   ///< coefficient of friction, ≥ 0, dimensionless

  Vec2 project(double normal, const Vec2& trial) const {
    return friction_detail::project_on_disc(mu * std::max(normal, 0.0), trial);
  }
  double support(const Vec2& direction) const { return mu * direction.norm(); }
  Vec2 support_point(const Vec2& direction) const { return friction_detail::farthest_on_ellipsoid<2>(Vec2(mu, mu), direction); }
  FrictionBox<2> box(double normal) const { return FrictionBox<2>::symmetric(Vec2::Constant(mu * std::max(normal, 0.0))); }
  ProjectionDerivative<2> differentiate(double normal, const Vec2& trial) const {
    return friction_detail::differentiate_disc<2>(mu * normal, mu, trial);
  }
  ImplicitValue<2> implicit(double normal, const Vec2& x) const {
    return friction_detail::implicit_ellipsoid<2>(Vec2(mu, mu), normal, x);
  }
  static constexpr bool scales_with_normal() { return true; }
};

/// Coulomb friction with rolling resistance: ‖λ_t‖ ≤ μ λₙ for the two tangents, ‖λ_r‖ ≤ μ_r λₙ for the two rolling rows,
/// each for itself.
struct RollingFriction {
  static constexpr int rows = 4;
  using Vector = Vec4;
  double mu = 0;           ///< coefficient of friction, ≥ 0, dimensionless
  double mu_rolling = 0;   ///< coefficient of rolling friction, ≥ 0 [m]

  Vec4 project(double normal, const Vec4& trial) const;
  double support(const Vec4& direction) const;
  Vec4 support_point(const Vec4& direction) const;
  FrictionBox<4> box(double normal) const {
    const double n = std::max(normal, 0.0);
    return FrictionBox<4>::symmetric(Vec4(mu * n, mu * n, mu_rolling * n, mu_rolling * n));
  }
  ProjectionDerivative<4> differentiate(double normal, const Vec4& trial) const;
  ImplicitValue<4> implicit(double normal, const Vec4& x) const;   ///< the larger of the two discs'
  static constexpr bool scales_with_normal() { return true; }
};

}   // namespace stickslip
