// Joints of scene documents: what the fields mean.
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "scene/scene_text.h"
#include "scene/start_check.h"
#include "stickslip/solve/monitor.h"

namespace stickslip::joints_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two bodies in odd poses and a fixed one, with the given joints.
std::string with_joints(const std::string& joints, const std::string& further = "") {
  return fmt::format(R"({{"bodies": [
      {{"name": "left", "shape": {{"type": "box", "half_extents": [0.1, 0.2, 0.3]}}, "position": [1, 2, 3],
        "rotation": {{"axis": [1, 2, 3], "degrees": 40}}}},
      {{"name": "right", "parts": [{{"shape": {{"type": "sphere", "radius": 0.2}}, "position": [0.1, 0, 0]}}],
       "position": [2, 2, 3],
        "rotation": {{"axis": [0, 1, -1], "degrees": -70}}}},
      {{"name": "wall", "motion": "fixed", "shape": {{"type": "box", "half_extents": [0.1, 0.1, 0.1]}},
       "position": [0, 0, 9]}}],
      "joints": [{}]{}}})",
                     joints, further);
}

const Joint& only_joint(const Scene& scene) { return scene.world.joints().front(); }

Scene parse(const std::string& joints, const std::string& further = "") {
  return parse_scene(with_joints(joints, further), "s.json");
}

/// The coordinates that the manual says a type locks.
std::string locked_by(JointType type) {
  switch (type) {
    case JointType::fixed:
      return "x y z turn_x turn_y turn_z ";
    case JointType::ball:
      return "x y z ";
    case JointType::hinge:
      return "x y z turn_x turn_y ";
    case JointType::prismatic:
      return "x y turn_x turn_y turn_z ";
    case JointType::cylindrical:
    case JointType::screw:
      return "x y turn_x turn_y ";
    case JointType::universal:
      return "x y z turn_y ";
    case JointType::planar:
      return "z turn_x turn_y ";
    default:
      return "";
  }
}

TEST(SceneJoints, the_frames_of_every_type_meet_at_the_anchor_with_the_axes_given) {
  for (const JointType type :
       {JointType::fixed, JointType::ball, JointType::hinge, JointType::prismatic, JointType::cylindrical, JointType::universal,
        JointType::planar, JointType::six_dof, JointType::screw}) {
    SCOPED_TRACE(joint_type_name(type));
    const Scene scene =
        parse(fmt::format(R"({{"name": "j", "type": "{}", "a": "left", "b": "right", "anchor": [1.5, 2.5, 3], "axis": [0, 3, 4],
                                              "x_axis": [2, 1, 0]{}}})",
                          joint_type_name(type), type == JointType::screw ? R"(, "pitch": 0.01)" : ""));
    ASSERT_EQ(scene.world.joint_count(), 1u);
    EXPECT_TRUE(scene.warnings.empty());
    const Joint& joint = scene.world.joint(scene.world.find_joint("j"));
    EXPECT_EQ(joint.description.type, type);
    EXPECT_EQ(joint.description.a, scene.world.find("left"));
    EXPECT_EQ(joint.description.b, scene.world.find("right"));
    const Vec3 z(0, 0.6, 0.8), x = Vec3(Vec3(2, 1, 0) - Vec3(2, 1, 0).dot(z) * z).normalized();
    const JointDescription& d = joint.description;
    for (const auto& [body, local] :
         {std::pair(&named(scene, "left"), d.frame_a), std::pair(&named(scene, "right"), d.frame_b)}) {
      const Pose frame = body->frame() * local;
      EXPECT_LT((frame.position - Vec3(1.5, 2.5, 3)).norm(), 1e-14);
      EXPECT_LT((frame.orientation * Vec3::UnitZ() - z).norm(), 1e-14);
      EXPECT_LT((frame.orientation * Vec3::UnitX() - x).norm(), 1e-14);
    }
    std::string locked;
    for (int k = 0; k < kJointCoordinates; ++k)
      if (joint.description.axes[static_cast<std::size_t>(k)].locked) locked += fmt::format("{} ", joint_coordinate_name(k));
    EXPECT_EQ(locked, locked_by(type));
  }
}

TEST(SceneJoints, the_world_is_a_unless_a_body_is_named) {
  for (const char* a : {"", R"("a": "world", )"}) {
    const Scene scene = parse(fmt::format(R"({{{}"type": "hinge", "b": "left", "anchor": [0, 0, 1]}})", a));
    EXPECT_EQ(only_joint(scene).description.a, BodyId{});
    EXPECT_EQ(only_joint(scene).description.frame_a.position, Vec3(0, 0, 1));
    EXPECT_EQ(only_joint(scene).description.name, "joint-0");
  }
}

