// Small contact problems built by hand, for tests of problems and solvers.
#pragma once

#include "stickslip/problem/contact_problem.h"

namespace stickslip::testing {

/// A body of the problem: unit-density scaled so that a box of half-extent 0.5 has this mass.
inline VelocitySegment box_segment(double mass, double half = 0.5) {
  const double inertia = mass * (2.0 / 3.0) * half * half;
  return {1 / mass, Mat3::Identity() / inertia};
}

/// Adds a Coulomb contact at `point` with the given normal between segments a and b (−1: the unmoving world).
inline void add_contact(ContactProblem& p, int a, const Vec3& center_a, int b, const Vec3& center_b, const Vec3& point,
                        const Vec3& normal, double mu, const Vec3& free_velocity) {
  const Mat3 frame = frame_from_normal(normal);
  Block block;
  block.row = static_cast<std::uint32_t>(p.b.size());
  block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
  block.arity = 0;
  const auto add = [&](int segment, const Vec3& center, double sign) {
    if (segment < 0) return;
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = sign * frame.col(k), r = (point - center).cross(d);
      p.jacobian_values.insert(p.jacobian_values.end(), {d.x(), d.y(), d.z(), r.x(), r.y(), r.z()});
    }
    block.segment[block.arity++] = static_cast<std::uint32_t>(segment);
  };
  add(a, center_a, -1);
  add(b, center_b, 1);
  p.b.insert(p.b.end(), free_velocity.data(), free_velocity.data() + 3);
  p.sigma.insert(p.sigma.end(), {0, 0, 0});
  p.laws.emplace_back(CircularFriction{mu});
  p.blocks.push_back(block);
}

/// A unit point mass on the ground: W is the identity.
inline ContactProblem particle_contact(const Vec3& b, double mu) {
  ContactProblem p;
  p.segments.push_back({1, Mat3::Zero()});
  add_contact(p, -1, Vec3::Zero(), 0, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), mu, b);
  p.finalize();
  return p;
}

/// A box on a box on the ground, four contacts each, falling at 1 m/s and drifting sideways: redundant.
/// @param ratio mass of the upper box over that of the lower one
inline ContactProblem two_box_stack(double mass, double ratio = 1, double drift = 0.2, double mu = 0.5) {
  ContactProblem p;
  p.segments = {box_segment(mass), box_segment(mass * ratio)};
  const Vec3 lower(0, 0, 0.5), upper(0, 0, 1.5);
  const auto free = [&](double vx) {
    const Mat3 frame = frame_from_normal(Vec3::UnitZ());
    return Vec3(frame.transpose() * Vec3(vx, 0, -1));
  };
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) add_contact(p, -1, {}, 0, lower, {x, y, 0}, Vec3::UnitZ(), mu, free(drift));
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      add_contact(p, 0, lower, 1, upper, {x, y, 1}, Vec3::UnitZ(), mu,
                  frame_from_normal(Vec3::UnitZ()).transpose() * Vec3(drift, 0, 0));
  p.finalize();
  return p;
}

/// W as a dense matrix, column by column.
inline Eigen::MatrixXd dense_delassus(const ContactProblem& p) {
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(p.rows(), 6 * p.segments.size());
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(6 * p.segments.size(), 6 * p.segments.size());
  for (std::size_t s = 0; s < p.segments.size(); ++s) {
    m.block<3, 3>(6 * s, 6 * s) = p.segments[s].inverse_mass * Mat3::Identity();
    m.block<3, 3>(6 * s + 3, 6 * s + 3) = p.segments[s].inverse_inertia;
  }
  for (const Block& block : p.blocks)
    for (int s = 0; s < block.arity; ++s)
      for (int k = 0; k < block.dim; ++k)
        for (int c = 0; c < 6; ++c)
          j(block.row + k, 6 * block.segment[s] + c) = p.jacobian_values[block.jacobian + 6 * (block.dim * s + k) + c];
  Eigen::MatrixXd w = j * m * j.transpose();
  w.diagonal() += Eigen::Map<const Eigen::VectorXd>(p.sigma.data(), p.rows());
  return w;
}

}   // namespace stickslip::testing
