// Joints as potentials of the barrier integrator: what hangs, swings, slides, stops, turns and holds. Some of it by springs,
// too.
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

StepOptions by_barriers(double h) {
  StepOptions o = options(h);
  o.integrator = "barrier";
  return o;
}

class JointsBy : public ::testing::TestWithParam<const char*> {
 protected:
  static StepOptions by(double h) {
    StepOptions o = options(h);
    o.integrator = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Integrators, JointsBy, ::testing::Values("barrier", "penalty"),
                         [](const auto& tested) { return std::string(tested.param); });

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

TEST_P(JointsBy, servos_sag_by_load_over_stiffness_and_give_way_above_their_force) {
  const double mass = 2, stiffness = 1000 * kGravity;
  for (const double strength : {0.5, 2.0}) {
    World world;
    const BodyId weight = add_mass(world, mass, Vec3::Constant(0.1), Vec3::Zero());
    JointAxis axis;
    axis.servo = JointServo{0.3, stiffness, 2 * std::sqrt(stiffness * mass), strength * mass * kGravity, {}};
    const JointId joint = join(world, JointType::prismatic, kWorld, weight, Vec3::Zero(), Vec3::UnitZ(), axis);
    Stepper stepper(by(0.01));
    simulate(world, stepper, 2);
    const JointRecord* record = stepper.step(world).joint(joint);
    if (strength > 1) {
      EXPECT_NEAR((record->position[joint_z] - 0.3) / (-mass * kGravity / stiffness), 1, 1e-3);
      EXPECT_NEAR(record->motor_force[joint_z] / (mass * kGravity), 1, 1e-4);
    } else {
      EXPECT_NEAR(record->velocity[joint_z] / (-0.5 * kGravity * 2.01), 1, 1e-4);
    }
  }
}

/// A spring swings with its period, and one with a damper comes to rest where it carries the weight.
TEST(BarrierJoints, springs_swing_with_their_period_and_carry_weights) {
  const double mass = 2, stiffness = 800, period = 2 * std::numbers::pi * std::sqrt(mass / stiffness);
  for (const double damping : {0.0, 40.0}) {
    World world;
    const BodyId weight = add_mass(world, mass, Vec3::Constant(0.1), Vec3::Zero());
    JointAxis axis;
    axis.spring = JointSpring{.rest = 0, .stiffness = stiffness, .damping = damping};
    const JointId joint = join(world, JointType::prismatic, kWorld, weight, Vec3::Zero(), Vec3::UnitZ(), axis);
    Stepper stepper(by_barriers(0.0005));
    double turned = 0, last = 0;
    simulate(world, stepper, damping > 0 ? 1 : 0.8 * period, [&](const StepReport& r) {
      const double speed = world.body(weight).velocity.z();
      if (turned == 0 && last < 0 && speed >= 0) turned = r.time;   // lowest after half a period
      last = speed;
    });
    if (damping == 0) {
      EXPECT_NEAR(turned / (0.5 * period), 1, 0.01);
    } else {
      EXPECT_NEAR(stepper.step(world).joint(joint)->position[joint_z] / (-mass * kGravity / stiffness), 1, 1e-3);
    }
  }
}

TEST_P(JointsBy, screws_turn_force_into_torque) {
  World world;
  const double mass = 2, inertia = 0.1, pitch = 0.3, lead = pitch / (2 * std::numbers::pi);
  const BodyId nut = add_mass(world, mass, Vec3::Constant(inertia), Vec3::Zero());
  JointDescription d;
  d.type = JointType::screw;
  d.b = nut;
  d.pitch = pitch;
  place_joint(d, world, Vec3::Zero(), Vec3::UnitZ());
  const JointId joint = world.add(d);
  Stepper stepper(by(0.01));
  simulate(world, stepper, 1);
  const JointRecord* record = stepper.step(world).joint(joint);
  EXPECT_NEAR(record->velocity[joint_z] / (-mass * kGravity / (mass + inertia / (lead * lead)) * 1.01), 1, 1e-2);
  EXPECT_NEAR(record->position[joint_z] / (lead * record->position[joint_turn_z]), 1, 1e-3);
}

TEST(BarrierJoints, balls_swing_up_to_their_limit) {
  World world;
  world.gravity = {3, 4, 0};
  JointDescription d;
  d.type = JointType::ball;
  d.b = add_mass(world, 1, Vec3(0.1, 0.1, 0.01), {0, 0, 0.5});
  d.swing_limit = 0.7;
  place_joint(d, world, Vec3::Zero(), Vec3::UnitZ());
  const JointId joint = world.add(d);
  Stepper stepper(by_barriers(0.005));
  double widest = 0;
  const auto swing = [&] { return swing_of(locate(world, world.joint(joint))).first; };
  simulate(world, stepper, 2, [&](const StepReport&) { widest = std::max(widest, swing()); });
  EXPECT_NEAR(widest, 0.7, 5e-3);
  EXPECT_NEAR(swing(), 0.7, 1e-3);
}

TEST(BarrierJoints, rods_and_taut_ropes_keep_their_length_and_slack_ropes_do_nothing) {
  for (const bool rod : {true, false}) {
    World world;
    const BodyId bob = add_mass(world, 1, Vec3::Constant(0.01), {0.6, 0, rod ? -0.8 : -0.2});
    JointDescription d;
    d.type = JointType::distance;
    d.b = bob;
    d.axes[joint_x].locked = rod;
    if (!rod) d.axes[joint_x].upper = 1;
    const JointId joint = world.add(d);
    Stepper stepper(by_barriers(0.002));
    double longest = 0;
    simulate(world, stepper, 1, [&](const StepReport& r) {
      longest = std::max(longest, world.body(bob).position.norm());
      if (!rod && r.time < 0.2) {
        EXPECT_EQ(r.joint(joint)->force.norm(), 0) << r.time;
      }
      if (rod) {
        EXPECT_NEAR(world.body(bob).position.norm(), 1, 1e-4) << r.time;
      }
    });
    EXPECT_NEAR(longest, 1, 1e-3) << rod;
  }
}

TEST_P(JointsBy, break_at_their_load) {
  // A spring that is loaded all at once pulls with a little more than the weight.
  for (const double strength : {0.99, GetParam() == std::string("barrier") ? 1.01 : 1.2}) {
    World world;
    const BodyId weight = add_mass(world, 3, Vec3::Constant(0.1), Vec3::Zero());
    JointDescription d;
    d.type = JointType::fixed;
    d.b = weight;
    d.break_force = strength * 3 * kGravity;
    place_joint(d, world, {0.2, 0, 0});
    const JointId joint = world.add(d);
    Stepper stepper(by(0.01));
    bool broke = false;
    simulate(world, stepper, 0.5, [&](const StepReport& r) {
      for (const JointRecord& j : r.joints) broke = broke || j.broke;
    });
    EXPECT_EQ(broke, strength < 1);
    EXPECT_EQ(world.joint(joint).broken, strength < 1);
    EXPECT_EQ(world.body(weight).position.z() < -0.5, strength < 1);
  }
}

/// Stops that give way carry a weight where their spring does; a damper alone lets it sink with its terminal speed.
TEST(BarrierJoints, soft_stops_give_way_by_load_over_stiffness_and_dampers_by_speed) {
  const double mass = 2, stiffness = 4000, damping = 400;
  for (const bool sprung : {true, false}) {
    World world;
    const BodyId slider = add_mass(world, mass, Vec3::Constant(0.1), {0, 0, 0});
    JointAxis axis;
    axis.lower = -0.05;
    axis.limit_stiffness = sprung ? stiffness : 0;
    axis.limit_damping = damping;
    const JointId joint = join(world, JointType::prismatic, kWorld, slider, {0, 0, 0}, Vec3::UnitZ(), axis);
    Stepper stepper(by_barriers(0.005));
    simulate(world, stepper, 1.5);
    const JointRecord* record = stepper.step(world).joint(joint);
    if (sprung) {
      EXPECT_NEAR((record->position[joint_z] - axis.lower) / (-mass * kGravity / stiffness), 1, 1e-2);
    } else {
      EXPECT_NEAR(record->velocity[joint_z] / (-mass * kGravity / damping), 1, 1e-2);
    }
  }
}

/// Two wheels in a free housing, the first of which a motor turns: a gear of three bodies.
TEST(BarrierJoints, gears_keep_their_ratio_and_momentum) {
  World world;
  world.gravity.setZero();
  const BodyId housing = add_mass(world, 2, Vec3::Constant(0.5), Vec3::Zero());
  const BodyId wheels[2] = {add_mass(world, 1, Vec3(0.1, 0.1, 0.2), {-0.5, 0, 0}),
                            add_mass(world, 1, Vec3(0.1, 0.1, 0.05), {0.5, 0, 0})};
  JointAxis motor;
  motor.motor = JointMotor{20, 0.5};
  JointDescription gear;
  gear.type = JointType::gear;
  gear.first.joint = join(world, JointType::hinge, housing, wheels[0], {-0.5, 0, 0}, Vec3::UnitZ(), motor);
  gear.second.joint = join(world, JointType::hinge, housing, wheels[1], {0.5, 0, 0}, Vec3::UnitZ());
  gear.ratio = -2;
  const JointId id = world.add(gear);
  Stepper stepper(by_barriers(0.005));
  int missed = 0;
  simulate(world, stepper, 1, [&](const StepReport& r) { missed += r.outcome.status != SolveStatus::converged; });
  const StepReport& report = stepper.step(world);
  EXPECT_EQ(missed, 0);
  const double first = report.joint(gear.first.joint)->velocity[joint_turn_z];
  EXPECT_GT(first, 1);
  EXPECT_NEAR(report.joint(gear.second.joint)->velocity[joint_turn_z] / first, -2, 1e-3);
  EXPECT_LT(std::abs(report.joint(id)->position[joint_x]), 1e-4);
  EXPECT_LT(report.angular_momentum.norm(), 1e-3 * 0.2 * first);
}

/// A weight on a drum lifts another of twice its mass on a drum of half the radius, and a little more falls.
TEST_P(JointsBy, gears_carry_what_their_ratio_says) {
  for (const double ratio : {2.0, -0.5}) {
    World world;
    const BodyId weights[2] = {add_mass(world, 1, Vec3::Constant(0.1), {0, 0, 0}),
                               add_mass(world, 3, Vec3::Constant(0.1), {1, 0, 0})};
    JointDescription gear;
    gear.type = JointType::gear;
    gear.first = {join(world, JointType::prismatic, kWorld, weights[0], {0, 0, 0}, Vec3::UnitZ()), joint_z};
    gear.second = {join(world, JointType::prismatic, kWorld, weights[1], {1, 0, 0}, Vec3::UnitZ()), joint_z};
    gear.ratio = ratio;
    const JointId id = world.add(gear);
    Stepper stepper(by(0.01));
    simulate(world, stepper, 0.5);
    // z₂ = ratio z₁: (m₁ + ratio² m₂) z̈₁ = −(m₁ + ratio m₂) g
    const double expected = -(1 + 3 * ratio) * kGravity / (1 + 3 * ratio * ratio);
    EXPECT_NEAR(world.body(weights[0]).velocity.z() / (0.5 * expected), 1, 1e-3) << ratio;
    EXPECT_NEAR(world.body(weights[1]).velocity.z() / (0.5 * expected * ratio), 1, 1e-3) << ratio;
    EXPECT_NEAR(stepper.step(world).joint(id)->coupling_force / (3 * (kGravity + ratio * expected)), 1, 1e-3) << ratio;
  }
}

/// Motors that reach their speed, that are held, and that are dragged along, from one step to the next.
TEST_P(JointsBy, motors_give_their_speed_or_their_force) {
  for (const double force : {0.1, 1.0, 10.0, 1000.0})
    for (const double load : {0.0, 0.5, 5.0}) {
      World world;
      world.gravity = {-load, 0, 0};
      const BodyId slider = add_mass(world, 2, Vec3::Constant(0.1), Vec3::Zero());
      JointAxis axis;
      axis.motor = JointMotor{.speed = 0.5, .max_force = force};
      const JointId joint = join(world, JointType::prismatic, kWorld, slider, {0, 0, 0}, Vec3::UnitX(), axis);
      Stepper stepper(by(0.01));
      int missed = 0;
      simulate(world, stepper, 0.5, [&](const StepReport& r) { missed += r.outcome.status != SolveStatus::converged; });
      const double given = (force - 2 * load) / 2 * 0.5, speed = std::min(0.5, given);
      EXPECT_EQ(missed, 0) << force << ' ' << load;
      EXPECT_NEAR(world.body(slider).velocity.x(), speed, 1e-3 + 1e-3 * std::abs(speed)) << force << ' ' << load;
      const double push = given > 0.5 ? 2 * load : force;
      EXPECT_NEAR(stepper.step(world).joint(joint)->motor_force[joint_z], push, 1e-3 * (push + load)) << force << ' ' << load;
    }
}

/// A small wheel that winds up a weight by a gear, and turns an arm with a far mass: what hangs on a motor is much heavier than
/// what it turns itself.
TEST_P(JointsBy, motors_keep_their_speed_whatever_hangs_on_them) {
  for (const PenaltyStepping stepping : {PenaltyStepping::explicit_, PenaltyStepping::implicit}) {
    World world;
    const BodyId wheel = add_mass(world, 0.1, Vec3::Constant(1e-4), {0, 0, 0}),
                 weight = add_mass(world, 10, Vec3::Constant(0.1), {1, 0, 0}),
                 hub = add_mass(world, 0.1, Vec3::Constant(1e-4), {0, 0, 5}),
                 mass = add_mass(world, 5, Vec3::Constant(0.1), {2, 0, 5});
    JointAxis motor;
    motor.motor = JointMotor{.speed = 2, .max_force = 500};
    JointDescription gear;
    gear.type = JointType::gear;
    gear.first.joint = join(world, JointType::hinge, kWorld, wheel, {0, 0, 0}, Vec3::UnitY(), motor);
    gear.second = {join(world, JointType::prismatic, kWorld, weight, {1, 0, 0}, Vec3::UnitZ()), joint_z};
    gear.ratio = 0.1;
    world.add(gear);
    const JointId shoulder = join(world, JointType::hinge, kWorld, hub, {0, 0, 5}, Vec3::UnitY(), motor);
    join(world, JointType::fixed, hub, mass, {0, 0, 5});
    StepOptions o = by(0.005);
    o.penalty.stepping = stepping;
    Stepper stepper(o);
    simulate(world, stepper, 0.5);
    const JointId joints[2] = {gear.first.joint, shoulder};
    const double before[2] = {world.joint_position(joints[0], joint_turn_z), world.joint_position(joints[1], joint_turn_z)};
    double torque = 0;
    simulate(world, stepper, 0.5, [&](const StepReport& r) { torque += r.joint(joints[0])->motor_force[joint_turn_z] / 100; });
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(world.joint_position(joints[k], joint_turn_z) - before[k], 1, 1e-3) << k;
    EXPECT_NEAR(world.body(weight).velocity.z(), 0.2, 1e-3);
    EXPECT_NEAR(torque, 0.1 * 10 * kGravity, 0.02);
  }
}

}   // namespace
}   // namespace stickslip::testing