TEST(SceneJoints, frames_are_taken_in_the_frames_of_the_bodies) {
  const Scene scene = parse(
      R"({"type": "six-dof", "a": "left", "b": "right", "frame_a": {"position": [1, 2, 3], "orientation_wxyz": [0, 1, 0, 0]},
                                "frame_b": {"rotation": {"axis": [0, 0, 2], "degrees": 90}}})");
  const JointDescription& d = only_joint(scene).description;
  EXPECT_EQ(d.frame_a.position, Vec3(1, 2, 3));
  EXPECT_LT((d.frame_a.orientation * Vec3::UnitZ() + Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_EQ(d.frame_b.position, Vec3(0, 0, 0));
  EXPECT_LT((d.frame_b.orientation * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  const Scene with_one_frame = parse(R"({"type": "six-dof", "b": "right", "frame_b": {"position": [1, 0, 0]}})");
  const JointDescription& one = only_joint(with_one_frame).description;
  EXPECT_EQ(one.frame_a.position, Vec3(0, 0, 0));
  EXPECT_EQ(one.frame_b.position, Vec3(1, 0, 0));
}

TEST(SceneJoints, a_distance_runs_from_the_anchor_on_a_to_that_on_b) {
  const Scene scene = parse(
      R"({"type": "distance", "a": "left", "b": "right", "anchor": [1, 0, 0], "anchor_b": [1, 3, 4], "lower": 1, "upper": 6})");
  const JointPlace place = locate(scene.world, only_joint(scene));
  EXPECT_LT((place.frame_a.position - Vec3(1, 0, 0)).norm(), 1e-14);
  EXPECT_LT((place.frame_b.position - Vec3(1, 3, 4)).norm(), 1e-14);
  EXPECT_NEAR(place.position[joint_x], 5, 1e-14);
  EXPECT_EQ(only_joint(scene).description.axes[joint_x].lower, 1);
  EXPECT_EQ(only_joint(scene).description.axes[joint_x].upper, 6);
  EXPECT_FALSE(only_joint(scene).description.axes[joint_x].locked);

  const std::string rod =
      R"({"type": "distance", "a": "left", "b": "right", "anchor": [1, 0, 0], "anchor_b": [1, 3, 4], "locked": true)";
  EXPECT_NEAR(only_joint(parse(rod + "}")).description.length, 5, 1e-14);
  EXPECT_TRUE(only_joint(parse(rod + "}")).description.axes[joint_x].locked);
  EXPECT_EQ(only_joint(parse(rod + R"(, "length": 4.5})")).description.length, 4.5);
}

/// All settings that a coordinate can have.
const std::string kSettings = R"("lower": -1.2, "upper": 0.3, "limit_stiffness": 50, "limit_damping": 2, "friction": 0.1,
    "motor": {"speed": 3, "max_force": 10}, "servo": {"stiffness": 100, "damping": 5, "max_force": 20,
     "path": [[0, 1], [2, -1]]},
    "spring": {"rest": 0.2, "stiffness": 7, "damping": 1})";

void expect_settings(const JointAxis& axis) {
  EXPECT_EQ(axis.lower, -1.2);
  EXPECT_EQ(axis.upper, 0.3);
  EXPECT_EQ(axis.limit_stiffness, 50);
  EXPECT_EQ(axis.limit_damping, 2);
  EXPECT_EQ(axis.friction, 0.1);
  EXPECT_EQ(axis.motor.value().speed, 3);
  EXPECT_EQ(axis.motor.value().max_force, 10);
  EXPECT_EQ(axis.servo.value().stiffness, 100);
  EXPECT_EQ(axis.servo.value().damping, 5);
  EXPECT_EQ(axis.servo.value().max_force, 20);
  EXPECT_EQ(axis.servo.value().path, (std::vector<std::pair<double, double>>{{0, 1}, {2, -1}}));
  EXPECT_EQ(axis.spring.value().rest, 0.2);
  EXPECT_EQ(axis.spring.value().stiffness, 7);
  EXPECT_EQ(axis.spring.value().damping, 1);
}

TEST(SceneJoints, settings_of_a_joint_with_one_coordinate_stand_in_the_joint) {
  for (const auto& [type, coordinate] : {std::pair("hinge", joint_turn_z), std::pair("prismatic", joint_z)}) {
    const Scene scene = parse(fmt::format(R"({{"type": "{}", "b": "left", "anchor": [0, 0, 0], {}}})", type, kSettings));
    expect_settings(only_joint(scene).description.axes[coordinate]);
  }
  const Scene scene =
      parse(R"({"type": "distance", "b": "left", "anchor": [0, 0, 0], "anchor_b": [0, 0, 0.1], )" + kSettings + "}");
  expect_settings(only_joint(scene).description.axes[joint_x]);
}

TEST(SceneJoints, settings_of_other_joints_stand_under_the_name_of_the_coordinate) {
  const Scene scene =
      parse(R"({"type": "six-dof", "b": "left", "anchor": [0, 0, 0], "axes": {"x": {"locked": true}, "turn_y": {)" + kSettings +
            "}}}");
  const JointDescription& d = only_joint(scene).description;
  for (int k = 0; k < kJointCoordinates; ++k) EXPECT_EQ(d.axes[static_cast<std::size_t>(k)].locked, k == joint_x);
  expect_settings(d.axes[joint_turn_y]);
  const Scene universal =
      parse(R"({"type": "universal", "b": "left", "anchor": [0, 0, 0], "axis": [0, 0, 1], "x_axis": [1, 0, 0],
                                    "axes": {"turn_x": {"upper": 1}, "turn_z": {"lower": -2}}})");
  EXPECT_EQ(only_joint(universal).description.axes[joint_turn_x].upper, 1);
  EXPECT_EQ(only_joint(universal).description.axes[joint_turn_z].lower, -2);
}

TEST(SceneJoints, what_is_left_out_is_not_limited_and_not_driven) {
  const Scene scene =
      parse(R"({"type": "hinge", "b": "left", "anchor": [0, 0, 0], "motor": {"speed": 1}, "servo": {"damping": 1}})");
  const JointDescription& d = only_joint(scene).description;
  EXPECT_FALSE(d.axes[joint_turn_z].has_lower());
  EXPECT_FALSE(d.axes[joint_turn_z].has_upper());
  EXPECT_EQ(d.axes[joint_turn_z].motor.value().max_force, kInfinity);
  EXPECT_EQ(d.axes[joint_turn_z].servo.value().max_force, kInfinity);
  EXPECT_EQ(d.break_force, kInfinity);
  EXPECT_EQ(d.break_torque, kInfinity);
  EXPECT_FALSE(d.collide);
}

TEST(SceneJoints, what_only_one_type_has_arrives_there) {
  EXPECT_EQ(
      only_joint(parse(R"({"type": "ball", "b": "left", "anchor": [0, 0, 0], "swing_limit": 0.8})")).description.swing_limit,
      0.8);
  EXPECT_EQ(only_joint(parse(R"({"type": "screw", "b": "left", "anchor": [0, 0, 0], "pitch": -0.01})")).description.pitch,
            -0.01);
  const Scene scene =
      parse(R"({"type": "fixed", "b": "left", "anchor": [0, 0, 0], "collide": true, "break_force": 100, "break_torque": 20})");
  EXPECT_TRUE(only_joint(scene).description.collide);
  EXPECT_EQ(only_joint(scene).description.break_force, 100);
  EXPECT_EQ(only_joint(scene).description.break_torque, 20);
}

TEST(SceneJoints, a_gear_may_stand_before_the_joints_it_couples) {
  const Scene scene = parse(R"(
      {"name": "g", "type": "gear", "first": {"joint": "l"}, "second": {"joint": "r", "coordinate": "z"}, "ratio": -0.2},
      {"name": "l", "type": "hinge", "b": "left", "anchor": [0, 0, 0]},
      {"name": "r", "type": "cylindrical", "b": "right", "anchor": [0, 0, 0]})");
  ASSERT_EQ(scene.world.joint_count(), 3u);
  const JointDescription& gear = scene.world.joint(scene.world.find_joint("g")).description;
  EXPECT_EQ(gear.type, JointType::gear);
  EXPECT_EQ(gear.first.joint, scene.world.find_joint("l"));
  EXPECT_EQ(gear.first.coordinate, joint_turn_z);
  EXPECT_EQ(gear.second.joint, scene.world.find_joint("r"));
  EXPECT_EQ(gear.second.coordinate, joint_z);
  EXPECT_EQ(gear.ratio, -0.2);
}

TEST(SceneJoints, bodies_that_are_joined_or_named_as_a_pair_may_overlap) {
  const std::string bodies = R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}},
      {"name": "b", "shape": {"type": "sphere", "radius": 1}, "position": [1, 0, 0]}])";
  EXPECT_NE(error_of(bodies + "}"), "");
  EXPECT_EQ(error_of(bodies + R"(, "ignore_contacts": [["b", "a"]]})"), "");
  EXPECT_EQ(error_of(bodies + R"(, "joints": [{"type": "ball", "a": "a", "b": "b", "anchor": [0.5, 0, 0]}]})"), "");
  EXPECT_NE(error_of(bodies + R"(, "joints": [{"type": "ball", "a": "a", "b": "b", "anchor": [0.5, 0, 0], "collide": true}]})"),
            "");
  const Scene scene = parse_scene(bodies + R"(, "ignore_contacts": [["b", "a"]]})", "s.json");
  EXPECT_FALSE(scene.world.may_touch(scene.world.find("a").index, scene.world.find("b").index));
}

