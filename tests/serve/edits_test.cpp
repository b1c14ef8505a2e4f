// What viewers change about a scene while it runs, and the scene file that they get of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/viewer.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

using namespace test;
using namespace nlohmann::literals;
using ::testing::HasSubstr;

/// A slope of 30° with a block that friction holds, three balls of one entry, an arm with a motor that hangs on a post.
constexpr const char* kWorkshop = R"({
  "name": "workshop",
  "materials": [{"name": "ice", "friction": 1, "restitution": 0.25}, {"name": "felt", "friction": 1}],
  "material_pairs": [{"between": ["ice", "felt"], "friction": 0.9}],
  "bodies": [
    {"name": "slope", "motion": "fixed", "shape": {"type": "half-space"},
     "rotation": {"axis": [0, 1, 0], "degrees": 30}, "material": "ice"},
    {"name": "block", "shape": {"type": "box", "half_extents": [0.1, 0.1, 0.1]},
     "position": [0.05, 0, 0.0866025403784], "rotation": {"axis": [0, 1, 0], "degrees": 30}, "material": "ice"},
    {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "position": [0, 2, 5],
     "repeat": {"count": [3, 1, 1], "step": [0.5, 0, 0]}},
    {"shape": {"type": "sphere", "radius": 0.1}, "position": [0, -2, 5],
     "mass_properties": {"mass": 2, "inertia": [0.1, 0.1, 0.1]}},
    {"name": "arm", "shape": {"type": "box", "half_extents": [0.2, 0.05, 0.05]}, "position": [0, -4, 5]}
  ],
  "joints": [{"type": "hinge", "b": "arm", "anchor": [0, -4, 5], "axis": [0, 1, 0], "motor": {"speed": 1, "max_force": 100}}]
})";

Scene workshop() { return parse_scene(kWorkshop, "workshop.json"); }

std::size_t number_of(const Viewer& viewer, const std::string& name) {
  for (std::size_t i = 0; i < viewer.description["bodies"].size(); ++i)
    if (viewer.description["bodies"][i]["name"] == name) return i;
  ADD_FAILURE() << "no body " << name;
  return 0;
}

/// Waits until the server says so about gravity and materials.
bool surrounded(Viewer& viewer, const Json::json_pointer& place, const Json& value) {
  return viewer.until([&] {
    return std::any_of(viewer.messages.begin(), viewer.messages.end(),
                       [&](const Json& message) { return message["type"] == "surroundings" && message.at(place) == value; });
  });
}

std::string refusal(Viewer& viewer, const Json& message) {
  viewer.send(message);
  return viewer.wait_for("error").value("message", "");
}

Json save(Viewer& viewer, bool now = false) {
  viewer.send({{"type", "save"}, {"now", now}});
  return viewer.wait_for("saved");
}

TEST(Edits, another_gravity_pulls_from_the_next_step_on_and_stays_after_reset) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  viewer.send({{"type", "gravity"}, {"value", {0, 0, -1.62}}});
  EXPECT_TRUE(surrounded(viewer, "/gravity/2"_json_pointer, -1.62));
  for (int round = 0; round < 2; ++round) {
    viewer.step(10);
    const double h = viewer.state["h"];
    EXPECT_NEAR(viewer.bodies[number_of(viewer, "ball-1")].position.z(), 5 - 1.62 * h * h * 55, 1e-4);
    viewer.send({{"type", "reset"}});
    ASSERT_TRUE(viewer.until([&] { return viewer.frame.step == 0 && viewer.frames > 0; }));
  }
}

TEST(Edits, a_block_that_friction_held_slides_as_on_ice) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  viewer.step(20);
  const std::size_t block = number_of(viewer, "block");
  const Vec3 before = viewer.bodies[block].position;
  EXPECT_NEAR(before.x(), 0.05, 1e-3) << "it sticks";
  viewer.send({{"type", "material"}, {"name", "ice"}, {"friction", 0}});
  EXPECT_TRUE(surrounded(viewer, "/materials/1/friction"_json_pointer, 0));
  viewer.step(50);
  const double h = viewer.state["h"], down = 9.81 * 0.5 * h * h * 50 * 51 / 2;
  EXPECT_NEAR((viewer.bodies[block].position - before).norm(), down, 0.02 * down);
}

