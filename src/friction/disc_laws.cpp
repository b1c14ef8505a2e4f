#include "stickslip/friction/disc_laws.h"

#include <cmath>
#include <limits>

namespace stickslip {

namespace friction_detail {

template <int Rows>
ProjectionDerivative<Rows> differentiate_disc(double radius, double growth, const Eigen::Matrix<double, Rows, 1>& trial) {
  ProjectionDerivative<Rows> d;
  d.value = trial;
  d.by_point.setIdentity();
  d.by_normal.setZero();
  const double size = trial.norm();
  if (size <= radius && radius > 0) return d;
  if (!(size > 0)) {   // the disc is a point
    d.by_point.setZero();
    return d;
  }
  const Eigen::Matrix<double, Rows, 1> direction = trial / size;
  d.value = radius * direction;
  d.by_point -= direction * direction.transpose();
  d.by_point *= radius / size;
  d.by_normal = growth * direction;
  return d;
}

template <int Rows>
ImplicitValue<Rows> implicit_ellipsoid(const Eigen::Matrix<double, Rows, 1>& axes, double normal,
                                       const Eigen::Matrix<double, Rows, 1>& x) {
  ImplicitValue<Rows> f;
  Eigen::Matrix<double, Rows, 1> weight = Eigen::Matrix<double, Rows, 1>::Zero();
  bool allowed = true;
  for (int i = 0; i < Rows; ++i)
    if (axes[i] > 0) weight[i] = 1 / (axes[i] * axes[i]);
    else allowed = allowed && x[i] == 0;
  const double gauge = std::sqrt(x.cwiseProduct(x).dot(weight));
  f.value = allowed ? gauge - normal : std::numeric_limits<double>::infinity();
  if (!(gauge > 0)) return f;
  f.gradient = weight.cwiseProduct(x) / gauge;
  f.hessian = -f.gradient * f.gradient.transpose() / gauge;
  f.hessian.diagonal() += weight / gauge;
  return f;
}

template <int Rows>
Eigen::Matrix<double, Rows, 1> farthest_on_ellipsoid(const Eigen::Matrix<double, Rows, 1>& axes,
                                                     const Eigen::Matrix<double, Rows, 1>& direction) {
  const Eigen::Matrix<double, Rows, 1> scaled = axes.cwiseProduct(direction);
  const double size = scaled.norm();
  if (!(size > 0)) return Eigen::Matrix<double, Rows, 1>::Zero();
  return axes.cwiseProduct(scaled) / size;
}

template <int A, int B>
ProjectionDerivative<A + B> join(const ProjectionDerivative<A>& a, const ProjectionDerivative<B>& b) {
  ProjectionDerivative<A + B> d;
  d.value.template head<A>() = a.value;
  d.value.template tail<B>() = b.value;
  d.by_point.setZero();
  d.by_point.template topLeftCorner<A, A>() = a.by_point;
  d.by_point.template bottomRightCorner<B, B>() = b.by_point;
  d.by_normal.template head<A>() = a.by_normal;
  d.by_normal.template tail<B>() = b.by_normal;
  return d;
}

template <int A, int B>
ImplicitValue<A + B> larger(const ImplicitValue<A>& a, const ImplicitValue<B>& b) {
  ImplicitValue<A + B> f;
  if (a.value >= b.value) {
    f.value = a.value;
    f.by_normal = a.by_normal;
    f.gradient.template head<A>() = a.gradient;
    f.hessian.template topLeftCorner<A, A>() = a.hessian;
  } else {
    f.value = b.value;
    f.by_normal = b.by_normal;
    f.gradient.template tail<B>() = b.gradient;
    f.hessian.template bottomRightCorner<B, B>() = b.hessian;
  }
  return f;
}

template ProjectionDerivative<1> differentiate_disc<1>(double, double, const Eigen::Matrix<double, 1, 1>&);
template ProjectionDerivative<2> differentiate_disc<2>(double, double, const Vec2&);
template ImplicitValue<1> implicit_ellipsoid<1>(const Eigen::Matrix<double, 1, 1>&, double, const Eigen::Matrix<double, 1, 1>&);
template ImplicitValue<2> implicit_ellipsoid<2>(const Vec2&, double, const Vec2&);
template ImplicitValue<3> implicit_ellipsoid<3>(const Vec3&, double, const Vec3&);
template Vec2 farthest_on_ellipsoid<2>(const Vec2&, const Vec2&);
template Vec3 farthest_on_ellipsoid<3>(const Vec3&, const Vec3&);
template ProjectionDerivative<4> join<2, 2>(const ProjectionDerivative<2>&, const ProjectionDerivative<2>&);
template ProjectionDerivative<5> join<3, 2>(const ProjectionDerivative<3>&, const ProjectionDerivative<2>&);
template ImplicitValue<4> larger<2, 2>(const ImplicitValue<2>&, const ImplicitValue<2>&);
template ImplicitValue<5> larger<3, 2>(const ImplicitValue<3>&, const ImplicitValue<2>&);

}   // namespace friction_detail

using friction_detail::differentiate_disc;
using friction_detail::farthest_on_ellipsoid;
using friction_detail::implicit_ellipsoid;

Vec4 RollingFriction::project(double normal, const Vec4& trial) const {
  const double n = std::max(normal, 0.0);
  Vec4 closest;
  closest.head<2>() = friction_detail::project_on_disc<Vec2>(mu * n, trial.head<2>());
  closest.tail<2>() = friction_detail::project_on_disc<Vec2>(mu_rolling * n, trial.tail<2>());
  return closest;
}

double RollingFriction::support(const Vec4& direction) const {
  return mu * direction.head<2>().norm() + mu_rolling * direction.tail<2>().norm();
}

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
