#include "stickslip/math/types.h"

namespace stickslip {

Quat rotation_from_vector(const Vec3& angle) {
  const double theta_squared = angle.squaredNorm();
  // sin(θ/2)/θ by its series where the quotient would lose digits.
  double scale, w;
  if (theta_squared < 1e-8) {
    scale = 0.5 - theta_squared / 48;
    w = 1 - theta_squared / 8;
  } else {
    const double theta = std::sqrt(theta_squared);
    scale = std::sin(theta / 2) / theta;
    w = std::cos(theta / 2);
  }
  return Quat(w, scale * angle.x(), scale * angle.y(), scale * angle.z());
}

Quat rotation_between(const Vec3& from, const Vec3& to) { return Quat::FromTwoVectors(from, to); }

Mat3 frame_from_normal(const Vec3& normal) {
  // Cross with the axis least aligned with the normal.
  const Vec3 size = normal.cwiseAbs();
  Vec3 axis = Vec3::UnitX();
  if (size.y() < size.x() && size.y() <= size.z()) axis = Vec3::UnitY();
  else if (size.z() < size.x() && size.z() < size.y()) axis = Vec3::UnitZ();
  Mat3 frame;
  frame.col(0) = normal;
  frame.col(1) = axis.cross(normal).normalized();
  frame.col(2) = normal.cross(frame.col(1));
  return frame;
}

}   // namespace stickslip