TEST(Edits, the_saved_scene_moves_as_the_edited_one_does_after_a_reset) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  ASSERT_TRUE(viewer.wait_for_frame());
  viewer.send({{"type", "gravity"}, {"value", {0.5, 0, -5}}});
  viewer.send({{"type", "material"}, {"name", "ice"}, {"friction", 0.2}, {"restitution", 0.5}});
  viewer.send({{"type", "material"}, {"name", "felt"}, {"tangential_restitution", 0.75}});
  EXPECT_TRUE(surrounded(viewer, "/materials/2/tangential_restitution"_json_pointer, 0.75));
  viewer.send({{"type", "material"}, {"between", {"felt", "ice"}}, {"friction", 0.1}, {"tangential_restitution", 0.5}});
  viewer.send({{"type", "body"}, {"body", number_of(viewer, "ball-1")}, {"position", {0.5, 3, 4}}, {"velocity", {0, 1, 2}}});
  viewer.send({{"type", "remove"}, {"body", number_of(viewer, "ball-0")}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 2; }));
  viewer.send({{"type", "copy"}, {"body", number_of(viewer, "block")}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 3; }));
  const std::string unnamed = "body-5";
  viewer.send({{"type", "body"}, {"body", number_of(viewer, unnamed)}, {"mass", 8}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 4; }));
  viewer.send({{"type", "set"}, {"h", 0.004}, {"solver", "nsgs"}});
  const Json saved = save(viewer);
  EXPECT_EQ(saved["file"], "workshop-edited.json");
  Scene again = parse_scene(saved.value("text", ""), "workshop-edited.json");
  EXPECT_EQ(again.step.h, 0.004);
  EXPECT_EQ(again.step.solver, "nsgs");
  EXPECT_EQ(again.world.body(again.world.find(unnamed)).mass.mass, 8);
  EXPECT_NEAR(again.world.body(again.world.find(unnamed)).mass.inertia(0, 0), 0.4, 1e-12);
  const MaterialTable& materials = again.world.materials;
  const SurfacePair pair = materials.between(materials.find("ice"), materials.find("felt"));
  EXPECT_EQ(pair.friction, 0.1);
  EXPECT_EQ(pair.tangential_restitution, 0.5);
  EXPECT_EQ(materials[materials.find("felt")].tangential_restitution, 0.75);

  viewer.send({{"type", "reset"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 5 && viewer.bodies[0].known; }));
  viewer.step(40);
  Stepper stepper(again.step);
  for (int i = 0; i < 40; ++i) stepper.step(again.world);
  for (std::size_t i = 0; i < viewer.bodies.size(); ++i) {
    const std::string name = viewer.description["bodies"][i]["name"];
    EXPECT_NEAR((viewer.bodies[i].position - again.world.body(again.world.find(name)).position).norm(), 0, 1e-4) << name;
  }
  EXPECT_EQ(viewer.bodies.size(), again.world.body_count());
}

TEST(Edits, what_drives_joints_and_their_bounds_are_saved_and_undone_by_reset) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  const std::string joint = viewer.description["joints"][0]["name"];
  viewer.send({{"type", "joint"}, {"name", joint}, {"speed", -3}});
  viewer.send({{"type", "joint"}, {"name", joint}, {"lower", -0.5}, {"upper", 0.25}});
  viewer.wait_for("joint");
  viewer.drain();
  const auto axis_of = [&](const Json& saved) {
    const Scene scene = parse_scene(saved.value("text", ""), "again.json");
    return scene.world.joint(scene.world.find_joint(joint)).description.axes[joint_turn_z];
  };
  const JointAxis driven = axis_of(save(viewer));
  EXPECT_EQ(driven.motor->speed, -3);
  EXPECT_EQ(driven.motor->max_force, 100);
  EXPECT_EQ(driven.lower, -0.5);
  EXPECT_EQ(driven.upper, 0.25);
  EXPECT_THAT(refusal(viewer, {{"type", "joint"}, {"name", joint}, {"lower", 2}}),
              HasSubstr("The lower bound 2 is above the upper bound 0.25"));
  viewer.send({{"type", "reset"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 2; }));
  const JointAxis undone = axis_of(save(viewer));
  EXPECT_EQ(undone.motor->speed, 1);
  EXPECT_FALSE(std::isfinite(undone.lower));
}

