// The built-in scenes: they load, are what they say, and stay the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "places.h"
#include "scene/scene_text.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

int dynamic_bodies(const Scene& scene) {
  int count = 0;
  for (const Body& b : scene.world.bodies()) count += b.alive && b.motion == MotionType::dynamic;
  return count;
}

Scene with_parameter(const std::string& name, const std::string& parameter, const std::string& value) {
  return load_scene(name, std::vector<Override>{{"/parameters/" + parameter, value}});
}

TEST(BuiltInScenes, all_promised_ones_are_in_the_table) {
  std::vector<std::string> names;
  for (const BuiltInScene& b : built_in_scenes()) names.push_back(b.name);
  EXPECT_EQ(names, (std::vector<std::string>{"wall",
                                             "tower",
                                             "stack",
                                             "pyramid",
                                             "card-house",
                                             "mass-ratio",
                                             "incline",
                                             "sliding-capsule",
                                             "sliding-three-spheres",
                                             "spheres",
                                             "boxes",
                                             "beads",
                                             "dominoes",
                                             "newtons-cradle",
                                             "spinning-top",
                                             "anisotropic-slope",
                                             "log-slide",
                                             "hopper",
                                             "polisher",
                                             "rolling-stones",
                                             "sawtooth",
                                             "agony",
                                             "pain",
                                             "arched-snake",
                                             "heavy-on-snake",
                                             "ragdolls",
                                             "heavy-chain",
                                             "rope-bridge",
                                             "four-bar",
                                             "slider-crank",
                                             "car",
                                             "pinch-grasp",
                                             "robot-hand",
                                             "cubes-on-edge",
                                             "nested-stack",
                                             "octagon-slide",
                                             "spinning-discs",
                                             "deflated-balls",
                                             "spinning-balls",
                                             "tumbling-cylinders",
                                             "spinning-coin",
                                             "sloppy-stack",
                                             "soft-grasp",
                                             "bumpy-cube",
                                             "salad",
                                             "jacks",
                                             "glasses",
                                             "chalices",
                                             "funnel",
                                             "bowl",
                                             "temple",
                                             "colosseum",
                                             "gears",
                                             "bullet-through-paper",
                                             "marble-run",
                                             "hook-and-ring",
                                             "nut-and-bolt",
                                             "soft-stack",
                                             "soft-on-rigid",
                                             "rigid-on-soft",
                                             "cantilever",
                                             "squeezed-ball",
                                             "twisted-bar",
                                             "jelly-hand",
                                             "gripper",
                                             "tyre",
                                             "soft-jacks",
                                             "fish-in-net",
                                             "strap-over-log",
                                             "mat-twist",
                                             "chain-mail",
                                             "ball-through-rollers",
                                             "soft-cards",
                                             "card-shuffle",
                                             "arch"}));
}

TEST(BuiltInScenes, beads_start_apart_however_many_there_are) {
  for (const int side : {1, 2, 3, 4, 5, 20}) {
    const Scene scene = with_parameter("beads", "side", std::to_string(side));   // an overlap at the start is an error
    EXPECT_EQ(scene.world.node_count(), static_cast<std::size_t>(side * side * side));
    EXPECT_TRUE(find_overlaps(scene.world).empty()) << side;
  }
}

TEST(BuiltInScenes, each_has_one_sentence_and_a_document_that_gives_the_same_world) {
  for (const BuiltInScene& b : built_in_scenes()) {
    SCOPED_TRACE(b.name);
    const Scene scene = load_scene(b.name);
    EXPECT_EQ(scene.name, b.name);
    EXPECT_EQ(scene.description, b.look_for);
    EXPECT_TRUE(b.look_for.ends_with("."));
    EXPECT_TRUE(scene.warnings.empty());
    const Scene again = parse_scene(scene.document, "again.json");
    EXPECT_EQ(again.document, scene.document);
    EXPECT_EQ(again.world.state_hash(), scene.world.state_hash());
    EXPECT_EQ(load_scene(b.name).document, scene.document);
  }
}

TEST(BuiltInScenes, none_starts_with_an_overlap_even_of_a_millionth_of_a_thickness) {
  for (const BuiltInScene& b : built_in_scenes()) {
    const Scene scene = load_scene(b.name);
    const auto overlaps = find_overlaps(scene.world, scene.step, 1e-6);
    EXPECT_TRUE(overlaps.empty()) << b.name << ": " << scene.world.body(overlaps[0].a).name << ", "
                                  << scene.world.body(overlaps[0].b).name;
  }
}

