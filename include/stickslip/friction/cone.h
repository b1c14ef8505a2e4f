// The cone of all impulses that a law allows, K = { (λₙ, λ_f) : λₙ ≥ 0, λ_f ∈ F(λₙ) }, and its projection.
#pragma once

#include <algorithm>
#include <cmath>

#include "stickslip/friction/law.h"

namespace stickslip {

template <class Law>
using ConeVector = Eigen::Matrix<double, Law::rows + 1, 1>;

/// Closest point of K to x. Its normal part n minimises (n − xₙ)² + dist(x_f, F(n))², whose derivative grows with n.
///
/// Where F is a product of discs with radii μᵢ n, half that derivative is n − xₙ − Σ μᵢ max(0, ‖xᵢ‖ − μᵢ n): the least of
/// linear functions, one for every choice of discs, so that n is the largest
/// of their roots (xₙ + Σ μᵢ ‖xᵢ‖) / (1 + Σ μᵢ²), or 0.
inline ConeVector<CircularFriction> project_on_cone(const CircularFriction& law, const Vec3& x) {
  const double mu = law.mu, tangent = x.tail<2>().norm();
  if (mu * tangent <= -x[0]) return Vec3::Zero();
  if (tangent <= mu * x[0]) return x;
  const double normal = (x[0] + mu * tangent) / (1 + mu * mu), factor = tangent > 0 ? mu * normal / tangent : 0;
  return {normal, factor * x[1], factor * x[2]};
}

inline ConeVector<PlanarFriction> project_on_cone(const PlanarFriction& law, const Vec2& x) {
  const double normal = std::max({0.0, x[0], (x[0] + law.mu * std::abs(x[1])) / (1 + law.mu * law.mu)});
  return {normal, law.project(normal, PlanarFriction::Vector(x[1]))[0]};
}

inline ConeVector<RollingFriction> project_on_cone(const RollingFriction& law, const ConeVector<RollingFriction>& x) {
  const Vec4 friction = x.tail<4>();
  const double slide = law.mu * friction.head<2>().norm(), roll = law.mu_rolling * friction.tail<2>().norm();
  const double slide_squared = law.mu * law.mu, roll_squared = law.mu_rolling * law.mu_rolling;
  ConeVector<RollingFriction> y;
  y[0] = std::max({0.0, x[0], (x[0] + slide) / (1 + slide_squared), (x[0] + roll) / (1 + roll_squared),
                   (x[0] + slide + roll) / (1 + slide_squared + roll_squared)});
  y.tail<4>() = law.project(y[0], friction);
  return y;
}

/// Of the ellipse and the ellipsoid, by a bracketed root search: see src/friction/cone.cpp.
ConeVector<EllipsoidFriction> project_on_cone(const EllipsoidFriction& law, const Vec4& x);
ConeVector<EllipseFriction> project_on_cone(const EllipseFriction& law, const Vec3& x);

namespace friction_detail {

/// The root of a slope that rises by at least 1 per unit of n, between two ends where it is below and above 0. Regula falsi in
/// the form of Illinois: an end that stays twice counts half. Of the piecewise linear slopes of polyhedra it finds the root
/// exactly once the ends are on its piece. @param size of the numbers that make the slope, beside n
template <class Slope>
double rising_root(const Slope& slope, double low, double low_slope, double high, double size) {
  double high_slope = slope(high);
  int stayed = 0;
  for (int k = 0; k < 200 && high_slope > 0 && high - low > 4e-16 * high; ++k) {
    double middle = low + (high - low) * (low_slope / (low_slope - high_slope));
    if (!(middle > low && middle < high) || k % 8 == 7) middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    const double here = slope(middle);
    if (std::abs(here) <= 4e-16 * (middle + size)) return middle;
    if (here < 0) {
      low = middle, low_slope = here;
      if (stayed == 1) high_slope *= 0.5;
      stayed = 1;
    } else {
      high = middle, high_slope = here;
      if (stayed == -1) low_slope *= 0.5;
      stayed = -1;
    }
  }
  return high;
}

}   // namespace friction_detail

/// Of any other law. Where F(n) = n F(1), half the derivative at n is n − xₙ − support(x_f − P(n)), P(n) the closest point of
/// F(n) to x_f, with the support attained at P(n)/n; its root is bracketed by max(xₙ, 0) and max(xₙ, 0) + support(x_f). Where F
/// does not depend on n, K is a product.
template <FrictionSetConcept Law>
ConeVector<Law> project_on_cone(const Law& law, const ConeVector<Law>& x) {
  const typename Law::Vector friction = x.template tail<Law::rows>();
  ConeVector<Law> y = ConeVector<Law>::Zero();
  const auto finish = [&](double n) {
    y[0] = n;
    y.template tail<Law::rows>() = law.project(n, friction);
    return y;
  };
  const double low = std::max(x[0], 0.0);
  if (!law.scales_with_normal()) return finish(low);
  const auto slope = [&](double n) {
    const typename Law::Vector closest = law.project(n, friction);
    return n - x[0] - (friction - closest).dot(closest) / n;
  };
  const double reach = law.support(friction);
  const double low_slope = low > 0 ? slope(low) : -x[0] - reach;
  if (!(low_slope < 0)) return finish(low);
  return finish(friction_detail::rising_root(slope, low, low_slope, low + reach, std::abs(x[0])));
}

/// Of a patch, the cone of all six rows. P̃ need not have the origin inside, so that the root may lie below xₙ.
ConeVector<PatchFriction> project_on_cone(const PatchFriction& law, const ConeVector<PatchFriction>& x);

/// de Saxcé's shift: the bipotential turns Coulomb's law into λ ∈ K ⊥ v + support(−v_f) eₙ ∈ K*; friction acts against v_f,
/// which matters for sets that are not symmetric. Of a set that does not depend on the normal impulse there is none.
template <FrictionSetConcept Law>
double normal_shift(const Law& law, const typename Law::Vector& friction_velocity) {
  return law.scales_with_normal() ? law.support(-friction_velocity) : 0.0;
}

/// Of a patch the rows that rub alone: its rolling rows are unilateral, for which cones are complementary as they are.
inline double normal_shift(const PatchFriction& law, const PatchFriction::Vector& velocity) {
  return law.friction().support(-velocity.head<3>());
}

}   // namespace stickslip
