#include "step/free_motion.h"

#include <cmath>

#include "math/small_matrices.h"

namespace stickslip {

namespace {

/// One Newton step of backward Euler for I ω' + ω × I ω = 0 in the body frame, started at the old ω: the Jacobian
/// I + h([ω]× I − [Iω]×) stays regular however fast the body spins.
Vec3 implicit_gyroscopic(const Mat3& inertia, const Vec3& omega, double h) {
  const Vec3 momentum = inertia * omega;
  const Vec3 f = h * omega.cross(momentum);
  const Mat3 jacobian = inertia + h * (skew(omega) * inertia - skew(momentum));
  return omega - solve_linear(jacobian, f);
}

/// Rotates body-frame momentum and orientation about principal axis `axis` for time t, as if only that axis had inertia.
void rotate_about(int axis, double moment, double t, Vec3& momentum, Quat& orientation) {
  const double angle = t * momentum[axis] / moment;
  const double s = std::sin(0.5 * angle), c = std::cos(0.5 * angle);
  Quat turn(c, 0, 0, 0);
  turn.vec()[axis] = s;
  orientation = orientation * turn;
  momentum = turn.conjugate() * momentum;
}

constexpr double kFactorAngle = 0.1;   ///< of a factor of the splitting below [rad]
constexpr int kMostFactors = 64;       ///< of each kind

/// The principal axis whose moment differs, if the other two have one moment; −1 if all differ.
int symmetry_axis(const Vec3& moments) {
  for (int axis = 0; axis < 3; ++axis)
    if (std::abs(moments[(axis + 1) % 3] - moments[(axis + 2) % 3]) <= 1e-9 * moments.maxCoeff()) return axis;
  return -1;
}

/// Free rotation of a body of revolution, exact at any speed: its axis goes round the angular momentum L at L / I, I across the
/// axis, while it turns about the axis. @param momentum in the principal frame
void precess(const Vec3& moments, int axis, double t, Vec3& momentum, Quat& principal) {
  const double across = moments[(axis + 1) % 3];
  const Vec3 in_world = principal * momentum;
  const Vec3 about_axis = t * momentum[axis] * (1 / moments[axis] - 1 / across) * Vec3::Unit(axis);
  principal = rotation_from_vector(t / across * in_world) * principal * rotation_from_vector(about_axis);
  principal.normalize();
  momentum = principal.conjugate() * in_world;
}

/// Free rotation for time t by the symmetric splitting of the kinetic energy Σ Lᵢ²/2Iᵢ into its three terms. Every factor
/// is an exact rotation: the world angular momentum is kept to rounding, the energy error stays bounded and of order t².
void split_rotation(const Vec3& moment, double t, double angle, Vec3& momentum, Quat& principal) {
  // Keep every factor below a tenth of a radian, within reason.
  const int pieces = std::isfinite(angle) ? static_cast<int>(std::min<double>(1 + angle / kFactorAngle, kMostFactors)) : 1;
  const double dt = t / pieces;
  for (int i = 0; i < pieces; ++i) {
    rotate_about(0, moment[0], dt / 2, momentum, principal);
    rotate_about(1, moment[1], dt / 2, momentum, principal);
    rotate_about(2, moment[2], dt, momentum, principal);
    rotate_about(1, moment[1], dt / 2, momentum, principal);
    rotate_about(0, moment[0], dt / 2, momentum, principal);
  }
  principal.normalize();
}

void free_rotation(const Body& b, double t, Motion& end) {
  const Vec3& moment = b.principal_moments;
  Quat principal = end.pose.orientation * b.principal_axes;   // principal frame to world
  Vec3 momentum = moment.cwiseProduct(principal.conjugate() * end.angular_velocity);
  // Of what stays: a number of pieces that follows the motion lets the energy drift.
  const double angle = std::abs(t) * momentum.norm() / moment.minCoeff();
  const int axis = angle > kMostFactors * kFactorAngle ? symmetry_axis(moment) : -1;
  if (axis >= 0) precess(moment, axis, t, momentum, principal);
  else split_rotation(moment, t, angle, momentum, principal);
  end.angular_velocity = principal * momentum.cwiseQuotient(moment);
  end.pose.orientation = (principal * b.principal_axes.conjugate()).normalized();
}

/// Free rotation so slow that (t ω)² is lost in rounding: what is of second order in it can be left out.
constexpr double kSlowTurn = 1e-8;   ///< t |ω| [rad]

void slow_rotation(const Body& b, double t, Motion& end) {
  const Quat principal = end.pose.orientation * b.principal_axes;
  const Vec3 omega = principal.conjugate() * end.angular_velocity, momentum = b.principal_moments.cwiseProduct(omega);
  const Vec3 half = 0.5 * t * end.angular_velocity;
  end.pose.orientation.coeffs() += (Quat(0, half.x(), half.y(), half.z()) * end.pose.orientation).coeffs();
  end.pose.orientation.normalize();
  end.angular_velocity += principal * Vec3(t * momentum.cross(omega).cwiseQuotient(b.principal_moments));
}

bool is_isotropic(const Vec3& moments) { return moments.maxCoeff() - moments.minCoeff() <= 1e-12 * moments.maxCoeff(); }

bool wanders(const Body& b, Gyroscopic gyroscopic) {
  return b.motion == MotionType::dynamic && gyroscopic == Gyroscopic::conserving && !is_isotropic(b.principal_moments);
}

Quat turned(const Vec3& angular_velocity, double t, const Quat& orientation) {
  return (rotation_from_vector(t * angular_velocity) * orientation).normalized();
}

}   // namespace

double kick_time(const World& world, Scheme scheme, double h) {
  const bool means = scheme == Scheme::semi_implicit_euler && world.memory.h > 0;
  return means ? 0.5 * (world.memory.h + h) : h;
}

Twist free_velocity(const Body& b, const Vec3& gravity, Gyroscopic gyroscopic, double h, double kick) {
  Twist u;
  u.linear = b.velocity + kick * (gravity + b.inverse_mass * b.force);
  u.angular = b.angular_velocity;
  if (gyroscopic == Gyroscopic::explicit_) {
    const Vec3 momentum = b.world_inertia() * b.angular_velocity;
    u.angular -= h * (b.world_inverse_inertia() * b.angular_velocity.cross(momentum));
  } else if (gyroscopic == Gyroscopic::implicit) {
    u.angular = b.orientation * implicit_gyroscopic(b.mass.inertia, b.orientation.conjugate() * b.angular_velocity, h);
  }
  if (!b.torque.isZero(0)) u.angular += kick * (b.world_inverse_inertia() * b.torque);
  return u;
}

Motion drifted(const Body& b, const Twist& u, Gyroscopic gyroscopic, double t) {
  Motion end{{b.position, b.orientation}, u.linear, u.angular};
  if (b.motion == MotionType::fixed) return end;
  end.pose.position += t * u.linear;
  if (u.angular.isZero(0)) return end;
  if (wanders(b, gyroscopic)) {
    if (std::abs(t) * u.angular.norm() < kSlowTurn) slow_rotation(b, t, end);
    else free_rotation(b, t, end);
  } else {
    end.pose.orientation = turned(u.angular, t, b.orientation);
  }
  return end;
}

double wandering_spin(const Body& b, const Vec3& angular_velocity, Gyroscopic gyroscopic) {
  if (!wanders(b, gyroscopic)) return 0;
  // The angular momentum stays, and no axis has less inertia.
  return (b.world_inertia() * angular_velocity).norm() / b.principal_moments.minCoeff();
}

void drift(Body& b, Gyroscopic gyroscopic, double t) {
  const Motion end = drifted(b, {b.velocity, b.angular_velocity}, gyroscopic, t);
  b.position = end.pose.position;
  b.orientation = end.pose.orientation;
  b.angular_velocity = end.angular_velocity;
}

void aim_kinematic_bodies(World& world, double h) {
  for (Body& b : world.mutable_bodies()) {
    if (!b.alive || b.motion != MotionType::kinematic || std::holds_alternative<ConstantVelocity>(b.script)) continue;
    const Pose next = scripted_pose(b.script, b.script_start, world.time + h);
    b.velocity = (next.position - b.position) / h;
    Quat turn = next.orientation * b.orientation.conjugate();
    if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
    const double s = turn.vec().norm();
    b.angular_velocity = s > 0 ? Vec3(turn.vec() * (2 * std::atan2(s, turn.w()) / (s * h))) : Vec3::Zero();
  }
}

void drift_kinematic_bodies(World& world, double t) {
  for (Body& b : world.mutable_bodies()) {
    if (!b.alive || b.motion != MotionType::kinematic) continue;
    drift(b, Gyroscopic::none, t);
  }
}

void place_kinematic_bodies(World& world) {
  for (Body& b : world.mutable_bodies()) {
    if (!b.alive || b.motion != MotionType::kinematic || std::holds_alternative<ConstantVelocity>(b.script)) continue;
    const Pose pose = scripted_pose(b.script, b.script_start, world.time);
    b.position = pose.position;
    b.orientation = pose.orientation;
  }
}

}   // namespace stickslip
