// Contacts that only the solved velocity reaches: struck, pulled and driven bodies stop at what lies farther ahead than they
// seemed to move.
#include <gtest/gtest.h>

#include <numbers>

#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

BodyId add(World& world, Shape shape, const Vec3& position, MotionType motion, double mass = 1,
           const Vec3& velocity = Vec3::Zero(), const Vec3& spin = Vec3::Zero()) {
  BodyDescription d;
  d.motion = motion;
  d.parts = {{std::move(shape), {}, MaterialId{}}};
  d.pose.position = position;
  d.velocity = velocity;
  d.angular_velocity = spin;
  if (motion == MotionType::dynamic) d.mass = mass;
  return world.add(d);
}

// A plate 5 mm thick with its top at z = 0.
void add_plate(World& world) { add(world, Box{Vec3(1, 1, 0.0025)}, Vec3(0, 0, -0.0025), MotionType::fixed); }

TEST(LookAhead, a_ball_that_is_struck_in_this_step_stops_at_the_plate_behind_it) {
  for (const double speed : {1.0, 10.0, 100.0}) {
    World world;
    world.gravity.setZero();
    add_plate(world);
    const BodyId light = add(world, Sphere{0.02}, Vec3(0, 0, 0.021), MotionType::dynamic, 0.1);
    add(world, Sphere{0.05}, Vec3(0, 0, 0.0915), MotionType::dynamic, 10, Vec3(0, 0, -speed));
    Stepper stepper;
    int repeated = 0;
    for (int i = 0; i < 20; ++i) {
      const StepReport& report = stepper.step(world);
      repeated += report.looked_again;
      EXPECT_LT(report.penetration_max, 1e-6) << speed;
    }
    EXPECT_GT(world.body(light).position.z(), 0.02 - 1e-6) << speed;
    EXPECT_EQ(repeated, 1) << speed;
  }
}

TEST(LookAhead, a_blow_goes_through_a_row_of_balls_and_stops_at_the_plate_within_one_step) {
  World world;
  world.gravity.setZero();
  add_plate(world);
  for (int i = 0; i < 2; ++i) add(world, Sphere{0.02}, Vec3(0, 0, 0.021 + 0.041 * i), MotionType::dynamic, 0.1);
  add(world, Sphere{0.02}, Vec3(0, 0, 0.021 + 0.041 * 2), MotionType::dynamic, 100, Vec3(0, 0, -10));
  Stepper stepper;
  EXPECT_GT(stepper.step(world).looked_again, 0);
  for (int i = 0; i < 10; ++i) EXPECT_LT(stepper.step(world).penetration_max, 1e-6);
}

TEST(LookAhead, a_motor_does_not_drive_a_ball_through_a_plate) {
  World world;
  add_plate(world);
  const BodyId ball = add(world, Sphere{0.02}, Vec3(0, 0, 0.03), MotionType::dynamic);
  JointDescription joint;
  joint.type = JointType::prismatic;
  joint.b = ball;
  joint.frame_b = {};
  joint.frame_a = {Vec3(0, 0, 0.03), Quat::Identity()};
  joint.axes[2].motor = JointMotor{.speed = -10, .max_force = 5000};
  world.add(joint);
  Stepper stepper;
  EXPECT_EQ(stepper.step(world).looked_again, 1);
  for (int i = 0; i < 20; ++i) EXPECT_LT(stepper.step(world).penetration_max, 1e-4);
  EXPECT_NEAR(world.body(ball).position.z(), 0.02, 1e-4);
}

TEST(LookAhead, a_sleeper_that_a_struck_body_meets_wakes_and_is_pushed_on) {
  World world;
  world.gravity.setZero();
  const BodyId sleeper = add(world, Sphere{0.02}, Vec3(0, 0, 0), MotionType::dynamic, 0.1);
  const BodyId light = add(world, Sphere{0.02}, Vec3(0, 0, 0.042), MotionType::dynamic, 0.1);
  add(world, Sphere{0.02}, Vec3(0, 0, 0.084), MotionType::dynamic, 10, Vec3(0, 0, -5));
  world.mutable_bodies()[sleeper.index].asleep = true;
  world.mutable_bodies()[light.index].can_sleep = false;
  StepOptions options;
  options.sleep.enabled = true;
  Stepper stepper(options);
  EXPECT_LT(stepper.step(world).penetration_max, 1e-6);
  EXPECT_FALSE(world.body(sleeper).asleep);
  EXPECT_LT(world.body(sleeper).velocity.z(), -1);
  EXPECT_LT(stepper.step(world).penetration_max, 1e-6);
}

