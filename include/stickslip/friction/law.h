// Friction laws: convex sets F(λₙ) of friction impulses that scale with the normal impulse [course §6; prox §3].
//
// A law is a plain value that meets the concept below and stands in the variant `FrictionLaw`. Solvers visit the variant
// once per batch of contacts, never per iteration.
#pragma once

#include <concepts>
#include <variant>

#include "stickslip/friction/disc_laws.h"
#include "stickslip/friction/ellipsoid.h"

namespace stickslip {

/// What a friction law must offer.
///   project(n, x)   closest point of F(max(n, 0)) to x
///   support(d)      the largest ⟨x, d⟩ over F(1)
///   box_bounds(n)   half-widths of the box around F(n): what the boxed model uses
template <class Law>
concept FrictionLawConcept = requires(const Law& law, double normal, const typename Law::Vector& x) {
  requires std::same_as<typename Law::Vector, Eigen::Matrix<double, Law::rows, 1>>;
  { law.project(normal, x) } -> std::convertible_to<typename Law::Vector>;
  { law.support(x) } -> std::convertible_to<double>;
  { law.box_bounds(normal) } -> std::convertible_to<typename Law::Vector>;
};
static_assert(FrictionLawConcept<PlanarFriction> && FrictionLawConcept<CircularFriction> && FrictionLawConcept<EllipsoidFriction> &&
              FrictionLawConcept<RollingFriction>);

using FrictionLaw = std::variant<CircularFriction, PlanarFriction, EllipsoidFriction, RollingFriction>;

/// Friction rows beside the normal row.
int law_rows(const FrictionLaw&);

}  // namespace stickslip
