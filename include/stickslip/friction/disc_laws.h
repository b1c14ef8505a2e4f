// Coulomb's laws whose friction set is a disc, or a product of discs: in the plane, in space, with rolling.
#pragma once

#include <algorithm>
#include <cmath>

#include "stickslip/math/types.h"

namespace stickslip {

namespace friction_detail {

/// Closest point to `trial` of the disc with this radius.
template <class Vector>
inline Vector project_on_disc(double radius, const Vector& trial) {
  const double size_squared = trial.squaredNorm();
  if (size_squared <= radius * radius) return trial;
  return trial * (radius / std::sqrt(size_squared));
}

}  // namespace friction_detail

/// Coulomb friction in the plane: F(λₙ) = { λ ∈ ℝ : |λ| ≤ μ λₙ }.
struct PlanarFriction {
  static constexpr int rows = 1;   ///< friction rows beside the normal row
  using Vector = Eigen::Matrix<double, 1, 1>;
  double mu = 0;                   ///< coefficient of friction, ≥ 0, dimensionless

  Vector project(double normal, const Vector& trial) const {
    const double bound = mu * std::max(normal, 0.0);
    return Vector(std::clamp(trial[0], -bound, bound));
  }
  double support(const Vector& direction) const { return mu * std::abs(direction[0]); }
  Vector box_bounds(double normal) const { return Vector(mu * std::max(normal, 0.0)); }
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
  Vec2 box_bounds(double normal) const { return Vec2::Constant(mu * std::max(normal, 0.0)); }
};

/// Coulomb friction with rolling resistance: ‖λ_t‖ ≤ μ λₙ for the two tangents, ‖λ_r‖ ≤ μ_r λₙ for the two rolling rows,
/// each for itself.
struct RollingFriction {
  static constexpr int rows = 4;
  using Vector = Vec4;
  double mu = 0;           ///< coefficient of friction, ≥ 0, dimensionless
  double mu_rolling = 0;   ///< coefficient of rolling friction, ≥ 0 [m]

  Vec4 project(double normal, const Vec4& trial) const {
    const double n = std::max(normal, 0.0);
    Vec4 closest;
    closest.head<2>() = friction_detail::project_on_disc<Vec2>(mu * n, trial.head<2>());
    closest.tail<2>() = friction_detail::project_on_disc<Vec2>(mu_rolling * n, trial.tail<2>());
    return closest;
  }
  double support(const Vec4& direction) const {
    return mu * direction.head<2>().norm() + mu_rolling * direction.tail<2>().norm();
  }
  Vec4 box_bounds(double normal) const {
    const double n = std::max(normal, 0.0);
    return {mu * n, mu * n, mu_rolling * n, mu_rolling * n};
  }
};

}  // namespace stickslip
