#include "stickslip/friction/ellipsoid.h"

#include <cmath>
#include <limits>

#include "math/infinity.h"

namespace stickslip {
namespace {

// The closest point is xᵢ = aᵢ² yᵢ / (t + aᵢ²) with t > 0 the root of the decreasing, convex
//   g(t) = Σ (wᵢ / (t + pᵢ))² − 1,  wᵢ = aᵢ |yᵢ|,  pᵢ = aᵢ².
//
// It lies at or above max (wᵢ − pᵢ), where the largest term is 1. From there, g is replaced by c − 1 + w/(t + p)² with c, w, p
// such that value and two derivatives agree, and t by the root of that. With s₁ = Σ qᵢ/(t + pᵢ) and s₂ = Σ qᵢ/(t + pᵢ)², qᵢ the
// terms of the sum, so that g′ = −2 s₁ and g″ = 6 s₂, the step is
//   g s₁ / (√e (√e + s₁)),  e = s₁² − g s₂ = (1 − c) s₂.
// It is exact if one term varies and the others do not, however near to 1 their sum is: just what axes of very different
// lengths bring about, and what Newton's method on g or on 1/√(g + 1) needs many steps for. The order is three.

/// g with the sums s₁ and s₂.
struct Sums {
  double g, s1, s2;

  /// The step; infinite if the replacement has no root because c ≥ 1.
  double step() const {
    const double e = s1 * s1 - g * s2;
    if (!(e > 0)) return kInfinity;
    const double root = std::sqrt(e);
    return g * s1 / (root * (root + s1));
  }
};

/// The terms of g.
template <int Rows>
struct Terms {
  double w[Rows], p[Rows];

  Sums at(double t) const {
    Sums sums{-1, 0, 0};
    for (int i = 0; i < Rows; ++i) {
      const double reciprocal = 1 / (t + p[i]), root = w[i] * reciprocal, term = root * root, first = term * reciprocal;
      sums.g += term;
      sums.s1 += first;
      sums.s2 += first * reciprocal;
    }
    return sums;
  }