// The far end of a rod whose middle is stopped comes down on an arc.
TEST(LookAhead, the_end_of_a_fast_turning_rod_does_not_swing_through_the_ground) {
  World world;
  world.gravity.setZero();
  add(world, HalfSpace{}, Vec3::Zero(), MotionType::fixed);
  const Vec3 half(0.01, 0.01, 0.5);
  const double tilt = 1.2;   // of the axis against the vertical [rad]
  const Quat q = rotation_from_vector(Vec3(0, tilt, 0));
  BodyDescription d;
  d.parts = {{Box{half}, {}, MaterialId{}}};
  d.pose = {Vec3(0, 0, 0.5 * std::cos(tilt) + 0.03), q};
  d.velocity = Vec3(0, 0, -10);
  d.angular_velocity = Vec3(0, 60, 0);
  const BodyId rod = world.add(d);
  Stepper stepper;
  int repeated = 0;
  for (int i = 0; i < 30; ++i) {
    repeated += stepper.step(world).looked_again;
    const Body& b = world.body(rod);
    const double lowest = b.position.z() + (b.orientation * support(Box{half}, b.orientation.conjugate() * Vec3(0, 0, -1))).z();
    EXPECT_GT(lowest, -0.1 * half.x()) << i;
  }
  EXPECT_GT(repeated, 0);
}

TEST(LookAhead, what_spins_by_radians_a_step_does_not_strike_what_is_beside_it) {
  // Corners fly on circles that end 0.2 m from each other; along their tangents they would go 0.4 m in a step.
  for (const ContactForm form : {ContactForm::points, ContactForm::patch, ContactForm::volume}) {
    World world;
    world.gravity.setZero();
    std::vector<BodyId> plates;
    for (int i = 0; i < 3; ++i)
      plates.push_back(add(world, Box{Vec3(0.14, 0.14, 0.03)}, Vec3(0.3 * i, 0.52 * i, 0), MotionType::dynamic, 1, Vec3::Zero(),
                           Vec3(0, 0, 150 + 25 * i)));
    StepOptions options;
    options.contact = form;
    Stepper stepper(options);
    for (int k = 0; k < 20; ++k) stepper.step(world);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(world.body(plates[i]).velocity.isZero(0));
      EXPECT_NEAR(world.body(plates[i]).angular_velocity.z(), 150 + 25 * i, 1e-9);
    }
  }
}

ConvexHull octagonal_plate() {
  std::vector<Vec3> points;
  for (int k = 0; k < 8; ++k)
    for (const double z : {-0.03, 0.03})
      points.push_back(
          Vec3(0.2 * std::cos((k + 0.5) * std::numbers::pi / 4), 0.2 * std::sin((k + 0.5) * std::numbers::pi / 4), z));
  return make_convex_hull(points);
}

/// Bodies in a row that are too near each other to turn, and how far apart they are [m].
std::vector<std::pair<Shape, double>> bodies_that_strike_when_they_turn() {
  return {{octagonal_plate(), 0.38}, {Box{Vec3(0.15, 0.15, 0.05)}, 0.31}};
}

TEST(LookAhead, what_spins_by_radians_a_step_and_strikes_makes_no_energy_and_stays_outside) {
  for (const ContactForm form : {ContactForm::points, ContactForm::patch, ContactForm::volume})
    for (const auto& [shape, apart] : bodies_that_strike_when_they_turn())
      for (const double spin : {100.0, 200.0, 400.0}) {
        World world;
        world.gravity.setZero();
        const double signs[] = {1, 1, -1};
        for (int i = 0; i < 3; ++i)
          add(world, shape, Vec3(0, apart * i, 0), MotionType::dynamic, 5, Vec3::Zero(), Vec3(0, 0, signs[i] * spin));
        StepOptions options;
        options.contact = form;
        Stepper stepper(options);
        const double start = world.kinetic_energy();
        for (int k = 0; k < 15; ++k) {
          const double before = world.kinetic_energy();
          const StepReport& report = stepper.step(world);
          EXPECT_LT(report.penetration_max, 1e-3) << apart << ' ' << spin << ' ' << k;
          EXPECT_LT(-report.energy.impact, 1e-3 * before) << apart << ' ' << spin << ' ' << k;
          EXPECT_LT(world.kinetic_energy(), (1 + 1e-3) * before) << apart << ' ' << spin << ' ' << k;
        }
        EXPECT_LT(world.kinetic_energy(), 0.9 * start) << "they do strike";
      }
}

