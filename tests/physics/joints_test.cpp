// Mechanisms against closed-form mechanics.
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

/// Time between the first and the last upward crossing of zero, per crossing, by linear interpolation.
class PeriodMeter {
 public:
  void add(double time, double value) {
    if (last_ < 0 && value >= 0) {
      const double crossing = last_time_ + (time - last_time_) * (-last_) / (value - last_);
      if (count_++ == 0) first_ = crossing;
      latest_ = crossing;
    }
    last_time_ = time;
    last_ = value;
  }
  double period() const { return (latest_ - first_) / (count_ - 1); }

 private:
  double last_time_ = 0, last_ = 0, first_ = 0, latest_ = 0;
  int count_ = 0;
};

/// K(sin(θ/2)) by the arithmetic–geometric mean: the exact period is 4 √(l/g) K.
double pendulum_period(double length, double amplitude) {
  double a = 1, b = std::cos(amplitude / 2);
  for (int i = 0; i < 20; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2 * std::numbers::pi * std::sqrt(length / kGravity) / a;
}

/// Solves to the last digits.
StepOptions precise(double h) {
  StepOptions o = options(h);
  o.tolerance = 1e-10;
  return o;
}

class Mechanisms : public AtScale {};
INSTANTIATE_TEST_SUITE_P(Scales, Mechanisms, kScales, scale_name);

TEST_P(Mechanisms, a_rod_swings_with_the_period_of_the_compound_pendulum) {
  const Scale scale = GetParam();
  for (const double amplitude : {0.1, 1.0, 2.0}) {
    World world;
    const double length = scale.size;
    const Vec3 end = length * Vec3(std::sin(amplitude), 0, -std::cos(amplitude));
    const BodyId rod = add_rod(world, 1, Vec3::Zero(), end);
    join(world, JointType::hinge, kWorld, rod, Vec3::Zero());
    StepOptions o = options(0.002 * scale.time());
    o.scheme = Scheme::moreau_midpoint;
    Stepper stepper(o);
    PeriodMeter meter;
    simulate(world, stepper, 15 * scale.time(), [&](const StepReport& r) { meter.add(r.time, world.body(rod).position.x()); });
    EXPECT_NEAR(meter.period() / pendulum_period(2 * length / 3, amplitude), 1, 5e-5) << amplitude;
  }
}

TEST_P(Mechanisms, a_double_pendulum_keeps_its_energy) {
  const Scale scale = GetParam();
  const auto drift = [&](double h) {
    World world;
    const Vec3 elbow = scale.size * Vec3(1, 0, 0), hand = scale.size * Vec3(1.6, 0, 0.8);
    const BodyId upper = add_rod(world, 1, Vec3::Zero(), elbow), lower = add_rod(world, 2, elbow, hand);
    join(world, JointType::hinge, kWorld, upper, Vec3::Zero());
    join(world, JointType::hinge, upper, lower, elbow);
    StepOptions o = options(h * scale.time());
    o.scheme = Scheme::moreau_midpoint;
    Stepper stepper(o);
    const double start = world.kinetic_energy() + world.potential_energy(), unit = 3 * kGravity * scale.size;
    double worst = 0;
    simulate(world, stepper, 5 * scale.time(), [&](const StepReport& r) {
      worst = std::max(worst, std::abs(r.energy.kinetic_end + r.energy.potential_end - start) / unit);
    });
    return worst;
  };
  const double coarse = drift(0.004), fine = drift(0.002);
  EXPECT_LT(fine, 2e-3);
  EXPECT_LT(fine, 0.3 * coarse);   // second order
}

TEST_P(Mechanisms, joints_of_a_hanging_chain_carry_the_weight_below_them) {
  const Scale scale = GetParam();
  World world;
  const int links = 20;
  std::vector<JointId> joints;
  BodyId above = kWorld;
  for (int i = 0; i < links; ++i) {
    const Vec3 top = -scale.size * i * Vec3::UnitZ();
    const BodyId link = add_rod(world, 0.5 + 0.1 * i, top, top - scale.size * Vec3::UnitZ());
    joints.push_back(join(world, JointType::ball, above, link, top));
    above = link;
  }
  StepOptions o = options(0.01 * scale.time());
  o.tolerance = 1e-9;
  Stepper stepper(o);
  simulate(world, stepper, 0.2 * scale.time());
  const StepReport& report = stepper.step(world);
  double below = 0;
  for (int i = links; i-- > 0;) {
    below += (0.5 + 0.1 * i) * kGravity;
    const JointRecord* record = report.joint(joints[static_cast<std::size_t>(i)]);
    ASSERT_NE(record, nullptr);
    EXPECT_NEAR(record->force.z() / below, 1, 1e-6) << i;
    EXPECT_LT(record->force.head<2>().norm() / below, 1e-6) << i;
  }
}

TEST_P(Mechanisms, a_motor_gives_its_torque_times_its_speed) {
  const Scale scale = GetParam();
  World world;
  world.gravity.setZero();
  const double size = scale.size, inertia = 0.4 * size * size, torque = 2 * size * kGravity, h = 0.01 * scale.time();
  const BodyId wheel = add_mass(world, 1, Vec3::Constant(inertia), Vec3::Zero());
  JointAxis axis;
  axis.motor = JointMotor{1e6 / scale.time(), torque};   // never reaches its speed
  const JointId motor = join(world, JointType::hinge, kWorld, wheel, Vec3::Zero(), Vec3::UnitZ(), axis);
  Stepper stepper(precise(h));
  double work = 0, power_times_time = 0;
  simulate(world, stepper, 2 * scale.time(), [&](const StepReport& r) {
    const JointRecord* record = r.joint(motor);
    EXPECT_NEAR(record->motor_force[joint_turn_z] / torque, 1, 1e-9);
    work += r.energy.motors;
    power_times_time += h * record->motor_force[joint_turn_z] * (record->velocity[joint_turn_z] - 0.5 * h * torque / inertia);
  });
  const double speed = torque / inertia * 2 * scale.time();
  EXPECT_NEAR(world.body(wheel).angular_velocity.z() / speed, 1, 1e-9);
  EXPECT_NEAR(work / (0.5 * inertia * speed * speed), 1, 1e-9);
  EXPECT_NEAR(power_times_time / work, 1, 1e-9);
}

TEST_P(Mechanisms, a_motor_holds_its_speed_against_a_load_below_its_torque) {
  const Scale scale = GetParam();
  const double size = scale.size, load = 1.5 * size * kGravity, speed = 3 / scale.time();
  for (const double strength : {0.9, 1.1}) {
    World world;
    const BodyId drum = add_mass(world, 1, Vec3::Constant(0.4 * size * size), Vec3::Zero());
    JointAxis axis;
    axis.motor = JointMotor{speed, strength * load};
    const JointId motor = join(world, JointType::hinge, kWorld, drum, Vec3::Zero(), Vec3::UnitZ(), axis);
    world.set_applied(drum, Vec3::Zero(), {0, 0, -load});
    Stepper stepper(options(0.01 * scale.time()));
    simulate(world, stepper, 2 * scale.time());
    const JointRecord* record = stepper.step(world).joint(motor);
    if (strength > 1) {
      EXPECT_NEAR(record->velocity[joint_turn_z] / speed, 1, 1e-6);
      EXPECT_NEAR(record->motor_force[joint_turn_z] / load, 1, 1e-6);
    } else {
      EXPECT_LT(record->velocity[joint_turn_z], 0);
    }
  }
}

TEST_P(Mechanisms, a_breakable_joint_breaks_at_its_load) {
  const Scale scale = GetParam();
  for (const double strength : {0.999, 1.001}) {
    World world;
    const BodyId weight = add_mass(world, 3, Vec3::Constant(0.1 * scale.size * scale.size), Vec3::Zero());
    JointDescription d;
    d.type = JointType::fixed;
    d.b = weight;
    d.break_force = strength * 3 * kGravity;
    place_joint(d, world, {0.2 * scale.size, 0, 0});
    const JointId joint = world.add(d);
    Stepper stepper(options(0.01 * scale.time()));
    bool broke = false;
    simulate(world, stepper, 0.5 * scale.time(), [&](const StepReport& r) {
      for (const JointRecord& j : r.joints) broke = broke || j.broke;
    });
    EXPECT_EQ(broke, strength < 1);
    EXPECT_EQ(world.joint(joint).broken, strength < 1);
    EXPECT_EQ(world.body(weight).position.z() < -0.5 * scale.size, strength < 1);
  }
}

TEST_P(Mechanisms, a_fixed_joint_carries_force_and_moment_of_a_cantilever) {
  const Scale scale = GetParam();
  World world;
  const BodyId beam = add_mass(world, 2, Vec3::Constant(0.1 * scale.size * scale.size), {scale.size, 0, 0});
  const JointId clamp = join(world, JointType::fixed, kWorld, beam, Vec3::Zero(), Vec3::UnitX());
  Stepper stepper(options(0.01 * scale.time()));
  simulate(world, stepper, 0.1 * scale.time());
  const JointRecord* record = stepper.step(world).joint(clamp);
  EXPECT_NEAR(record->force.z() / (2 * kGravity), 1, 1e-6);
  // The force acts upwards at the wall; the weight pulls the far end down, which the wall answers with a moment about −y.
  EXPECT_NEAR(record->torque.y() / (-2 * kGravity * scale.size), 1, 1e-6);
  EXPECT_NEAR(record->force_in_joint().norm() / (2 * kGravity), 1, 1e-6);
  EXPECT_NEAR(record->torque_in_joint().dot(record->frame.conjugate() * Vec3::UnitY()) / (-2 * kGravity * scale.size), 1, 1e-6);
}

TEST_P(Mechanisms, a_sprung_mass_oscillates_and_comes_to_rest_at_its_deflection) {
  const Scale scale = GetParam();
  World world;
  const double stiffness = 40 * kGravity / scale.size, mass = 2;
  const BodyId weight = add_mass(world, mass, Vec3::Constant(0.1 * scale.size * scale.size), Vec3::Zero());
  JointAxis axis;
  axis.spring = JointSpring{0, stiffness, 2 * std::sqrt(stiffness * mass)};   // critical
  const JointId joint = join(world, JointType::prismatic, kWorld, weight, Vec3::Zero(), Vec3::UnitZ(), axis);
  Stepper stepper(options(0.002 * scale.time()));
  simulate(world, stepper, 4 * scale.time());
  const JointRecord* record = stepper.step(world).joint(joint);
  EXPECT_NEAR(record->position[joint_z] / (-mass * kGravity / stiffness), 1, 1e-6);
  EXPECT_NEAR(record->free_force[joint_z] / (mass * kGravity), 1, 1e-6);
}

TEST_P(Mechanisms, a_spring_without_damping_oscillates_with_its_period) {
  const Scale scale = GetParam();
  World world;
  world.gravity.setZero();
  const double stiffness = 40 * kGravity / scale.size, mass = 2;
  const BodyId weight = add_mass(world, mass, Vec3::Constant(0.1 * scale.size * scale.size), Vec3::Zero());
  JointAxis axis;
  axis.spring = JointSpring{0.1 * scale.size, stiffness, 0};
  join(world, JointType::prismatic, kWorld, weight, Vec3::Zero(), Vec3::UnitX(), axis);
  Stepper stepper(options(5e-4 * scale.time()));
  PeriodMeter meter;
  simulate(world, stepper, 4 * scale.time(),
           [&](const StepReport& r) { meter.add(r.time, world.body(weight).position.x() - 0.1 * scale.size); });
  EXPECT_NEAR(meter.period() / (2 * std::numbers::pi * std::sqrt(mass / stiffness)), 1, 1e-4);
}

/// Energy after 100 radians of an oscillation, or 20 steps where that is more, with ω h given; of what it was.
double energy_of_a_spring(const Scale& scale, double omega_h) {
  World world;
  world.gravity.setZero();
  const double h = 0.01 * scale.time(), mass = 2, stiffness = mass * omega_h * omega_h / (h * h), stretch = 0.1 * scale.size;
  const BodyId weight = add_mass(world, mass, Vec3::Constant(0.1 * scale.size * scale.size), Vec3::Zero());
  JointAxis axis;
  axis.spring = JointSpring{stretch, stiffness, 0};
  join(world, JointType::prismatic, kWorld, weight, Vec3::Zero(), Vec3::UnitX(), axis);
  Stepper stepper(options(h));
  const int steps = std::max(20, static_cast<int>(std::lround(100 / omega_h)));
  for (int i = 0; i < steps; ++i) stepper.step(world);
  // Of the middle of the last step, where its velocity is that of the world.
  const Vec3 speed = world.body(weight).velocity;
  const double offset = world.body(weight).position.x() - 0.5 * h * speed.x() - stretch;
  return (mass * speed.squaredNorm() + stiffness * offset * offset) / (stiffness * stretch * stretch);
}

TEST_P(Mechanisms, a_spring_keeps_its_energy_if_the_step_can_follow_it_and_comes_to_rest_if_not) {
  const Scale scale = GetParam();
  EXPECT_NEAR(energy_of_a_spring(scale, 0.02), 1, 1e-5);
  EXPECT_NEAR(energy_of_a_spring(scale, 0.1), 1, 0.002);
  EXPECT_NEAR(energy_of_a_spring(scale, 0.2), 1, 0.04);
  for (const double omega_h : {0.02, 0.1, 0.2, 0.3, 1.0, 2.0}) {
    // By the values at the end of the step it would lose a part (ω h)² of what is left in every step.
    const double steps = std::max(20.0, 100 / omega_h), by_the_ends = std::pow(1 + omega_h * omega_h, -steps);
    EXPECT_GT(energy_of_a_spring(scale, omega_h), by_the_ends) << omega_h;
    EXPECT_LT(energy_of_a_spring(scale, omega_h), 1.01) << omega_h;
  }
  for (const double omega_h : {5.0, 30.0, 1e3, 1e5}) EXPECT_LT(energy_of_a_spring(scale, omega_h), 1e-6) << omega_h;
}

TEST_P(Mechanisms, joint_friction_stops_a_wheel_after_its_angle_and_holds_below_its_torque) {
  const Scale scale = GetParam();
  World world;
  const double inertia = 0.4 * scale.size * scale.size, torque = 0.3 * scale.size * kGravity, speed = 5 / scale.time();
  const BodyId wheel = add_mass(world, 1, Vec3::Constant(inertia), Vec3::Zero());
  JointAxis axis;
  axis.friction = torque;
  const JointId joint = join(world, JointType::hinge, kWorld, wheel, Vec3::Zero(), Vec3::UnitZ(), axis);
  world.set_velocity(wheel, Vec3::Zero(), {0, 0, speed});
  Stepper stepper(options(0.001 * scale.time()));
  simulate(world, stepper, 2 * scale.time());
  EXPECT_NEAR(world.joint_position(joint, joint_turn_z) / (0.5 * inertia * speed * speed / torque), 1, 2e-3);
  const double rest = world.joint_position(joint, joint_turn_z);
  world.set_applied(wheel, Vec3::Zero(), {0, 0, 0.99 * torque});
  simulate(world, stepper, scale.time());
  EXPECT_NEAR(world.joint_position(joint, joint_turn_z), rest, 1e-9);
  world.set_applied(wheel, Vec3::Zero(), {0, 0, 1.01 * torque});
  simulate(world, stepper, scale.time());
  EXPECT_GT(world.joint_position(joint, joint_turn_z), rest + 1e-3);
}

TEST_P(Mechanisms, a_limited_pendulum_rests_at_its_stop_with_the_moment_of_its_weight) {
  const Scale scale = GetParam();
  World world;
  const BodyId rod = add_rod(world, 1, Vec3::Zero(), scale.size * Vec3::UnitX());
  JointAxis axis;
  axis.lower = -0.1;
  axis.upper = 0.5;   // about +y the far end goes down
  const JointId joint = join(world, JointType::hinge, kWorld, rod, Vec3::Zero(), Vec3::UnitY(), axis);
  Stepper stepper(options(0.005 * scale.time()));
  double worst = -1;
  simulate(world, stepper, 3 * scale.time(),
           [&](const StepReport& r) { worst = std::max(worst, r.joint(joint)->position[joint_turn_z]); });
  const JointRecord* record = stepper.step(world).joint(joint);
  EXPECT_LT(worst, 0.5 + 1e-3);
  EXPECT_NEAR(record->position[joint_turn_z], 0.5, 1e-4);
  EXPECT_NEAR(record->free_force[joint_turn_z] / (-kGravity * 0.5 * scale.size * std::cos(0.5)), 1, 1e-3);
}

TEST_P(Mechanisms, a_soft_stop_pushes_only_beyond_its_limit_and_rests_at_its_deflection) {
  const Scale scale = GetParam();
  World world;
  const double mass = 2, stiffness = 50 * mass * kGravity / scale.size;
  const BodyId weight = add_mass(world, mass, Vec3::Constant(0.1 * scale.size * scale.size), Vec3::Zero());
  JointAxis axis;
  axis.lower = -0.5 * scale.size;
  axis.limit_stiffness = stiffness;
  axis.limit_damping = 2 * std::sqrt(stiffness * mass);
  const JointId joint = join(world, JointType::prismatic, kWorld, weight, Vec3::Zero(), Vec3::UnitZ(), axis);
  Stepper stepper(options(0.005 * scale.time()));
  simulate(world, stepper, 3 * scale.time(), [&](const StepReport& r) {
    const JointRecord* record = r.joint(joint);
    EXPECT_GE(record->free_force[joint_z], 0);
    if (record->position[joint_z] > axis.lower) {
      EXPECT_EQ(record->free_force[joint_z], 0) << r.time;
    }
  });
  EXPECT_NEAR((stepper.step(world).joint(joint)->position[joint_z] - axis.lower) / (-mass * kGravity / stiffness), 1, 1e-5);
}

TEST_P(Mechanisms, a_servo_sags_by_load_over_stiffness_and_gives_way_above_its_force) {
  const Scale scale = GetParam();
  const double mass = 2, stiffness = 1000 * kGravity / scale.size;
  for (const double strength : {0.5, 2.0}) {
    World world;
    const BodyId weight = add_mass(world, mass, Vec3::Constant(0.1 * scale.size * scale.size), Vec3::Zero());
    JointAxis axis;
    axis.servo = JointServo{0.3 * scale.size, stiffness, 2 * std::sqrt(stiffness * mass), strength * mass * kGravity, {}};
    const JointId joint = join(world, JointType::prismatic, kWorld, weight, Vec3::Zero(), Vec3::UnitZ(), axis);
    Stepper stepper(options(0.01 * scale.time()));
    simulate(world, stepper, 4 * scale.time());
    const JointRecord* record = stepper.step(world).joint(joint);
    if (strength > 1) {
      EXPECT_NEAR((record->position[joint_z] - 0.3 * scale.size) / (-mass * kGravity / stiffness), 1, 1e-3);
    } else {
      EXPECT_NEAR(record->velocity[joint_z] / (-0.5 * kGravity * stepper.options().h * 401), 1, 1e-6);
    }
  }
}

TEST_P(Mechanisms, gears_turn_by_their_ratio_and_share_the_inertia) {
  const Scale scale = GetParam();
  World world;
  world.gravity.setZero();
  const double size = scale.size, inertia[2] = {0.4 * size * size, 0.1 * size * size}, ratio = -2.5, torque = size * kGravity;
  const BodyId wheels[2] = {add_mass(world, 1, Vec3::Constant(inertia[0]), Vec3::Zero()),
                            add_mass(world, 1, Vec3::Constant(inertia[1]), {size, 0, 0})};
  const JointId hinges[2] = {join(world, JointType::hinge, kWorld, wheels[0], Vec3::Zero(), Vec3::UnitZ()),
                             join(world, JointType::hinge, kWorld, wheels[1], {size, 0, 0}, Vec3::UnitZ())};
  JointDescription d;
  d.type = JointType::gear;
  d.first.joint = hinges[0];
  d.second.joint = hinges[1];
  d.ratio = ratio;
  const JointId gear = world.add(d);
  world.set_applied(wheels[0], Vec3::Zero(), {0, 0, torque});
  Stepper stepper(precise(0.01 * scale.time()));
  simulate(world, stepper, 3 * scale.time());
  const StepReport& report = stepper.step(world);
  const double acceleration = torque / (inertia[0] + ratio * ratio * inertia[1]), time = 301 * stepper.options().h;
  EXPECT_NEAR(report.joint(hinges[0])->velocity[joint_turn_z] / (acceleration * time), 1, 1e-8);
  EXPECT_NEAR(report.joint(hinges[1])->position[joint_turn_z] / report.joint(hinges[0])->position[joint_turn_z], ratio, 1e-8);
  EXPECT_NEAR(report.joint(gear)->coupling_force / (inertia[1] * ratio * acceleration), 1, 1e-8);
}

TEST_P(Mechanisms, a_screw_turns_force_into_torque) {
  const Scale scale = GetParam();
  World world;
  const double size = scale.size, mass = 2, inertia = 0.1 * size * size, pitch = 0.3 * size,
               lead = pitch / (2 * std::numbers::pi);
  const BodyId nut = add_mass(world, mass, Vec3::Constant(inertia), Vec3::Zero());
  JointDescription d;
  d.type = JointType::screw;
  d.b = nut;
  d.pitch = pitch;
  place_joint(d, world, Vec3::Zero(), Vec3::UnitZ());
  const JointId joint = world.add(d);
  Stepper stepper(precise(0.01 * scale.time()));
  simulate(world, stepper, scale.time());
  const JointRecord* record = stepper.step(world).joint(joint);
  const double time = 101 * stepper.options().h, acceleration = -mass * kGravity / (mass + inertia / (lead * lead));
  EXPECT_NEAR(record->velocity[joint_z] / (acceleration * time), 1, 1e-8);
  EXPECT_NEAR(record->position[joint_z] / (lead * record->position[joint_turn_z]), 1, 1e-8);
}

TEST_P(Mechanisms, a_rod_and_a_taut_rope_keep_their_length_and_a_slack_rope_does_nothing) {
  const Scale scale = GetParam();
  for (const bool rod : {true, false}) {
    World world;
    const Vec3 start = scale.size * Vec3(0.6, 0, rod ? -0.8 : -0.2);
    const BodyId bob = add_mass(world, 1, Vec3::Constant(0.01 * scale.size * scale.size), start);
    JointDescription d;
    d.type = JointType::distance;
    d.b = bob;
    d.axes[joint_x].locked = rod;
    if (!rod) d.axes[joint_x].upper = scale.size;
    const JointId joint = world.add(d);
    Stepper stepper(options(0.002 * scale.time()));
    double longest = 0, slack_force = 0;
    simulate(world, stepper, 3 * scale.time(), [&](const StepReport& r) {
      longest = std::max(longest, world.body(bob).position.norm());
      if (!rod && r.time < 0.2 * scale.time())
        slack_force = std::max(slack_force, r.joints.empty() ? 0 : r.joint(joint)->force.norm());
    });
    EXPECT_NEAR(longest / scale.size, 1, 2e-3);
    EXPECT_EQ(slack_force, 0);
  }
}

TEST_P(Mechanisms, forces_of_joints_and_the_energy_ledger_add_up) {
  const Scale scale = GetParam();
  World world;
  const Vec3 elbow = scale.size * Vec3(1, 0, 0), hand = scale.size * Vec3(1.6, 0.3, 0.8);
  const BodyId upper = add_rod(world, 1, Vec3::Zero(), elbow), lower = add_rod(world, 2, elbow, hand);
  JointAxis shoulder;
  shoulder.spring = JointSpring{0.2, 3 * scale.size * kGravity, 0.1 * scale.size * scale.size / scale.time()};
  shoulder.friction = 0.5 * scale.size * kGravity;
  const JointId first = join(world, JointType::hinge, kWorld, upper, Vec3::Zero(), Vec3::UnitY(), shoulder);
  JointAxis motor;
  motor.motor = JointMotor{2 / scale.time(), 4 * scale.size * kGravity};
  const JointId second = join(world, JointType::hinge, upper, lower, elbow, Vec3(0.2, 1, 0.1), motor);
  Stepper stepper(options(0.002 * scale.time()));
  Vec3 last_velocity = Vec3::Zero();
  simulate(world, stepper, scale.time(), [&](const StepReport& r) {
    const EnergyLedger& e = r.energy;
    const double change = e.kinetic_end + e.potential_end - e.kinetic_start - e.potential_start;
    const double booked = e.applied + e.driven + e.motors + e.springs + e.stabilisation - e.friction - e.impact + e.integration;
    EXPECT_NEAR(change, booked, 1e-9 * kGravity * scale.size);
    EXPECT_LT(std::abs(e.integration), 0.02 * kGravity * scale.size);
    // Newton's second law for the lower rod: its only force beside the weight comes through the second joint.
    const Vec3 acceleration = (world.body(lower).velocity - last_velocity) / r.h;
    if (r.step > 1) {
      EXPECT_LT((r.joint(second)->force - 2 * (acceleration - world.gravity)).norm(), 1e-6 * kGravity) << r.step;
    }
    last_velocity = world.body(lower).velocity;
    EXPECT_GE(e.friction, -1e-12 * kGravity * scale.size);
    EXPECT_NE(r.joint(first), nullptr);
  });
}

/// A swinging chain of three rods with a limit, whose joints start 1 % apart.
World pulled_apart(const Scale& scale) {
  World world;
  BodyId above = kWorld;
  for (int i = 0; i < 3; ++i) {
    const Vec3 left = scale.size * i * Vec3::UnitX();
    const BodyId rod = add_rod(world, 1, left, left + scale.size * Vec3::UnitX());
    JointAxis axis;
    if (i == 1) axis.upper = 0.3;
    join(world, JointType::hinge, above, rod, left, Vec3::UnitY(), axis);
    above = rod;
  }
  for (std::uint32_t i = 0; i < 3; ++i) world.mutable_bodies()[i].position.y() += 0.01 * (i + 1) * scale.size;
  return world;
}

TEST_P(Mechanisms, drift_is_corrected_by_every_stabilisation_that_contacts_have) {
  const Scale scale = GetParam();
  const auto error_after = [&](const Stabilisation& stabilisation, bool projection) {
    World world = pulled_apart(scale);
    StepOptions o = options(0.005 * scale.time());
    o.stabilisation = stabilisation;
    o.projection.enabled = projection;
    Stepper stepper(o);
    simulate(world, stepper, scale.time());
    return stepper.step(world).joint_error_max / scale.size;
  };
  EXPECT_GT(error_after(NoStabilisation{}, false), 0.01);
  EXPECT_LT(error_after(Baumgarte{}, false), 1e-4);
  EXPECT_LT(error_after(NoStabilisation{}, true), 1e-4);
  // The same error reduction as a spring and damper: stretched by the weight of 3 kg at most.
  const double h = 0.005 * scale.time(), stiffness = 1e5 * kGravity / scale.size;
  EXPECT_LT(error_after(SpringDamper{stiffness, h * stiffness}, false), 2e-4);
}

}   // namespace
}   // namespace stickslip::testing
