#include "stickslip/friction/cone.h"

#include <limits>

#include "friction/tiny.h"
#include "math/infinity.h"

namespace stickslip {
namespace {

// Outside the cone and its polar the closest point has fᵢ = pᵢ xᵢ / (pᵢ + θ), pᵢ = aᵢ², and n = xₙ / (1 − θ) with a multiplier
// θ > 0. On the boundary n = N(θ) = √Σ (wᵢ / (pᵢ + θ))², wᵢ = aᵢ |xᵢ|, so that θ is the root of
//   ψ(θ) = xₙ / N(θ) + θ − 1.
// 1/N grows and is concave (linear, if all axes are equal) and lies between (pᵢ + θ)/‖w‖ for the shortest and the longest axis.
// So the root lies between (1 − κ pᵢ) / (1 + κ) for those, κ = xₙ/‖w‖, and Newton's method that starts with the longest axis
// approaches it from one side.
template <int Rows>
struct ConeEquation {
  Eigen::Matrix<double, Rows, 1> w, p;
  double normal = 0;                        ///< xₙ
  double p_least = kInfinity, p_most = 0;   ///< of the axes that matter

  /// ψ and its slope.
  double psi(double theta, double& slope) const {
    double sum = 0, steepness = 0;
    for (int i = 0; i < Rows; ++i) {
      const double reciprocal = 1 / (p[i] + theta), root = w[i] * reciprocal;
      sum += root * root;
      steepness += root * root * reciprocal;
    }
    const double ratio = normal / std::sqrt(sum);
    slope = 1 + ratio * steepness / sum;
    return ratio + theta - 1;
  }

  /// @param support ‖w‖
  double root(double support) const {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double kappa = normal / support;
    const auto bound = [&](double pole) { return std::max(0.0, (1 - kappa * pole) / (1 + kappa)); };
    double theta = bound(p_most), far = bound(p_least), slope = 0;   // the root lies between them
    for (int k = 0; k < 60; ++k) {
      const double value = psi(theta, slope), before = theta;
      if (std::abs(value) <= 2 * epsilon * (1 + theta)) break;
      theta -= value / slope;
      // Newton's method is slow where axes of very different lengths matter at the same time: then it takes turns with
      // bisection.
      if (k > 5 && k % 2 == 1) {
        const double middle = std::sqrt((before + p_least) * (far + p_least)) - p_least;
        if ((psi(middle, slope) > 0) == (far > before)) far = middle;
        else theta = far > before ? std::max(theta, middle) : std::min(theta, middle);
      }
      if (std::abs(theta - before) <= 1e-9 * (theta + p_least)) break;
    }
    return theta;
  }
};

template <int Rows>
Eigen::Matrix<double, Rows + 1, 1> project_on_ellipsoidal_cone(const Eigen::Matrix<double, Rows, 1>& axes,
                                                               const Eigen::Matrix<double, Rows + 1, 1>& x) {
  // A cone is the same at every size, while squares of the smallest numbers are nothing.
  if (const double size = x.cwiseAbs().maxCoeff(); size > 0 && size < kSquaresVanish)
    return size * project_on_ellipsoidal_cone<Rows>(axes, x / size);
  ConeEquation<Rows> cone;
  cone.normal = x[0];
  Eigen::Matrix<double, Rows, 1> friction = x.template tail<Rows>();
  double gauge_squared = 0;
  for (int i = 0; i < Rows; ++i) {
    const bool exists = axes[i] > 0;
    if (!exists) friction[i] = 0;   // a row without friction is on the boundary of the cone wherever it is
    cone.w[i] = axes[i] * std::abs(friction[i]);
    cone.p[i] = exists ? axes[i] * axes[i] : 1;
    gauge_squared += exists ? friction[i] / axes[i] * (friction[i] / axes[i]) : 0;
    if (cone.w[i] > 0) cone.p_least = std::min(cone.p_least, cone.p[i]), cone.p_most = std::max(cone.p_most, cone.p[i]);
  }
  const double support = cone.w.norm();
  Eigen::Matrix<double, Rows + 1, 1> y = Eigen::Matrix<double, Rows + 1, 1>::Zero();
  if (support <= -cone.normal) return y;
  if (cone.normal >= 0 && gauge_squared <= cone.normal * cone.normal) {
    y[0] = cone.normal;
    y.template tail<Rows>() = friction;
    return y;
  }
  const double theta = cone.root(support);
  double sum = 0;
  for (int i = 0; i < Rows; ++i) {
    const double root = cone.w[i] / (cone.p[i] + theta);
    sum += root * root;
    y[i + 1] = cone.p[i] / (cone.p[i] + theta) * friction[i];
  }
  y[0] = std::sqrt(sum);
  return y;
}

}   // namespace

ConeVector<EllipseFriction> project_on_cone(const EllipseFriction& law, const Vec3& x) {
  return project_on_ellipsoidal_cone<2>(law.axes(), x);
}

ConeVector<EllipsoidFriction> project_on_cone(const EllipsoidFriction& law, const Vec4& x) {
  return project_on_ellipsoidal_cone<3>(law.axes(), x);
}

ConeVector<PatchFriction> project_on_cone(const PatchFriction& law, const ConeVector<PatchFriction>& x) {
  const PatchFriction::Vector others = x.tail<5>();
  ConeVector<PatchFriction> y = ConeVector<PatchFriction>::Zero();
  const auto slope = [&](double n) {
    const PatchFriction::Vector closest = law.project(n, others);
    return n - x[0] - (others - closest).dot(closest) / n;
  };
  const double reach = x[0] + law.support(others);
  if (!(reach > 0)) return y;
  if (x[0] > 0 && law.project(x[0], others) == others) return x;
  y[0] = friction_detail::rising_root(slope, 0, -reach, reach, std::abs(x[0]));
  y.tail<5>() = law.project(y[0], others);
  return y;
}

}   // namespace stickslip