TEST(LookAhead, what_is_struck_towards_a_body_that_spins_beside_it_stops_there) {
  World world;
  world.gravity.setZero();
  const BodyId spinner =
      add(world, Box{Vec3(0.14, 0.14, 0.1)}, Vec3::Zero(), MotionType::dynamic, 1000, Vec3::Zero(), Vec3(0, 0, 100));
  const BodyId ball = add(world, Sphere{0.05}, Vec3(0.4, 0, 0), MotionType::dynamic, 0.1);
  add(world, Sphere{0.05}, Vec3(0.51, 0, 0), MotionType::dynamic, 10, Vec3(-20, 0, 0));
  Stepper stepper;
  for (int k = 0; k < 5; ++k) {
    stepper.step(world);
    const Vec3 between = world.body(ball).position - world.body(spinner).position;
    EXPECT_GT(between.norm(), 0.14) << k;
    EXPECT_GT(between.x(), -0.14) << k;
  }
}

TEST(LookAhead, nothing_is_repeated_where_bodies_only_fall_and_rest) {
  World world;
  add(world, HalfSpace{}, Vec3::Zero(), MotionType::fixed);
  for (int i = 0; i < 5; ++i) add(world, Box{Vec3(0.1, 0.1, 0.1)}, Vec3(0, 0, 0.15 + 0.25 * i), MotionType::dynamic);
  Stepper stepper;
  for (int i = 0; i < 200; ++i) EXPECT_EQ(stepper.step(world).looked_again, 0) << i;
}

/// Bodies of a few centimetres, with how far they reach down.
std::vector<std::pair<Shape, double>> bodies_to_press() {
  return {{Sphere{0.05}, 0.05}, {Box{Vec3::Constant(0.05)}, 0.05}, {Capsule{0.02, 0.03}, 0.05}, {Cylinder{0.05, 0.02}, 0.02}};
}

/// Steps for half a second. @returns the deepest that anything was inside anything [m]
double deepest(World& world) {
  Stepper stepper;
  double depth = 0;
  for (int i = 0; i < 50; ++i) depth = std::max(depth, stepper.step(world).penetration_max);
  return depth;
}

TEST(LookAhead, presses_of_any_drive_speed_and_shape_stop_at_a_plate) {
  for (const double speed : {1.0, 4.0, 10.0, 20.0})
    for (const auto& [shape, low] : bodies_to_press())
      for (const double gap : {0.003, 0.05})
        for (const int drive : {0, 1, 2}) {
          World world;
          add_plate(world);
          const BodyId body = add(world, shape, Vec3(0, 0, low + gap), MotionType::dynamic);
          JointDescription joint;
          joint.type = JointType::prismatic;
          joint.b = body;
          JointAxis& axis = joint.axes[joint_z];
          if (drive == 0) axis.motor = JointMotor{speed, 1e4};
          if (drive == 1) axis.servo = JointServo{.target = 0.1 * speed, .stiffness = 1e5, .damping = 100, .max_force = 5e3};
          if (drive == 2) axis.spring = JointSpring{0.1 * speed, 1e4, 10};
          place_joint(joint, world, Vec3(0, 0, low + gap), -Vec3::UnitZ());
          world.add(joint);
          EXPECT_LT(deepest(world), 1e-3) << speed << " m/s, drive " << drive << ", gap " << gap;
          EXPECT_GT(world.body(body).position.z(), low - 1e-3) << speed << " m/s, drive " << drive << ", gap " << gap;
        }
}

TEST(LookAhead, arms_stop_at_a_plate) {
  for (const double speed : {1.0, 5.0, 10.0, 20.0}) {
    World world;
    add_plate(world);
    const BodyId arm = add(world, Box{Vec3(0.25, 0.02, 0.02)}, Vec3(0.25, 0, 0.3), MotionType::dynamic);
    JointDescription joint;
    joint.type = JointType::hinge;
    joint.b = arm;
    joint.axes[joint_turn_z].motor = JointMotor{speed / 0.5, 1e4};
    place_joint(joint, world, Vec3(0, 0, 0.3), Vec3::UnitY());
    world.add(joint);
    EXPECT_LT(deepest(world), 1e-3) << speed;
    EXPECT_GT(world.body(arm).position.z(), 0.1) << speed;
  }
}

TEST(LookAhead, struck_blocks_of_any_shape_stop_at_a_plate) {
  for (const double speed : {1.0, 5.0, 20.0})
    for (const auto& [shape, low] : bodies_to_press()) {
      World world;
      world.gravity.setZero();
      add_plate(world);
      const BodyId body = add(world, shape, Vec3(0, 0, low + 0.02), MotionType::dynamic);
      add(world, Box{Vec3(0.1, 0.1, 0.05)}, Vec3(0, 0, 2 * low + 0.02 + 0.08), MotionType::dynamic, 20, Vec3(0, 0, -speed));
      EXPECT_LT(deepest(world), 1e-3) << speed;
      EXPECT_GT(world.body(body).position.z(), low - 1e-3) << speed;
    }
}

}   // namespace
}   // namespace stickslip
