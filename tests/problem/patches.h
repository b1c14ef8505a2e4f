// Problems of bodies that rest on patches, and the same on points, by hand.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "stickslip/problem/residual.h"

namespace stickslip::testing {

/// Bodies as segments, with their centres and free velocities: what rows are made from.
struct PatchScene {
  struct Body {
    Vec3 center, velocity, spin;   ///< free ones, without impulses
  };
  ContactProblem problem;
  std::vector<Body> bodies;

  static constexpr int ground = -1;

  int add_body(double mass, const Vec3& inertia, const Vec3& center, const Vec3& velocity = Vec3::Zero(),
               const Vec3& spin = Vec3::Zero()) {
    problem.segments.push_back({1 / mass, Mat3(inertia.cwiseInverse().asDiagonal())});
    bodies.push_back({center, velocity, spin});
    return static_cast<int>(bodies.size()) - 1;
  }

  /// Rows along `frame` (n, t, b) at a place, then torsion and rolling in units of `length`.
  void add_block(int a, int b, const Vec3& place, const Mat3& frame, int dim, double length, FrictionSet law) {
    ContactProblem& p = problem;
    Block block;
    block.dim = static_cast<std::uint8_t>(dim);
    block.row = static_cast<std::uint32_t>(p.b.size());
    block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
    std::vector<std::uint32_t> segments;
    Eigen::VectorXd free = Eigen::VectorXd::Zero(dim);
    for (const auto& [body, sign] : {std::pair(a, -1.0), std::pair(b, 1.0)}) {
      if (body == ground) continue;
      segments.push_back(static_cast<std::uint32_t>(body));
      const Body& at = bodies[static_cast<std::size_t>(body)];
      for (int k = 0; k < dim; ++k) {
        const Vec3 along = k < 3 ? Vec3(sign * frame.col(k)) : Vec3::Zero();
        const Vec3 turn = k < 3 ? Vec3((place - at.center).cross(along)) : Vec3(sign * length * frame.col(k - 3));
        for (int c = 0; c < 3; ++c) p.jacobian_values.push_back(along[c]);
        for (int c = 0; c < 3; ++c) p.jacobian_values.push_back(turn[c]);
        free[k] += along.dot(at.velocity) + turn.dot(at.spin);
      }
    }
    p.set_segments(block, segments);
    p.blocks.push_back(block);
    p.laws.push_back(std::move(law));
    p.b.insert(p.b.end(), free.data(), free.data() + dim);
    p.sigma.insert(p.sigma.end(), static_cast<std::size_t>(dim), 0.0);
  }
  void add_point(int a, int b, const Vec3& place, const Mat3& frame, double mu) {
    add_block(a, b, place, frame, 3, 1, CircularFriction{mu});
  }
  /// @param outline corners along t and b from the place [m]
  void add_patch(int a, int b, const Vec3& place, const Mat3& frame, const std::vector<Vec2>& outline, double mu,
                 double torsion_arm, double length) {
    std::vector<Vec2> corners;
    for (const Vec2& corner : outline) corners.push_back(rolling_place(corner, length));
    add_patch(a, b, place, frame, PressurePatch::polygon(corners), mu, torsion_arm, length);
  }
  void add_patch(int a, int b, const Vec3& place, const Mat3& frame, const PressurePatch& patch, double mu, double torsion_arm,
                 double length) {
    add_block(a, b, place, frame, 6, length,
              PatchFriction{std::make_shared<PatchSet>(patch, EllipsoidFriction{mu, mu, mu * torsion_arm / length})});
  }

  /// The motion that impulses leave: six numbers a body.
  std::vector<double> motion(std::span<const double> impulses) const {
    std::vector<double> u;
    for (const Body& body : bodies)
      for (const Vec3& part : {body.velocity, body.spin}) u.insert(u.end(), part.data(), part.data() + 3);
    problem.add_velocity_change(impulses, u);
    return u;
  }
};

/// Normal up, t along x, b along y.
inline Mat3 upright() {
  Mat3 frame;
  frame << Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY();
  return frame;
}

inline std::vector<Vec2> rectangle_outline(double half_x, double half_y) {
  return {{-half_x, -half_y}, {half_x, -half_y}, {half_x, half_y}, {-half_x, half_y}};
}

inline Vec3 box_inertia(double mass, const Vec3& size) {
  const Vec3 square = size.cwiseProduct(size);
  return mass / 12 * Vec3(square.y() + square.z(), square.x() + square.z(), square.x() + square.y());
}

/// A pile of boxes of 1 m that shrink towards the top, each on one patch, with gravity for 1/100 s. Masses grow to `ratio`
/// times the lowest one's; bodies move with up to `stir` m/s before.
inline PatchScene patch_stack(int count, double ratio, double mu, double stir, unsigned seed, bool ellipses = false) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  PatchScene scene;
  double height = 0;
  for (int i = 0; i < count; ++i) {
    const double width = 1 - 0.5 * i / count, mass = std::pow(ratio, count > 1 ? double(i) / (count - 1) : 0);
    const auto stirred = [&] { return Vec3(stir * Vec3(any(random), any(random), any(random))); };
    const int body = scene.add_body(mass, box_inertia(mass, Vec3(width, width, 1)), {0.05 * any(random), 0, height + 0.5},
                                    stirred() - Vec3(0, 0, 0.0981), stirred());
    const double half = 0.5 * width;
    const Vec3 place(0, 0, height);
    if (ellipses)
      scene.add_patch(i - 1, body, place, upright(), PressurePatch::ellipse({0, 0}, Vec2(1, 0.3), 0.8), mu, 0.6 * half, half);
    else scene.add_patch(i - 1, body, place, upright(), rectangle_outline(half, half), mu, 0.7652 * half, half);
    height += 1;
  }
  scene.problem.finalize();
  return scene;
}

}   // namespace stickslip::testing
