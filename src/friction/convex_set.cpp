#include "stickslip/friction/convex_set.h"

#include <cmath>
#include <limits>

#include "friction/gauge.h"

namespace stickslip {
template <int Rows>
FrictionBox<Rows> ConvexSet<Rows>::box(double normal) const {
  const double n = scales_with_normal() ? std::max(normal, 0.0) : 1;
  FrictionBox<Rows> box;
  for (int i = 0; i < Rows; ++i) {
    box.upper[i] = n * std::max(0.0, support(Vector::Unit(i)));
    box.lower[i] = -n * std::max(0.0, support(-Vector::Unit(i)));
  }
  return box;
}

template <int Rows>
ProjectionDerivative<Rows> ConvexSet<Rows>::differentiate(double normal, const Vector& trial) const {
  constexpr double relative_step = 1e-6;
  ProjectionDerivative<Rows> d;
  d.value = project(normal, trial);
  d.by_normal.setZero();
  const FrictionBox<Rows> extent = box(normal);
  const double size = std::max({trial.norm(), extent.lower.norm(), extent.upper.norm(), std::numeric_limits<double>::min()});
  for (int i = 0; i < Rows; ++i) {
    Vector before = trial, after = trial;
    before[i] -= relative_step * size;
    after[i] += relative_step * size;
    d.by_point.col(i) = (project(normal, after) - project(normal, before)) / (after[i] - before[i]);
  }
  // Projections on convex sets are gradients: their derivative is symmetric.
  d.by_point = (0.5 * (d.by_point + d.by_point.transpose())).eval();
  if (scales_with_normal() && normal > 0) {
    const double before = normal * (1 - relative_step), after = normal * (1 + relative_step);
    d.by_normal = (project(after, trial) - project(before, trial)) / (after - before);
  }
  return d;
}

template <int Rows>
ImplicitValue<Rows> ConvexSet<Rows>::implicit(double normal, const Vector& x) const {
  const auto gauge = [&](const Vector& z) { return gauge_of<Rows>(*this, z).value; };
  ImplicitValue<Rows> f;
  const double centre = gauge(x);
  f.value = centre - (scales_with_normal() ? normal : 1);
  f.by_normal = scales_with_normal() ? -1 : 0;
  const double size = x.norm();
  if (!(size > 0) || !std::isfinite(centre)) return f;
  // Steps that balance the error of the difference against the rounding of the gauge.
  const double first = 6e-6 * size, second = 2e-4 * size;
  const auto moved = [&](int i, double by_i, int j, double by_j) {
    Vector z = x;
    z[i] += by_i;
    z[j] += by_j;
    return gauge(z);
  };
  for (int i = 0; i < Rows; ++i) {
    f.gradient[i] = (moved(i, first, i, 0) - moved(i, -first, i, 0)) / (2 * first);
    f.hessian(i, i) = (moved(i, second, i, 0) - 2 * centre + moved(i, -second, i, 0)) / (second * second);
    for (int j = 0; j < i; ++j) {
      const double mixed = moved(i, second, j, second) - moved(i, second, j, -second) - moved(i, -second, j, second) +
                           moved(i, -second, j, -second);
      f.hessian(i, j) = f.hessian(j, i) = mixed / (4 * second * second);
    }
  }
  // A row in which the set has no extent has no derivative.
  f.gradient = f.gradient.unaryExpr([](double g) { return std::isfinite(g) ? g : 0; });
  f.hessian = f.hessian.unaryExpr([](double h) { return std::isfinite(h) ? h : 0; });
  return f;
}

template class ConvexSet<1>;
template class ConvexSet<2>;
template class ConvexSet<3>;
template class ConvexSet<4>;
template class ConvexSet<5>;

}   // namespace stickslip
