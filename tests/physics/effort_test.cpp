// Efforts, motors that follow paths and armature, against closed-form mechanics and each other.
#include "error_message.h"
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

StepOptions by(const char* integrator, double h) {
  StepOptions o = options(h);
  o.integrator = integrator;
  o.tolerance = 1e-10;
  return o;
}

JointAxis pushed(double force) {
  JointAxis axis;
  axis.effort = JointEffort{.force = force};
  return axis;
}

class Efforts : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Integrators, Efforts, ::testing::Values("impulse", "penalty", "barrier"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(Efforts, turn_a_wheel_with_torque_over_inertia_and_do_its_energy_in_work) {
  const double inertia = 0.4, torque = 3, h = 0.005;
  World world;
  world.gravity.setZero();
  const BodyId wheel = add_mass(world, 1, Vec3::Constant(inertia), Vec3::Zero());
  const JointId hinge = join(world, JointType::hinge, kWorld, wheel, Vec3::Zero(), Vec3::UnitZ(), pushed(torque));
  Stepper stepper(by(GetParam(), h));
  double work = 0;
  for (int i = 0; i < 200; ++i) {
    const StepReport& r = stepper.step(world);
    work += r.energy.motors;
    EXPECT_NEAR(r.joint(hinge)->motor_force[joint_turn_z], torque, 1e-9);
    EXPECT_NEAR(r.joint(hinge)->torque.z(), torque, 1e-6);
    EXPECT_EQ(r.energy.applied, 0);
  }
  const double speed = torque / inertia * 1;
  EXPECT_NEAR(world.body(wheel).angular_velocity.z(), speed, 1e-6 * speed);
  // The barrier's implicit Euler takes forces times the ways of whole steps.
  EXPECT_NEAR(work, 0.5 * inertia * speed * speed, (GetParam() == std::string("barrier") ? 1.01 * h * torque * speed : 1e-6));
}

TEST_P(Efforts, push_two_free_bodies_apart_with_equal_and_opposite_forces) {
  World world;
  world.gravity.setZero();
  const BodyId a = add_mass(world, 1, Vec3::Constant(0.1), Vec3::Zero()),
               b = add_mass(world, 3, Vec3::Constant(0.2), {0, 0, 1});
  join(world, JointType::prismatic, a, b, {0, 0, 0.5}, Vec3::UnitZ(), pushed(6));
  Stepper stepper(by(GetParam(), 0.005));
  simulate(world, stepper, 0.5);
  EXPECT_NEAR(world.body(a).velocity.z(), -3, 1e-6);
  EXPECT_NEAR(world.body(b).velocity.z(), 1, 1e-6);
  EXPECT_LT(world.linear_momentum().norm(), 1e-9);
  EXPECT_LT(world.angular_momentum().norm(), 1e-9);
}

TEST_P(Efforts, hold_an_arm_by_its_weight_times_its_lever) {
  World world;
  const BodyId arm = add_rod(world, 2, {0, 0, 0}, {1, 0, 0});
  const JointId hinge = join(world, JointType::hinge, kWorld, arm, Vec3::Zero(), -Vec3::UnitY(), pushed(2 * kGravity * 0.5));
  Stepper stepper(by(GetParam(), 0.005));
  simulate(world, stepper, 1);
  // The bearing of the penalty method gives by its depth, and the lever with it.
  EXPECT_NEAR(world.joint_position(hinge, joint_turn_z), 0, GetParam() == std::string("penalty") ? 1e-3 : 1e-4);
  const StepReport& r = stepper.step(world);
  EXPECT_NEAR(r.joint(hinge)->force.z() / (2 * kGravity), 1, 2e-3);   // the bearing carries the weight
}

TEST_P(Efforts, follow_their_paths_within_their_bounds) {
  // 0 to 4 N in a second, never more than 3: the speed is ∫ min(4 t, 3) dt over the mass.
  World world;
  world.gravity.setZero();
  JointAxis axis = pushed(100);
  axis.effort->max_force = 3;
  axis.effort->path = {{0, 0}, {1, 4}};
  const BodyId slider = add_mass(world, 2, Vec3::Constant(0.1), Vec3::Zero());
  join(world, JointType::prismatic, kWorld, slider, Vec3::Zero(), Vec3::UnitX(), axis);
  const double h = 0.002;
  Stepper stepper(by(GetParam(), h));
  simulate(world, stepper, 2);
  const double expected = (0.5 * 4 * 0.75 * 0.75 + 3 * 1.25) / 2;
  EXPECT_NEAR(world.body(slider).velocity.x(), expected, 3 * h);   // where in the step a force is taken is of first order
}

TEST_P(Efforts, motors_follow_the_path_of_their_speed) {
  World world;
  world.gravity.setZero();
  JointAxis axis;
  axis.motor = JointMotor{.speed = -7, .max_force = 100, .path = {{0.5, 0}, {1.5, 2}}};
  const BodyId slider = add_mass(world, 1, Vec3::Constant(0.1), Vec3::Zero());
  const JointId joint = join(world, JointType::prismatic, kWorld, slider, Vec3::Zero(), Vec3::UnitX(), axis);
  Stepper stepper(by(GetParam(), 0.005));
  simulate(world, stepper, 0.5);
  EXPECT_NEAR(world.joint_position(joint, joint_z), 0, 1e-6);
  simulate(world, stepper, 1.5);
  // ∫ of the ramp is 1, and of what follows 1. Dampers and stiff springs to a speed that grows lag behind.
  const double lag = GetParam() == std::string("penalty") ? 0.02 : GetParam() == std::string("barrier") ? 1e-3 : 1e-4;
  EXPECT_NEAR(world.joint_position(joint, joint_z), 2, lag);
  EXPECT_NEAR(world.body(slider).velocity.x(), 2, 1e-3);
}

TEST(Effort, change_from_step_to_step_and_continue_to_the_same_bits) {
  const auto run = [](bool renew) {
    World world;
    const BodyId arm = add_rod(world, 1, {0, 0, 0}, {0.5, 0, 0});
    const JointId hinge = join(world, JointType::hinge, kWorld, arm, Vec3::Zero(), -Vec3::UnitY());
    Stepper stepper(options(0.005));
    for (int i = 0; i < 200; ++i) {
      world.set_effort(hinge, joint_turn_z, 20 * (0.3 - world.joint_position(hinge, joint_turn_z)));
      stepper.step(world);
      if (renew && i == 100) stepper = Stepper(options(0.005));
    }
    return world.state_hash();
  };
  EXPECT_EQ(run(false), run(true));
}

TEST(Effort, say_what_is_wrong_with_them) {
  World world;
  const BodyId arm = add_rod(world, 1, {0, 0, 0}, {0.5, 0, 0});
  JointAxis axis;
  axis.motor = JointMotor{1, 1};
  const JointId hinge = join(world, JointType::hinge, kWorld, arm, Vec3::Zero(), Vec3::UnitY(), axis);
  EXPECT_NE(message_of([&] { world.set_effort(hinge, joint_x, 1); }).find("does not move along x"), std::string::npos);
  EXPECT_NE(message_of([&] { world.set_effort(hinge, joint_turn_z, std::nan("")); }).find("is not a force"), std::string::npos);
  world.set_effort(hinge, joint_turn_z, 1);
  EXPECT_NE(message_of([&] { world.set_effort(hinge, joint_turn_z, std::nan("")); }).find("is not a force"), std::string::npos);
  EXPECT_NE(message_of([&] { world.set_target(hinge, joint_turn_z, 1); }).find("has no servo along turn_z"), std::string::npos);
  world.set_speed(hinge, joint_turn_z, 3);
  EXPECT_EQ(world.joint(hinge).description.axes[joint_turn_z].motor->speed, 3);
}

TEST(Armature, adds_to_the_inertia_of_its_coordinate) {
  for (const char* integrator : {"impulse", "barrier", "penalty"})
    for (const double armature : {0.0, 0.3, 30.0}) {
      World world;
      world.gravity.setZero();
      JointAxis axis = pushed(2);
      axis.armature = armature;
      const BodyId wheel = add_mass(world, 1, Vec3::Constant(0.1), Vec3::Zero());
      join(world, JointType::hinge, kWorld, wheel, Vec3::Zero(), Vec3::UnitZ(), axis);
      Stepper stepper(by(integrator, 0.01));
      double work = 0;
      simulate(world, stepper, 1, [&](const StepReport& r) {
        work += r.energy.motors;
        EXPECT_LT(std::abs(r.energy.integration), 1e-3 * work + 1e-9 + (integrator[0] == 'b' ? work : 0));
      });
      const double speed = 2 / (0.1 + armature);
      EXPECT_NEAR(world.body(wheel).angular_velocity.z() / speed, 1, 1e-4) << integrator << ' ' << armature;
      EXPECT_NEAR(world.kinetic_energy(), 0.5 * (0.1 + armature) * speed * speed, 1e-3 * world.kinetic_energy());
    }
}

TEST(Armature, makes_a_pendulum_slower_by_the_root_of_its_inertia) {
  // T = 2π √((I + A) / (m g l)), small swings
  const double armature = 0.5, inertia = 1.0 / 3, length = 1;
  World world;
  const double angle = 0.02;
  const BodyId rod = add_rod(world, 1, Vec3::Zero(), length * Vec3(std::sin(angle), 0, -std::cos(angle)));
  JointAxis axis;
  axis.armature = armature;
  join(world, JointType::hinge, kWorld, rod, Vec3::Zero(), Vec3::UnitY(), axis);
  Stepper stepper(by("impulse", 0.005));
  const double start = world.kinetic_energy() + world.potential_energy();
  const double period = 2 * std::numbers::pi * std::sqrt((inertia + armature) / (kGravity * length / 2));
  simulate(world, stepper, 10 * period);
  const double x = 0.5 * length * std::sin(angle);
  EXPECT_NEAR(world.body(rod).position.x(), x, 2e-3 * x);   // back where it was, after ten swings
  EXPECT_NEAR(world.kinetic_energy() + world.potential_energy(), start, 1e-3 * kGravity * length * angle * angle);
}

TEST(Armature, of_a_ball_is_the_same_about_every_axis) {
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.6, 0, 0.8), Vec3(0.36, 0.48, 0.8)}) {
    World world;
    world.gravity.setZero();
    JointDescription ball{.type = JointType::ball, .b = add_mass(world, 1, Vec3::Constant(0.1), Vec3::Zero())};
    for (const int c : {joint_turn_x, joint_turn_y, joint_turn_z}) ball.axes[static_cast<std::size_t>(c)].armature = 0.4;
    ball.frame_a.orientation = rotation_from_vector(Vec3(0.3, -0.7, 0.2));
    world.add(ball);
    world.set_applied(ball.b, Vec3::Zero(), axis);
    Stepper stepper(by("impulse", 0.01));
    simulate(world, stepper, 0.5);
    EXPECT_LT((world.body(ball.b).angular_velocity - axis).norm(), 1e-3) << axis.transpose();
  }
}

}   // namespace
}   // namespace stickslip::testing
