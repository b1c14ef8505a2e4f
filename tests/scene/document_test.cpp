// What the fields of a document mean.
#include <gtest/gtest.h>

#include <numbers>

#include "scene/scene_text.h"

namespace stickslip {
namespace {

TEST(SceneDocument, an_empty_list_of_bodies_gives_the_defaults_of_the_library) {
  const Scene scene = parse_scene(R"({"bodies": []})", "dir/empty.json");
  EXPECT_EQ(scene.name, "empty");
  EXPECT_EQ(scene.world.body_count(), 0u);
  EXPECT_EQ(scene.world.gravity, World().gravity);
  EXPECT_EQ(scene.step.h, StepOptions().h);
  EXPECT_EQ(scene.seconds, 5);
  EXPECT_TRUE(scene.warnings.empty());
}

TEST(SceneDocument, every_step_option_reaches_its_field) {
  const Scene scene = parse_scene(R"({"bodies": [], "step": {
      "h": 0.004, "scheme": "moreau-midpoint", "gyroscopic": "implicit", "solver": "pgs", "max_iterations": 17,
      "tolerance": 1e-9, "warm_start": false, "restitution_threshold": 3, "margin": 0.02, "contact_band": 2e-4,
       "contact_elasticity": 0.2, "turning_contacts": false, "threads": 2,
      "stabilisation": {"method": "spring", "stiffness": 1000, "damping": 20},
      "penalty": {"law": "power", "friction": "damping", "stepping": "implicit", "depth": 0.002, "stiffness": 5e4,
       "damping": 0.5, "friction_damping": 70, "exponent": 2, "substeps": 9},
      "projection": {"max_rounds": 3, "iterations": 11, "fraction": 0.5}, "sleep": true}})",
                                  "s.json");
  const StepOptions& s = scene.step;
  EXPECT_EQ(s.penalty.law, PenaltyLaw::power);
  EXPECT_EQ(s.penalty.friction, PenaltyFriction::damping);
  EXPECT_EQ(s.penalty.stepping, PenaltyStepping::implicit);
  EXPECT_EQ(s.penalty.depth, 0.002);
  EXPECT_EQ(s.penalty.stiffness, 5e4);
  EXPECT_EQ(s.penalty.damping, 0.5);
  EXPECT_EQ(s.penalty.friction_damping, 70);
  EXPECT_EQ(s.penalty.exponent, 2);
  EXPECT_EQ(s.penalty.substeps, 9);
  EXPECT_EQ(s.h, 0.004);
  EXPECT_EQ(s.scheme, Scheme::moreau_midpoint);
  EXPECT_EQ(s.gyroscopic, Gyroscopic::implicit);
  EXPECT_EQ(s.solver, "pgs");
  EXPECT_EQ(s.max_iterations, 17);
  EXPECT_EQ(s.tolerance, 1e-9);
  EXPECT_FALSE(s.warm_start);
  EXPECT_EQ(s.restitution_threshold, 3);
  EXPECT_EQ(s.contact_band, 2e-4);
  EXPECT_EQ(s.contact_elasticity, 0.2);
  EXPECT_FALSE(s.turning_contacts);
  EXPECT_EQ(s.margin, 0.02);
  EXPECT_EQ(s.threads, 2);
  EXPECT_EQ(std::get<SpringDamper>(s.stabilisation).stiffness, 1000);
  EXPECT_EQ(std::get<SpringDamper>(s.stabilisation).damping, 20);
  EXPECT_TRUE(s.projection.enabled);
  EXPECT_EQ(s.projection.max_rounds, 3);
  EXPECT_EQ(s.projection.iterations, 11);
  EXPECT_EQ(s.projection.fraction, 0.5);
  EXPECT_TRUE(s.sleep.enabled);
}

TEST(SceneDocument, an_object_for_a_switch_turns_it_on_unless_it_says_otherwise) {
  EXPECT_TRUE(parse_scene(R"({"bodies": [], "step": {"sleep": {"time": 2}}})", "s").step.sleep.enabled);
  EXPECT_FALSE(parse_scene(R"({"bodies": [], "step": {"sleep": {"time": 2, "enabled": false}}})", "s").step.sleep.enabled);
  EXPECT_FALSE(parse_scene(R"({"bodies": [], "step": {"sleep": false}})", "s").step.sleep.enabled);
}

TEST(SceneDocument, materials_pairs_and_rules_decide_the_coefficients) {
  const Scene scene = parse_scene(R"({"bodies": [],
      "materials": [{"name": "default", "friction": 0.25}, {"name": "a", "friction": 0.16, "restitution": 0.5},
                    {"name": "b", "friction": 0.9, "restitution": 0.25}],
      "combine": {"friction": "geometric-mean", "restitution": "minimum"},
      "material_pairs": [{"between": ["b", "a"], "friction": 0.7}]})",
                                  "s.json");
  const MaterialTable& m = scene.world.materials;
  EXPECT_DOUBLE_EQ(m.between({0}, m.find("a")).friction, 0.2);
  EXPECT_EQ(m.between(m.find("a"), m.find("b")).friction, 0.7);
  EXPECT_EQ(m.between(m.find("a"), m.find("b")).restitution, 0.25);   // not given: by the rule
}

TEST(SceneDocument, a_rotation_in_degrees_equals_the_quaternion) {
  const Scene scene = parse_scene(
      with_body(
          R"({"name": "a", "shape": {"type": "box", "half_extents": [1, 2, 3]}, "rotation": {"axis": [0, 2, 0], "degrees": 90}},
         {"name": "b", "shape": {"type": "box", "half_extents": [1, 2, 3]}, "position": [20, 0, 0],
          "orientation_wxyz": [0.70711, 0, 0.70711, 0]})"),
      "s.json");
  EXPECT_NEAR((named(scene, "a").orientation * Vec3::UnitZ() - Vec3::UnitX()).norm(), 0, 1e-15);
  EXPECT_NEAR((named(scene, "b").orientation * Vec3::UnitZ() - Vec3::UnitX()).norm(), 0, 1e-15);
}

