// Friction laws as solvers see them: convex sets F(λₙ) of friction impulses, in the frame of the contact [course §6; prox §3].
//
// A law is a plain value that meets the concept below and stands in the variant `FrictionSet`. Solvers visit the variant once
// per batch of contacts, never per iteration. Laws that few contacts have, and those of the user, share the alternatives
// CustomFriction<rows>; of a patch some rows press (friction/patch.h). How surfaces make sets by name: friction/surface_law.h.
#pragma once

#include <concepts>
#include <string_view>
#include <variant>

#include "stickslip/friction/convex_set.h"
#include "stickslip/friction/disc_laws.h"
#include "stickslip/friction/ellipsoid.h"
#include "stickslip/friction/patch.h"

namespace stickslip {

/// What a friction law must offer.
///   project(n, x)          closest point of F(max(n, 0)) to x
///   support(d)             the largest ⟨x, d⟩ over F(1)
///   support_point(d)       a point of F(1) where it is attained
///   box(n)                 the smallest box around F(n): what the boxed model uses
///   differentiate(n, x)    the projection with its derivatives, n > 0
///   implicit(n, x)         a function that is ≤ 0 exactly in F(n), with gradient and Hessian
///   scales_with_normal()   F(n) = n F(1); otherwise F is the same for every n
template <class Law>
concept FrictionSetConcept = requires(const Law& law, double normal, const typename Law::Vector& x) {
  requires std::same_as<typename Law::Vector, Eigen::Matrix<double, Law::rows, 1>>;
  { law.project(normal, x) } -> std::convertible_to<typename Law::Vector>;
  { law.support(x) } -> std::convertible_to<double>;
  { law.support_point(x) } -> std::convertible_to<typename Law::Vector>;
  { law.box(normal) } -> std::same_as<FrictionBox<Law::rows>>;
  { law.differentiate(normal, x) } -> std::same_as<ProjectionDerivative<Law::rows>>;
  { law.implicit(normal, x) } -> std::same_as<ImplicitValue<Law::rows>>;
  { law.scales_with_normal() } -> std::same_as<bool>;
};

using FrictionSet =
    std::variant<CircularFriction, PlanarFriction, EllipsoidFriction, RollingFriction, EllipseFriction, CustomFriction<1>,
                 CustomFriction<2>, CustomFriction<3>, CustomFriction<4>, CustomFriction<5>, PatchFriction>;

static_assert(FrictionSetConcept<PlanarFriction> && FrictionSetConcept<CircularFriction> &&
              FrictionSetConcept<EllipsoidFriction> && FrictionSetConcept<RollingFriction> &&
              FrictionSetConcept<EllipseFriction> && FrictionSetConcept<CustomFriction<3>>);

/// Rows beside the normal row.
int law_rows(const FrictionSet&);

/// Its name: circle, plane, ellipse, ellipsoid, rolling, patch, or that of the custom set.
std::string_view law_name(const FrictionSet&);

/// Whether x lies in F(normal), or at most `slack` away [N s].
template <FrictionSetConcept Law>
bool contains(const Law& law, double normal, const typename Law::Vector& x, double slack = 0) {
  return (x - law.project(normal, x)).norm() <= slack;
}

/// About k corners of a polyhedron inside F(1) [course §1.6]: the support points of directions that are spread evenly, in
/// opposite pairs, the axes among them. In the plane exactly k, but of a polygon its own corners.
/// @throws Error unless k is even and at least 4
template <FrictionSetConcept Law>
std::vector<typename Law::Vector> polyhedron(const Law& law, int k);

}   // namespace stickslip
