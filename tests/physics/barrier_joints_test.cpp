// Joints as potentials of the barrier integrator: what hangs, swings, slides, stops, turns and holds.
#include "error_message.h"
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

StepOptions by_barriers(double h) {
  StepOptions o = options(h);
  o.integrator = "barrier";
  return o;
}

TEST(BarrierJoints, carry_the_weight_of_what_hangs_on_them) {
  for (const JointType type : {JointType::ball, JointType::hinge, JointType::fixed, JointType::universal}) {
    World world;
    const BodyId rod = add_rod(world, 3, {0, 0, 1}, {0, 0, 0});
    const JointId joint = join(world, type, kWorld, rod, {0, 0, 1});
    Stepper stepper(by_barriers(0.01));
    simulate(world, stepper, 0.5);
    const StepReport& report = stepper.step(world);
    EXPECT_EQ(report.outcome.status, SolveStatus::converged);
    ASSERT_NE(report.joint(joint), nullptr);
    EXPECT_NEAR(report.joint(joint)->force.z() / (3 * kGravity), 1, 1e-4) << joint_type_name(type);
    EXPECT_LT(report.joint_error_max, 2e-6) << joint_type_name(type);
    EXPECT_LT(world.body(rod).velocity.norm(), 1e-5);
  }
}

/// First order in the step: half of it halves how far two ways of stepping are apart.
TEST(BarrierJoints, pendulums_swing_as_by_impulses_to_first_order) {
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    World by_impulse;
    const BodyId first = add_rod(by_impulse, 1, {0, 0, 0}, {0.5, 0, 0}),
                 second = add_rod(by_impulse, 1, {0.5, 0, 0}, {1, 0, 0});
    join(by_impulse, JointType::hinge, kWorld, first, {0, 0, 0});
    join(by_impulse, JointType::ball, first, second, {0.5, 0, 0});
    World by_barrier = by_impulse;
    Stepper impulse(options(h)), barrier(by_barriers(h));
    simulate(by_impulse, impulse, 0.4);
    simulate(by_barrier, barrier, 0.4);
    const double apart = (by_impulse.body(second).position - by_barrier.body(second).position).norm();
    EXPECT_LT(apart, 10 * h);
    if (last > 0) {
      EXPECT_NEAR(apart / last, 0.5, 0.15) << h;
    }
    last = apart;
  }
}

TEST(BarrierJoints, sliders_stop_at_their_limits_and_hinges_turn_with_their_motors) {
  World world;
  const BodyId slider = add_mass(world, 2, Vec3::Constant(0.1), {0, 0, 0}),
               wheel = add_mass(world, 1, Vec3::Constant(0.1), {3, 0, 0});
  JointAxis limited, driven;
  limited.lower = -0.1;
  driven.motor = JointMotor{.speed = 2, .max_force = 0.5};
  const JointId stop = join(world, JointType::prismatic, kWorld, slider, {0, 0, 0}, Vec3::UnitZ(), limited);
  join(world, JointType::hinge, kWorld, wheel, {3, 0, 0}, Vec3::UnitY(), driven);
  Stepper stepper(by_barriers(0.005));
  simulate(world, stepper, 0.2);
  EXPECT_NEAR(world.body(wheel).angular_velocity.y(), 0.5 / 0.1 * 0.2, 1e-3);   // as much as its torque gives
  simulate(world, stepper, 0.8);
  EXPECT_NEAR(world.body(wheel).angular_velocity.y(), 2, 1e-4);
  EXPECT_NEAR(world.body(slider).position.z(), -0.1, 1e-5);
  EXPECT_NEAR(stepper.step(world).joint(stop)->free_force[joint_z] / (2 * kGravity), 1, 1e-4);
}

TEST(BarrierJoints, dry_friction_holds_up_to_its_force) {
  for (const double part : {0.9, 1.1}) {
    World world;
    const BodyId slider = add_mass(world, 2, Vec3::Constant(0.1), {0, 0, 0});
    JointAxis rough;
    rough.friction = 2 * kGravity / part;
    join(world, JointType::prismatic, kWorld, slider, {0, 0, 0}, Vec3::UnitZ(), rough);
    Stepper stepper(by_barriers(0.01));
    simulate(world, stepper, 0.5);
    const double fallen = 0.5 * kGravity * std::max(0.0, 1 - 1 / part) * 0.25;
    EXPECT_NEAR(-world.body(slider).position.z(), fallen, 0.03 * fallen + 1e-5) << part;
  }
}

TEST(BarrierJoints, gears_are_refused_by_name) {
  World world;
  const BodyId a = add_mass(world, 1, Vec3::Constant(0.1), {0, 0, 0}), b = add_mass(world, 1, Vec3::Constant(0.1), {1, 0, 0});
  JointDescription gear;
  gear.name = "cogs";
  gear.type = JointType::gear;
  gear.first = {join(world, JointType::hinge, kWorld, a, {0, 0, 0}), joint_turn_z};
  gear.second = {join(world, JointType::hinge, kWorld, b, {1, 0, 0}), joint_turn_z};
  world.add(gear);
  Stepper stepper(by_barriers(0.01));
  EXPECT_NE(message_of([&] { stepper.step(world); }).find("'cogs' is a gear"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::testing