TEST(SceneJoints, copies_of_a_body_are_joined_by_their_names) {
  const Scene scene = parse_scene(R"({"bodies": [
      {"name": "link", "shape": {"type": "sphere", "radius": 0.1}, "position": [0, 0, 5], "repeat": {"count": [1, 1, 2],
       "step": [0, 0, 1]}}],
      "joints": [{"type": "ball", "a": "link-0", "b": "link-1", "anchor": [0, 0, 5.5]}]})",
                                  "s.json");
  EXPECT_EQ(only_joint(scene).description.frame_a.position, Vec3(0, 0, 0.5));
  EXPECT_EQ(only_joint(scene).description.frame_b.position, Vec3(0, 0, -0.5));
}

TEST(SceneJoints, a_body_with_mass_properties_needs_no_parts) {
  const Scene scene = parse_scene(
      with_body(R"({"name": "point", "parts": [], "mass_properties": {"mass": 2, "inertia": [1, 1, 1]}})"), "s.json");
  EXPECT_EQ(named(scene, "point").mass.mass, 2);
  EXPECT_TRUE(named(scene, "point").colliders.empty());
}

TEST(SceneJoints, frames_that_do_not_meet_are_warned_about_as_far_as_the_type_locks_them) {
  const auto warnings = [](const char* type) {
    return parse_scene(fmt::format(R"({{"bodies": [{{"name": "ball", "shape": {{"type": "sphere", "radius": 1}},
                                       "rotation": {{"axis": [1, 0, 0], "degrees": 30}}}}],
                                       "joints": [{{"name": "j", "type": "{}", "b": "ball",
                                        "frame_a": {{"position": [0, 0.5, 0]}}, "frame_b": {{}}}}]}})",
                                   type),
                       "s.json")
        .warnings;
  };
  EXPECT_EQ(warnings("fixed"), std::vector<std::string>{"The joint 'j' is apart by 500 mm and 0.524 rad at the start."});
  EXPECT_EQ(warnings("ball"), std::vector<std::string>{"The joint 'j' is apart by 500 mm at the start."});
  EXPECT_EQ(warnings("six-dof"), std::vector<std::string>{});
}

