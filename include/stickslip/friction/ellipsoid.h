// Coulomb–Contensou friction: sliding and spinning share one ellipsoid.
#pragma once

#include "stickslip/math/types.h"

namespace stickslip {

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
  double support(const Vec3& direction) const { return axes().cwiseProduct(direction).norm(); }
  Vec3 box_bounds(double normal) const { return std::max(normal, 0.0) * axes(); }
};

}  // namespace stickslip