TEST(BuiltInScenes, they_hold_as_many_bodies_as_they_say) {
  const std::map<std::string, int> expected = {{"wall", 81},
                                               {"tower", 49},
                                               {"stack", 10},
                                               {"pyramid", 55},
                                               {"card-house", 15},
                                               {"mass-ratio", 2},
                                               {"incline", 1},
                                               {"sliding-capsule", 1},
                                               {"sliding-three-spheres", 1},
                                               {"spheres", 1730},
                                               {"boxes", 500},
                                               {"dominoes", 30},
                                               {"newtons-cradle", 5},
                                               {"spinning-top", 1},
                                               {"heavy-chain", 21},
                                               {"rope-bridge", 22},
                                               {"four-bar", 3},
                                               {"slider-crank", 3},
                                               {"car", 59},
                                               {"pinch-grasp", 6},
                                               {"robot-hand", 14},
                                               {"agony", 17},
                                               {"pain", 17},
                                               {"arched-snake", 11},
                                               {"heavy-on-snake", 12},
                                               {"ragdolls", 64},
                                               {"cubes-on-edge", 9},
                                               {"nested-stack", 10},
                                               {"octagon-slide", 4},
                                               {"spinning-discs", 3},
                                               {"deflated-balls", 4},
                                               {"spinning-balls", 4},
                                               {"tumbling-cylinders", 3},
                                               {"spinning-coin", 1},
                                               {"sloppy-stack", 8},
                                               {"soft-grasp", 3},
                                               {"bumpy-cube", 1},
                                               {"salad", 8},
                                               {"jacks", 362},
                                               {"glasses", 362},
                                               {"chalices", 4004},
                                               {"funnel", 2002},
                                               {"bowl", 1},
                                               {"temple", 638},
                                               {"colosseum", 648},
                                               {"gears", 2},
                                               {"bullet-through-paper", 5},
                                               {"marble-run", 12},
                                               {"hook-and-ring", 3},
                                               {"nut-and-bolt", 3}};
  for (const auto& [name, count] : expected) EXPECT_EQ(dynamic_bodies(load_scene(name)), count) << name;
}

TEST(BuiltInScenes, counts_and_sizes_are_parameters) {
  EXPECT_EQ(dynamic_bodies(with_parameter("stack", "count", "3")), 3);
  EXPECT_EQ(dynamic_bodies(with_parameter("pyramid", "rows", "4")), 10);
  EXPECT_EQ(dynamic_bodies(with_parameter("boxes", "count", "4000")), 4000);
  EXPECT_EQ(dynamic_bodies(with_parameter("card-house", "levels", "5")), 2 * 15 + 10);
  EXPECT_DOUBLE_EQ(named(with_parameter("stack", "size", "0.001"), "box-0").position.z(), 0.0005);
  EXPECT_DOUBLE_EQ(named(with_parameter("mass-ratio", "ratio", "50"), "heavy").mass.mass, 50);
}

TEST(BuiltInScenes, every_parameter_may_take_its_default_and_no_text) {
  for (const BuiltInScene& b : built_in_scenes()) {
    for (const auto& p : b.parameters) {
      EXPECT_EQ(load_error(b.name, {{"/parameters/" + p.name, fmt::format("{}", p.default_value)}}), "");
      EXPECT_EQ(load_error(b.name, {{"/parameters/" + p.name, "many"}}),
                fmt::format("{}: /parameters/{}: \"many\" is a string. Give a number: {}.", b.name, p.name, p.help));
    }
  }
}

TEST(BuiltInScenes, parameters_out_of_range_are_errors) {
  EXPECT_EQ(load_error("stack", {{"/parameters/count", "0"}}),
            "stack: /parameters/count: 0 is out of range. Give 1 to 10000: boxes.");
  EXPECT_EQ(load_error("stack", {{"/parameters/count", "2.5"}}),
            "stack: /parameters/count: 2.5 is not a whole number. Give 1 to 10000: boxes.");
  EXPECT_EQ(load_error("incline", {{"/parameters/mu", "-1"}}),
            "incline: /parameters/mu: -1 is out of range. Give 0 to 10: coefficient of friction.");
  EXPECT_EQ(load_error("stack", {{"/parameters/cuont", "3"}}),
            "stack: /parameters/cuont: 'cuont' is not a parameter of stack. Did you mean 'count'?");
  EXPECT_EQ(load_error("stack", {{"/parameters", "3"}}),
            "stack: Cannot set '/parameters': a parameter is set by /parameters/<name>.");
}