TEST(SceneJoints, a_rod_of_the_wrong_length_and_a_start_beyond_a_limit_are_warned_about) {
  const std::string distance = R"({"name": "j", "type": "distance", "b": "left", "anchor": [0, 0, 0], "anchor_b": [0, 0, 2], )";
  EXPECT_EQ(parse(distance + R"("locked": true, "length": 1.5})").warnings,
            std::vector<std::string>{"The joint 'j' is apart by 500 mm at the start."});
  EXPECT_EQ(parse(distance + R"("upper": 1.5})").warnings,
            std::vector<std::string>{"The joint 'j' is beyond its limits by 500 mm at the start."});
  EXPECT_EQ(parse(distance + R"("lower": 1.5})").warnings, std::vector<std::string>{});
  EXPECT_EQ(parse(R"({"name": "j", "type": "ball", "b": "right", "swing_limit": 0.25, "frame_a": {"position": [2, 2, 3]},
                      "frame_b": {"rotation": {"axis": [0, 1, -1], "degrees": 70}}})")
                .warnings,
            std::vector<std::string>{});
  EXPECT_EQ(parse(R"({"name": "j", "type": "hinge", "b": "left", "anchor": [0, 0, 0], "lower": 0.25})").warnings,
            std::vector<std::string>{"The joint 'j' is beyond its limits by 0.25 rad at the start."});
}