  /// The step where c ≥ 1: without the steepest terms. As long as the sum of the others is above 1, their root is not beyond
  /// the wanted one; once it is below, it is taken as constant.
  double step_without_steepest(double t) const {
    Terms rest = *this;
    for (int dropped = 0; dropped < Rows; ++dropped) {
      int steepest = -1;
      for (int i = 0; i < Rows; ++i)
        if (rest.w[i] > 0 && (steepest < 0 || p[i] < p[steepest])) steepest = i;
      if (steepest < 0) break;
      rest.w[steepest] = 0;
      const Sums sums = rest.at(t);
      if (sums.g < 0) return w[steepest] / std::sqrt(-sums.g) - p[steepest] - t;
      if (const double step = sums.step(); step < kInfinity) return step;
    }
    return t + p[0];
  }
};

/// Coordinates of the closest point over those of the point, for axes and points whose squares neither overflow nor vanish.
template <int Rows>
Eigen::Matrix<double, Rows, 1> factors_in_range(const Eigen::Matrix<double, Rows, 1>& a,
                                                const Eigen::Matrix<double, Rows, 1>& y, double negligible, int* evaluations) {
  constexpr int most_evaluations = 12;
  constexpr double small_step = 1e-5;   // its error is of the order of its cube
  constexpr double rounding = 1e-15;    // of g
  Terms<Rows> terms;
  double t = 0, least_pole = kInfinity;
  for (int i = 0; i < Rows; ++i) {
    const bool exists = a[i] > negligible;
    terms.w[i] = exists ? a[i] * std::abs(y[i]) : 0;
    terms.p[i] = exists ? a[i] * a[i] : 1;
    t = std::max(t, terms.w[i] - terms.p[i]);
    least_pole = std::min(least_pole, terms.w[i] > 0 ? terms.p[i] : kInfinity);
  }
  double low = t, high = kInfinity, g_low = 0, g_high = 0;
  int k = 1;
  for (;; ++k) {
    const Sums sums = terms.at(t);
    const double g = sums.g;
    if (t == 0 && !(g > rounding)) break;   // inside
    double step = sums.step();
    const bool cubic = step < kInfinity;
    if (cubic && (std::abs(step) <= small_step * (t + least_pole) || std::abs(g) <= rounding)) {
      t += step;
      break;
    }
    if (k == most_evaluations) break;
    if (!cubic) step = terms.step_without_steepest(t);
    double next = t + step;
    if (g > 0) low = t, g_low = g;
    else high = t, g_high = -g;
    if (high < kInfinity) {
      // Not beyond the other end of the bracket, nor far towards it if g is larger
      // there: that end has been farther from the root than t.
      const double middle = std::sqrt((low + least_pole) * (high + least_pole)) - least_pole;
      if (g > 0 ? next >= high || (next > middle && g_high >= g) : next <= low || (next < middle && g_low >= -g)) next = middle;
    }
    t = next;
  }
  if (evaluations) *evaluations = k;
  Eigen::Matrix<double, Rows, 1> factors;
  for (int i = 0; i < Rows; ++i) factors[i] = a[i] > negligible ? terms.p[i] / (t + terms.p[i]) : 0;
  return factors;
}

}   // namespace

template <int Rows>
Eigen::Matrix<double, Rows, 1> closest_point_on_ellipsoid(const Eigen::Matrix<double, Rows, 1>& axes,
                                                          const Eigen::Matrix<double, Rows, 1>& point, int* evaluations) {
  using Vector = Eigen::Matrix<double, Rows, 1>;
  constexpr double shortest = 1e-30;   // of the longest axis
  const double longest = axes.maxCoeff();
  if (longest > 1e-40 && longest < 1e40 && point.cwiseAbs().maxCoeff() < 1e60)
    return point.cwiseProduct(factors_in_range<Rows>(axes, point, shortest * longest, evaluations));
  if (evaluations) *evaluations = 0;
  if (!(longest > 0)) return Vector::Zero();
  // In a power of two near the longest axis, which does not round, and no farther than where only the direction matters.
  const int exponent = std::ilogb(longest);
  const auto scaled = [](const Vector& v, int by) -> Vector {
    return v.unaryExpr([by](double number) { return std::ldexp(number, by); });
  };
  const double far = 1e50;
  const Vector some = (axes.array() > shortest * longest).select(point, 0), near = scaled(some, -exponent);
  if (near.cwiseAbs().maxCoeff() <= far)
    return some.cwiseProduct(factors_in_range<Rows>(scaled(axes, -exponent), near, shortest, evaluations));
  const Vector direction = some / some.cwiseAbs().maxCoeff() * far;
  return scaled(direction.cwiseProduct(factors_in_range<Rows>(scaled(axes, -exponent), direction, shortest, evaluations)),
                exponent);
}

template Vec2 closest_point_on_ellipsoid<2>(const Vec2&, const Vec2&, int*);
template Vec3 closest_point_on_ellipsoid<3>(const Vec3&, const Vec3&, int*);

double EllipseFriction::support(const Vec2& direction) const { return axes().cwiseProduct(direction).norm(); }

double EllipsoidFriction::support(const Vec3& direction) const { return axes().cwiseProduct(direction).norm(); }

FrictionBox<2> EllipseFriction::box(double normal) const { return FrictionBox<2>::symmetric(std::max(normal, 0.0) * axes()); }

FrictionBox<3> EllipsoidFriction::box(double normal) const { return FrictionBox<3>::symmetric(std::max(normal, 0.0) * axes()); }

Vec2 EllipseFriction::project(double normal, const Vec2& trial) const {
  return closest_point_on_ellipsoid<2>(std::max(normal, 0.0) * axes(), trial);
}

Vec3 EllipsoidFriction::project(double normal, const Vec3& trial) const {
  return closest_point_on_ellipsoid<3>(std::max(normal, 0.0) * axes(), trial);
}

namespace {

/// Outside, with the axes m of F(1): yᵢ = mᵢ qᵢ, qᵢ = mᵢ zᵢ cᵢ, cᵢ = 1/(τ + mᵢ²) and τ > 0 such that Σ qᵢ² = n².
/// Differentiating both and eliminating dτ, with s = Σ qᵢ² cᵢ:
///   ∂yᵢ/∂zⱼ = δᵢⱼ mᵢ² cᵢ − (mᵢ qᵢ cᵢ)(mⱼ qⱼ cⱼ)/s,   ∂yᵢ/∂n = n mᵢ qᵢ cᵢ / s
template <int Rows>
ProjectionDerivative<Rows> differentiate_ellipsoid(const Eigen::Matrix<double, Rows, 1>& m, double n,
                                                   const Eigen::Matrix<double, Rows, 1>& z,
                                                   const Eigen::Matrix<double, Rows, 1>& y) {
  using Vector = Eigen::Matrix<double, Rows, 1>;
  ProjectionDerivative<Rows> d;
  d.value = y;
  d.by_point.setZero();
  d.by_normal.setZero();
  Vector q = Vector::Zero();
  double trial_squared = 0;   // of z, where n² is the boundary; rows without friction are always on it
  int k = 0;                  // the row nearest to its bound
  for (int i = 0; i < Rows; ++i) {
    if (!(m[i] > 0)) continue;
    q[i] = y[i] / m[i];
    trial_squared += z[i] / m[i] * (z[i] / m[i]);
    if (std::abs(q[i]) > std::abs(q[k])) k = i;
  }
  if (trial_squared <= n * n) {
    for (int i = 0; i < Rows; ++i) d.by_point(i, i) = m[i] > 0 ? 1 : 0;
    return d;
  }
  if (!(std::abs(q[k]) > 0)) return d;
  const double tau = std::max(0.0, m[k] * m[k] * (z[k] - y[k]) / y[k]);   // zᵢ − yᵢ = τ yᵢ / mᵢ²
  Vector c = Vector::Zero();
  for (int i = 0; i < Rows; ++i)
    if (m[i] > 0) c[i] = 1 / (tau + m[i] * m[i]);
  const double s = q.cwiseProduct(q).dot(c);
  const Vector g = m.cwiseProduct(q).cwiseProduct(c);
  d.by_point = -g * g.transpose() / s;
  d.by_point.diagonal() += m.cwiseProduct(m).cwiseProduct(c);
  d.by_normal = n / s * g;
  return d;
}

}   // namespace

ProjectionDerivative<2> EllipseFriction::differentiate(double normal, const Vec2& trial) const {
  return differentiate_ellipsoid<2>(axes(), normal, trial, project(normal, trial));
}

ProjectionDerivative<3> EllipsoidFriction::differentiate(double normal, const Vec3& trial) const {
  return differentiate_ellipsoid<3>(axes(), normal, trial, project(normal, trial));
}

}   // namespace stickslip
