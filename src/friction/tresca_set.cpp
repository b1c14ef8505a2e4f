#include <fmt/format.h>

#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

namespace stickslip {

TrescaSet::TrescaSet(double bound) : bound_(bound) {
  if (!(bound >= 0) || !std::isfinite(bound))
    throw Error(fmt::format("{} is not a bound. Tresca friction needs a bound that is finite and at least 0, in N s.", bound))
        .at("bound");
}

Vec2 TrescaSet::project(double, const Vec2& trial) const { return friction_detail::project_on_disc(bound_, trial); }

Vec2 TrescaSet::support_point(const Vec2& direction) const {
  return friction_detail::farthest_on_ellipsoid<2>(Vec2(bound_, bound_), direction);
}

ProjectionDerivative<2> TrescaSet::differentiate(double, const Vec2& trial) const {
  return friction_detail::differentiate_disc<2>(bound_, 0, trial);
}

ImplicitValue<2> TrescaSet::implicit(double, const Vec2& x) const {
  ImplicitValue<2> f = friction_detail::implicit_ellipsoid<2>(Vec2(1, 1), bound_, x);
  f.by_normal = 0;
  return f;
}

}   // namespace stickslip
