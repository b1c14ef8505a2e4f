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

// The formula with 1 + a·b loses as many digits as that is small. Near half turns a half turn about what is nearly the axis
// comes first, and a small rotation brings what is left.
Quat rotation_between(const Vec3& from, const Vec3& to) {
  constexpr double kNearlyOpposite = -0.99;
  const Vec3 a = from.normalized(), b = to.normalized();
  if (a.dot(b) > kNearlyOpposite) return Quat::FromTwoVectors(from, to);
  const Vec3 cross = a.cross(b);
  const double sine = cross.norm();
  const Vec3 axis = sine > 0 ? Vec3(cross / sine) : Vec3(frame_from_normal(a).col(1));
  const Quat half_turn(0, axis.x(), axis.y(), axis.z());
  return Quat::FromTwoVectors(half_turn * a, b) * half_turn;
}

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
