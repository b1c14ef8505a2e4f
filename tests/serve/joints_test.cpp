// Joints in the live view: what frames say about them, and motors and servos that viewers drive.
#include <gtest/gtest.h>

#include "serve/joints.h"
#include "serve/viewer.h"
#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

using namespace test;

JointDescription hinge(const World& world, const std::string& name, BodyId b, const Vec3& anchor) {
  JointDescription d;
  d.name = name;
  d.type = JointType::hinge;
  d.b = b;
  place_joint(d, world, anchor, Vec3::UnitY());
  return d;
}

/// A wheel with a motor, an arm with a servo, and a weight of 10 kg on a hook.
Scene machines() {
  Scene scene;
  scene.name = "machines";
  scene.document = "{}";
  World& world = scene.world;
  JointDescription wheel = hinge(world, "wheel", world.add(body_of(Sphere{0.2}, {0, 0, 1}, "wheel body")), {0, 0, 1});
  wheel.axes[joint_turn_z].motor = JointMotor{2, 1e4};
  world.add(wheel);
  JointDescription arm = hinge(world, "arm", world.add(body_of(Sphere{0.2}, {2, 0, 1}, "arm body")), {2, 0, 1});
  arm.axes[joint_turn_z].servo = JointServo{0, 5000, 400, 1e4, {{0, 0}, {1, 0.1}}};
  arm.axes[joint_turn_z].lower = -2;
  world.add(arm);
  BodyDescription weight = body_of(Sphere{0.1}, {4, 0, 1}, "weight");
  weight.mass = 10;
  JointDescription hook;
  hook.name = "hook";
  hook.type = JointType::ball;
  hook.b = world.add(weight);
  place_joint(hook, world, {4, 0, 1.5});
  world.add(hook);
  return scene;
}

TEST(LiveJoints, frames_bring_the_forces_and_coordinates_that_the_same_steps_give_elsewhere) {
  Scene same = machines();
  Server server(machines(), paused());
  Viewer viewer(server), other(server);
  ASSERT_EQ(viewer.description["joints"].size(), 3u);
  viewer.send({{"type", "want"}, {"joints", true}});
  viewer.step(7);
  ASSERT_TRUE(viewer.until([&] { return viewer.frame.joints.size() == 3; }));
  Stepper stepper(same.step);
  StepReport report;
  while (same.world.step_count < viewer.frame.step) report = stepper.step(same.world);
  ASSERT_EQ(report.joints.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const ReceivedJoint& seen = viewer.frame.joints[i];
    const JointRecord& record = report.joints[i];
    EXPECT_EQ(seen.state, 0);
    EXPECT_FLOAT_EQ(seen.error, static_cast<float>(record.error));
    for (int k = 0; k < 3; ++k) {
      EXPECT_FLOAT_EQ(seen.force[k], static_cast<float>(record.force[k]));
      EXPECT_FLOAT_EQ(seen.torque[k], static_cast<float>(record.torque[k]));
    }
    for (std::size_t c = 0; c < seen.free.size(); ++c) {
      const auto at = static_cast<std::size_t>(
          joint_coordinate_from_name(viewer.description["joints"][i]["free"][c]["coordinate"].get<std::string>()));
      EXPECT_FLOAT_EQ(seen.free[c].position, static_cast<float>(record.position[at]));
      EXPECT_FLOAT_EQ(seen.free[c].velocity, static_cast<float>(record.velocity[at]));
      EXPECT_FLOAT_EQ(seen.free[c].motor, static_cast<float>(record.motor_force[at]));
    }
  }
  EXPECT_NEAR(viewer.frame.joints[2].force[2], 98.1, 1e-3) << "the hook carries the weight";
  ASSERT_TRUE(other.until([&] { return other.frame.step == viewer.frame.step; }));
  EXPECT_EQ(other.frame.flags & 8, 0) << "the other viewer did not ask";
}

TEST(LiveJoints, before_the_first_step_joints_rest_where_they_are) {
  Server server(machines(), paused());
  Viewer viewer(server);
  viewer.send({{"type", "want"}, {"joints", true}});
  ASSERT_TRUE(viewer.until([&] { return viewer.frame.joints.size() == 3; }));
  for (const ReceivedJoint& joint : viewer.frame.joints) {
    EXPECT_EQ(joint.state, 3);
    for (const float x : joint.force) EXPECT_EQ(x, 0);
  }
}

TEST(LiveJoints, a_scene_without_joints_never_brings_them) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  viewer.send({{"type", "want"}, {"joints", true}});
  viewer.step(3);
  EXPECT_EQ(viewer.frame.flags & 8, 0);
  EXPECT_FALSE(viewer.description.contains("joints"));
}

