// Robots on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../record/record_scenes.h"
#include "places.h"
#include "program.h"

namespace stickslip {
namespace {

using nlohmann::json;
using test::Directory;
using test::Finished;
using test::stickslip;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string robot(const std::string& name) { return std::string(places::kSourceDir) + "/scenes/robots/" + name; }

TEST(Import, the_scene_that_it_writes_is_the_one_that_run_takes_directly) {
  const Directory directory;
  for (const char* name : {"arm.urdf", "gripper.urdf", "walker.xml"}) {
    const std::string scene = directory / "scene.json";
    const Finished imported = stickslip("import " + robot(name) + " -o " + scene);
    ASSERT_EQ(imported.exit_code, 0) << imported.err;
    const Finished direct = stickslip("run " + robot(name) + " --steps 20 --json"),
                   written = stickslip("run " + scene + " --steps 20 --json");
    ASSERT_EQ(direct.exit_code, 0) << direct.err;
    ASSERT_EQ(written.exit_code, 0) << written.err;
    EXPECT_EQ(json::parse(direct.out).at("state_hash"), json::parse(written.out).at("state_hash")) << name;
  }
}

TEST(Import, meshes_become_what_is_asked_for) {
  const Directory directory;
  const std::string file = directory / "r.urdf", scene = directory / "scene.json";
  test::write_content(directory / "part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  test::write_content(
      file,
      "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial><collision><geometry><mesh filename='part.obj'/></geometry></collision></link></robot>");
  for (const auto& [option, text] : {std::pair{"", "\"hull\""},
                                     {" --hulls", "\"hull\""},
                                     {" --meshes hull", "\"hull\""},
                                     {" --meshes hulls", "\"as\": \"hulls\""},
                                     {" --meshes true", "\"file\": \"part.obj\""}}) {
    const Finished imported = stickslip("import --floating " + file + option + " -o " + scene);
    EXPECT_EQ(imported.exit_code, 0) << imported.err;
    EXPECT_THAT(test::content_of(scene), HasSubstr(text)) << option;
    EXPECT_EQ(stickslip("validate " + scene).exit_code, 0) << option;
  }
  const Finished wrong = stickslip("import " + file + " --meshes hul");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("Did you mean 'hull'?"));
  EXPECT_EQ(stickslip("import " + file + " --hulls --meshes true").exit_code, 2);
}

TEST(Import, findings_are_grouped_in_text_and_listed_in_json) {
  const Finished text = stickslip("import " + robot("arm.urdf"));
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("arm: 3 bodies, 2 joints"), HasSubstr("ignored: "),
                              HasSubstr("line 48, joint 'shoulder'"), HasSubstr("line 57, joint 'elbow'")));
  EXPECT_THAT(text.err, IsEmpty());
  const json j = json::parse(stickslip("import " + robot("arm.urdf") + " --json").out);
  EXPECT_EQ(j.at("scene"), "arm");
  EXPECT_EQ(j.at("bodies"), 3);
  EXPECT_EQ(j.at("joints"), 2);
  EXPECT_TRUE(j.at("output").is_null());
  ASSERT_FALSE(j.at("findings").empty());
  for (const json& finding : j.at("findings"))
    EXPECT_TRUE(finding.at("line").is_number() && finding.at("place").is_string() && finding.at("what").is_string() &&
                finding.at("kind") == "ignored");
}

TEST(Import, options_change_what_is_made) {
  const auto made = [](const std::string& options) {
    return json::parse(stickslip("import " + robot("gripper.urdf") + " --json " + options).out);
  };
  const int bodies = made("").at("bodies"), joints = made("").at("joints");
  EXPECT_EQ(made("--ground").at("bodies"), bodies + 1);
  EXPECT_EQ(made("--hold 100 5").at("joints"), joints);
  const Directory directory;
  stickslip("import " + robot("arm.urdf") + " --hold 100 5 -o " + std::string(directory / "a.json"));
  EXPECT_THAT(test::content_of(directory / "a.json"),
              HasSubstr("\"servo\": {\"target\": 0.0, \"stiffness\": 100.0, \"damping\": 5.0, \"max_force\": 40.0}"));
}

TEST(Import, findings_are_warnings_of_a_run) {
  const Finished validate = stickslip("validate " + robot("walker.xml"));
  EXPECT_EQ(validate.exit_code, 0);
  EXPECT_THAT(validate.err,
              AllOf(HasSubstr("warning: line 37, joint 'left_ankle'; line 50, joint 'right_ankle': <joint range>"),
                    HasSubstr("without influence on the motion")));
  EXPECT_THAT(validate.out, HasSubstr("walker: valid"));
}

TEST(Import, what_is_wrong_ends_with_exit_code_2_and_one_line) {
  const Directory directory;
  test::write_content(directory / "bad.urdf", "<robot name='r'>\n<link name='a'>\n</robot>\n");
  const struct {
    std::string arguments, part;
  } cases[] = {{"import", "needs a robot"},
               {"import " + std::string(directory / "bad.urdf"), "this is not XML"},
               {"run " + std::string(directory / "none.urdf"), "There is no such file"},
               {"import " + robot("walker.xml") + " --strict", "and 1 more."},
               {"import " + robot("arm.urdf") + " --hold -1", "is not a stiffness"},
               {"import " + robot("arm.urdf") + " -o " + std::string(directory / "no/such/place.json"), "place.json"}};
  for (const auto& c : cases) {
    const Finished run = stickslip(c.arguments);
    EXPECT_EQ(run.exit_code, 2) << c.arguments;
    EXPECT_THAT(run.err, AllOf(::testing::StartsWith("stickslip: "), HasSubstr(c.part))) << c.arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_THAT(run.out, IsEmpty());
  }
}

}   // namespace
}   // namespace stickslip
