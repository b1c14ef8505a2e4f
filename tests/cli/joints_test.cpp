// What a run says about joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../record/record_scenes.h"
#include "program.h"

namespace stickslip {
namespace {

using nlohmann::json;
using test::stickslip;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

json ball(const char* name, std::vector<double> position) {
  return {{"name", name}, {"shape", {{"type", "sphere"}, {"radius", 0.2}}}, {"position", position}};
}

/// One ball on a hook that holds, one on a thread that does not.
json hook_and_thread() {
  return {{"name", "hook and thread"},
          {"seconds", 0.2},
          {"bodies", {ball("held", {0, 0, 1}), ball("lost", {2, 0, 1})}},
          {"joints",
           {{{"name", "hook"}, {"type", "ball"}, {"b", "held"}, {"anchor", {0, 0, 2}}},
            {{"name", "thread"}, {"type", "ball"}, {"b", "lost"}, {"anchor", {2, 0, 2}}, {"break_force", 1}}}}};
}

TEST(JointSummary, counts_joints_and_names_those_that_broke) {
  const test::Directory directory;
  test::write_content(directory / "s.json", hook_and_thread().dump());
  const std::string file = (directory / "s.json").string();
  const json joints = json::parse(stickslip("run " + file + " --json").out).at("joints");
  EXPECT_EQ(joints.at("count"), 2);
  EXPECT_THAT(joints.at("broken").get<std::vector<std::string>>(), ElementsAre("thread"));
  EXPECT_TRUE(joints.at("conflicts").empty());
  EXPECT_LT(joints.at("error_max").get<double>(), 1e-3);
  const std::string text = stickslip("run " + file).out;
  EXPECT_THAT(text, HasSubstr("  joints       2 "));
  EXPECT_THAT(text, HasSubstr("1 broke: thread"));
  EXPECT_THAT(text, Not(HasSubstr("contradict")));
}

TEST(JointSummary, names_joints_that_contradict_each_other) {
  const test::Directory directory;
  // A ball welded to two carriages that go apart.
  json scene = hook_and_thread();
  scene["joints"] = json::array();
  for (const auto& [name, side] : {std::pair("left", -1.0), std::pair("right", 1.0)}) {
    json carriage = ball(name, {2 * side, 0, 1});
    carriage["motion"] = "kinematic";
    carriage["velocity"] = {side, 0, 0};
    scene["bodies"].push_back(carriage);
    scene["joints"].push_back(
        {{"name", std::string("weld-") + name}, {"type", "fixed"}, {"a", name}, {"b", "held"}, {"anchor", {side, 0, 1}}});
  }
  scene["bodies"].erase(1);
  test::write_content(directory / "s.json", scene.dump());
  const std::string file = (directory / "s.json").string();
  const json result = json::parse(stickslip("run " + file + " --json").out);
  EXPECT_THAT(result.at("joints").at("conflicts").get<std::vector<std::string>>(), ElementsAre("weld-left", "weld-right"));
  EXPECT_GT(result.at("joints").at("steps_with_conflicts").get<int>(), 0);
  EXPECT_TRUE(std::isfinite(result.at("energy").at("end").get<double>()));
  EXPECT_THAT(stickslip("run " + file).out, HasSubstr("these joints contradict each other: weld-left, weld-right"));
}

TEST(JointSummary, a_scene_without_joints_says_nothing_about_them) {
  const test::Directory directory;
  json scene = hook_and_thread();
  scene.erase("joints");
  test::write_content(directory / "s.json", scene.dump());
  EXPECT_THAT(stickslip("run " + (directory / "s.json").string()).out, Not(HasSubstr("joints")));
}

}   // namespace
}   // namespace stickslip
