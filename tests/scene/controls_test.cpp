// Controls and sensors of scene documents.
#include "stickslip/scene/controls.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>

#include "scene_text.h"
#include "stickslip/step/stepper.h"

namespace stickslip::controls_test {
namespace {

using ::testing::HasSubstr;

/// An arm with a servo, a wheel with a motor and a slide without anything, and what stands beside them.
std::string scene_with(const std::string& more) {
  return fmt::format(R"({{"gravity": [0, 0, 0], "bodies": [
    {{"name": "arm", "mass": 1, "shape": {{"type": "sphere", "radius": 0.1}}}},
    {{"name": "wheel", "mass": 1, "shape": {{"type": "sphere", "radius": 0.1}}, "position": [1, 0, 0]}},
    {{"name": "block", "mass": 2, "shape": {{"type": "sphere", "radius": 0.1}}, "position": [2, 0, 0]}}],
   "joints": [
    {{"name": "shoulder", "type": "hinge", "b": "arm", "anchor": [0, 0, 0], "servo": {{"stiffness": 10, "damping": 1}}}},
    {{"name": "axle", "type": "cylindrical", "b": "wheel", "anchor": [1, 0, 0],
     "axes": {{"turn_z": {{"motor": {{"speed": 0, "max_force": 5}}}}}}}},
    {{"name": "left.slide", "type": "prismatic", "b": "block", "anchor": [2, 0, 0]}}]{}}})",
                     more);
}

Scene controlled(const std::string& table) {
  Scene scene = parse_scene(scene_with(""), "s.json");
  parse_controls(table, "walk.csv", scene.world);
  return scene;
}

const JointAxis& axis(const Scene& scene, const char* joint, int coordinate) {
  return scene.world.joint(scene.world.find_joint(joint)).description.axes[static_cast<std::size_t>(coordinate)];
}

