// What a friction set answers with, beside points: boxes, derivatives, the value of its implicit function.
#pragma once

#include "stickslip/math/types.h"

namespace stickslip {

/// The smallest box around F(n): what the boxed model uses. Zero is always inside.
template <int Rows>
struct FrictionBox {
  using Vector = Eigen::Matrix<double, Rows, 1>;
  Vector lower, upper;   ///< lower ≤ 0 ≤ upper [N s, or N s m for torques]

  static FrictionBox symmetric(const Vector& half_widths) {
    FrictionBox box;
    for (int k = 0; k < Rows; ++k) box.lower[k] = -half_widths[k], box.upper[k] = half_widths[k];
    return box;
  }
  Vector clamp(const Vector& x) const { return x.cwiseMax(lower).cwiseMin(upper); }
};

/// The projection P(n, z) = closest point of F(n) to z, with its derivatives, for n > 0. P is piecewise smooth; on a kink one
/// of the sides is taken, which is an element of the generalised derivative.
template <int Rows>
struct ProjectionDerivative {
  using Vector = Eigen::Matrix<double, Rows, 1>;
  Vector value;                                 ///< P(n, z)
  Eigen::Matrix<double, Rows, Rows> by_point;   ///< ∂P/∂z
  Vector by_normal;                             ///< ∂P/∂n
};

/// A convex function φ(n, x) with F(n) = { x : φ(n, x) ≤ 0 }, and its derivatives at one place. Of a set that scales with the
/// normal impulse it is the gauge less n: φ(n, x) = N(x) − n, N(x) the least normal impulse that allows x.
template <int Rows>
struct ImplicitValue {
  using Vector = Eigen::Matrix<double, Rows, 1>;
  double value = 0;                                                                        ///< φ [N s]
  double by_normal = -1;                                                                   ///< ∂φ/∂n
  Vector gradient = Vector::Zero();                                                        ///< ∂φ/∂x; 0 at the tip x = 0
  Eigen::Matrix<double, Rows, Rows> hessian = Eigen::Matrix<double, Rows, Rows>::Zero();   ///< ∂²φ/∂x²; 0 at the tip
};

}   // namespace stickslip
