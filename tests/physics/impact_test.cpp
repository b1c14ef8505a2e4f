// Impacts: Newton's law, momentum, energy.
#include <random>

#include "physics/worlds.h"
#include "stickslip/math/error.h"

namespace stickslip::testing {
namespace {

class Bounce : public AtScale {};

TEST_P(Bounce, a_ball_rises_to_e_squared_of_its_height) {
  const Scale s = GetParam();
  for (const double e : {0.25, 0.5, 0.8, 1.0}) {
    World world;
    const MaterialId m = material(world, 0, e);
    add_ground(world, m);
    const double radius = 0.1 * s.size, height = s.size;
    const BodyId ball = add_body(world, Sphere{radius}, {0, 0, radius + height}, m);
    StepOptions o = options(0.0005 * s.time());
    o.scheme = Scheme::moreau_midpoint;
    Stepper stepper(o);
    bool bounced = false;
    double apex = 0;
    simulate(world, stepper, (1 + 1.2 * e) * std::sqrt(2 / kGravity) * s.time(), [&](const StepReport&) {
      const Body& b = world.body(ball);
      bounced = bounced || b.velocity.z() > 0;
      if (bounced) apex = std::max(apex, b.position.z() - radius);
    });
    EXPECT_NEAR(apex / height, e * e, 0.01 * std::max(e * e, 0.25)) << "e = " << e;
  }
}

TEST_P(Bounce, without_restitution_a_ball_stays_down) {
  const Scale s = GetParam();
  World world;
  const MaterialId m = material(world, 0, 0);
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{0.1 * s.size}, {0, 0, s.size}, m);
  Stepper stepper(options(0.01 * s.time()));
  simulate(world, stepper, 2 * s.time());
  EXPECT_NEAR(world.body(ball).position.z(), 0.1 * s.size, 1e-9 * s.size);
  EXPECT_LT(world.body(ball).velocity.norm(), 1e-9 * s.speed());
}

INSTANTIATE_TEST_SUITE_P(Scales, Bounce, kScales, scale_name);

/// A solid ball of radius R strikes the ground with slip s = v − R ω. Friction p turns the slip by 7/2 p/m, to −e_T s unless
/// that takes more than μ times the push of (1 + e) m |vₙ|.
TEST_P(Bounce, tangential_restitution_turns_the_slip_of_a_ball_as_far_as_friction_can) {
  const Scale s = GetParam();
  const double radius = 0.1 * s.size, e = 0.6, fall = 2 * s.speed(), speed = 1.5 * s.speed(), spin = -4 / s.time();
  const double slip = speed - radius * spin;
  for (const double et : {0.0, 0.4, 1.0})
    for (const double mu : {0.05, 2.0}) {
      World world;
      world.gravity.setZero();
      const MaterialId m = material(world, mu, e);
      Material rubber = world.materials[m];
      rubber.tangential_restitution = et;
      world.materials.set(m, rubber);
      add_ground(world, m);
      const BodyId ball = add_body(world, Sphere{radius}, {0, 0, 2 * radius}, m, {speed, 0, -fall}, {0, spin, 0});
      Stepper stepper(options(0.002 * s.time()));
      simulate(world, stepper, 0.5 * s.time());
      const double stops = (1 + et) * slip * 2 / 7, rubs = std::min(stops, mu * (1 + e) * fall);   // p/m
      const Body& b = world.body(ball);
      EXPECT_NEAR(b.velocity.z(), e * fall, 1e-6 * s.speed());
      EXPECT_NEAR(b.velocity.x(), speed - rubs, 1e-6 * s.speed()) << "e_T = " << et << ", µ = " << mu;
      EXPECT_NEAR(radius * b.angular_velocity.y(), radius * spin + 2.5 * rubs, 1e-6 * s.speed());
    }
}

TEST(Superball, thrown_under_a_table_comes_back) {
  // Floor, underside of the table, floor: three bounces of a ball that loses nothing turn it round [Garwin 1969].
  World world;
  world.gravity.setZero();
  world.materials.set({0}, {.name = "default", .friction = 10, .restitution = 1, .tangential_restitution = 1});
  add_ground(world, {0});
  BodyDescription table;
  table.motion = MotionType::fixed;
  table.parts = {{HalfSpace{}, {}, {0}}};
  table.pose = {{0, 0, 0.5}, rotation_between(Vec3::UnitZ(), -Vec3::UnitZ())};
  world.add(table);
  const BodyId ball = add_body(world, Sphere{0.05}, {-0.5, 0, 0.25}, {0}, {3, 0, -3});
  const double energy = world.kinetic_energy();
  Stepper stepper(options(0.001));
  simulate(world, stepper, 0.4);
  double v = 3, rim = 0;   // rim: R ω
  for (const double side : {1.0, -1.0, 1.0}) {
    const double slip = v - side * rim;
    v -= 4.0 / 7 * slip;
    rim += side * 10.0 / 7 * slip;
  }
  EXPECT_NEAR(v, -2.912, 1e-3);
  EXPECT_NEAR(world.body(ball).velocity.x(), v, 1e-6);
  EXPECT_NEAR(world.kinetic_energy() / energy, 1, 1e-6);
}

TEST(Superball, is_refused_by_integrators_without_a_law_of_impact) {
  for (const char* integrator : {"penalty", "barrier"}) {
    World world;
    world.materials.add({.name = "rubber", .tangential_restitution = 0.5});
    add_body(world, Sphere{0.1}, {0, 0, 1}, {0});
    StepOptions o = options(0.01);
    o.integrator = integrator;
    Stepper stepper(o);
    try {
      stepper.step(world);
      ADD_FAILURE() << integrator << " took it";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("'rubber' has tangential restitution"), std::string::npos) << error.what();
    }
  }
}

