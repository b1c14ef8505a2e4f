// Coulomb's law in all directions: friction lies in a disc, not in a square.
#pragma once

#include <cmath>

#include "step-4/pgs.h"

namespace tutorial {

using Vec2 = Eigen::Vector2d;

/// The nearest place of a disc around 0.
inline Vec2 on_disc(const Vec2& p, double radius) {
  const double size = p.norm();
  return size > radius ? Vec2(p * (radius / size)) : p;
}

/// The larger eigenvalue of the two rows of friction: how much a unit impulse of friction changes velocities, at most.
inline double largest_friction_response(const Mat3& W) {
  const double mean = 0.5 * (W(1, 1) + W(2, 2)), half = 0.5 * (W(1, 1) - W(2, 2));
  return mean + std::hypot(half, W(1, 2));
}

/// One sweep: for every contact the normal impulse, then both impulses of friction at once.
inline void sweep_cone(std::vector<Rows>& problem, Velocities& u) {
  for (Rows& c : problem) {
    Vec6 &ua = u[static_cast<std::size_t>(c.a)], &ub = u[static_cast<std::size_t>(c.b)];
    Vec3 change = Vec3::Zero();
    const double normal = std::max(0.0, c.lambda[0] - (c.relative(ua, ub)[0] - c.bias) / c.W(0, 0));
    change[0] = normal - c.lambda[0];
    apply(c, change, ua, ub);
    c.lambda[0] = normal;

    const Vec2 slip = c.relative(ua, ub).tail<2>(), before = c.lambda.tail<2>();
    const Vec2 friction = on_disc(before - slip / largest_friction_response(c.W), c.mu * normal);
    change << 0, friction - before;
    apply(c, change, ua, ub);
    c.lambda.tail<2>() = friction;
  }
}

/// How wrong the impulses are, as a velocity [m/s]: what a sweep would still change, turned into velocities.
inline double residual(const std::vector<Rows>& problem, const Velocities& u) {
  double worst = 0;
  for (const Rows& c : problem) {
    const Vec3 v = c.relative(u[static_cast<std::size_t>(c.a)], u[static_cast<std::size_t>(c.b)]) - c.bias * Vec3::UnitX();
    const double normal = std::max(0.0, c.lambda[0] - v[0] / c.W(0, 0)), w = largest_friction_response(c.W);
    const Vec2 friction = on_disc(c.lambda.tail<2>() - v.tail<2>() / w, c.mu * c.lambda[0]);
    worst = std::max({worst, c.W(0, 0) * std::abs(normal - c.lambda[0]), w * (friction - c.lambda.tail<2>()).norm()});
  }
  return worst;
}

/// Sweeps until the residual is small enough. Returns how many it took.
inline int solve_cone(std::vector<Rows>& problem, Velocities& u, double tolerance, int most) {
  int sweeps = 0;
  while (sweeps < most && residual(problem, u) > tolerance) {
    sweep_cone(problem, u);
    ++sweeps;
  }
  return sweeps;
}

}   // namespace tutorial