TEST(SceneDocument, mass_follows_from_density_or_is_given) {
  const Scene scene = parse_scene(R"({"materials": [{"name": "m", "density": 500}], "bodies": [
      {"name": "density", "material": "m", "shape": {"type": "box", "half_extents": [1, 1, 1]}},
      {"name": "mass", "mass": 6, "shape": {"type": "box", "half_extents": [1, 1, 1]}, "position": [5, 0, 0]},
      {"name": "given", "shape": {"type": "sphere", "radius": 1}, "position": [10, 0, 0],
       "mass_properties": {"mass": 2, "center": [0, 0, 0.5], "inertia": [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]]}}]})",
                                  "s.json");
  EXPECT_DOUBLE_EQ(named(scene, "density").mass.mass, 4000);
  EXPECT_DOUBLE_EQ(named(scene, "mass").mass.mass, 6);
  EXPECT_NEAR(named(scene, "mass").mass.inertia(0, 0), 6 * (4 + 4) / 12.0, 1e-12);
  EXPECT_EQ(named(scene, "given").mass.inertia(0, 1), 0.1);
  EXPECT_EQ(named(scene, "given").position, Vec3(10, 0, 0.5));
}

TEST(SceneDocument, the_centre_of_mass_of_parts_is_their_weighted_mean) {
  const Scene scene = parse_scene(R"({"materials": [{"name": "light", "density": 100}, {"name": "heavy", "density": 300}],
      "bodies": [{"name": "bar", "material": "light", "parts": [
        {"shape": {"type": "box", "half_extents": [0.5, 0.5, 0.5]}, "position": [-1, 0, 0]},
        {"shape": {"type": "box", "half_extents": [0.5, 0.5, 0.5]}, "position": [1, 0, 0], "material": "heavy"}]}]})",
                                  "s.json");
  EXPECT_DOUBLE_EQ(named(scene, "bar").mass.mass, 400);
  EXPECT_NEAR(named(scene, "bar").position.x(), 0.5, 1e-15);
}

TEST(SceneDocument, repeat_places_named_copies_on_a_grid) {
  const Scene scene = parse_scene(with_body(
                                      R"({"name": "b", "shape": {"type": "sphere", "radius": 0.1}, "position": [1, 2, 3],
          "repeat": {"count": [2, 3, 2], "step": [1, 10, 100]}})"),
                                  "s.json");
  EXPECT_EQ(scene.world.body_count(), 12u);
  EXPECT_EQ(named(scene, "b-0").position, Vec3(1, 2, 3));
  EXPECT_EQ(named(scene, "b-1").position, Vec3(2, 2, 3));
  EXPECT_EQ(named(scene, "b-2").position, Vec3(1, 12, 3));
  EXPECT_EQ(named(scene, "b-11").position, Vec3(2, 22, 103));
}

TEST(SceneDocument, an_oscillation_starts_at_its_pose_and_swings_by_its_amplitude) {
  const Scene scene = parse_scene(with_body(R"({"name": "tray", "motion": "kinematic", "shape": {"type": "half-space"},
      "position": [0, 0, 1], "script": {"type": "oscillation", "translation": [0.1, 0, 0], "frequency": 2,
      "rotation": {"axis": [0, 0, 1], "degrees": 90}}})"),
                                  "s.json");
  const Body& tray = named(scene, "tray");
  EXPECT_EQ(tray.position, Vec3(0, 0, 1));
  const Pose quarter = scripted_pose(tray.script, tray.script_start, 1.0 / 8);   // a quarter of the period
  EXPECT_NEAR((quarter.position - Vec3(0.1, 0, 1)).norm(), 0, 1e-15);
  EXPECT_NEAR((quarter.orientation * Vec3::UnitX() - Vec3::UnitY()).norm(), 0, 1e-15);
}

TEST(SceneDocument, fields_without_effect_give_warnings) {
  const Scene scene = parse_scene(with_body(R"({"motion": "fixed", "mass": 3, "shape": {"type": "sphere", "radius": 1}},
      {"motion": "kinematic", "velocity": [1, 0, 0], "script": {"type": "oscillation"}, "position": [9, 0, 0],
       "shape": {"type": "sphere", "radius": 1}})"),
                                  "s.json");
  EXPECT_EQ(scene.warnings,
            (std::vector<std::string>{"/bodies/0/mass has no effect: the body is not dynamic.",
                                      "/bodies/1/velocity has no effect: the script says how the body moves."}));
}

TEST(SceneDocument, the_document_of_a_scene_gives_the_same_scene_again) {
  const Scene first = parse_scene(
      with_body(
          R"({"name": "b", "shape": {"type": "sphere", "radius": 0.1}, "position": [0.1, 1e-300, 0.30000000000000004],
           "velocity": [1, 2, 3]})"),
      "s.json", std::vector<Override>{{"/step/h", "0.003"}, {"/name", "renamed"}});
  const Scene second = parse_scene(first.document, "other.json");
  EXPECT_EQ(second.document, first.document);
  EXPECT_EQ(second.world.state_hash(), first.world.state_hash());
  EXPECT_EQ(second.step.h, 0.003);
  EXPECT_EQ(second.name, "renamed");
}

}   // namespace
}   // namespace stickslip
