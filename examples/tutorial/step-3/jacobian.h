// What bodies do at their contacts: velocities from the bodies to the contact, impulses from the contact to the bodies.
#pragma once

#include "step-2/collide.h"

namespace tutorial {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat36 = Eigen::Matrix<double, 3, 6>;
using Mat63 = Eigen::Matrix<double, 6, 3>;

/// Three directions at a contact, as columns: the normal, and two tangents.
inline Mat3 contact_frame(const Vec3& normal) {
  int least = 0;
  normal.cwiseAbs().minCoeff(&least);   // the axis that is farthest from the normal
  Mat3 frame;
  frame.col(0) = normal;
  frame.col(1) = normal.cross(Vec3::Unit(least)).normalized();
  frame.col(2) = normal.cross(frame.col(1));
  return frame;
}

/// Cross-product matrix: skew(r) ω = r × ω.
inline Mat3 skew(const Vec3& r) {
  Mat3 s;
  s << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return s;
}

/// Velocity and angular velocity of a body as six numbers, and back.
inline Vec6 velocity(const Body& body) {
  Vec6 u;
  u << body.v, body.omega;
  return u;
}
inline void set_velocity(Body& body, const Vec6& u) {
  body.v = u.head<3>();
  body.omega = u.tail<3>();
}

/// The three rows of a contact: v = J_a u_a + J_b u_b, the velocity of b relative to a along normal and tangents [m/s].
struct Rows {
  int a = 0, b = 0;
  Mat36 Ja = {}, Jb = {};
  Mat63 Ya = {}, Yb = {};       // M⁻¹Jᵀ: how impulses change the velocities of the two bodies
  Mat3 W = {};                  // J M⁻¹ Jᵀ: how impulses change v
  Vec3 lambda = Vec3::Zero();   // impulses on b along normal and tangents [N s]
  double mu = 0;                // coefficient of friction
  double bias = 0;              // what the normal velocity must not fall below [m/s]: v_n ≥ bias

  Vec3 relative(const Vec6& ua, const Vec6& ub) const { return Ja * ua + Jb * ub; }
};

inline Rows make_rows(const Contact& c, const Bodies& bodies, double mu) {
  Rows rows{.a = c.a, .b = c.b, .mu = mu};
  const Mat3 directions = contact_frame(c.normal).transpose();
  const auto side = [&](int i, double sign, Mat36& J, Mat63& Y) {
    const Body& body = bodies[static_cast<std::size_t>(i)];
    // The place of the body at the contact moves with v + ω × r = v − r × ω.
    J << sign * directions, -sign * directions * skew(c.point - body.x);
    Y << inverse_mass(body) * J.leftCols<3>().transpose(), inverse_inertia(body) * J.rightCols<3>().transpose();
  };
  side(c.a, -1, rows.Ja, rows.Ya);
  side(c.b, +1, rows.Jb, rows.Yb);
  rows.W = rows.Ja * rows.Ya + rows.Jb * rows.Yb;
  return rows;
}

/// Gives the bodies of a contact an impulse: u += M⁻¹ Jᵀ Δλ.
inline void apply(const Rows& rows, const Vec3& impulse, Vec6& ua, Vec6& ub) {
  ua += rows.Ya * impulse;
  ub += rows.Yb * impulse;
}

}   // namespace tutorial
