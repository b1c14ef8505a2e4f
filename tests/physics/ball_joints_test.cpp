// Balls turn about any axis, and what damps, springs and rubs them knows no other.
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

/// A ball joint at the centre of a body, in any attitude, with the same on all three angles.
JointId ball_at(World& world, BodyId body, const JointAxis& axis, const Quat& frame) {
  JointDescription d;
  d.type = JointType::ball;
  d.b = body;
  d.frame_a = d.frame_b = {Vec3::Zero(), frame};
  for (const int c : {joint_turn_x, joint_turn_y, joint_turn_z}) d.axes[static_cast<std::size_t>(c)] = axis;
  return world.add(d);
}

const std::vector<Vec3> kSpins = {{5, 0, 0}, {0, 5, 0}, {3, 3, 3}, {-1, 4, 2}};

TEST(BallJoint, damping_takes_the_same_part_of_every_spin) {
  // ω' = −(d / I) ω. A step takes the mean of before and after, and a little of after alone (step/joints/joint_rows.h).
  const double inertia = 0.01, damping = 0.02, h = 0.01, a = h * damping / inertia, before = 0.5 / (1 + a * a);
  for (const Vec3& spin : kSpins) {
    World world;
    world.gravity.setZero();
    const BodyId body = add_mass(world, 1, inertia * Vec3::Ones(), Vec3::Zero());
    world.set_velocity(body, Vec3::Zero(), spin);
    JointAxis axis;
    axis.spring = JointSpring{0, 0, damping};
    ball_at(world, body, axis, rotation_from_vector({0.4, 0.2, -0.7}));
    Stepper stepper(options(h));
    for (int i = 1; i <= 200; ++i) {
      stepper.step(world);
      const Vec3 expected = std::pow((1 - before * a) / (1 + (1 - before) * a), i) * spin;
      ASSERT_LT((world.body(body).angular_velocity - expected).norm(), 1e-9) << spin.transpose();
      ASSERT_LT((world.body(body).angular_velocity - std::exp(-a * i) * spin).norm(), a * a * spin.norm()) << spin.transpose();
    }
  }
}

TEST(BallJoint, dampers_that_differ_still_damp_spins_and_not_rates_of_angles) {
  // With a spring on one angle the dampers stand alone; far from where the angles are those of axes they must damp alike.
  const double inertia = 0.01, damping = 0.02, h = 0.001;
  World world;
  world.gravity.setZero();
  const BodyId body = add_mass(world, 1, inertia * Vec3::Ones(), Vec3::Zero());
  world.set_velocity(body, Vec3::Zero(), {3, 3, 3});
  JointDescription d;
  d.type = JointType::ball;
  d.b = body;
  for (const std::size_t c : {joint_turn_x, joint_turn_y, joint_turn_z})
    d.axes[c].spring = JointSpring{0, c == joint_turn_x ? 1e-9 : 0.0, damping};
  world.add(d);
  Stepper stepper(options(h));
  simulate(world, stepper, 1);
  EXPECT_LT((world.body(body).angular_velocity - 3 * std::exp(-damping / inertia) * Vec3::Ones()).norm(), 2e-3);
}

TEST(BallJoint, a_spring_pulls_back_about_the_axis_of_the_turn) {
  // θ'' = −(k / I) θ about any axis: swings in its plane with the period 2π √(I / k) and never leaves it.
  const double inertia = 0.01, stiffness = 0.4;
  for (const Vec3& axis : kSpins) {
    World world;
    world.gravity.setZero();
    const BodyId body = add_mass(world, 1, inertia * Vec3::Ones(), Vec3::Zero());
    const Vec3 n = axis.normalized();
    world.set_velocity(body, Vec3::Zero(), 6 * n);   // swings to 0.95 rad
    JointAxis spring;
    spring.spring = JointSpring{0, stiffness, 0};
    ball_at(world, body, spring, Quat::Identity());
    Stepper stepper(options(1e-4));
    const double period = 2 * std::numbers::pi * std::sqrt(inertia / stiffness);
    double across = 0;
    simulate(world, stepper, 1.25 * period, [&](const StepReport&) {
      const Vec3 spin = world.body(body).angular_velocity;
      across = std::max(across, (spin - spin.dot(n) * n).norm());
    });
    const Eigen::AngleAxisd turn(world.body(body).orientation);
    EXPECT_NEAR(turn.angle(), 6 * std::sqrt(inertia / stiffness), 5e-3) << n.transpose();
    EXPECT_LT(across, 1e-6) << n.transpose();
  }
}

TEST(BallJoint, friction_stops_a_spin_about_an_axis_of_the_body_in_the_time_it_takes) {
  // I ω' = −F: stops after I ω / F, whatever angle it passes on the way.
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) {
    World world;
    world.gravity.setZero();
    const BodyId body = add_mass(world, 1, 0.01 * Vec3::Ones(), Vec3::Zero());
    world.set_velocity(body, Vec3::Zero(), 8 * axis);
    JointAxis rubbed;
    rubbed.friction = 0.04;
    ball_at(world, body, rubbed, Quat::Identity());
    Stepper stepper(options(0.01));
    simulate(world, stepper, 1);
    EXPECT_NEAR(world.body(body).angular_velocity.dot(axis), 4, 1e-6);
    simulate(world, stepper, 1.05);
    EXPECT_LT(world.body(body).angular_velocity.norm(), 1e-6);
  }
}

}   // namespace
}   // namespace stickslip::testing