TEST(BuiltInScenes, the_rest_of_the_document_can_be_overridden_too) {
  const Scene scene = load_scene(
      "stack",
      std::vector<Override>{
          {"/step/h", "0.005"}, {"/gravity/2", "-1.62"}, {"/bodies/3/velocity", "[0, 1, 0]"}, {"/parameters/count", "4"}});
  EXPECT_EQ(scene.step.h, 0.005);
  EXPECT_EQ(scene.world.gravity, Vec3(0, 0, -1.62));
  EXPECT_EQ(named(scene, "box-2").velocity, Vec3(0, 1, 0));
  EXPECT_EQ(load_error("stack", {{"/step/hh", "1"}}),
            "stack: /step/hh: Unknown key 'hh' for the step options. Did you mean 'h'?");
}

TEST(BuiltInScenes, seeds_change_the_heaps_and_nothing_else_does) {
  EXPECT_NE(with_parameter("boxes", "seed", "2").world.state_hash(), load_scene("boxes").world.state_hash());
  EXPECT_EQ(with_parameter("boxes", "seed", "1").world.state_hash(), load_scene("boxes").world.state_hash());
  EXPECT_NE(with_parameter("spheres", "seed", "2").world.state_hash(), load_scene("spheres").world.state_hash());
}

TEST(BuiltInScenes, random_numbers_are_the_same_on_every_machine) {
  // SplitMix64 from seed 1, worked out apart from this code.
  const Quat expected(-0.12016160098585622, 0.5667828376394475, 0.8135386909869984, 0.049731306770008844);
  EXPECT_NEAR((named(load_scene("boxes"), "box-0").orientation.coeffs() - expected.coeffs()).norm(), 0, 1e-15);
}

TEST(BuiltInScenes, the_block_of_the_incline_lies_on_the_slope) {
  for (const char* angle : {"0", "20", "59"}) {
    const Scene scene = with_parameter("incline", "angle_degrees", angle);
    const double radians = std::stod(angle) / 180 * std::numbers::pi;
    const Vec3 normal = named(scene, "slope").orientation * Vec3::UnitZ();
    EXPECT_NEAR(normal.z(), std::cos(radians), 1e-15);
    EXPECT_NEAR(normal.dot(named(scene, "block").position), 0.1, 1e-15);
    EXPECT_NEAR((named(scene, "block").orientation * Vec3::UnitZ() - normal).norm(), 0, 1e-15);
  }
}

TEST(BuiltInScenes, the_top_starts_with_its_tip_at_rest) {
  const Scene scene = load_scene("spinning-top");
  EXPECT_NEAR(named(scene, "top").velocity_at(Vec3::Zero()).norm(), 0, 1e-12);
}

TEST(BuiltInScenes, the_first_domino_starts_turning_about_its_lower_edge) {
  const Scene scene = load_scene("dominoes");
  const Body& first = named(scene, "domino-0");
  EXPECT_NEAR(first.velocity_at(first.position + Vec3(0.00375, 0, -0.024)).norm(), 0, 1e-15);
}

TEST(BuiltInScenes, the_manual_names_every_scene_and_parameter_with_its_default) {
  std::ifstream in(std::filesystem::path(places::kSourceDir) / "docs" / "scenes.md");
  const std::string manual{std::istreambuf_iterator<char>(in), {}};
  for (const BuiltInScene& b : built_in_scenes()) {
    const std::size_t section = manual.find("### `" + b.name + "`");
    ASSERT_NE(section, manual.npos) << b.name;
    const std::string text = manual.substr(section, manual.find("###", section + 3) - section);
    for (const auto& p : b.parameters) {
      EXPECT_NE(text.find(fmt::format("| `{}` | {} |", p.name, p.default_value)), text.npos) << b.name << " " << p.name;
    }
  }
}

}   // namespace
}   // namespace stickslip
