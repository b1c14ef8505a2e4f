#include "stickslip/world/joint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "error_message.h"
#include "stickslip/math/error.h"
#include "stickslip/world/world.h"

namespace stickslip {
namespace {

constexpr double kPi = std::numbers::pi;

BodyId add_mass(World& world, const Pose& pose) {
  BodyDescription d;
  d.mass_properties = MassProperties{1, {0.1, -0.2, 0.05}, Vec3(0.02, 0.03, 0.04).asDiagonal()};
  d.pose = pose;
  return world.add(d);
}

struct TwoBodies {
  World world;
  BodyId a, b;
  TwoBodies() : a(add_mass(world, {{0, 0, 1}, Quat::Identity()})), b(add_mass(world, {{0.5, 0, 1}, Quat::Identity()})) {}

  JointDescription joint(JointType type) const {
    JointDescription d;
    d.type = type;
    d.a = a;
    d.b = b;
    place_joint(d, world, {0.2, 0.1, 1.1}, {0.3, -0.2, 1});
    return d;
  }
};

/// Moves a body with its velocities for a short time, forwards or back.
void drift(World& world, BodyId id, double time) {
  Body& body = world.mutable_bodies()[id.index];
  body.position += time * body.velocity;
  body.orientation = (rotation_from_vector(time * body.angular_velocity) * body.orientation).normalized();
}

Vec3 random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> d(-size, size);
  return {d(random), d(random), d(random)};
}

/// Largest difference between the rate that the rows give and the one that finite differences of the coordinates give.
double worst_rate(JointType type, std::mt19937& random) {
  TwoBodies scene;
  const JointId id = scene.world.add(scene.joint(type));
  for (const BodyId body : {scene.a, scene.b}) {
    Body& b = scene.world.mutable_bodies()[body.index];
    b.position += random_vector(random, 0.2);
    b.orientation = rotation_from_vector(random_vector(random, 0.6)) * b.orientation;
    b.velocity = random_vector(random, 1);
    b.angular_velocity = random_vector(random, 1);
  }
  const double step = 1e-6;
  const auto move = [&](double time) {
    drift(scene.world, scene.a, time);
    drift(scene.world, scene.b, time);
  };
  const JointPlace place = locate(scene.world, scene.world.joint(id));
  const Body a = scene.world.body(scene.a), b = scene.world.body(scene.b);
  move(step);
  const JointPlace later = locate(scene.world, scene.world.joint(id));
  move(-2 * step);
  const JointPlace earlier = locate(scene.world, scene.world.joint(id));
  const auto rate = [&](const JointRow& row) {
    return row.linear.dot(b.velocity - a.velocity) + row.angular_a.dot(a.angular_velocity) +
           row.angular_b.dot(b.angular_velocity);
  };
  double worst = 0;
  const std::size_t count = type == JointType::distance ? 1 : kJointCoordinates;
  for (std::size_t k = 0; k < count; ++k)
    worst = std::max(worst, std::abs((later.position[k] - earlier.position[k]) / (2 * step) - rate(place.row[k])));
  if (type == JointType::ball)
    worst = std::max(worst,
                     std::abs((swing_of(later).first - swing_of(earlier).first) / (2 * step) - rate(swing_of(place).second)));
  return worst;
}

TEST(JointRows, are_the_derivatives_of_the_coordinates) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i)
    for (const JointType type : {JointType::ball, JointType::six_dof, JointType::distance})
      EXPECT_LT(worst_rate(type, random), 2e-8) << joint_type_name(type);
}

TEST(JointPlace, a_placed_joint_has_all_coordinates_zero) {
  TwoBodies scene;
  const JointId id = scene.world.add(scene.joint(JointType::six_dof));
  for (int k = 0; k < kJointCoordinates; ++k)
    EXPECT_NEAR(scene.world.joint_position(id, k), 0, 1e-12) << joint_coordinate_name(k);
}