TEST(Edits, an_effort_pushes_a_coordinate_that_had_none_and_is_saved) {
  // Without gravity, from rest: ω = M t / I about the hinge.
  Json document = Json::parse(kWorkshop);
  document["gravity"] = {0, 0, 0};
  document["joints"][0].erase("motor");
  Server server(parse_scene(document.dump(), "workshop.json"), paused());
  Viewer viewer(server);
  ASSERT_TRUE(viewer.wait_for_frame());
  const std::string joint = viewer.description["joints"][0]["name"];
  viewer.send({{"type", "joint"}, {"name", joint}, {"effort", 0.5}});
  EXPECT_EQ(viewer.wait_for("joint")["effort"], 0.5);
  viewer.step(50);
  Scene again = parse_scene(save(viewer).value("text", ""), "again.json");
  EXPECT_EQ(again.world.joint(again.world.find_joint(joint)).description.axes[joint_turn_z].effort->force, 0.5);
  const Body& arm = again.world.body(again.world.find("arm"));
  const double h = viewer.state["h"], angle = 0.5 / arm.mass.inertia(1, 1) * h * h * 50 * 51 / 2;
  const Quat turned = viewer.bodies[number_of(viewer, "arm")].orientation;
  EXPECT_NEAR(2 * std::atan2(turned.y(), turned.w()), angle, 0.02 * angle);
  EXPECT_THAT(refusal(viewer, {{"type", "joint"}, {"name", joint}, {"effort", "much"}}), HasSubstr("effort"));
}

TEST(Edits, are_taken_back_to_the_moment_before_them_and_done_again) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  ASSERT_TRUE(viewer.wait_for_frame());
  EXPECT_THAT(refusal(viewer, {{"type", "undo"}}), HasSubstr("Nothing was changed"));
  viewer.step(10);
  const Vec3 place = viewer.bodies[number_of(viewer, "ball-1")].position;
  viewer.send({{"type", "gravity"}, {"value", {0, 0, 1}}});
  viewer.send({{"type", "remove"}, {"body", number_of(viewer, "ball-0")}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 2; }));
  ASSERT_TRUE(viewer.until([&] { return viewer.state["undo"] == "delete ball-0" && viewer.state["redo"] == ""; }));
  viewer.step(15);

  viewer.send({{"type", "undo"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 3 && viewer.frame.step == 10; }));
  EXPECT_EQ(viewer.description["bodies"].size(), 7u) << "the ball is back";
  EXPECT_EQ((viewer.bodies[number_of(viewer, "ball-1")].position - place).norm(), 0);
  ASSERT_TRUE(viewer.until([&] { return viewer.state["undo"] == "gravity" && viewer.state["redo"] == "delete ball-0"; }));
  viewer.send({{"type", "undo"}});
  EXPECT_TRUE(surrounded(viewer, "/gravity/2"_json_pointer, -9.81));
  EXPECT_EQ(parse_scene(save(viewer).value("text", ""), "again.json").world.gravity.z(), -9.81) << "the file forgets it too";

  viewer.send({{"type", "redo"}});
  viewer.send({{"type", "redo"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.description["bodies"].size() == 6 && viewer.frame.step == 25; }))
      << "where it was when the first change was taken back";
  EXPECT_THAT(refusal(viewer, {{"type", "redo"}}), HasSubstr("Nothing was taken back"));
  viewer.send({{"type", "undo"}});
  viewer.send({{"type", "material"}, {"name", "ice"}, {"friction", 0.3}});
  EXPECT_THAT(refusal(viewer, {{"type", "redo"}}), HasSubstr("Nothing was taken back")) << "another change was made";
}

