// What the types of joints let through and what not, and what joints leave alone.
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

JointId join_with(World& world, JointDescription d, const Vec3& anchor, const Vec3& axis, const Vec3& x_axis = Vec3::Zero()) {
  place_joint(d, world, anchor, axis, x_axis);
  return world.add(d);
}

TEST(UniversalJoint, turns_the_shaft_behind_it_by_cardans_law) {
  // tan θ₂ = tan θ₁ / cos β for shafts at the angle β.
  World world;
  world.gravity.setZero();
  const double beta = 0.6, speed = 3;
  const Vec3 out(std::cos(beta), 0, std::sin(beta));
  const BodyId drive = add_mass(world, 1, Vec3::Constant(0.1), {-0.5, 0, 0}),
               driven = add_mass(world, 1, Vec3::Constant(0.1), 0.5 * out);
  JointAxis motor;
  motor.motor = JointMotor{speed, std::numeric_limits<double>::infinity()};
  const JointId first = join(world, JointType::hinge, kWorld, drive, {-0.5, 0, 0}, Vec3::UnitX(), motor);
  const JointId second = join(world, JointType::hinge, kWorld, driven, 0.5 * out, out);
  JointDescription cross;
  cross.type = JointType::universal;
  cross.a = drive;
  cross.b = driven;
  // The arms of the cross: one fixed to the drive, perpendicular to its shaft, one to the driven shaft.
  join_with(world, cross, Vec3::Zero(), Vec3::UnitZ().cross(out).normalized().cross(out), Vec3::UnitY());
  StepOptions o = options(0.001);
  o.scheme = Scheme::moreau_midpoint;
  Stepper stepper(o);
  double worst = 0, fastest = 0, slowest = 10;
  simulate(world, stepper, 2.5, [&](const StepReport& r) {
    const double angle = r.joint(first)->position[joint_turn_z];
    // The arm of the drive starts perpendicular to the plane of the shafts: tan θ₂ = tan θ₁ cos β, counted from there.
    const double law = std::atan2(std::sin(angle) * std::cos(beta), std::cos(angle));
    const double turn = r.joint(second)->position[joint_turn_z];
    worst = std::max(worst, std::abs(std::remainder(turn - law, 2 * std::numbers::pi)));
    fastest = std::max(fastest, r.joint(second)->velocity[joint_turn_z]);
    slowest = std::min(slowest, r.joint(second)->velocity[joint_turn_z]);
  });
  EXPECT_LT(worst, 1e-4);
  EXPECT_NEAR(fastest, speed / std::cos(beta), 1e-3 * speed);
  EXPECT_NEAR(slowest, speed * std::cos(beta), 1e-3 * speed);
}

TEST(PlanarJoint, lets_a_body_slide_and_turn_in_its_plane_alone) {
  World world;
  const BodyId puck = add_mass(world, 2, Vec3::Constant(0.1), Vec3::Zero());
  JointDescription d;
  d.type = JointType::planar;
  d.b = puck;
  const Vec3 normal = Vec3(0.5, 0, 1).normalized();
  const JointId joint = join_with(world, d, Vec3::Zero(), normal);
  world.set_velocity(puck, Vec3(0, 1, 0), 2 * normal);
  Stepper stepper(options(0.01));
  simulate(world, stepper, 1);
  const JointRecord* record = stepper.step(world).joint(joint);
  const Vec3 along = world.gravity - world.gravity.dot(normal) * normal;
  EXPECT_LT((world.body(puck).velocity - (Vec3(0, 1, 0) + 1.01 * along)).norm(), 1e-5);
  EXPECT_LT((world.body(puck).angular_velocity - 2 * normal).norm(), 1e-6);
  EXPECT_LT((record->force + 2 * world.gravity.dot(normal) * normal).norm(), 1e-5);
}

TEST(SixDofJoint, moves_where_it_is_free_up_to_its_limits) {
  World world;
  const BodyId body = add_mass(world, 1, Vec3::Constant(0.1), Vec3::Zero());
  JointDescription d;
  d.type = JointType::six_dof;
  d.b = body;
  for (const int k : {joint_x, joint_turn_y}) d.axes[static_cast<std::size_t>(k)].locked = true;
  d.axes[joint_y].lower = -0.2;
  d.axes[joint_y].upper = 0.1;
  d.axes[joint_z].lower = -0.5;
  d.axes[joint_turn_x].lower = -0.4;
  d.axes[joint_turn_x].upper = 0.3;
  const JointId joint = world.add(d);
  world.set_applied(body, {5, 5, 0}, {1, 1, 1});
  Stepper stepper(options(0.005));
  simulate(world, stepper, 2);
  const JointRecord* record = stepper.step(world).joint(joint);
  EXPECT_NEAR(record->position[joint_x], 0, 1e-4);
  EXPECT_NEAR(record->position[joint_y], 0.1, 1e-4);
  EXPECT_NEAR(record->position[joint_z], -0.5, 1e-4);
  EXPECT_NEAR(record->position[joint_turn_x], 0.3, 1e-3);
  EXPECT_NEAR(record->position[joint_turn_y], 0, 1e-3);
  EXPECT_GT(record->position[joint_turn_z], 1);
  EXPECT_NEAR(record->force.x(), -5, 1e-3);
  EXPECT_NEAR(record->free_force[joint_z], kGravity, 1e-3);
}

