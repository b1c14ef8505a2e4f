// How stiff forces at arms are against turns of the body: they turn with it, and stay as they point
// (step/joints/joint_closing.h).
#pragma once

#include <Eigen/Eigenvalues>
#include <cmath>

#include "stickslip/math/types.h"

namespace stickslip {

inline constexpr double kStiffArms = 2;   ///< (ω h)² from which on a step needs help to follow

/// h (f·r 1 − ½ (r fᵀ + f rᵀ)) for an impulse f.
inline Mat3 turning_stiffness(double h, const Vec3& arm, const Vec3& impulse) {
  const Mat3 outer = arm * impulse.transpose();
  return h * (arm.dot(impulse) * Mat3::Identity() - 0.5 * (outer + outer.transpose()));
}

/// The part of a symmetric matrix that is not negative.
inline Mat3 positive_part(const Mat3& m) {
  const Eigen::SelfAdjointEigenSolver<Mat3> modes(m);
  return modes.eigenvectors() * modes.eigenvalues().cwiseMax(0).asDiagonal() * modes.eigenvectors().transpose();
}

/// Largest (ω h)² of a body. @param stiffness K h² [kg m²]
inline double fastest_turning(const Mat3& stiffness, const Mat3& inertia, const Vec3& moments) {
  if (stiffness.norm() <= kStiffArms * moments.minCoeff()) return 0;   // an upper bound
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(inertia);
  Mat3 scaled = axes.eigenvectors();   // of unit moments
  for (int k = 0; k < 3; ++k) scaled.col(k) /= std::sqrt(axes.eigenvalues()[k]);
  const Mat3 turned = stiffness * scaled, rates = scaled.transpose() * turned;
  return Eigen::SelfAdjointEigenSolver<Mat3>(rates, Eigen::EigenvaluesOnly).eigenvalues()[2];
}

}   // namespace stickslip