TEST(Edits, a_stroke_of_a_slider_is_taken_back_as_one_and_so_is_a_reset) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  ASSERT_TRUE(viewer.wait_for_frame());
  const std::string joint = viewer.description["joints"][0]["name"];
  for (int i = 0; i < 20; ++i) viewer.send({{"type", "joint"}, {"name", joint}, {"speed", 0.1 * i}});
  viewer.step(5);
  viewer.send({{"type", "reset"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 2 && viewer.frame.step == 0; }));
  viewer.send({{"type", "undo"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 3 && viewer.frame.step == 5; }));
  EXPECT_NEAR(viewer.description["joints"][0]["free"][0]["motor"]["speed"].get<double>(), 1.9, 1e-12);
  viewer.send({{"type", "undo"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 4 && viewer.frame.step == 0; }));
  EXPECT_EQ(viewer.description["joints"][0]["free"][0]["motor"]["speed"], 1);
  EXPECT_THAT(refusal(viewer, {{"type", "undo"}}), HasSubstr("Nothing was changed"));
}

TEST(Edits, a_scene_that_is_saved_as_it_is_now_goes_on_as_the_one_that_runs) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  ASSERT_TRUE(viewer.wait_for_frame());
  viewer.step(30);
  const Json saved = save(viewer, true);
  EXPECT_EQ(saved["file"], "workshop-step30.json");
  Scene again = parse_scene(saved.value("text", ""), "now.json");
  Stepper stepper(again.step);
  for (int i = 0; i < 60; ++i) {
    for (std::size_t b = 0; i % 30 == 0 && b < viewer.bodies.size(); ++b) {
      const std::string name = viewer.description["bodies"][b]["name"];
      const Body& body = again.world.body(again.world.find(name));
      EXPECT_NEAR((viewer.bodies[b].position - body.position).norm(), 0, 1e-4) << name << " after " << i;
      EXPECT_LT(viewer.bodies[b].orientation.angularDistance(body.orientation), 1e-3) << name << " after " << i;
    }
    viewer.step(1);
    stepper.step(again.world);
  }
  EXPECT_NEAR(again.world.joint_position(again.world.joint_id_of(0), joint_turn_z), 90 * 0.01, 2e-2)
      << "the angle is counted from where it was at first";
}

TEST(Edits, what_depends_on_time_says_why_it_is_not_saved_as_it_is_now) {
  Json document = Json::parse(kWorkshop);
  document["bodies"][1]["motion"] = "kinematic";
  document["bodies"][1]["script"] = {{"type", "oscillation"}, {"translation", {0, 0.1, 0}}, {"frequency", 1}};
  Server server(parse_scene(document.dump(), "workshop.json"), paused());
  Viewer viewer(server);
  EXPECT_THAT(refusal(viewer, {{"type", "save"}, {"now", true}}),
              ::testing::AllOf(HasSubstr("'block' follows a script"), HasSubstr("--checkpoint")));
}

TEST(Edits, a_body_goes_with_its_joints_and_copies_are_clear_of_everything) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  viewer.send({{"type", "remove"}, {"body", number_of(viewer, "arm")}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 2; }));
  EXPECT_FALSE(viewer.description.contains("joints"));
  for (std::size_t i = 0; i < 3; ++i) {
    viewer.send({{"type", "copy"}, {"body", number_of(viewer, "ball-0")}});
    ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 3 + i && viewer.bodies.back().known; }));
  }
  std::vector<double> heights;
  for (std::size_t i = 0; i < viewer.bodies.size(); ++i)
    if (std::string(viewer.description["bodies"][i]["name"]).starts_with("ball-0"))
      heights.push_back(viewer.bodies[i].position.z());
  std::sort(heights.begin(), heights.end());
  ASSERT_EQ(heights.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GT(heights[i] - heights[i - 1], 0.2);
  const Scene again = parse_scene(save(viewer).value("text", ""), "again.json");
  EXPECT_EQ(again.world.body_count(), 9u);
  EXPECT_EQ(again.world.joint_count(), 0u);
}

