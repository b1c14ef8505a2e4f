// Motion without contact against closed forms.
#include "physics/worlds.h"

namespace stickslip::testing {
namespace {

class Projectile : public AtScale {};

TEST_P(Projectile, follows_the_parabola_exactly_with_the_midpoint_scheme) {
  const Scale s = GetParam();
  World world;
  const Vec3 v0 = s.speed() * Vec3(3, -2, 5);
  const BodyId ball = add_body(world, Sphere{0.1 * s.size}, Vec3::Zero(), {}, v0);
  StepOptions o = options(0.01 * s.time());
  o.scheme = Scheme::moreau_midpoint;
  Stepper stepper(o);
  simulate(world, stepper, s.time());
  const Vec3 expected = s.time() * v0 + 0.5 * s.size * world.gravity;
  EXPECT_LT((world.body(ball).position - expected).norm(), 1e-12 * s.size);
}

TEST_P(Projectile, follows_the_parabola_to_first_order_with_semi_implicit_euler) {
  const Scale s = GetParam();
  World world;
  const Vec3 v0 = s.speed() * Vec3(3, -2, 5);
  const double h = 0.01 * s.time();
  const BodyId ball = add_body(world, Sphere{0.1 * s.size}, Vec3::Zero(), {}, v0);
  Stepper stepper(options(h));
  simulate(world, stepper, s.time());
  // Its own closed form: the parabola plus g h t / 2.
  const Vec3 expected = s.time() * v0 + 0.5 * s.size * world.gravity + 0.5 * h * s.time() * world.gravity;
  EXPECT_LT((world.body(ball).position - expected).norm(), 1e-12 * s.size);
}

INSTANTIATE_TEST_SUITE_P(Scales, Projectile, kScales, scale_name);

class TumblingBrick : public AtScale {};

TEST_P(TumblingBrick, keeps_world_angular_momentum_to_1e9_and_energy_to_one_percent_over_10_s) {
  const Scale s = GetParam();
  World world;
  world.gravity.setZero();
  // About the middle axis: tumbles for ever.
  add_body(world, Box{s.size * Vec3(0.1, 0.3, 0.6)}, Vec3::Zero(), {}, Vec3::Zero(), Vec3(0.2, 6, 0.1) / s.time());
  Stepper stepper(options(0.01 * s.time()));
  const Vec3 momentum = world.angular_momentum();
  const double energy = world.kinetic_energy();
  double largest_turn = 0;
  simulate(world, stepper, 10 * s.time(), [&](const StepReport& report) {
    ASSERT_LT((report.angular_momentum - momentum).norm(), 1e-9 * momentum.norm());
    ASSERT_NEAR(report.energy.kinetic_end, energy, 0.01 * energy);
    const Body& b = world.bodies()[0];
    const Vec3 in_body = b.orientation.conjugate() * b.angular_velocity;
    largest_turn = std::max(largest_turn, std::abs(in_body.y() * s.time() - 6));
  });
  EXPECT_GT(largest_turn, 6) << "the brick must have tumbled, or the test shows nothing";
}

INSTANTIATE_TEST_SUITE_P(Scales, TumblingBrick, kScales, scale_name);

// Far beyond what steps can follow: the axis goes round the angular momentum with the rate L / I.
TEST(TorqueFreeRotation, of_a_body_of_revolution_is_exact_at_any_spin) {
  for (const double spin : {800.0, 1e4, 1e6}) {
    World world;
    world.gravity.setZero();
    const BodyId rod = add_body(world, Capsule{0.003, 0.006}, Vec3::Zero(), {}, Vec3::Zero(), spin * Vec3(0.6, 0, 0.8));
    const Vec3 momentum = world.angular_momentum();
    const double energy = world.kinetic_energy(), across = world.body(rod).principal_moments.maxCoeff();
    Stepper stepper(options(0.01));
    for (int i = 1; i <= 5; ++i) {
      stepper.step(world);
      EXPECT_LT((world.angular_momentum() - momentum).norm(), 1e-12 * momentum.norm()) << spin;
      EXPECT_NEAR(world.kinetic_energy(), energy, 1e-9 * energy) << spin;
      const Vec3 axis = world.body(rod).orientation * Vec3::UnitZ();
      const Vec3 expected = rotation_from_vector(0.01 * i / across * momentum) * Vec3::UnitZ();
      EXPECT_LT((axis - expected).norm(), 1e-9 * spin) << spin;
    }
  }
}

TEST(TorqueFreeRotation, keeps_momentum_of_a_body_whose_axes_are_not_its_principal_ones) {
  World world;
  world.gravity.setZero();
  BodyDescription d;
  d.parts = {{Box{{0.1, 0.3, 0.6}}, {{0.2, 0, 0.1}, rotation_from_vector({0.3, 0.5, -0.2})}, {}},
             {Sphere{0.2}, {{-0.5, 0.1, 0.3}, Quat::Identity()}, {}}};
  d.angular_velocity = {3, -2, 4};
  world.add(d);
  Stepper stepper(options(0.01));
  const Vec3 momentum = world.angular_momentum();
  const double energy = world.kinetic_energy();
  simulate(world, stepper, 10);
  EXPECT_LT((world.angular_momentum() - momentum).norm(), 1e-9 * momentum.norm());
  EXPECT_NEAR(world.kinetic_energy(), energy, 0.01 * energy);
}

TEST(TorqueFreeRotation, a_symmetric_top_precesses_at_the_rate_of_eulers_equations) {
  // Axis of symmetry circles the angular momentum at |L| / I₁.
  World world;
  world.gravity.setZero();
  const BodyId top = add_body(world, Cylinder{0.5, 0.1}, Vec3::Zero(), {}, Vec3::Zero(), {2, 0, 10});
  const double i1 = world.body(top).mass.inertia(0, 0);
  const Vec3 axis_of_precession = world.angular_momentum().normalized();
  const double rate = world.angular_momentum().norm() / i1;
  Stepper stepper(options(0.001));
  const auto symmetry_axis = [&] { return Vec3(world.body(top).orientation * Vec3::UnitZ()); };
  const Vec3 start = symmetry_axis();
  const double t = 0.4;
  simulate(world, stepper, t);
  const Vec3 expected = Eigen::AngleAxisd(rate * t, axis_of_precession) * start;
  EXPECT_LT((symmetry_axis() - expected).norm(), 1e-3);
}

double energy_after_a_second(Gyroscopic gyroscopic, double h) {
  World world;
  world.gravity.setZero();
  add_body(world, Box{{0.5, 0.5, 0.01}}, Vec3::Zero(), {}, Vec3::Zero(), {100, 5, 20});   // a fast spinning plate
  StepOptions o = options(h);
  o.gyroscopic = gyroscopic;
  Stepper stepper(o);
  const double start = world.kinetic_energy();
  for (int i = 0; i < 1 / h; ++i) {
    try {
      stepper.step(world);
    } catch (const std::exception&) {
      return std::numeric_limits<double>::infinity();
    }
  }
  return world.kinetic_energy() / start;
}

TEST(SpinningPlate, stays_stable_with_the_implicit_and_the_conserving_form_where_the_explicit_one_blows_up) {
  EXPECT_LE(energy_after_a_second(Gyroscopic::implicit, 0.01), 1.0 + 1e-9);
  EXPECT_GT(energy_after_a_second(Gyroscopic::implicit, 0.01), 0.0);
  EXPECT_NEAR(energy_after_a_second(Gyroscopic::conserving, 0.01), 1.0, 0.05);
  EXPECT_GT(energy_after_a_second(Gyroscopic::explicit_, 0.01), 2.0);
}

TEST(AppliedForce, accelerates_and_its_work_stands_in_the_ledger) {
  World world;
  world.gravity.setZero();
  const BodyId ball = add_body(world, Sphere{0.5}, Vec3::Zero(), {});
  const double mass = world.body(ball).mass.mass;
  world.set_applied(ball, {10, 0, 0}, {0, 0, 3});
  Stepper stepper(options(0.01));
  double work = 0;
  simulate(world, stepper, 1, [&](const StepReport& r) { work += r.energy.applied; });
  EXPECT_NEAR(world.body(ball).velocity.x(), 10 / mass, 1e-12);
  EXPECT_NEAR(world.body(ball).angular_velocity.z(), 3 / world.body(ball).mass.inertia(2, 2), 1e-10);
  EXPECT_NEAR(work, world.kinetic_energy(), 1e-9 * work);
}

}   // namespace
}   // namespace stickslip::testing
