// Friction laws: convex sets F(λₙ) of friction impulses that scale with the normal impulse [course §6; prox §3].
//
// A law is a plain value that meets the concept below and stands in the variant `FrictionLaw`. Solvers visit the variant
// once per batch of contacts, never per iteration.
#pragma once

#include <concepts>
#include <variant>

#include "stickslip/math/types.h"

namespace stickslip {

/// Isotropic Coulomb friction: F(λₙ) = { λ ∈ ℝ² : ‖λ‖ ≤ μ λₙ }.
struct CircularFriction {
  static constexpr int rows = 2;   ///< friction rows beside the normal row
  double mu = 0;                   ///< coefficient of friction, ≥ 0, dimensionless

  /// Closest point of F(max(normal, 0)) to `trial`.
  Vec2 project(double normal, const Vec2& trial) const {
    const double bound = mu * std::max(normal, 0.0);
    const double size_squared = trial.squaredNorm();
    if (size_squared <= bound * bound) return trial;
    return trial * (bound / std::sqrt(size_squared));
  }

  /// Half-widths of the box around F(normal): what the boxed model uses.
  Vec2 box_bounds(double normal) const { return Vec2::Constant(mu * std::max(normal, 0.0)); }
};

/// What a friction law must offer.
template <class Law>
concept FrictionLawConcept = requires(const Law& law, double normal, const Eigen::Matrix<double, Law::rows, 1>& trial) {
  { law.project(normal, trial) } -> std::convertible_to<Eigen::Matrix<double, Law::rows, 1>>;
  { law.box_bounds(normal) } -> std::convertible_to<Eigen::Matrix<double, Law::rows, 1>>;
};
static_assert(FrictionLawConcept<CircularFriction>);

using FrictionLaw = std::variant<CircularFriction>;

}  // namespace stickslip