TEST(SceneJoints, fields_without_effect_are_warned_about) {
  EXPECT_EQ(parse(R"({"type": "hinge", "b": "left", "anchor": [0, 0, 0], "limit_damping": 3})").warnings,
            std::vector<std::string>{"/joints/0/limit_damping has no effect: there is no limit."});
  EXPECT_EQ(parse(R"({"type": "ball", "b": "left", "anchor": [0, 0, 0],
                      "axes": {"turn_x": {"servo": {"target": 1, "stiffness": 3, "path": [[0, 1]]}}}})")
                .warnings,
            std::vector<std::string>{"/joints/0/axes/turn_x/servo/target has no effect: the path says it for every time."});
}

TEST(SceneJoints, geometric_stiffness_is_on_unless_the_step_says_otherwise) {
  EXPECT_TRUE(parse_scene(R"({"bodies": []})", "s").step.geometric_stiffness);
  EXPECT_FALSE(parse_scene(R"({"bodies": [], "step": {"geometric_stiffness": false}})", "s").step.geometric_stiffness);
}

/// Holds every kind of block but one.
class Refusing final : public ContactSolver {
 public:
  explicit Refusing(BlockKind kind) : kind_(kind) {}
  std::string_view name() const override { return "refusing"; }
  std::string_view cannot_hold(BlockKind kind) const override { return kind == kind_ ? "It was made to refuse." : ""; }

 protected:
  void iterate(const ContactProblem&, std::span<double>, Workspace&, SolveMonitor&) const override {}

 private:
  BlockKind kind_;
};

std::string refusal(const Scene& scene, BlockKind kind) {
  try {
    document::check_solver(scene.world, Refusing(kind));
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(SceneJoints, a_solver_that_cannot_hold_a_joint_is_refused_with_the_name_of_the_joint_and_of_solvers_that_can) {
  struct Case {
    BlockKind kind;
    std::string what, joint;
  };
  const std::string six = R"({"name": "j", "type": "six-dof", "b": "left", "anchor": [0, 0, 0], "axes": {"x": {)";
  const std::vector<Case> cases = {
      {BlockKind::bilateral, "locked coordinate", R"({"name": "j", "type": "ball", "b": "left", "anchor": [0, 0, 0]})"},
      {BlockKind::bilateral, "spring", six + R"("spring": {"stiffness": 1}}}})"},
      {BlockKind::bilateral, "servo", six + R"("servo": {"stiffness": 1}}}})"},
      {BlockKind::bilateral, "motor", six + R"("motor": {"speed": 1}}}})"},
      {BlockKind::box, "servo", six + R"("servo": {"stiffness": 1, "max_force": 2}}}})"},
      {BlockKind::box, "motor", six + R"("motor": {"speed": 1, "max_force": 2}}}})"},
      {BlockKind::box, "friction", six + R"("friction": 1}}})"},
      {BlockKind::box, "limit", six + R"("lower": -1}}})"},
      {BlockKind::box, "limit", six + R"("upper": 1}}})"},
  };
  for (const Case& c : cases) {
    const Scene scene = parse(c.joint);
    EXPECT_EQ(refusal(scene, c.kind),
              fmt::format("/step/solver: The solver 'refusing' cannot hold the joint 'j' with its {}. It was made to refuse. "
                          "Solvers that can: {}.",
                          c.what, fmt::join(solvers_that_hold(c.kind), ", ")));
    EXPECT_EQ(refusal(scene, c.kind == BlockKind::box ? BlockKind::bilateral : BlockKind::box), "");
  }
  // A joint that leaves everything free needs nothing.
  for (const BlockKind kind : {BlockKind::bilateral, BlockKind::box}) EXPECT_EQ(refusal(parse(six + "}}}"), kind), "");
  const Scene swing = parse(R"({"name": "j", "type": "ball", "b": "left", "anchor": [0, 0, 0], "swing_limit": 1})");
  EXPECT_NE(refusal(swing, BlockKind::box), "");
}

TEST(SceneJoints, a_scene_with_joints_loads_with_every_solver_that_says_it_can) {
  for (const SolverInfo& info : solvers()) {
    const bool can = make_solver(info.name)->cannot_hold(BlockKind::bilateral).empty() &&
                     make_solver(info.name)->cannot_hold(BlockKind::box).empty();
    const std::string error =
        error_of(with_joints(R"({"name": "j", "type": "hinge", "b": "left", "anchor": [0, 0, 0], "lower": -1})",
                             fmt::format(R"(, "step": {{"solver": "{}"}})", info.name)));
    EXPECT_EQ(error.empty(), can) << error;
    EXPECT_TRUE(can ||
                error.starts_with(fmt::format("s.json: /step/solver: The solver '{}' cannot hold the joint 'j'", info.name)))
        << error;
  }
}

}   // namespace
}   // namespace stickslip::joints_test