TEST(BallJoint, swings_up_to_its_limit_in_every_direction) {
  for (const double direction : {0.0, 1.0, 2.0, 4.0}) {
    World world;
    world.gravity = 5 * Vec3(std::cos(direction), std::sin(direction), 0);
    const BodyId arm = add_mass(world, 1, Vec3(0.1, 0.1, 0.01), {0, 0, 0.5});
    JointDescription d;
    d.type = JointType::ball;
    d.b = arm;
    d.swing_limit = 0.7;
    const JointId joint = join_with(world, d, Vec3::Zero(), Vec3::UnitZ());
    Stepper stepper(options(0.005));
    double widest = 0;
    simulate(world, stepper, 3,
             [&](const StepReport&) { widest = std::max(widest, swing_of(locate(world, world.joint(joint))).first); });
    EXPECT_NEAR(widest, 0.7, 2e-3) << direction;
    EXPECT_NEAR(swing_of(locate(world, world.joint(joint))).first, 0.7, 2e-3) << direction;
  }
}

TEST(GearJoint, with_a_moving_housing_keeps_momentum) {
  // Two wheels in a free housing: the gear acts on three bodies.
  World world;
  world.gravity.setZero();
  const BodyId housing = add_mass(world, 2, Vec3::Constant(0.5), Vec3::Zero());
  const BodyId wheels[2] = {add_mass(world, 1, Vec3(0.1, 0.1, 0.2), {-0.5, 0, 0}),
                            add_mass(world, 1, Vec3(0.1, 0.1, 0.05), {0.5, 0, 0})};
  JointAxis motor;
  motor.motor = JointMotor{20, 0.5};
  const JointId first = join(world, JointType::hinge, housing, wheels[0], {-0.5, 0, 0}, Vec3::UnitZ(), motor);
  const JointId second = join(world, JointType::hinge, housing, wheels[1], {0.5, 0, 0}, Vec3::UnitZ());
  JointDescription d;
  d.type = JointType::gear;
  d.first.joint = first;
  d.second.joint = second;
  d.ratio = -2;
  world.add(d);
  Stepper stepper(options(0.005));
  simulate(world, stepper, 2);
  const StepReport& report = stepper.step(world);
  EXPECT_EQ(stepper.problem().blocks.back().kind == BlockKind::contact, false);
  EXPECT_GT(report.joint(first)->velocity[joint_turn_z], 1);
  EXPECT_NEAR(report.joint(second)->velocity[joint_turn_z] / report.joint(first)->velocity[joint_turn_z], -2, 1e-5);
  EXPECT_LT(report.angular_momentum.norm(), 1e-6);
  EXPECT_LT(report.linear_momentum.norm(), 1e-6);
}

TEST(Joints, of_a_free_mechanism_keep_momentum) {
  World world;
  world.gravity.setZero();
  std::vector<BodyId> bodies;
  for (int i = 0; i < 6; ++i) {
    const Vec3 left = 0.5 * i * Vec3::UnitX();
    bodies.push_back(add_rod(world, 1 + i, left, left + 0.5 * Vec3::UnitX()));
    if (i == 0) continue;
    JointAxis axis;
    axis.spring = JointSpring{0.3, 5, 0.1};
    axis.upper = 0.6;
    axis.friction = 0.05;
    join(world, i % 2 == 1 ? JointType::ball : JointType::hinge, bodies[static_cast<std::size_t>(i - 1)], bodies.back(), left,
         Vec3(0.2, 1, 0.3), i % 2 == 1 ? JointAxis{} : axis);
  }
  world.set_velocity(bodies[0], {0, 1, 2}, {3, 0, 1});
  world.set_velocity(bodies[5], {1, 0, -1}, {0, 2, 1});
  const Vec3 linear = world.linear_momentum(), angular = world.angular_momentum();
  Stepper stepper(options(0.002));
  simulate(world, stepper, 2);
  EXPECT_LT((world.linear_momentum() - linear).norm(), 1e-8 * linear.norm());
  EXPECT_LT((world.angular_momentum() - angular).norm(), 1e-3 * angular.norm());
}

TEST(Joints, follow_a_kinematic_body_whose_work_is_booked) {
  World world;
  BodyDescription d;
  d.motion = MotionType::kinematic;
  d.parts = {{Box{Vec3::Constant(0.1)}, {}, {}}};
  d.velocity = {0, 0, 0.5};
  const BodyId lift = world.add(d);
  const BodyId load = add_mass(world, 4, Vec3::Constant(0.1), {0, 0, -1});
  join(world, JointType::ball, lift, load, Vec3::Zero());
  Stepper stepper(options(0.01));
  double driven = 0, impact = 0;
  simulate(world, stepper, 2, [&](const StepReport& r) {
    driven += r.energy.driven;
    impact += r.energy.impact;
  });
  EXPECT_NEAR(world.body(load).position.z(), 0, 1e-2);
  // The jerk at the start costs m v²: half of it is lost, half becomes kinetic energy.
  EXPECT_NEAR(driven / (4 * kGravity * 1.0 + 4 * 0.25), 1, 1e-3);
  EXPECT_NEAR(impact, 0.5 * 4 * 0.5 * (0.5 + kGravity * 0.01), 1e-4);
}

