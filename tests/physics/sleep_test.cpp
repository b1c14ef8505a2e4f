// Sleep looks at where bodies go, not only at how fast they are: what starts slowly is never put to sleep, what trembles
// about its place is.
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

StepOptions sleepy(double h = 0.01) {
  StepOptions o = options(h);
  o.sleep.enabled = true;
  return o;
}

TEST(Sleep, a_ball_on_the_gentlest_slope_rolls_off_as_far_as_without) {
  for (const double pull : {1e-4, 1e-3, 0.01, 0.05, 0.1})
    for (const double h : {0.002, 0.01}) {
      World world;
      world.gravity = {pull, 0, -kGravity};
      const MaterialId m = material(world, 0.5);
      add_ground(world, m);
      const BodyId ball = add_body(world, Sphere{0.1}, {0, 0, 0.1}, m);
      Stepper stepper(sleepy(h));
      simulate(world, stepper, 5);
      const double way = 0.5 * (5.0 / 7) * pull * 25;
      EXPECT_NEAR(world.body(ball).position.x(), way, (0.01 + h) * way) << pull << " m/s², h = " << h;
    }
}

TEST(Sleep, a_rod_upside_down_falls_over_however_little_it_leans) {
  for (const double lean : {1e-5, 1e-4, 1e-3, 1e-2}) {
    World world;
    const BodyId rod = add_rod(world, 1, Vec3::Zero(), Vec3(std::sin(lean), 0, std::cos(lean)));
    join(world, JointType::hinge, kWorld, rod, Vec3::Zero());
    Stepper stepper(sleepy());
    double lowest = 1;
    simulate(world, stepper, 5, [&](const StepReport&) { lowest = std::min(lowest, world.body(rod).position.z()); });
    EXPECT_LT(lowest, 0) << lean;
  }
}

TEST(Sleep, a_piston_in_honey_sinks_to_where_its_spring_holds_it) {
  // Overdamped: z(t) = −(m g / k) (1 − e^(−k t / d)), never faster than m g / d = 25 mm/s.
  World world;
  const BodyId piston = add_mass(world, 1, Vec3::Ones(), Vec3::Zero());
  JointAxis honey;
  honey.spring = JointSpring{0, 10, 400};
  join(world, JointType::prismatic, kWorld, piston, Vec3::Zero(), Vec3::UnitZ(), honey);
  Stepper stepper(sleepy());
  simulate(world, stepper, 100);
  EXPECT_NEAR(world.body(piston).position.z(), -0.981 * (1 - std::exp(-2.5)), 1e-3);
}

TEST(Sleep, what_is_thrown_up_a_slope_does_not_sleep_where_it_turns_back) {
  World world;
  world.gravity = {0.05, 0, -kGravity};
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const double speed = 0.009;   // back where it was after half a second, which is how long it takes to fall asleep
  const BodyId ball = add_body(world, Sphere{0.1}, {0, 0, 0.1}, m, {-speed, 0, 0}, {0, -speed / 0.1, 0});
  Stepper stepper(sleepy());
  simulate(world, stepper, 3);
  EXPECT_GT(world.body(ball).position.x(), 0.1);
}

TEST(Sleep, a_heap_still_falls_asleep_whole) {
  World world;
  const MaterialId m = material(world, 0.6);
  add_ground(world, m);
  for (int i = 0; i < 24; ++i)
    add_body(world, Box{Vec3(0.1, 0.08, 0.06)}, {0.13 * (i % 3), 0.11 * (i / 3 % 2), 0.1 + 0.2 * (i / 6)}, m, Vec3::Zero(),
             Vec3::Zero(), rotation_from_vector({0.1 * i, 0.3, 0.2 * i}));
  Stepper stepper(sleepy());
  std::size_t sleeping = 0;
  for (int i = 0; i < 1000 && sleeping < 24; ++i) sleeping = stepper.step(world).sleeping_bodies;
  EXPECT_EQ(sleeping, 24u);
}

}   // namespace
}   // namespace stickslip::testing
