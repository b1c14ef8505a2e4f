// Contacts that turn: rolling, tumbling and turning supports neither create energy nor let what sticks drift, beyond second
// order in h.
#include "physics/worlds.h"

namespace stickslip::testing {
namespace {

/// A coin that rolls in a circle, inclined by `tilt` against the ground, with the spin of steady rolling.
struct Coin {
  World world;
  BodyId body;
};
Coin rolling_coin(double radius, double tilt, double friction) {
  Coin c;
  const MaterialId m = material(c.world, friction, 0, 7800);
  add_ground(c.world, m);
  const double half = radius / 6, turning = std::sqrt(4 * kGravity / (radius * std::sin(tilt)));
  const Quat lean(Eigen::AngleAxisd(tilt, Vec3::UnitY()));
  const Vec3 position(0, 0, radius * std::sin(tilt) + half * std::cos(tilt));
  c.body = add_body(c.world, Cylinder{radius, half}, position, m, Vec3::Zero(),
                    turning * Vec3(-std::cos(tilt), 0, std::sin(tilt)), lean);
  return c;
}

double energy(const World& world) { return world.kinetic_energy() + world.potential_energy(); }

/// Largest gain of energy against the start, relative, over 10 s.
double largest_gain(Coin c, double h) {
  Stepper stepper(options(h));
  const double start = energy(c.world);
  double gain = 0;
  simulate(c.world, stepper, 10, [&](const StepReport&) { gain = std::max(gain, energy(c.world) / start - 1); });
  return gain;
}

TEST(RollingCoin, gains_less_than_a_hundredth_of_its_energy_in_10_s_at_any_size_and_tilt) {
  for (const double radius : {0.01, 0.0375, 0.2, 1.0})
    for (const double degrees : {5.0, 20.0, 40.0, 60.0})
      for (const double friction : {0.3, 1.0}) {
        const double gain = largest_gain(rolling_coin(radius, degrees * std::numbers::pi / 180, friction), 0.01);
        EXPECT_LT(gain, 0.01) << radius << " m, " << degrees << "°, µ = " << friction;
      }
}

// What a coin gains is the energy of the chords that it rolls on: 0.2 rad a step at 10 ms, and of second order.
TEST(RollingCoin, that_spins_on_the_spot_ends_10_s_with_its_energy_to_second_order) {
  const auto ends_with = [](double h) {
    World world;
    const MaterialId m = material(world, 0.8, 0, 7800);
    add_ground(world, m);
    const Quat lean(Eigen::AngleAxisd(std::numbers::pi / 9, Vec3::UnitY()));
    const Vec3 spin(-16.89341151135256, 0, 9.601051443636823);
    add_body(world, Cylinder{0.0375, 0.00635}, {0, 0, 0.018792803516703094}, m, Vec3::Zero(), spin, lean);
    const double start = energy(world);
    Stepper stepper(options(h));
    simulate(world, stepper, 10);
    return energy(world) / start - 1;
  };
  EXPECT_LT(std::abs(ends_with(0.01)), 0.01);
  EXPECT_LT(std::abs(ends_with(0.0025)), 0.01 / 8);
}

TEST(Turntable, what_sticks_to_it_stays_where_it_is) {
  World world;
  const MaterialId m = material(world, 0.5);
  const double radius = 0.5, spin = std::sqrt(0.13 * 0.5 * kGravity / radius);
  BodyDescription table;
  table.motion = MotionType::kinematic;
  table.parts = {{Cylinder{1, 0.05}, {}, m}};
  table.pose.position = {0, 0, -0.05};
  table.angular_velocity = {0, 0, spin};
  world.add(table);
  const BodyId block = add_body(world, Box{Vec3::Constant(0.05)}, {radius, 0, 0.05}, m, {0, spin * radius, 0}, {0, 0, spin});
  Stepper stepper(options(0.01));
  simulate(world, stepper, 60);
  EXPECT_NEAR(world.body(block).position.head<2>().norm(), radius, 1e-4);
}

TEST(Seesaw, what_sticks_to_it_stays_where_it_is) {
  for (const double frequency : {0.25, 0.5, 0.8})
    for (const double place : {0.3, 0.5, 0.8}) {
      World world;
      const MaterialId m = material(world, 0.8);
      BodyDescription plank;
      plank.motion = MotionType::kinematic;
      plank.parts = {{Box{{1, 1, 0.05}}, {}, m}};
      plank.pose.position = {0, 0, -0.05};
      Oscillation swing;
      swing.rotation = {0, 10 * std::numbers::pi / 180, 0};
      swing.frequency = frequency;
      plank.script = swing;
      const BodyId board = world.add(plank);
      const double spin = 2 * std::numbers::pi * frequency * swing.rotation.y();
      const Vec3 velocity = spin * Vec3(0.05, 0, -place);
      const BodyId block = add_body(world, Box{{0.1, 0.1, 0.05}}, {place, 0, 0.05}, m, velocity, {0, spin, 0});
      Stepper stepper(options(0.01));
      const auto on_board = [&] {
        const Body& b = world.body(board);
        return Vec3(b.orientation.conjugate() * (world.body(block).position - b.position));
      };
      simulate(world, stepper, 1);
      const Vec3 start = on_board();
      simulate(world, stepper, 60);
      EXPECT_LT((on_board() - start).head<2>().norm(), 5e-5) << frequency << " Hz at " << place << " m";
    }
}

TEST(ImpactOverAGap, turns_a_ball_as_an_impact_at_the_surface_does) {
  // A sliding impact: the friction impulse µ (1 + e) m vₙ turns the ball at its radius, however far it was when the step began.
  World world;
  world.gravity.setZero();
  const double mu = 0.2, radius = 0.05;
  const MaterialId m = material(world, mu, 1);
  add_ground(world, m);
  const Vec3 velocity(2, 0.3, -3), spin(4, -50, 0);
  const BodyId ball = add_body(world, Sphere{radius}, {0, 0, 0.06}, m, velocity, spin);
  const Vec3 arm(0, 0, -radius), slip = velocity + spin.cross(arm);
  const Vec3 friction = -mu * 2 * 3 * Vec3(slip.x(), slip.y(), 0).normalized();   // per mass
  const Vec3 expected = spin + arm.cross(friction) / (0.4 * radius * radius);
  Stepper stepper(options(0.01));
  simulate(world, stepper, 0.05);
  EXPECT_LT((world.body(ball).angular_velocity - expected).norm(), 1e-9 * expected.norm());
}

TEST(MoreauMidpoint, without_restitution_nothing_rebounds) {
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{0.05}, {0, 0, 0.072}, m, {0, 0, -3});
  StepOptions o = options(0.001);
  o.scheme = Scheme::moreau_midpoint;
  Stepper stepper(o);
  simulate(world, stepper, 0.1, [&](const StepReport&) { ASSERT_LT(world.body(ball).velocity.z(), 1e-6); });
  EXPECT_NEAR(world.body(ball).position.z(), 0.05, 1e-4 * 0.1);
  EXPECT_LT(world.body(ball).velocity.norm(), 1e-9);
}

}   // namespace
}   // namespace stickslip::testing
