// Sliding, sticking and rolling against closed forms.
#include "physics/worlds.h"

namespace stickslip::testing {
namespace {

class Sliding : public AtScale {};

/// How far a block slides on a plane before it stops.
double sliding_distance(const Scale& s, double mu, double speed, double direction, const std::string& solver) {
  World world;
  const MaterialId m = material(world, mu);
  add_ground(world, m);
  const Quat heading(Eigen::AngleAxisd(direction, Vec3::UnitZ()));
  // Only the velocity turns, not the block, so that the solver sees every direction of slip.
  const BodyId block = add_body(world, Box{s.size * Vec3(0.2, 0.2, 0.05)}, {0, 0, 0.05 * s.size}, m,
                                s.speed() * speed * (heading * Vec3::UnitX()));
  StepOptions o = options(0.002 * s.time());
  o.solver = solver;
  Stepper stepper(o);
  simulate(world, stepper, 2 * speed / (mu * kGravity) * s.time());
  // The boxed solver leaves a little more motion within the same number of sweeps.
  EXPECT_LT(world.body(block).velocity.norm(), (solver == "pgs" ? 1e-4 : 1e-6) * s.speed());
  return world.body(block).position.head<2>().norm();
}

TEST_P(Sliding, a_block_stops_after_v_squared_over_two_mu_g) {
  const double mu = 0.4, speed = 3;
  EXPECT_NEAR(sliding_distance(GetParam(), mu, speed, 0, "prox-gs") / GetParam().size, speed * speed / (2 * mu * kGravity),
              0.01 * speed * speed / (2 * mu * kGravity));
}

TEST_P(Sliding, the_distance_is_the_same_in_16_directions_with_the_exact_cone) {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
  for (int i = 0; i < 16; ++i) {
    const double distance = sliding_distance(GetParam(), 0.4, 3, 2 * std::numbers::pi * i / 16 + 0.05, "prox-gs");
    shortest = std::min(shortest, distance);
    longest = std::max(longest, distance);
  }
  EXPECT_LT(longest / shortest - 1, 1e-3);
}

TEST(BoxedModel, brakes_up_to_the_square_root_of_two_harder_along_the_diagonal) {
  const double along = sliding_distance({1}, 0.4, 3, 0, "pgs");
  const double diagonal = sliding_distance({1}, 0.4, 3, std::numbers::pi / 4, "pgs");
  EXPECT_NEAR(along / diagonal, std::numbers::sqrt2, 0.02);
}

class Incline : public AtScale {};

struct InclineWorld {
  World world;
  BodyId block;
  Vec3 downhill;
};

InclineWorld block_on_incline(const Scale& s, double angle, double mu) {
  InclineWorld w;
  const MaterialId m = material(w.world, mu);
  const Vec3 normal(std::sin(angle), 0, std::cos(angle));
  w.downhill = {std::cos(angle), 0, -std::sin(angle)};
  add_ground(w.world, m, normal);
  w.block = add_body(w.world, Box{s.size * Vec3(0.2, 0.2, 0.05)}, 0.05 * s.size * normal, m, Vec3::Zero(), Vec3::Zero(),
                     rotation_between(Vec3::UnitZ(), normal));
  return w;
}

TEST_P(Incline, a_block_sticks_below_atan_mu_and_creeps_less_than_a_micrometre_per_second) {
  const Scale s = GetParam();
  for (const double fraction : {0.3, 0.9, 0.99}) {
    InclineWorld w = block_on_incline(s, fraction * std::atan(0.5), 0.5);
    Stepper stepper(options(0.01 * s.time()));
    simulate(w.world, stepper, s.time());
    const Vec3 settled = w.world.body(w.block).position;
    simulate(w.world, stepper, 4 * s.time());
    const double creep = (w.world.body(w.block).position - settled).norm() / (4 * s.time());
    EXPECT_LT(creep, 1e-6 * std::min(1.0, s.speed())) << "at " << fraction << " of the friction angle";
  }
}

TEST_P(Incline, a_block_slides_above_atan_mu_with_the_acceleration_that_is_left) {
  const Scale s = GetParam();
  const double mu = 0.3, angle = 0.5;
  InclineWorld w = block_on_incline(s, angle, mu);
  Stepper stepper(options(0.005 * s.time()));
  simulate(w.world, stepper, s.time());
  const double expected = kGravity * (std::sin(angle) - mu * std::cos(angle)) * s.time();
  EXPECT_NEAR(w.world.body(w.block).velocity.dot(w.downhill), expected, 0.01 * expected);
}

INSTANTIATE_TEST_SUITE_P(Scales, Sliding, kScales, scale_name);
INSTANTIATE_TEST_SUITE_P(Scales, Incline, kScales, scale_name);

class Rolling : public AtScale {};

TEST_P(Rolling, a_sphere_rolls_down_an_incline_with_five_sevenths_g_sin_theta) {
  const Scale s = GetParam();
  const double angle = 0.4;
  World world;
  const MaterialId m = material(world, 0.5);
  const Vec3 normal(std::sin(angle), 0, std::cos(angle)), downhill(std::cos(angle), 0, -std::sin(angle));
  add_ground(world, m, normal);
  const double radius = 0.1 * s.size;
  const BodyId ball = add_body(world, Sphere{radius}, radius * normal, m);
  Stepper stepper(options(0.005 * s.time()));
  simulate(world, stepper, s.time());
  const double expected = 5.0 / 7.0 * kGravity * std::sin(angle) * s.time();
  EXPECT_NEAR(world.body(ball).velocity.dot(downhill), expected, 0.01 * expected);
  EXPECT_NEAR(world.body(ball).angular_velocity.y() * radius, world.body(ball).velocity.dot(downhill), 1e-6 * s.speed());
}

TEST_P(Rolling, a_sliding_sphere_ends_up_rolling_with_five_sevenths_of_its_speed) {
  const Scale s = GetParam();
  World world;
  const MaterialId m = material(world, 0.3);
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{0.1 * s.size}, {0, 0, 0.1 * s.size}, m, s.speed() * Vec3(3, 0, 0));
  Stepper stepper(options(0.002 * s.time()));
  simulate(world, stepper, 1.5 * s.time());
  EXPECT_NEAR(world.body(ball).velocity.x(), 3 * 5.0 / 7.0 * s.speed(), 0.005 * s.speed());
}

INSTANTIATE_TEST_SUITE_P(Scales, Rolling, kScales, scale_name);

TEST(ConveyorBelt, a_kinematic_belt_drags_a_block_to_its_own_speed_and_pays_for_it) {
  World world;
  const MaterialId m = material(world, 0.5);
  BodyDescription belt;
  belt.name = "belt";
  belt.motion = MotionType::kinematic;
  belt.parts = {{Box{{50, 1, 0.1}}, {}, m}};
  belt.pose.position = {0, 0, -0.1};
  belt.velocity = {2, 0, 0};
  world.add(belt);
  const BodyId block = add_body(world, Box{{0.2, 0.2, 0.1}}, {0, 0, 0.1}, m);
  Stepper stepper(options(0.005));
  double driven = 0, friction = 0;
  simulate(world, stepper, 1, [&](const StepReport& r) { driven += r.energy.driven, friction += r.energy.friction; });
  EXPECT_NEAR(world.body(block).velocity.x(), 2, 1e-6);
  const double kinetic = world.kinetic_energy();
  EXPECT_NEAR(driven, 2 * kinetic, 0.02 * kinetic) << "half of the work ends as heat";
  EXPECT_NEAR(friction, kinetic, 0.02 * kinetic);
}

}   // namespace
}   // namespace stickslip::testing