TEST(JointPlace, angles_count_on_over_whole_turns) {
  TwoBodies scene;
  const JointId id = scene.world.add(scene.joint(JointType::hinge));
  const Vec3 axis = Vec3(0.3, -0.2, 1).normalized();
  for (int i = 1; i <= 50; ++i) {
    Body& b = scene.world.mutable_bodies()[scene.b.index];
    b.orientation = rotation_from_vector(0.5 * axis) * b.orientation;
    const double angle = scene.world.joint_position(id, joint_turn_z);
    ASSERT_NEAR(angle, 0.5 * i, 1e-9);
    scene.world.mutable_joints()[id.index].turns[2] = angle;
  }
}

TEST(JointPlace, the_rotation_is_about_x_then_y_then_z) {
  TwoBodies scene;
  JointDescription d = scene.joint(JointType::ball);
  d.frame_a = d.frame_b = {};
  const JointId id = scene.world.add(d);
  const Quat turn = rotation_from_vector({0.7, 0, 0}) * rotation_from_vector({0, -0.4, 0}) * rotation_from_vector({0, 0, 2.5});
  scene.world.set_frame(scene.b, {{}, turn});
  EXPECT_NEAR(scene.world.joint_position(id, joint_turn_x), 0.7, 1e-12);
  EXPECT_NEAR(scene.world.joint_position(id, joint_turn_y), -0.4, 1e-12);
  EXPECT_NEAR(scene.world.joint_position(id, joint_turn_z), 2.5, 1e-12);
}

TEST(JointTypes, names_go_both_ways) {
  for (int i = 0; i < 11; ++i) EXPECT_EQ(static_cast<int>(joint_type_from_name(joint_type_name(static_cast<JointType>(i)))), i);
  for (int k = 0; k < kJointCoordinates; ++k) EXPECT_EQ(joint_coordinate_from_name(joint_coordinate_name(k)), k);
  EXPECT_THAT(testing::message_of([] { joint_type_from_name("hing"); }), ::testing::HasSubstr("hinge"));
}

TEST(JointWorld, a_removed_body_takes_its_joints_and_their_gears_with_it) {
  TwoBodies scene;
  const BodyId c = add_mass(scene.world, {{1, 0, 1}, Quat::Identity()});
  const JointId first = scene.world.add(scene.joint(JointType::hinge));
  JointDescription other = scene.joint(JointType::hinge);
  other.a = {};
  other.b = c;
  place_joint(other, scene.world, {1, 0, 1});
  const JointId second = scene.world.add(other);
  JointDescription gear;
  gear.type = JointType::gear;
  gear.first.joint = first;
  gear.second.joint = second;
  const JointId coupling = scene.world.add(gear);
  EXPECT_EQ(scene.world.joint_count(), 3u);
  scene.world.remove(scene.a);
  EXPECT_FALSE(scene.world.contains(first));
  EXPECT_FALSE(scene.world.contains(coupling));
  EXPECT_TRUE(scene.world.contains(second));
  EXPECT_EQ(scene.world.joint_count(), 1u);
}

TEST(JointWorld, joined_bodies_do_not_touch_until_the_joint_breaks) {
  TwoBodies scene;
  const JointId id = scene.world.add(scene.joint(JointType::ball));
  EXPECT_FALSE(scene.world.may_touch(scene.a.index, scene.b.index));
  EXPECT_FALSE(scene.world.may_touch(scene.b.index, scene.a.index));
  scene.world.break_joint(id);
  EXPECT_TRUE(scene.world.may_touch(scene.a.index, scene.b.index));
  scene.world.ignore_contacts(scene.b, scene.a);
  EXPECT_FALSE(scene.world.may_touch(scene.a.index, scene.b.index));
}

