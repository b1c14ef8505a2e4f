#include "stickslip/world/body.h"

#include <Eigen/Eigenvalues>

namespace stickslip {

Mat3 Body::world_inverse_inertia() const {
  const Mat3 r = orientation.toRotationMatrix();
  return r * inverse_inertia * r.transpose();
}

Mat3 Body::world_inertia() const {
  const Mat3 r = orientation.toRotationMatrix();
  return r * mass.inertia * r.transpose();
}

void Body::derive_from_mass() {
  inverse_mass = 0;
  inverse_inertia.setZero();
  principal_moments.setZero();
  principal_axes.setIdentity();
  if (motion != MotionType::dynamic) return;

  inverse_mass = 1 / mass.mass;
  const Mat3 inverse = mass.inertia.inverse();
  inverse_inertia = 0.5 * (inverse + inverse.transpose());   // symmetric to the bit, whatever the inversion rounded

  if (mass.inertia.isDiagonal(0)) {
    principal_moments = mass.inertia.diagonal();
  } else {
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(mass.inertia);
    principal_moments = eigen.eigenvalues();
    Mat3 axes = eigen.eigenvectors();
    if (axes.determinant() < 0) axes.col(0) = -axes.col(0);
    principal_axes = Quat(axes).normalized();
  }
}

}   // namespace stickslip
