// Changes from the command line.
#include <gtest/gtest.h>

#include "scene/scene_text.h"

namespace stickslip {
namespace {

Scene changed(const std::string& text, const std::string& pointer, const std::string& value) {
  return parse_scene(text, "s.json", std::vector<Override>{{pointer, value}});
}

std::string message(const std::string& pointer, const std::string& value) {
  return error_of(with_body(kBall), {{pointer, value}});
}

TEST(Overrides, values_are_json_and_else_plain_strings) {
  const std::string text = with_body(kBall);
  EXPECT_EQ(changed(text, "/step/h", "5e-3").step.h, 0.005);
  EXPECT_EQ(changed(text, "/gravity", "[0, 0, -1.62]").world.gravity, Vec3(0, 0, -1.62));
  EXPECT_EQ(changed(text, "/step/solver", "pgs").step.solver, "pgs");
  EXPECT_EQ(changed(text, "/name", "moon").name, "moon");
  EXPECT_EQ(changed(text, "/name", "\"moon\"").name, "moon");
  EXPECT_TRUE(changed(text, "/step/sleep", "true").step.sleep.enabled);
}

TEST(Overrides, they_reach_into_arrays_and_append_to_them) {
  const std::string text = with_body(kBall, R"("gravity": [0, 0, -9.81], )");
  EXPECT_EQ(changed(text, "/gravity/2", "-3").world.gravity, Vec3(0, 0, -3));
  EXPECT_EQ(named(changed(text, "/bodies/0/velocity", "[1, 2, 3]"), "ball").velocity, Vec3(1, 2, 3));
  EXPECT_EQ(
      changed(text, "/bodies/-", R"({"shape": {"type": "sphere", "radius": 1}, "position": [9, 0, 0]})").world.body_count(),
      2u);
}

TEST(Overrides, a_later_one_wins) {
  const Scene scene = parse_scene(with_body(kBall), "s.json", std::vector<Override>{{"/seconds", "1"}, {"/seconds", "2"}});
  EXPECT_EQ(scene.seconds, 2);
}

TEST(Overrides, a_bad_pointer_is_named_with_the_remedy) {
  EXPECT_EQ(message("step/h", "1"), "s.json: 'step/h' is not a JSON pointer. It starts with '/', as in /step/h.");
  EXPECT_EQ(message("", "1"), "s.json: '' is not a JSON pointer. It starts with '/', as in /step/h.");
  EXPECT_EQ(message("/", "1"), "s.json: '/' ends without a key. Name one, as in /step/h.");
  EXPECT_EQ(message("/na~me", "1"), "s.json: '/na~me' is not a JSON pointer. Write ~0 for '~' and ~1 for '/' in a key.");
  EXPECT_EQ(message("/bodies/7/mass", "1"),
            "s.json: Cannot set '/bodies/7/mass': '/bodies' is an array and has no entry '7'. Its entries are 0 to 0; use '-' "
            "to append.");
  EXPECT_EQ(message("/bodies/ball/mass", "1"),
            "s.json: Cannot set '/bodies/ball/mass': '/bodies' is an array and has no entry 'ball'. Its entries are 0 to 0; "
            "use '-' to append.");
  EXPECT_EQ(message("/bodies/0/name/first", "1"),
            "s.json: Cannot set '/bodies/0/name/first': '/bodies/0/name' is \"ball\", which holds no keys. Set it as a whole.");
  EXPECT_EQ(message("/gravity/2", "1"),
            "s.json: Cannot set '/gravity/2': '/gravity' is not in the document. Set it as a whole.");
  EXPECT_EQ(message("/parameters/rows", "1"), "s.json: Cannot set '/parameters/rows': only built-in scenes have parameters.");
}

TEST(Overrides, a_key_that_the_document_cannot_hold_is_an_unknown_key) {
  EXPECT_EQ(message("/stp/h", "1"), "s.json: /stp: Unknown key 'stp' for a scene. Did you mean 'step'?");
  EXPECT_EQ(message("/step/hh", "1"), "s.json: /step/hh: Unknown key 'hh' for the step options. Did you mean 'h'?");
  EXPECT_EQ(message("/step/h", "fast"), "s.json: /step/h: \"fast\" is a string. Give a number.");
  EXPECT_EQ(message("/step/h", "1e400"), "s.json: /step/h: \"1e400\" is a string. Give a number.");
  EXPECT_EQ(message("/step/h", "nan"), "s.json: /step/h: \"nan\" is a string. Give a number.");
  EXPECT_EQ(message("/name", "\xff"), "s.json: The value for '/name' is not UTF-8 text.");
}

}   // namespace
}   // namespace stickslip