/// A taut chain of light links under a heavy weight, nudged sideways.
double wobble_after(bool stiffness, double seconds) {
  World world;
  BodyId above = kWorld;
  std::vector<BodyId> links;
  for (int i = 0; i < 8; ++i) {
    const Vec3 top = -0.2 * i * Vec3::UnitZ();
    links.push_back(add_rod(world, 0.5, top, top - 0.2 * Vec3::UnitZ()));
    join(world, JointType::ball, above, links.back(), top);
    above = links.back();
  }
  const BodyId weight = add_mass(world, 10000, Vec3::Constant(1000), {0, 0, -2.1});
  join(world, JointType::ball, above, weight, {0, 0, -1.6});
  for (const BodyId link : links) world.set_velocity(link, {1e-3, 0, 0}, {0, 1e-3, 0});
  StepOptions o = options(0.01);
  o.geometric_stiffness = stiffness;
  Stepper stepper(o);
  simulate(world, stepper, seconds);
  double fastest = 0;
  for (const BodyId link : links) fastest = std::max(fastest, world.body(link).angular_velocity.norm());
  return fastest;
}

TEST(GeometricStiffness, keeps_light_links_under_a_heavy_weight_quiet) {
  EXPECT_LT(wobble_after(true, 3), 0.02);
  EXPECT_GT(wobble_after(false, 3), 0.5);   // what it is there for: the step is ten times too long for these links
}

TEST(GeometricStiffness, leaves_motions_alone_that_the_step_can_follow) {
  const auto end = [](bool stiffness) {
    World world;
    const BodyId upper = add_rod(world, 1, Vec3::Zero(), Vec3::UnitX()),
                 lower = add_rod(world, 1, Vec3::UnitX(), 2 * Vec3::UnitX());
    join(world, JointType::hinge, kWorld, upper, Vec3::Zero());
    join(world, JointType::hinge, upper, lower, Vec3::UnitX());
    StepOptions o = options(0.01);
    o.geometric_stiffness = stiffness;
    Stepper stepper(o);
    simulate(world, stepper, 2);
    return world.state_hash();
  };
  EXPECT_EQ(end(true), end(false));
}

TEST(Sleep, takes_mechanisms_as_a_whole_and_wakes_them_when_their_servo_moves) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId base = add_body(world, Box{Vec3(0.3, 0.3, 0.1)}, {0, 0, 0.1}, m),
               arm = add_body(world, Box{Vec3(0.05, 0.05, 0.3)}, {0, 0, 0.5}, m);
  JointAxis axis;
  axis.servo = JointServo{0, 500, 50, 100, {{2, 0}, {2.5, 0.5}}};
  const JointId joint = join(world, JointType::hinge, base, arm, {0, 0, 0.2}, Vec3::UnitY(), axis);
  StepOptions o = options(0.01);
  o.sleep.enabled = true;
  Stepper stepper(o);
  simulate(world, stepper, 1.5);
  EXPECT_FALSE(world.body(arm).asleep);   // its servo has still to move
  simulate(world, stepper, 3);
  EXPECT_TRUE(world.body(arm).asleep);
  EXPECT_TRUE(world.body(base).asleep);
  EXPECT_NEAR(world.joint_position(joint, joint_turn_z), 0.5, 0.1);
  const JointRecord* resting = stepper.step(world).joint(joint);
  ASSERT_NE(resting, nullptr);   // forces are kept
  EXPECT_NEAR(resting->force.z(), 1000 * 8 * 0.05 * 0.05 * 0.3 * kGravity, 0.3);
  world.apply_impulse(base, {0, 0, 10}, {0, 0, 0.1});
  stepper.step(world);
  EXPECT_FALSE(world.body(arm).asleep);
}

TEST(Joints, give_the_same_bits_for_every_number_of_threads) {
  const auto run = [](int threads) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    for (int k = 0; k < 4; ++k) {
      BodyId above = kWorld;
      for (int i = 0; i < 6; ++i) {
        const Vec3 at(0.3 * k, 0.25 * i, 0.5);
        const BodyId link = add_body(world, Capsule{0.05, 0.08}, at, m, Vec3::Zero(), Vec3::Zero(),
                                     rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
        if (i > 0)
          join(world, i % 2 == 0 ? JointType::ball : JointType::hinge, above, link, at - Vec3(0, 0.125, 0), Vec3::UnitX());
        above = link;
      }
    }
    StepOptions o = options(0.01);
    o.threads = threads;
    Stepper stepper(o);
    simulate(world, stepper, 0.6);
    return world.state_hash();
  };
  EXPECT_EQ(run(1), run(2));
}

}   // namespace
}   // namespace stickslip::testing