TEST(Edits, what_cannot_be_is_refused_with_value_and_range_and_changes_nothing) {
  Server server(workshop(), paused());
  Viewer viewer(server);
  ASSERT_TRUE(viewer.wait_for_frame());
  const std::string before = save(viewer).value("text", "");
  const std::size_t block = number_of(viewer, "block");
  const std::pair<Json, std::string> cases[] = {
      {{{"type", "set"}, {"h", 5}}, "h: 5 will not do. Give a step from 1e-9 to 1 second"},
      {{{"type", "gravity"}, {"value", {0, 0, 1e9}}}, "at most 1e4 m/s²"},
      {{{"type", "gravity"}, {"value", {0, 0}}}, "Give three numbers"},
      {{{"type", "material"}, {"name", "ice"}, {"friction", -1}}, "friction: -1 will not do. Give a coefficient from 0 to 100"},
      {{{"type", "material"}, {"name", "ice"}, {"tangential_restitution", -1}},
       "tangential_restitution: -1 will not do. Give a coefficient from 0 to 1"},
      {{{"type", "material"}, {"name", "ice"}, {"restitution", 2}},
       "restitution: 2 will not do. Give a coefficient from 0 to 1"},
      {{{"type", "material"}, {"name", "iec"}, {"friction", 1}}, "Did you mean 'ice'"},
      {{{"type", "material"}, {"between", {"ice", "default"}}, {"friction", 1}}, "says nothing about 'ice' and 'default'"},
      {{{"type", "material"}, {"name", "ice"}}, "nothing to change"},
      {{{"type", "body"}, {"body", block}, {"mass", 0}}, "mass: 0 will not do. Give a mass from"},
      {{{"type", "body"}, {"body", 0}, {"mass", 1}}, "'slope' does not move by forces"},
      {{{"type", "body"}, {"body", block}, {"position", {0, 0, -3}}}, "overlap"},
      {{{"type", "body"}, {"body", number_of(viewer, "arm")}, {"position", {0, 0, 9}}}, "held by the joint"},
      {{{"type", "body"}, {"body", 99}, {"mass", 1}}, "There is no body 99"},
      {{{"type", "copy"}, {"body", 0}}, "'slope' cannot be copied"},
      {{{"type", "open"}, {"scene", "../secret.json"}}, "There is no built-in scene"},
      {{{"type", "open"}, {"scene", "wal"}}, "Did you mean 'wall'"},
  };
  for (const auto& [message, words] : cases) EXPECT_THAT(refusal(viewer, message), HasSubstr(words)) << message;
  EXPECT_EQ(save(viewer).value("text", ""), before);
  EXPECT_EQ(viewer.scenes, 1u);
  viewer.send({{"type", "run"}});
  EXPECT_THAT(refusal(viewer, {{"type", "body"}, {"body", block}, {"position", {0, 0, 9}}}), HasSubstr("Pause it first"));
}

TEST(Edits, a_scene_made_in_a_program_says_why_it_cannot_be_edited) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  EXPECT_THAT(refusal(viewer, {{"type", "save"}}), HasSubstr("Start it from a scene file"));
}

TEST(ScenePicker, another_scene_is_opened_in_place_of_the_one_that_runs) {
  Scene nothing;
  nothing.document = R"({"bodies": []})";
  Server server(std::move(nothing), quick());
  Viewer viewer(server);
  EXPECT_EQ(viewer.description["bodies"].size(), 0u);
  EXPECT_EQ(viewer.description["scenes"].size(), built_in_scenes().size());
  for (const std::string name : {"stack", "incline"}) {
    viewer.send({{"type", "open"}, {"scene", name}});
    ASSERT_TRUE(viewer.until([&] { return viewer.description["name"] == name && viewer.frame.step > 2; })) << name;
    EXPECT_EQ(viewer.bodies.size(), load_scene(name).world.body_count());
  }
}

TEST(ReplayServer, hands_the_page_out_on_the_port_that_was_asked_for) {
  ServerOptions options = paused();
  options.page = "<p>a replay</p>";
  const Server server(Scene{}, options);
  const std::string answer = http_answer(server.port(), "/");
  EXPECT_THAT(answer, HasSubstr("200 OK"));
  EXPECT_THAT(answer, HasSubstr("<p>a replay</p>"));
}

}   // namespace
}   // namespace stickslip
