// The cone of all impulses that a law allows, K = { (λₙ, λ_f) : λₙ ≥ 0, λ_f ∈ F(λₙ) }, and its projection.
#pragma once

#include <cmath>

#include "stickslip/friction/law.h"

namespace stickslip {

template <class Law>
using ConeVector = Eigen::Matrix<double, Law::rows + 1, 1>;

/// Closest point of K to x. The normal part n minimises (n − xₙ)² + dist(x_f, F(n))², whose derivative grows with n; where
/// friction is a product of discs it is piecewise linear, otherwise the root is bracketed.
inline ConeVector<CircularFriction> project_on_cone(const CircularFriction& law, const Vec3& x) {
  const double mu = law.mu, tangent = x.tail<2>().norm();
  if (tangent <= mu * x[0]) return x;
  if (mu * tangent <= -x[0]) return Vec3::Zero();
  const double normal = (x[0] + mu * tangent) / (1 + mu * mu), factor = tangent > 0 ? mu * normal / tangent : 0;
  return {normal, factor * x[1], factor * x[2]};
}

template <FrictionLawConcept Law>
ConeVector<Law> project_on_cone(const Law& law, const ConeVector<Law>& x) {
  const typename Law::Vector friction = x.template tail<Law::rows>();
  // Slope of half the squared distance at normal part n.
  const auto slope = [&](double n) {
    const typename Law::Vector closest = law.project(n, friction);
    return n - x[0] - (n > 0 ? (friction - closest).dot(closest) / n : law.support(friction));
  };
  ConeVector<Law> y = ConeVector<Law>::Zero();
  if (!(slope(0) < 0)) return y;
  double low = 0, high = std::max(x[0], 0.0) + law.support(friction);
  if (!(slope(high) > 0)) low = high;
  for (int k = 0; k < 200 && high - low > 2e-16 * high; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (slope(middle) < 0 ? low : high) = middle;
  }
  y[0] = 0.5 * (low + high);
  y.template tail<Law::rows>() = law.project(y[0], friction);
  return y;
}

/// de Saxcé's shift: the bipotential turns Coulomb's law into λ ∈ K ⊥ v + support(v_f) eₙ ∈ K*.
template <FrictionLawConcept Law>
double normal_shift(const Law& law, const typename Law::Vector& friction_velocity) {
  return law.support(friction_velocity);
}

}  // namespace stickslip