TEST(Collision, equal_spheres_exchange_their_velocities) {
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, 0, 1);
  const BodyId a = add_body(world, Sphere{0.5}, {-1, 0, 0}, m, {2, 0, 0});
  const BodyId b = add_body(world, Sphere{0.5}, {1, 0, 0}, m);
  Stepper stepper(options(0.01));
  simulate(world, stepper, 2);
  EXPECT_NEAR(world.body(a).velocity.x(), 0, 1e-6);
  EXPECT_NEAR(world.body(b).velocity.x(), 2, 1e-6);
}

class Swarm : public AtScale {};

TEST_P(Swarm, keeps_momentum_and_angular_momentum_to_1e12_in_every_step) {
  const Scale s = GetParam();
  const double z = s.size;
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, 0.4, 0.5);
  std::mt19937 random(7);
  const auto uniform = [&](double a, double b) { return a + (b - a) * (random() / 4294967296.0); };
  const std::vector<Shape> shapes = {Sphere{0.4 * z}, Box{z * Vec3(0.3, 0.4, 0.5)}, Capsule{0.3 * z, 0.4 * z},
                                     Cylinder{0.4 * z, 0.3 * z},
                                     make_convex_hull({z * Vec3(0.5, 0, 0), z * Vec3(-0.4, 0.3, 0), z * Vec3(-0.4, -0.4, 0),
                                                       z * Vec3(0, 0, 0.6), z * Vec3(0.1, 0.1, -0.5)})};
  double scale = 0;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y)
      for (int layer = 0; layer < 3; ++layer) {
        const Vec3 position = 1.8 * Vec3(x - 1, y - 1, layer - 1);
        const Vec3 velocity = -1.5 * position + Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
        const BodyId id = add_body(world, shapes[(x + 3 * y + 9 * layer) % shapes.size()], z * position, m,
                                   s.speed() * velocity, Vec3(uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)) / s.time());
        scale += world.body(id).mass.mass * s.speed() * velocity.norm() * (1 + position.norm());
      }
  Stepper stepper(options(0.01 * s.time(), 100));
  Vec3 p = world.linear_momentum(), l = world.angular_momentum();
  std::size_t contacts = 0;
  simulate(world, stepper, 2 * s.time(), [&](const StepReport& r) {
    contacts += r.contacts.size();
    ASSERT_LT((r.linear_momentum - p).norm(), 1e-12 * scale);
    ASSERT_LT((r.angular_momentum - l).norm(), 1e-12 * scale * z);
    p = r.linear_momentum;
    l = r.angular_momentum;
  });
  EXPECT_GT(contacts, 500u) << "they must have met, or the test shows nothing";
}

