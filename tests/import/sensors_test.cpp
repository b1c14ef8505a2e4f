// Sensors and tendons between sites of MJCF files, against what MuJoCo makes of them.
#include <gmock/gmock.h>

#include "imported.h"
#include "stickslip/step/sensors.h"
#include "stickslip/step/stepper.h"

namespace stickslip::import_sensors_test {
namespace {

using test::found;
using test::import_text;
using test::Mujoco;
using test::OneFile;
using test::refusal;
using test::scene_of;
using ::testing::HasSubstr;
using Kind = ImportFinding::Kind;

constexpr const char* kPendulum = R"(<mujoco><option timestep="0.0005" integrator="RK4"/><compiler angle="radian"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <site name="lamp" pos="0.3 0 3" zaxis="0 0 -1"/>
    <body name="arm" pos="0 0 2"><joint name="hip" axis="0 1 0"/>
      <geom type="box" size="0.02 0.05 0.3" pos="0 0 -0.3"/>
      <site name="head" pos="0.1 0 -0.2" euler="0.3 0.2 0.1"/>
      <site name="hand" pos="0 0 -0.62" zaxis="0 0 -1"/>
      <body name="wrist" pos="0 0.15 -0.5" euler="0.1 0 0.4"><geom size="0.04" pos="0.05 0 0.02" mass="0.3"/>
        <site name="cell" pos="0 0.01 0" euler="0.2 0.5 0"/></body></body>
    <body name="swing" pos="2 0 2"><joint name="rope" axis="1 1 0"/><geom size="0.1" pos="0 0 -0.5" mass="1"/>
      <site name="seat" pos="0 0 -0.5" euler="0.4 0 0"/></body>
  </worldbody>
  <actuator><motor name="drive" joint="hip" gear="2"/></actuator>
  <sensor>
    <jointpos name="angle" joint="hip"/><jointvel name="rate" joint="hip"/><actuatorfrc name="torque" actuator="drive"/>
    <gyro name="turn" site="head"/><accelerometer name="pull" site="head"/>
    <rangefinder name="eye" site="hand"/><rangefinder name="down" site="lamp" cutoff="10"/>
    <touch name="skin" site="hand"/><clock/>
    <framepos name="place" objtype="site" objname="cell"/><framequat name="pose" objtype="xbody" objname="wrist"/>
    <framepos name="centre" objtype="body" objname="wrist"/><velocimeter name="speed" site="cell"/>
    <framelinvel name="slide" objtype="site" objname="cell"/><frameangvel name="spin" objtype="site" objname="cell"/>
    <framepos name="from" objtype="site" objname="cell" reftype="site" refname="seat"/>
    <framequat name="turned" objtype="site" objname="cell" reftype="xbody" refname="swing"/>
    <framelinvel name="past" objtype="site" objname="cell" reftype="site" refname="seat"/>
    <frameangvel name="against" objtype="site" objname="cell" reftype="site" refname="seat"/>
    <force name="push" site="cell"/><torque name="twist" site="cell"/>
    <force name="hang" site="head"/><torque name="drive" site="head"/><force name="floats" site="lamp"/>
  </sensor></mujoco>)";

TEST(ImportedSensors, tell_what_those_of_mujoco_tell) {
  const OneFile file("pendulum.xml", kPendulum);
  Mujoco mujoco(file.path());
  const ImportedScene imported = import_robot(file.path());
  EXPECT_TRUE(found(imported, Kind::ignored, "line", "<clock>: there is no such sensor here"));
  EXPECT_TRUE(found(imported, Kind::ignored, "floats", "a body that does not move"));
  EXPECT_TRUE(found(imported, Kind::ignored, "touch", "all contacts of the body"));
  Scene scene = scene_of(imported);
  ASSERT_EQ(scene.sensors.size(), 22u);
  scene.step.h = 5e-4;
  scene.step.tolerance = 1e-10;
  SensorReader reader(scene.world, scene.sensors);
  Stepper stepper(scene.step);
  scene.world.set_effort(scene.world.find_joint("hip"), joint_turn_z, 1.5);
  mujoco.data->ctrl[0] = 0.75;
  std::vector<double> values;
  for (int i = 0; i < 800; ++i) {
    mj_step(mujoco.model, mujoco.data);
    const auto now = reader.read(scene.world, stepper.step(scene.world));
    values.assign(now.begin(), now.end());
  }
  mj_forward(mujoco.model, mujoco.data);
  const auto theirs = [&](const char* name) {
    return mujoco.data->sensordata + mujoco.model->sensor_adr[mj_name2id(mujoco.model, mjOBJ_SENSOR, name)];
  };
  const auto ours = [&](const std::string& sensor, const std::string& channel) {
    for (std::size_t i = 0; i < reader.channels().size(); ++i)
      if (scene.sensors[reader.channels()[i].sensor].name == sensor && reader.channels()[i].quantity == channel)
        return values[i];
    ADD_FAILURE() << sensor << ' ' << channel;
    return 0.0;
  };
  EXPECT_NEAR(ours("angle", "position"), *theirs("angle"), 1e-3);
  EXPECT_NEAR(ours("rate", "velocity"), *theirs("rate"), 5e-3);
  EXPECT_GT(std::abs(*theirs("rate")), 0.1) << "it moves";
  EXPECT_NEAR(ours("torque", "effort"), 2 * *theirs("torque"), 1e-6) << "of the joint, and theirs before the gear";
  const auto expect_same = [&](const char* sensor, const std::string& quantity, double tolerance) {
    const Vec3 value(ours(sensor, quantity + "_x"), ours(sensor, quantity + "_y"), ours(sensor, quantity + "_z"));
    EXPECT_LT((value - Vec3(theirs(sensor))).norm(), tolerance) << sensor << ": " << value.transpose();
    EXPECT_GT(value.norm(), 3 * tolerance) << sensor << " says something";
  };
  expect_same("turn", "angular_velocity", 5e-3);
  expect_same("pull", "acceleration", 5e-2);
  for (const char* place : {"place", "centre", "from"}) expect_same(place, "position", 2e-3);
  for (const char* speed : {"speed", "slide", "past"}) expect_same(speed, "velocity", 5e-3);
  for (const char* spin : {"spin", "against"}) expect_same(spin, "angular_velocity", 5e-3);
  for (const char* force : {"push", "hang"}) expect_same(force, "force", 5e-2);
  for (const char* torque : {"twist", "drive"}) expect_same(torque, "torque", 5e-3);
  for (const char* pose : {"pose", "turned"}) {
    double same = 0;
    for (int k = 0; k < 4; ++k) same += ours(pose, std::string("orientation_") + "wxyz"[k]) * theirs(pose)[k];
    EXPECT_NEAR(std::abs(same), 1, 1e-5) << pose;
  }
  EXPECT_NEAR(ours("eye", "distance"), *theirs("eye"), 2e-3);
  EXPECT_NEAR(ours("down", "distance"), 3, 1e-6);
}

TEST(ImportedSensors, of_what_is_not_there_are_errors_with_the_nearest_name) {
  std::string text = kPendulum;
  text.replace(text.find("site=\"head\""), 11, "site=\"heda\"");
  EXPECT_THAT(refusal("xml", text), HasSubstr("There is no site 'heda'. Did you mean 'head'?"));
}

TEST(ImportedTendons, with_one_stretch_that_changes_are_springs_ropes_and_drives_of_their_length) {
  const OneFile file("tendons.xml", R"(<mujoco><option timestep="0.0005" integrator="RK4"/><worldbody>
      <site name="hook" pos="0 0 2"/><site name="eye" pos="2 0 2"/><site name="wall" pos="4 0 1"/>
      <body name="bob" pos="0 0 1.2"><freejoint/><geom size="0.05" mass="0.5"/><site name="ring" pos="0 0 0.1"/></body>
      <body name="stone" pos="2.6 0 1.6"><freejoint/><geom size="0.05" mass="2"/><site name="loop"/></body>
      <body name="bucket" pos="-1 0 1.4"><freejoint/><geom size="0.05" mass="0.4"/><site name="drop"/></body>
      <body name="block" pos="-1 0 2.2"><geom size="0.02"/><site name="bolt"/></body>
      <body name="cart" pos="5 0 1"><joint type="slide" axis="1 0 0" name="rail"/>
        <geom size="0.1" mass="1"/><site name="nose"/></body>
    </worldbody>
    <tendon>
      <spatial name="spring" stiffness="60" damping="0.3" springlength="0.5"><site site="hook"/><site site="ring"/></spatial>
      <spatial name="rope" limited="true" range="0 0.9"><site site="eye"/><site site="loop"/></spatial>
      <spatial name="winch"><site site="wall"/><site site="nose"/></spatial>
      <spatial name="guided" stiffness="40" springlength="3.5" damping="0.2" limited="true" range="0 4.5">
        <site site="eye"/><site site="hook"/><site site="bolt"/><site site="drop"/></spatial>
      <spatial name="pulley"><site site="ring"/><site site="hook"/><site site="loop"/></spatial>
    </tendon>
    <actuator><motor name="pull" tendon="winch" gear="1"/></actuator>
    <sensor><tendonpos name="length" tendon="winch"/><tendonpos name="far" tendon="guided"/></sensor></mujoco>)");
  Mujoco mujoco(file.path());
  const ImportedScene imported = import_robot(file.path());
  EXPECT_TRUE(found(imported, Kind::not_supported, "spatial", "several stretches between bodies"));
  EXPECT_TRUE(found(imported, Kind::ignored, "far", "add 3.0198 m"));
  Scene scene = scene_of(imported);
  World& world = scene.world;
  ASSERT_EQ(world.joint_count(), 5u);
  scene.step.h = 5e-4;
  Stepper stepper(scene.step);
  world.set_effort(world.find_joint("winch"), joint_x, -0.8);
  mujoco.data->ctrl[0] = -0.8;
  for (int i = 0; i < 1000; ++i) mj_step(mujoco.model, mujoco.data), stepper.step(world);
  mj_forward(mujoco.model, mujoco.data);
  for (const char* name : {"bob", "cart", "bucket"}) {
    const int id = mj_name2id(mujoco.model, mjOBJ_BODY, name);
    EXPECT_LT((world.body(world.find(name)).position - Vec3(mujoco.data->xipos + 3 * id)).norm(), 2e-3) << name;
  }
  EXPECT_NEAR(world.body(world.find("cart")).position.x(), 5 - 0.5 * 0.8 * 0.25, 1e-3);
  EXPECT_NEAR((world.body(world.find("stone")).position - Vec3(2, 0, 2)).norm(), 0.9, 1e-4)
      << "the rope is taut, and rigid here";
  ASSERT_EQ(scene.sensors.size(), 2u);
  EXPECT_NEAR(world.joint_position(std::get<JointSensor>(scene.sensors[0].what).joint, joint_x), 0.9, 1e-3);
}

}   // namespace
}   // namespace stickslip::import_sensors_test