TEST(JointWorld, a_servo_follows_its_path) {
  const JointServo servo{7, 1, 1, 10, {{1, 0}, {2, 4}, {4, 4}, {5, 0}}};
  EXPECT_EQ(servo_target(servo, 0), std::pair(0.0, 0.0));
  EXPECT_EQ(servo_target(servo, 1.5), std::pair(2.0, 4.0));
  EXPECT_EQ(servo_target(servo, 3), std::pair(4.0, 0.0));
  EXPECT_EQ(servo_target(servo, 4.5), std::pair(2.0, -4.0));
  EXPECT_EQ(servo_target(servo, 9), std::pair(0.0, 0.0));
}

struct BadJoint {
  const char* name;
  std::function<void(JointDescription&)> spoil;
  const char* place;
};

class BadJoints : public ::testing::TestWithParam<BadJoint> {};

TEST_P(BadJoints, are_refused_with_their_place) {
  TwoBodies scene;
  JointDescription d = scene.joint(JointType::hinge);
  GetParam().spoil(d);
  try {
    scene.world.add(d);
    FAIL() << "was taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.pointer(), GetParam().place) << e.what();
  }
  EXPECT_EQ(scene.world.joint_count(), 0u);
}

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
const BadJoint kBadJoints[] = {
    {"no_body", [](JointDescription& d) { d.b = {}; }, "/b"},
    {"to_itself", [](JointDescription& d) { d.a = d.b; }, "/b"},
    {"limits_crossed", [](JointDescription& d) { d.axes[joint_turn_z].lower = 1, d.axes[joint_turn_z].upper = 0; },
     "/turn_z/lower"},
    {"motor_on_a_locked_axis",
     [](JointDescription& d) {
       d.axes[joint_x].motor = JointMotor{1, 1};
     },
     "/x"},
    {"spring_that_does_nothing", [](JointDescription& d) { d.axes[joint_turn_z].spring = JointSpring{}; },
     "/turn_z/spring/stiffness"},
    {"negative_force",
     [](JointDescription& d) {
       d.axes[joint_turn_z].motor = JointMotor{1, -2};
     },
     "/turn_z/motor/max_force"},
    {"path_that_goes_back",
     [](JointDescription& d) {
       d.axes[joint_turn_z].servo = JointServo{0, 1, 0, 1, {{1, 0}, {1, 2}}};
     },
     "/turn_z/servo/path/1"},
    {"frame_not_finite", [](JointDescription& d) { d.frame_b.position.x() = nan; }, "/frame_b/position"},
    {"swing_of_a_hinge", [](JointDescription& d) { d.swing_limit = 1; }, "/swing_limit"},
    {"screw_without_pitch", [](JointDescription& d) { d.type = JointType::screw; }, "/pitch"},
    {"gear_of_nothing", [](JointDescription& d) { d.type = JointType::gear; }, "/first/joint"},
    {"break_force_not_a_number", [](JointDescription& d) { d.break_force = nan; }, "/break_force"},
};
INSTANTIATE_TEST_SUITE_P(World, BadJoints, ::testing::ValuesIn(kBadJoints), [](const auto& joint) { return joint.param.name; });

TEST(JointWorld, two_bodies_that_forces_do_not_move_cannot_be_joined) {
  World world;
  BodyDescription d;
  d.motion = MotionType::fixed;
  d.parts = {{Sphere{1}, {}, {}}};
  const BodyId wall = world.add(d);
  JointDescription joint;
  joint.b = wall;
  EXPECT_THAT(testing::message_of([&] { world.add(joint); }), ::testing::HasSubstr("dynamic"));
}

TEST(JointWorld, the_angle_of_a_hinge_is_positive_about_its_axis) {
  TwoBodies scene;
  JointDescription d;
  d.type = JointType::hinge;
  d.b = scene.b;
  place_joint(d, scene.world, {0.5, 0, 1}, Vec3::UnitY());
  const JointId id = scene.world.add(d);
  scene.world.set_frame(scene.b, {{0.5, 0, 1}, rotation_from_vector({0, kPi / 3, 0})});
  EXPECT_NEAR(scene.world.joint_position(id, joint_turn_z), kPi / 3, 1e-12);
}

}   // namespace
}   // namespace stickslip