INSTANTIATE_TEST_SUITE_P(Scales, Swarm, kScales, scale_name);

TEST(Ledger, closes_and_charges_friction_impact_and_stabilisation_to_their_accounts) {
  // A block dropped at an angle: impact, then sliding, then rest.
  World world;
  const MaterialId m = material(world, 0.4);
  add_ground(world, m);
  add_body(world, Box{{0.2, 0.2, 0.2}}, {0, 0, 1}, m, {2, 0, 0});
  Stepper stepper(options(0.001));
  EnergyLedger sum;
  double start = -1, end = 0;
  simulate(world, stepper, 3, [&](const StepReport& r) {
    if (start < 0) start = r.energy.kinetic_start + r.energy.potential_start;
    end = r.energy.kinetic_end + r.energy.potential_end;
    sum.friction += r.energy.friction;
    sum.impact += r.energy.impact;
    sum.stabilisation += r.energy.stabilisation;
    sum.integration += r.energy.integration;
    ASSERT_GE(r.energy.friction, -1e-9 * start);
    ASSERT_GE(r.energy.impact, -1e-9 * start);
  });
  EXPECT_NEAR(end - start, sum.stabilisation - sum.friction - sum.impact + sum.integration, 1e-9 * start);
  EXPECT_LT(std::abs(sum.integration), 0.01 * start) << "the time discretisation must not be where the energy goes";
  EXPECT_GT(sum.friction, 0.01 * start);
  EXPECT_GT(sum.impact, 0.1 * start);
}

TEST(Ledger, recovery_of_an_overlap_gives_nothing_to_what_strikes_or_rests) {
  World world;
  const MaterialId m = material(world, 0);
  add_ground(world, m);
  const double speed = 5, depth = 1e-3;
  const BodyId id = add_body(world, Box{{0.2, 0.2, 0.2}}, {0, 0, 0.2 - depth}, m, {0, 0, -speed});
  const double mass = world.body(id).mass.mass, struck = 0.5 * mass * speed * speed;
  Stepper stepper(options(0.01));
  const EnergyLedger first = stepper.step(world).energy;
  EXPECT_EQ(first.stabilisation, 0);
  EXPECT_NEAR(first.impact, struck, 0.03 * struck);
  EnergyLedger last;
  simulate(world, stepper, 2, [&](const StepReport& r) { last = r.energy; });
  EXPECT_LT(std::abs(last.stabilisation) + std::abs(last.impact), 1e-9 * struck);
  // Lifted out of a deep overlap from rest, it has been given what it weighs higher up.
  World deep;
  const MaterialId smooth = material(deep, 0);
  add_ground(deep, smooth);
  const BodyId lifted = add_body(deep, Box{{0.2, 0.2, 0.2}}, {0, 0, 0.2 - 0.05}, smooth, {});
  double given = 0;
  const double before = deep.potential_energy();
  simulate(deep, stepper, 2, [&](const StepReport& r) { given += r.energy.stabilisation - r.energy.impact; });
  EXPECT_GT(deep.body(lifted).position.z(), 0.199);
  EXPECT_NEAR(given, deep.potential_energy() - before, 0.05 * given);
}

}   // namespace
}   // namespace stickslip::testing
