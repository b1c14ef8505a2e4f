// The examples of docs/joints.md run, and do what physics says.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "places.h"
#include "scene/scene_text.h"
#include "stickslip/step/stepper.h"

namespace stickslip::joint_manual_test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(std::filesystem::path(places::kSourceDir) / file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// All blocks of a language in the manual.
std::vector<std::string> blocks(const std::string& language) {
  const std::string manual = text_of("docs/joints.md"), fence = "```" + language + "\n";
  std::vector<std::string> result;
  for (std::size_t at = manual.find(fence); at != std::string::npos; at = manual.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    result.push_back(manual.substr(begin, manual.find("```", begin) - begin));
  }
  return result;
}

// What stands between the two marks stands in the manual, word for word.
World arm_of_the_manual(JointRecord& result) {
  // begin of the example
  World world;
  const BodyId arm =
      world.add({.name = "arm", .parts = {{Box{{0.25, 0.02, 0.02}}, {}, {}}}, .pose = {{0.25, 0, 1}}, .mass = 2.0});

  JointDescription shoulder{.name = "shoulder", .type = JointType::hinge, .b = arm};   // a is the world
  place_joint(shoulder, world, {0, 0, 1}, -Vec3::UnitY());                             // a point and the axis, in the world
  JointAxis& angle = shoulder.axes[joint_turn_z];
  angle.lower = -1;
  angle.servo = JointServo{.target = 0.5, .stiffness = 200, .damping = 20, .max_force = 50};
  const JointId id = world.add(shoulder);

  StepOptions options;
  options.h = 0.005;
  Stepper stepper(options);
  const StepReport* step = nullptr;
  for (int i = 0; i < 1000; ++i) step = &stepper.step(world);
  const JointRecord& record = *step->joint(id);
  // record.position[joint_turn_z] [rad], record.motor_force[joint_turn_z] [N m], record.force on the arm [N], …
  // end of the example
  result = record;
  return world;
}

TEST(JointManual, the_example_in_cpp_is_the_one_that_is_tested_here) {
  std::string source = text_of("tests/scene/joint_manual_test.cpp");
  const std::string begin = "  // begin of the example\n";
  source = source.substr(source.find(begin) + begin.size());
  source = source.substr(0, source.find("  // end of the example\n"));
  std::string example;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = source.find('\n', at);
    const std::string line = source.substr(at, end - at);
    example += (line.starts_with("  ") ? line.substr(2) : line) + "\n";
    at = end + 1;
  }
  ASSERT_EQ(blocks("cpp").size(), 1u);
  EXPECT_EQ(blocks("cpp")[0], example);
}

TEST(JointManual, the_arm_rests_where_the_servo_carries_its_weight) {
  JointRecord record;
  arm_of_the_manual(record);
  const double weight = 2 * 9.81, angle = record.position[joint_turn_z];
  EXPECT_GT(angle, 0.4);
  const double tolerance = 1e-6 * weight;   // of the solve, 1e-6 |g| h, as a force on the arm
  EXPECT_NEAR(200 * (0.5 - angle), weight * 0.25 * std::cos(angle), tolerance);
  EXPECT_NEAR(record.motor_force[joint_turn_z], weight * 0.25 * std::cos(angle), tolerance);
  EXPECT_LT((record.force - Vec3(0, 0, weight)).norm(), tolerance);
}

TEST(JointManual, the_example_in_json_is_the_same_arm) {
  ASSERT_FALSE(blocks("json").empty());
  Scene scene = parse_scene(blocks("json")[0], "manual.json");
  EXPECT_TRUE(scene.warnings.empty());
  Stepper stepper(scene.step);
  for (int i = 0; i < 1000; ++i) stepper.step(scene.world);
  JointRecord record;
  EXPECT_EQ(scene.world.state_hash(), arm_of_the_manual(record).state_hash());
}

TEST(JointManual, the_other_examples_load_without_warnings) {
  const auto fragments = blocks("json");
  EXPECT_GE(fragments.size(), 5u);
  for (std::size_t i = 1; i < fragments.size(); ++i) {
    const auto body = [](const char* name, int x) {
      return fmt::format(R"({{"name": "{}", "shape": {{"type": "sphere", "radius": 0.1}}, "position": [{}, 0, 1]}})", name, x);
    };
    const std::string text =
        fmt::format(R"({{"bodies": [{}, {}], "joints": [{}]}})", body("left", 0), body("right", 1), fragments[i]);
    SCOPED_TRACE(fragments[i]);
    EXPECT_EQ(error_of(text), "");
    EXPECT_TRUE(parse_scene(text, "s").warnings.empty());
  }
}

}   // namespace
}   // namespace stickslip::joint_manual_test
