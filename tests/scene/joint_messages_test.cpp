// What a user reads when a joint of a document is wrong.
#include <gtest/gtest.h>

#include "scene/scene_text.h"

namespace stickslip::joint_messages_test {
namespace {

/// Two boxes, a floor, and the given joints.
std::string with_joints(const std::string& joints) {
  const char* box = R"({{"name": "{}", "shape": {{"type": "box", "half_extents": [0.1, 0.1, 0.1]}}, "position": [{}, 0, 1]}})";
  return fmt::format(
      R"({{"bodies": [{}, {}, {{"name": "floor", "motion": "fixed", "shape": {{"type": "half-space"}}}}], "joints": [{}]}})",
      fmt::format(fmt::runtime(box), "left", 0), fmt::format(fmt::runtime(box), "right", 1), joints);
}

struct Case {
  std::string joint, message;   ///< the message without the file and "/joints/0"
};

void expect_messages(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(error_of(with_joints(c.joint)), "s.json: /joints/0" + c.message) << c.joint;
}

/// A joint between the two boxes with further fields.
std::string joint(const std::string& type, const std::string& fields = "") {
  const std::string comma = fields.empty() ? "" : ", ";
  return fmt::format(R"({{"type": "{}", "a": "left", "b": "right", "anchor": [0.5, 0, 1]{}{}}})", type, comma, fields);
}

TEST(JointMessages, unknown_types_bodies_and_keys_come_with_a_suggestion) {
  expect_messages({
      {"7", ": 7 is a number. Give an object for a joint."},
      {"{}", ": 'type' is missing: a joint needs it."},
      {R"({"typ": "hinge"})", "/typ: Unknown key 'typ' for a joint. Did you mean 'type'?"},
      {joint("hing"), "/type: There is no joint type 'hing'. Did you mean 'hinge'?"},
      {R"({"type": "ball", "anchor": [0, 0, 0]})", ": 'b' is missing: a ball joint needs it."},
      {R"({"type": "ball", "b": "lef", "anchor": [0, 0, 0]})", "/b: There is no body 'lef'. Did you mean 'left'?"},
      {R"({"type": "ball", "a": "lefd", "b": "left", "anchor": [0, 0, 0]})",
       "/a: There is no body 'lefd'. Did you mean 'left'?"},
      {R"({"type": "ball", "a": "left", "b": "world", "anchor": [0, 0, 0]})",
       "/b: \"b\" must be a body. The world can be \"a\"."},
      {R"({"type": "ball", "a": "left", "b": "left", "anchor": [0, 0, 0]})",
       "/b: The joint connects 'left' to itself. Name two bodies, or a body and the world."},
      {R"({"type": "ball", "b": "floor", "anchor": [0, 0, 0]})",
       "/b: Neither body of the joint moves by forces: it has nothing to do. Make 'floor' dynamic."},
      {joint("ball", R"("brake_force": 3)"),
       "/brake_force: Unknown key 'brake_force' for a ball joint. Did you mean 'break_force'?"},
  });
  EXPECT_EQ(error_of(with_joints(joint("ball", R"("name": "j")") + ", " + joint("ball", R"("name": "j")"))),
            "s.json: /joints/1/name: There is already a joint 'j'. Joint names must differ.");
  EXPECT_EQ(error_of(R"({"bodies": [], "joints": {}})"), "s.json: /joints: {} is an object. Give an array of joints.");
}

TEST(JointMessages, a_body_called_world_cannot_be_told_from_the_world) {
  EXPECT_EQ(
      error_of(R"({"bodies": [{"name": "world", "shape": {"type": "sphere", "radius": 1}}],
                         "joints": [{"type": "ball", "a": "world", "b": "world", "anchor": [0, 0, 0]}]})"),
      "s.json: /joints/0/a: A body is called 'world', which in joints means the world itself. Call the body something else.");
}

TEST(JointMessages, settings_that_a_type_does_not_have_are_refused) {
  const std::string places = "type, name, a, b, anchor, frame_a, axis, x_axis, frame_b";
  expect_messages({
      {joint("fixed", R"("servo": {"stiffness": 1})"),
       "/servo: Unknown key 'servo' for a fixed joint. Valid are: " + places + ", collide, break_force, break_torque."},
      {joint("hinge", R"("pitch": 0.1)"), "/pitch: Unknown key 'pitch' for a hinge joint. Valid are: " + places +
                                              ", lower, upper, limit_stiffness, limit_damping, friction, armature, effort, "
                                              "motor, servo, spring, collide, break_force, "
                                              "break_torque."},
      {joint("hinge", R"("axes": {"turn_z": {}})"),
       "/axes: A hinge joint has one coordinate, turn_z. Write its settings beside \"type\"."},
      {joint("planar", R"("motor": {"speed": 1})"),
       "/motor: A planar joint has the coordinates x, y, turn_z. Say which one under \"axes\": {\"x\": {\"motor\": …}}."},
      {joint("cylindrical", R"("axes": {"x": {}})"), "/axes/x: A cylindrical joint locks x. Free are: z, turn_z."},
      {joint("cylindrical", R"("axes": {"turn": {}})"),
       "/axes/turn: Unknown key 'turn' for the axes of a cylindrical joint. Did you mean 'turn_z'?"},
      {joint("ball", R"("axes": {"turn_x": {"locked": true}})"),
       "/axes/turn_x/locked: Unknown key 'locked' for a coordinate. Valid are: lower, upper, limit_stiffness, limit_damping, "
       "friction, armature, effort, motor, servo, "
       "spring."},
      {joint("six-dof", R"("axes": {"x": {"locked": true, "friction": 1}})"),
       "/axes/x/friction: A locked coordinate takes no 'friction'. Leave it or \"locked\" out."},
      {joint("distance", R"("anchor_b": [1, 0, 1], "locked": true, "upper": 1)"),
       "/upper: A locked coordinate takes no 'upper'. Leave it or \"locked\" out."},
      {joint("distance", R"("anchor_b": [1, 0, 1], "length": 1)"),
       "/length: Only a rod has a length. Set \"locked\" to true, or give \"upper\" for a rope, or \"spring\" with \"rest\"."},
  });
}

TEST(JointMessages, a_place_that_is_missing_double_or_undefined_is_named) {
  expect_messages({
      {R"({"type": "ball", "b": "left"})", ": 'anchor' is missing: a ball joint needs it."},
      {joint("ball", R"("frame_a": {})"), ": 'anchor' and 'frame_a' are both given. Keep one of them."},
      {R"({"type": "ball", "b": "left", "axis": [0, 0, 1], "frame_b": {}})",
       ": 'axis' and 'frame_b' are both given. Keep one of them."},
      {joint("ball", R"("axis": [0, 0, 0])"), "/axis: [0, 0, 0] is not an axis. Give a direction such as [0, 0, 1]."},
      {joint("ball", R"("x_axis": [0, 0, 3])"), "/x_axis: The two axes of a joint must not be parallel."},
      {joint("universal", R"("axis": [0, 0, 3])"), ": 'x_axis' is missing: a universal joint needs it."},
      {joint("distance"), ": 'anchor_b' is missing: a distance joint needs it."},
      {R"({"type": "ball", "b": "left", "frame_a": {"orientation_wxyz": [1, 1, 0, 0]}})",
       "/frame_a/orientation_wxyz: [1, 1, 0, 0] has length 1.41421. A rotation is a quaternion [w, x, y, z] of length 1."},
      {R"({"type": "ball", "b": "left", "frame_a": {"axis": [1, 0, 0]}})",
       "/frame_a/axis: Unknown key 'axis' for a frame. Valid are: position, orientation_wxyz, rotation."},
  });
}

TEST(JointMessages, numbers_out_of_range_are_named) {
  expect_messages({
      {joint("hinge", R"("lower": 1, "upper": 0.5)"), "/upper: 0.5 lies below the lower limit 1. Exchange them."},
      {joint("hinge", R"("friction": -1)"), "/friction: -1 is out of range. It must be at least 0."},
      {joint("hinge", R"("limit_stiffness": -1)"), "/limit_stiffness: -1 is out of range. It must be at least 0."},
      {joint("hinge", R"("limit_damping": -1)"), "/limit_damping: -1 is out of range. It must be at least 0."},
      {joint("hinge", R"("motor": {})"), "/motor: 'speed' is missing: a motor needs it."},
      {joint("hinge", R"("motor": {"path": []})"), "/motor/path: [] holds no point. A path needs at least one [time, value]."},
      {joint("hinge", R"("effort": "5")"),
       "/effort: \"5\" is a string. Give a force [N or N m], or {\"path\": [[time, force], …]}."},
      {joint("hinge", R"("effort": {"max_force": -1})"), "/effort/max_force: -1 is out of range. It must be at least 0."},
      {joint("hinge", R"("armature": -1)"), "/armature: -1 is out of range. It must be at least 0."},
      {joint("hinge", R"("motor": {"speed": 1, "max_force": -1})"),
       "/motor/max_force: -1 is out of range. It must be at least 0."},
      {joint("hinge", R"("servo": {"target": 1})"),
       "/servo: Stiffness and damping are both 0: a servo would do nothing. Give one of them."},
      {joint("hinge", R"("servo": {"stiffness": -1})"), "/servo/stiffness: -1 is out of range. It must be at least 0."},
      {joint("hinge", R"("servo": {"damping": 1, "path": []})"),
       "/servo/path: [] holds no point. A path needs at least one [time, value]."},
      {joint("hinge", R"("servo": {"damping": 1, "path": [[0, 1], [0, 2]]})"),
       "/servo/path/1: The time 0 s comes after 0 s. Times must increase."},
      {joint("hinge", R"("servo": {"damping": 1, "path": [[0, 1, 2]]})"),
       "/servo/path/0: [0, 1, 2] is not a point of a path. Give [time, value]."},
      {joint("hinge", R"("spring": {"rest": 1})"),
       "/spring: Stiffness and damping are both 0: a spring would do nothing. Give one of them."},
      {joint("hinge", R"("spring": {"damping": -1})"), "/spring/damping: -1 is out of range. It must be at least 0."},
      {joint("ball", R"("swing_limit": 3.2)"),
       "/swing_limit: 3.2 is out of range. It must be an angle between 0 and π = 3.14159 rad."},
      {joint("screw"), ": 'pitch' is missing: a screw joint needs it."},
      {joint("screw", R"("pitch": 0)"), "/pitch: 0 is not possible here. Give a number above or below 0."},
      {joint("distance", R"("anchor_b": [1, 0, 1], "locked": true, "length": 0)"),
       "/length: 0 is out of range. It must be greater than 0."},
      {joint("fixed", R"("break_force": 0)"), "/break_force: 0 is out of range. It must be greater than 0."},
      {joint("fixed", R"("break_torque": -1)"), "/break_torque: -1 is out of range. It must be greater than 0."},
      {joint("planar", R"("axes": {"turn_z": {"friction": -1}})"),
       "/axes/turn_z/friction: -1 is out of range. It must be at least 0."},
  });
}

TEST(JointMessages, gears_say_what_they_cannot_couple) {
  const std::string others = ", " + joint("hinge", R"("name": "h")") + ", " + joint("cylindrical", R"("name": "c")") + ", " +
                             joint("fixed", R"("name": "f")");
  const auto gear = [&](const std::string& first, const std::string& further = "") {
    return fmt::format(R"({{"name": "g", "type": "gear", "first": {}, "second": {{"joint": "h"}}{}}})", first, further) +
           others;
  };
  expect_messages({
      {R"({"type": "gear", "first": {"joint": "h"}})" + others, ": 'second' is missing: a gear joint needs it."},
      {gear("{}"), "/first: 'joint' is missing: a side of a gear needs it."},
      {gear(R"({"joint": "hh"})"), "/first/joint: There is no joint 'hh'. Did you mean 'h'?"},
      {gear(R"({"joint": "g"})"), "/first/joint: There is no joint 'g'. Did you mean 'h'?"},
      {gear(R"({"joint": "f"})"), "/first/joint: 'f' has no free coordinate."},
      {gear(R"({"joint": "c"})"), "/first: 'c' has several free coordinates. Give \"coordinate\": one of z, turn_z."},
      {gear(R"({"joint": "c", "coordinate": "w"})"), "/first/coordinate: There is no coordinate 'w'. Did you mean 'x'?"},
      {gear(R"({"joint": "c", "coordinate": "turn_x"})"), "/first/coordinate: turn_x of 'c' is locked. Free are: z, turn_z."},
      {gear(R"({"joint": "h"})"), "/second: A gear couples two different coordinates."},
      {gear(R"({"joint": "c", "coordinate": "z"})", R"(, "ratio": 0)"),
       "/ratio: 0 is not possible here. Give a number above or below 0."},
      {gear(R"({"joint": "c", "coordinate": "z"})", R"(, "b": "left")"),
       "/b: Unknown key 'b' for a gear joint. Valid are: type, name, first, second, ratio."},
  });
  const std::string two =
      R"({"name": "g", "type": "gear", "first": {"joint": "h"}, "second": {"joint": "c", "coordinate": "z"}},
                             {"type": "gear", "first": {"joint": "g"}, "second": {"joint": "h"}})" +
      others;
  EXPECT_EQ(error_of(with_joints(two)),
            "s.json: /joints/1/first/joint: 'g' is a gear, which has no coordinates of its own. Name another joint.");
}

TEST(JointMessages, pairs_without_contacts_must_be_two_bodies) {
  const auto error = [](const std::string& pairs) {
    const std::string text = with_joints("");
    return error_of(text.substr(0, text.size() - 1) + R"(, "ignore_contacts": )" + pairs + "}");
  };
  EXPECT_EQ(error(R"({})"), "s.json: /ignore_contacts: {} is an object. Give an array of pairs of bodies.");
  EXPECT_EQ(error(R"([["left"]])"),
            "s.json: /ignore_contacts/0: [\"left\"] is not a pair. Give two bodies: [\"one\", \"other\"].");
  EXPECT_EQ(error(R"([["left", "rigth"]])"), "s.json: /ignore_contacts/0/1: There is no body 'rigth'. Did you mean 'right'?");
  EXPECT_EQ(error(R"([["left", "left"]])"),
            "s.json: /ignore_contacts/0: [\"left\", \"left\"] names one body twice. Give two bodies.");
}

}   // namespace
}   // namespace stickslip::joint_messages_test