TEST(LiveJoints, a_motor_turns_at_the_speed_that_a_viewer_sets_and_all_are_told) {
  Server server(machines(), paused());
  Viewer viewer(server), other(server);
  viewer.send({{"type", "want"}, {"joints", true}});
  viewer.step(5);
  EXPECT_NEAR(viewer.frame.joints.at(0).free.at(0).velocity, 2, 1e-4);
  viewer.send({{"type", "joint"}, {"name", "wheel"}, {"speed", -7.5}});
  const Json told = other.wait_for("joint");
  EXPECT_EQ(told, (Json{{"type", "joint"}, {"name", "wheel"}, {"coordinate", "turn_z"}, {"speed", -7.5}}));
  viewer.step(5);
  EXPECT_NEAR(viewer.frame.joints.at(0).free.at(0).velocity, -7.5, 1e-4);
  Viewer late(server);
  EXPECT_EQ(late.wait_for("joint"), told) << "whoever comes later is told too";
  viewer.send({{"type", "reset"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 2; }));
  viewer.step(5);
  ASSERT_TRUE(viewer.until([&] { return viewer.frame.joints.size() == 3; }));
  EXPECT_NEAR(viewer.frame.joints.at(0).free.at(0).velocity, 2, 1e-4) << "reset brings back the scene's own";
}

TEST(LiveJoints, a_servo_goes_to_the_target_that_a_viewer_sets_and_leaves_its_path) {
  Server server(machines(), paused());
  Viewer viewer(server);
  viewer.send({{"type", "want"}, {"joints", true}});
  viewer.send({{"type", "joint"}, {"name", "arm"}, {"coordinate", "turn_z"}, {"target", -0.8}});
  viewer.step(600);
  EXPECT_NEAR(viewer.frame.joints.at(1).free.at(0).position, -0.8, 1e-3);
}

TEST(LiveJoints, a_command_wakes_bodies_that_sleep) {
  Scene scene = machines();
  scene.step.sleep.enabled = true;
  scene.step.sleep.time = 0.05;
  World& world = scene.world;
  JointAxis axis = world.joint(world.find_joint("wheel")).description.axes[joint_turn_z];
  axis.motor->speed = 0;
  world.set_joint_axis(world.find_joint("wheel"), joint_turn_z, axis);
  Server server(std::move(scene), paused());
  Viewer viewer(server);
  viewer.send({{"type", "want"}, {"joints", true}});
  viewer.step(100);
  ASSERT_EQ(viewer.bodies[0].state, 1) << "it sleeps";
  viewer.send({{"type", "joint"}, {"name", "wheel"}, {"speed", 3}});
  viewer.step(5);
  EXPECT_EQ(viewer.bodies[0].state, 0);
  EXPECT_NEAR(viewer.frame.joints.at(0).free.at(0).velocity, 3, 1e-4);
}

TEST(LiveJoints, what_cannot_be_driven_is_named) {
  Server server(machines(), paused());
  Viewer viewer(server);
  const auto answer = [&](Json message) {
    message["type"] = "joint";
    viewer.send(message);
    const Json error = viewer.wait_for("error");
    EXPECT_EQ(error["of"], "joint");
    return error["message"].get<std::string>();
  };
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(says, answer({{"name", "weel"}, {"speed", 1}}), "wheel");
  EXPECT_PRED2(says, answer({{"name", "hook"}, {"speed", 1}}), "'hook' has no motor");
  EXPECT_PRED2(says, answer({{"name", "wheel"}, {"target", 1}}), "'wheel' has no servo");
  EXPECT_PRED2(says, answer({{"name", "wheel"}, {"coordinate", "z"}, {"speed", 1}}), "no motor on z. It has one on turn_z");
  EXPECT_PRED2(says, answer({{"name", "wheel"}, {"coordinate", "turn_w"}, {"speed", 1}}), "turn_w");
  viewer.step(2);
}

TEST(LiveJoints, a_broken_joint_is_not_driven) {
  Scene scene = machines();
  scene.world.mutable_joints()[scene.world.find_joint("wheel").index].broken = true;
  try {
    serve::drive(scene.world, {"wheel", {}, 1.0, {}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'wheel' is broken"), std::string::npos);
  }
}

TEST(LiveJoints, of_two_motors_one_must_be_named) {
  Scene scene = machines();
  World& world = scene.world;
  JointDescription d;
  d.name = "sleeve";
  d.type = JointType::cylindrical;
  d.b = world.add(body_of(Sphere{0.1}, {6, 0, 1}, "ring"));
  place_joint(d, world, {6, 0, 1});
  d.axes[joint_z].motor = JointMotor{0, 100};
  d.axes[joint_turn_z].motor = JointMotor{0, 100};
  const JointId id = world.add(d);
  EXPECT_THROW(serve::drive(world, {"sleeve", {}, 1.0, {}}), Error);
  EXPECT_EQ(serve::drive(world, {"sleeve", "z", 0.25, {}}), joint_z);
  EXPECT_EQ(world.joint(id).description.axes[joint_z].motor->speed, 0.25);
  EXPECT_EQ(world.joint(id).description.axes[joint_turn_z].motor->speed, 0);
}

}   // namespace
}   // namespace stickslip
