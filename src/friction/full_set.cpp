#include <fmt/format.h>

#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

void check_coefficient(double value, std::string_view name) {
  if (!(value >= 0) || !std::isfinite(value))
    throw Error(fmt::format("{} is not a coefficient of friction. It must be finite and at least 0.", value)).at(name);
}

}   // namespace

FullSet::FullSet(const EllipsoidFriction& sliding, double mu_rolling) : sliding_(sliding), mu_rolling_(mu_rolling) {
  check_coefficient(sliding.mu_t, "mu_t");
  check_coefficient(sliding.mu_b, "mu_b");
  check_coefficient(sliding.mu_torsion, "mu_torsion");
  check_coefficient(mu_rolling, "mu_rolling");
}

std::vector<double> FullSet::parameters() const { return {sliding_.mu_t, sliding_.mu_b, sliding_.mu_torsion, mu_rolling_}; }

FullSet::Vector FullSet::project(double normal, const Vector& trial) const {
  Vector closest;
  closest.head<3>() = sliding_.project(normal, trial.head<3>());
  closest.tail<2>() = CircularFriction{mu_rolling_}.project(normal, trial.tail<2>());
  return closest;
}

FullSet::Vector FullSet::support_point(const Vector& direction) const {
  Vector point;
  point.head<3>() = sliding_.support_point(direction.head<3>());
  point.tail<2>() = CircularFriction{mu_rolling_}.support_point(direction.tail<2>());
  return point;
}

double FullSet::support(const Vector& direction) const {
  return sliding_.support(direction.head<3>()) + CircularFriction{mu_rolling_}.support(direction.tail<2>());
}

ProjectionDerivative<5> FullSet::differentiate(double normal, const Vector& trial) const {
  return friction_detail::join<3, 2>(sliding_.differentiate(normal, trial.head<3>()),
                                     CircularFriction{mu_rolling_}.differentiate(normal, trial.tail<2>()));
}

ImplicitValue<5> FullSet::implicit(double normal, const Vector& x) const {
  return friction_detail::larger<3, 2>(sliding_.implicit(normal, x.head<3>()),
                                       CircularFriction{mu_rolling_}.implicit(normal, x.tail<2>()));
}

}   // namespace stickslip
