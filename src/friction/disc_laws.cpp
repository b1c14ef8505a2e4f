#include "stickslip/friction/disc_laws.h"

namespace stickslip {

using friction_detail::differentiate_disc;
using friction_detail::farthest_on_ellipsoid;
using friction_detail::implicit_ellipsoid;

Vec4 RollingFriction::support_point(const Vec4& direction) const {
  Vec4 point;
  point.head<2>() = farthest_on_ellipsoid<2>(Vec2(mu, mu), direction.head<2>());
  point.tail<2>() = farthest_on_ellipsoid<2>(Vec2(mu_rolling, mu_rolling), direction.tail<2>());
  return point;
}

ProjectionDerivative<4> RollingFriction::differentiate(double normal, const Vec4& trial) const {
  return friction_detail::join<2, 2>(differentiate_disc<2>(mu * normal, mu, trial.head<2>()),
                                     differentiate_disc<2>(mu_rolling * normal, mu_rolling, trial.tail<2>()));
}

ImplicitValue<4> RollingFriction::implicit(double normal, const Vec4& x) const {
  return friction_detail::larger<2, 2>(implicit_ellipsoid<2>(Vec2(mu, mu), normal, x.head<2>()),
                                       implicit_ellipsoid<2>(Vec2(mu_rolling, mu_rolling), normal, x.tail<2>()));
}

}   // namespace stickslip
