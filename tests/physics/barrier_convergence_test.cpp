// Steps by barriers beside what they approximate: the order in h, the range that goes to zero, the other integrators, and the
// ledger of energy.
#include "joint_worlds.h"

namespace stickslip::testing {
namespace {

StepOptions stepped_by(const std::string& integrator, double h) {
  StepOptions o = options(h);
  o.integrator = integrator;
  return o;
}

constexpr double kMu = 0.4, kSpeed = 2;

/// A block that slides on the ground for 0.4 s, during which it does not come to rest; how far it goes.
double slides_by(const std::string& integrator, double h) {
  World world;
  const MaterialId m = material(world, kMu);
  add_ground(world, m);
  const BodyId box = add_body(world, Box{{0.2, 0.2, 0.05}}, {0, 0, 0.05007}, m, {kSpeed, 0, 0});
  Stepper stepper(stepped_by(integrator, h));
  simulate(world, stepper, 0.4);
  return world.body(box).position.x();
}

TEST(BarrierConvergence, sliding_is_of_first_order_in_the_step) {
  const double exact = kSpeed * 0.4 - 0.5 * kMu * kGravity * 0.16;
  double last = 0;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    const double error = std::abs(slides_by("barrier", h) - exact);
    EXPECT_LT(error, 0.5 * kMu * kGravity * 0.4 * h * 1.1);   // ½ a t h of implicit Euler
    if (last > 0) {
      EXPECT_NEAR(error / last, 0.5, 0.05) << h;
    }
    last = error;
  }
}

TEST(BarrierConvergence, a_weight_on_a_spring_swings_with_an_error_of_first_order) {
  const auto height = [](double h) {
    World world;
    const BodyId weight = add_mass(world, 1, Vec3::Constant(0.1), Vec3::Zero());
    JointAxis axis;
    axis.spring = JointSpring{.rest = 0, .stiffness = 100, .damping = 0};
    join(world, JointType::prismatic, kWorld, weight, Vec3::Zero(), Vec3::UnitZ(), axis);
    Stepper stepper(stepped_by("barrier", h));
    simulate(world, stepper, 0.2);
    return world.body(weight).position.z();
  };
  const double exact = -kGravity / 100 * (1 - std::cos(10 * 0.2));
  double last = 0;
  for (const double h : {0.01, 0.005, 0.0025}) {
    const double error = std::abs(height(h) - exact);
    if (last > 0) {
      EXPECT_NEAR(error / last, 0.5, 0.05) << h;
    }
    last = error;
  }
}

/// A round rod leans against a smooth wall. Moments about where it stands give the force of the wall; the distances that
/// barriers keep change them to first order.
TEST(BarrierConvergence, forces_and_places_of_a_leaning_rod_approach_those_of_contact) {
  const double radius = 0.02, half = 0.3, angle = std::numbers::pi / 3;
  double last = std::numeric_limits<double>::infinity();
  for (const double range : {0.1, 0.03, 0.01, 0.003}) {
    World world;
    const MaterialId rough = material(world, 1), smooth = material(world, 0);
    add_ground(world, rough);
    BodyDescription wall;
    wall.motion = MotionType::fixed;
    wall.parts = {{HalfSpace{}, {}, smooth}};
    wall.pose.orientation = rotation_between(Vec3::UnitZ(), -Vec3::UnitX());
    const BodyId wall_id = world.add(wall);
    // The upper end touches the wall x = 0, the lower one the ground, but for a part of the range.
    const double room = 0.5 * range * 2 * radius;
    const Vec3 middle(-radius - room - half * std::cos(angle), 0, radius + room + half * std::sin(angle));
    const BodyId rod = add_body(world, Capsule{radius, half}, middle, rough, Vec3::Zero(), Vec3::Zero(),
                                rotation_between(Vec3::UnitZ(), Vec3(std::cos(angle), 0, std::sin(angle))));
    StepOptions o = stepped_by("barrier", 0.01);
    o.barrier.range = range;
    Stepper stepper(o);
    simulate(world, stepper, 0.6);
    const double weight = world.body(rod).mass.mass * kGravity;
    const StepReport& report = stepper.step(world);
    const double exact = weight * half * std::cos(angle) / (2 * half * std::sin(angle) + radius);
    EXPECT_NEAR(report.force_on(wall_id).x() / exact, 1, 2 * report.distance_min / half) << range;
    EXPECT_LT(report.distance_min, 0.5 * last) << range;
    last = report.distance_min;
    EXPECT_LT(world.body(rod).velocity.norm(), 1e-4) << range;
  }
  EXPECT_LT(last, 1e-4 * half);
}

TEST(BarrierConvergence, three_integrators_agree_on_sliding_and_rolling) {
  const double by_impulse = slides_by("impulse", 0.002);
  for (const char* integrator : {"barrier", "penalty"})
    EXPECT_NEAR(slides_by(integrator, 0.002), by_impulse, 3e-3) << integrator;
  std::vector<Vec3> ends;
  for (const char* integrator : {"impulse", "barrier", "penalty"}) {
    World world;
    const MaterialId m = material(world, 0.5);
    const Vec3 normal(std::sin(0.2), 0, std::cos(0.2));
    add_ground(world, m, normal);
    const BodyId ball = add_body(world, Sphere{0.1}, 0.10005 * normal, m);
    Stepper stepper(stepped_by(integrator, 0.002));
    const Vec3 start = world.body(ball).position;
    simulate(world, stepper, 0.5);
    ends.push_back(world.body(ball).position - start);
  }
  const double exact = 0.5 * 5.0 / 7 * kGravity * std::sin(0.2) * 0.25;
  for (const Vec3& end : ends) {
    EXPECT_NEAR(end.x() / std::cos(0.2), exact, 0.01 * exact);
    EXPECT_LT((end - ends[0]).norm(), 3e-3);
  }
}

/// A heap that tumbles. The work of barriers is the springs' part of the ledger. How stiff they are follows the speeds of
/// bodies, so that it adds up to what they store within a step, and not from step to step.
TEST(BarrierConvergence, a_step_never_adds_energy_beyond_the_work_of_its_barriers) {
  World world;
  const MaterialId m = material(world, 0.4);
  add_ground(world, m);
  for (int k = 0; k < 6; ++k)
    add_body(world, Box{{0.1, 0.07, 0.05}}, {0.03 * k, 0.02 * (k % 3), 0.15 + 0.25 * k}, m, {0.3 * (k % 2), 0, -1},
             {1.0 * k, 2, 0.5});
  Stepper stepper(stepped_by("barrier", 0.005));
  const double whole = world.kinetic_energy() + world.potential_energy();
  double worked = 0, rubbed = 0, gained = 0, lost = 0;
  simulate(world, stepper, 1, [&](const StepReport& r) {
    const EnergyLedger& e = r.energy;
    ASSERT_EQ(r.outcome.status, SolveStatus::converged) << r.step;
    worked += e.springs;
    rubbed += e.friction;
    lost += e.integration;
    gained += e.kinetic_end + e.potential_end - e.kinetic_start - e.potential_start;
    EXPECT_GE(e.friction, -1e-6 * whole) << r.step;   // what holds gives back how far it was strained
    // What a step loses in impacts is the discretisation's: it never adds, but for tops that turn.
    EXPECT_LE(e.kinetic_end + e.potential_end - e.springs, e.kinetic_start + e.potential_start + 1e-5 * whole) << r.step;
  });
  EXPECT_GT(rubbed, 0);
  EXPECT_LT(std::abs(worked), 0.01 * whole);
  EXPECT_NEAR(gained, lost - rubbed + worked, 1e-9 * whole);
  EXPECT_LT(world.kinetic_energy() + world.potential_energy(), whole);
}

/// What leaves gives back all that its barriers stored.
TEST(BarrierConvergence, barriers_store_nothing_once_nothing_touches) {
  World world;
  const MaterialId m = material(world, 0.4);
  add_ground(world, m);
  const BodyId box = add_body(world, Box{Vec3::Constant(0.1)}, {0, 0, 0.12}, m);
  Stepper stepper(stepped_by("barrier", 0.01));
  double stored = 0;
  const auto sum = [&](const StepReport& r) { stored -= r.energy.springs; };
  simulate(world, stepper, 0.3, sum);
  EXPECT_GT(stored, 0);
  world.set_applied(box, {0, 0, 3 * kGravity * world.body(box).mass.mass}, Vec3::Zero());
  simulate(world, stepper, 0.2, sum);
  EXPECT_TRUE(stepper.step(world).contacts.empty());
  EXPECT_NEAR(stored, 0, 1e-12);
}

/// Every pair of a point and a triangle counted, as first published: other distances, the same forces.
TEST(BarrierConvergence, the_plain_form_carries_stacks_and_stops_what_slides) {
  World world;
  const MaterialId m = material(world, kMu);
  const BodyId ground = add_ground(world, m);
  double weight = 0;
  BodyId top;
  for (int k = 0; k < 3; ++k) {
    top = add_body(world, Box{Vec3::Constant(0.1)}, {0, 0, 0.1001 + 0.2002 * k}, m);
    weight += kGravity * world.body(top).mass.mass;
  }
  const BodyId slider = add_body(world, Box{{0.2, 0.2, 0.05}}, {2, 0, 0.0501}, m, {1, 0, 0});
  weight += kGravity * world.body(slider).mass.mass;
  StepOptions o = stepped_by("barrier", 0.005);
  o.barrier.form = BarrierForm::plain;
  Stepper stepper(o);
  int missed = 0;
  simulate(world, stepper, 0.6, [&](const StepReport& r) { missed += r.outcome.status != SolveStatus::converged; });
  EXPECT_EQ(missed, 0);
  EXPECT_NEAR(-stepper.step(world).force_on(ground).z() / weight, 1, 1e-3);
  EXPECT_NEAR(world.body(top).position.z(), 0.5, 1e-3);
  EXPECT_NEAR(world.body(slider).position.x() - 2, 1 / (2 * kMu * kGravity), 0.03 / (2 * kMu * kGravity));
  EXPECT_LT(world.body(slider).velocity.norm(), 1e-5);
}

}   // namespace
}   // namespace stickslip::testing
