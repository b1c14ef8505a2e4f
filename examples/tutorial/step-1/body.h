// A rigid body: where it is, how it moves, and how forces change that.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <variant>
#include <vector>

namespace tutorial {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

inline constexpr double kGravity = 9.81;   // [m/s²], along −z

struct Sphere {
  double radius = 0.5;   // [m]
};
struct Box {
  Vec3 half = Vec3::Constant(0.5);   // half of its edges [m]
};

struct Body {
  std::variant<Sphere, Box> shape;
  double mass = 1;      // [kg]
  bool fixed = false;   // whether it stays where it is, whatever pushes

  Vec3 x = Vec3::Zero();       // centre of mass [m]
  Quat q = Quat::Identity();   // turns vectors of the body into the world
  Vec3 v = Vec3::Zero();       // velocity of the centre of mass [m/s]
  Vec3 omega = Vec3::Zero();   // angular velocity, in the world [rad/s]
};
using Bodies = std::vector<Body>;

/// Moments of inertia about the axes of the body [kg m²]: ⅖ m r² of a ball, ⅓ m (b² + c²) of a box with half edges a, b, c.
inline Vec3 moments(const Body& body) {
  if (const auto* sphere = std::get_if<Sphere>(&body.shape))
    return Vec3::Constant(0.4 * body.mass * sphere->radius * sphere->radius);
  const Vec3 s = std::get<Box>(body.shape).half.cwiseAbs2();
  return body.mass / 3 * Vec3(s.y() + s.z(), s.z() + s.x(), s.x() + s.y());
}

/// I = R diag(moments) Rᵀ, and its inverse, in the world. Nothing turns a fixed body: its inverse is 0.
inline Mat3 inertia(const Body& body) {
  const Mat3 R = body.q.toRotationMatrix();
  return R * moments(body).asDiagonal() * R.transpose();
}
inline Mat3 inverse_inertia(const Body& body) {
  if (body.fixed) return Mat3::Zero();
  const Mat3 R = body.q.toRotationMatrix();
  return R * moments(body).cwiseInverse().asDiagonal() * R.transpose();
}
inline double inverse_mass(const Body& body) { return body.fixed ? 0 : 1 / body.mass; }

/// Velocities after h, of a body that only gravity acts on: m dv/dt = m g, I dω/dt = −ω × Iω.
inline void accelerate(Body& body, double h) {
  if (body.fixed) return;
  body.v.z() -= h * kGravity;
  body.omega -= h * inverse_inertia(body) * body.omega.cross(inertia(body) * body.omega);
}

/// Places after h, with the new velocities: dx/dt = v, dq/dt = ½ ω q.
inline void move(Body& body, double h) {
  if (body.fixed) return;
  body.x += h * body.v;
  const Quat omega(0, body.omega.x(), body.omega.y(), body.omega.z());
  body.q.coeffs() += 0.5 * h * (omega * body.q).coeffs();
  body.q.normalize();
}

}   // namespace tutorial
