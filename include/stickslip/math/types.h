// Small fixed-size vectors, rotations and rigid poses.
//
// Conventions everywhere: SI units, radians, right-handed frames, z up. A quaternion that leaves or enters as plain
// numbers says its order in its name (`wxyz`).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace stickslip {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// A rigid placement: maps local coordinates x to world coordinates `position + orientation * x`.
struct Pose {
  Vec3 position = Vec3::Zero();          ///< [m]
  Quat orientation = Quat::Identity();   ///< unit quaternion

  Vec3 operator*(const Vec3& local) const { return position + orientation * local; }

  /// Composition: (a * b) * x == a * (b * x).
  Pose operator*(const Pose& local) const { return {*this * local.position, orientation * local.orientation}; }

  /// World coordinates back to local ones.
  Vec3 to_local(const Vec3& world) const { return orientation.conjugate() * (world - position); }

  Pose inverse() const {
    const Quat back = orientation.conjugate();
    return {-(back * position), back};
  }

  Mat3 rotation() const { return orientation.toRotationMatrix(); }
};

/// Cross-product matrix: skew(a) * b == a × b.
inline Mat3 skew(const Vec3& a) {
  Mat3 s;
  s << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return s;
}

/// Quaternion of the rotation by the vector `angle` (axis times radians). Exact for any size, smooth at zero.
Quat rotation_from_vector(const Vec3& angle);

/// The smallest rotation that turns the direction of one vector into that of another.
Quat rotation_between(const Vec3& from, const Vec3& to);

/// Right-handed orthonormal frame whose first column is the unit vector `normal`; depends on `normal` alone, so the same
/// normal always gives the same tangents.
Mat3 frame_from_normal(const Vec3& normal);

}   // namespace stickslip