std::string refusal(const std::string& table) {
  try {
    controlled(table);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(Controls, become_the_paths_of_servos_motors_and_efforts) {
  const Scene scene = controlled(
      "# a comment\ntime,shoulder:target, axle:speed "
      ",axle.z:effort,\"left.slide:effort\"\n\n0,0.1,1,,2\r\n0.5,0.2,,3,4\n1e0,-0.3,2,,5");
  EXPECT_EQ(axis(scene, "shoulder", joint_turn_z).servo->path, (JointPath{{0, 0.1}, {0.5, 0.2}, {1, -0.3}}));
  EXPECT_EQ(axis(scene, "axle", joint_turn_z).motor->path, (JointPath{{0, 1}, {1, 2}}));
  EXPECT_EQ(axis(scene, "axle", joint_z).effort->path, (JointPath{{0.5, 3}}));
  EXPECT_EQ(axis(scene, "left.slide", joint_z).effort->path, (JointPath{{0, 2}, {0.5, 4}, {1, 5}})) << "a name with a point";
}

TEST(Controls, mistakes_are_named_with_file_line_column_and_remedy) {
  EXPECT_EQ(refusal(""), "walk.csv: It is empty. Its first line names the columns: time,joint:effort,….");
  EXPECT_EQ(refusal("t,shoulder:target\n"), "walk.csv: line 1, column 't': The first column must be 'time' [s].");
  EXPECT_EQ(refusal("time\n0\n"), "walk.csv: It drives nothing. Add columns such as 'joint:effort'.");
  EXPECT_THAT(refusal("time,shoulder\n"), HasSubstr("walk.csv: line 1, column 'shoulder': This is not 'joint:quantity'"));
  EXPECT_THAT(refusal("time,shoulder:torque\n"), HasSubstr("column 'shoulder:torque': There is no quantity 'torque'."));
  EXPECT_THAT(refusal("time,sholder:target\n"), HasSubstr("There is no joint 'sholder'. Did you mean 'shoulder'?"));
  EXPECT_THAT(refusal("time,shoulder:speed\n"), HasSubstr("The joint 'shoulder' has no motor, which a speed is for."));
  EXPECT_THAT(refusal("time,axle.z:speed\n"), HasSubstr("The joint 'axle' has no motor along z."));
  EXPECT_THAT(refusal("time,axle:effort\n"),
              HasSubstr("several coordinates that could be meant: z, turn_z. Name one, as in 'axle.z:effort'"));
  EXPECT_THAT(refusal("time,shoulder:target,shoulder.turn_z:target\n"), HasSubstr("Another column drives the same."));
  EXPECT_EQ(refusal("time,shoulder:target\n0,abc\n"),
            "walk.csv: line 2, column 'shoulder:target': 'abc' is not a finite number. Write it as in 0.5 or 1e-3.");
  EXPECT_EQ(refusal("time,shoulder:target\n\n1,0\n1,1\n"),
            "walk.csv: line 4, column 'time': 1 s comes after 1 s. Times must increase.");
  EXPECT_THAT(refusal("time,shoulder:target\n1,0,3\n"), HasSubstr("walk.csv: line 2 has 3 cells and the first line 2."));
  EXPECT_THAT(refusal("time,shoulder:target,axle:speed\n1,0,\n"), HasSubstr("Column 'axle:speed' holds no value."));
  EXPECT_EQ(error_of(scene_with(R"(, "controls": {"file": "missing.csv"})")),
            "missing.csv: /controls/file: There is no such file.");
  EXPECT_THAT(error_of(scene_with(R"(, "controls": {})")), HasSubstr("/controls"));
}

TEST(Controls, a_scene_reads_its_file_and_its_document_holds_the_table) {
  std::string folder = std::filesystem::temp_directory_path() / "stickslip-XXXXXX";
  ASSERT_TRUE(::mkdtemp(folder.data()));
  const auto there = std::filesystem::path(folder);
  std::ofstream(there / "push.csv") << "time,left.slide:effort\n0,4\n";
  std::ofstream(there / "s.json") << scene_with(R"(, "controls": {"file": "push.csv"})");
  Scene scene = load_scene((there / "s.json").string());
  std::filesystem::remove_all(there);
  Scene again = parse_scene(scene.document, "elsewhere.json");
  for (Scene* s : {&scene, &again}) {
    Stepper stepper(s->step);
    for (int i = 0; i < 100; ++i) stepper.step(s->world);
    EXPECT_NEAR(named(*s, "block").velocity.z(), 2, 1e-6) << "4 N on 2 kg for a second";
  }
  EXPECT_EQ(scene.world.state_hash(), again.world.state_hash());
}

TEST(SceneSensors, are_read_and_written) {
  const Scene scene = parse_scene(scene_with(R"(, "sensors": [
    {"name": "touch", "type": "contact", "body": "arm", "from": "block"}, {"name": "hip", "type": "joint", "joint": "shoulder"},
    {"name": "turn", "type": "joint", "joint": "axle", "coordinate": "turn_z"},
    {"name": "imu", "type": "inertial", "body": "arm", "position": [0, 0, 0.1], "rotation": {"axis": [1, 0, 0], "degrees": 90}},
    {"name": "eye", "type": "ray", "body": "arm", "origin": [0.1, 0, 0], "direction": [1, 0, 0], "range": 2},
    {"name": "hand", "type": "frame", "body": "arm", "position": [0.1, 0, 0], "axes": "own",
     "from": {"body": "block", "position": [0, 0, 0.2], "rotation": {"axis": [0, 0, 1], "degrees": 90}}},
    {"name": "fixed", "type": "frame", "body": "arm"},
    {"name": "cell", "type": "load", "joint": "axle", "position": [0, 1, 0]}])"),
                                  "s.json");
  ASSERT_EQ(scene.sensors.size(), 8u);
  const std::string text = sensors_to_text(scene.world, scene.sensors);
  const std::vector<Sensor> again = sensors_from_text(text, scene.world);
  EXPECT_EQ(sensors_to_text(scene.world, again), text);
  EXPECT_EQ(std::get<JointSensor>(again[2].what).coordinate, joint_turn_z);
  EXPECT_EQ(std::get<RaySensor>(again[4].what).range, 2);
  EXPECT_TRUE(std::get<FrameSensor>(again[5].what).own_axes);
  EXPECT_EQ(std::get<FrameSensor>(again[5].what).from.pose.position.z(), 0.2);
  EXPECT_EQ(std::get<InertialSensor>(again[3].what).frame.orientation.coeffs(),
            std::get<InertialSensor>(scene.sensors[3].what).frame.orientation.coeffs());
}

TEST(SceneSensors, mistakes_name_their_place) {
  const auto refused = [](const std::string& sensor) {
    return error_of(scene_with(fmt::format(R"(, "sensors": [{}])", sensor)));
  };
  EXPECT_THAT(refused(R"({"name": "a", "type": "camera"})"), HasSubstr("/sensors/0/type"));
  EXPECT_THAT(refused(R"({"name": "a", "type": "contact", "body": "amr"})"),
              HasSubstr("/sensors/0/body: There is no body 'amr'"));
  EXPECT_THAT(refused(R"({"name": "a", "type": "joint", "joint": "axle"})"), HasSubstr("several free coordinates"));
  EXPECT_THAT(refused(R"({"name": "a", "type": "load", "joint": "axel"})"), HasSubstr("/sensors/0/joint: "));
  EXPECT_THAT(refused(R"({"name": "a", "type": "frame", "body": "arm", "from": {"body": "blck"}})"),
              HasSubstr("/sensors/0/from/body: There is no body 'blck'"));
  EXPECT_THAT(refused(R"({"name": "a", "type": "ray", "direction": [0, 0, 0]})"), HasSubstr("/sensors/0/direction"));
  EXPECT_THAT(refused(R"({"name": "a", "type": "ray", "direction": [0, 0, 1], "range": -1})"), HasSubstr("is not a range"));
  const std::string one = R"({"name": "a", "type": "joint", "joint": "shoulder"})";
  EXPECT_THAT(refused(one + ", " + one), HasSubstr("/sensors/1: There is another sensor 'a'"));
}

}   // namespace
}   // namespace stickslip::controls_test
