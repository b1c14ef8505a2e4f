// Colours of scenes: what has which, and where they arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshes_scene.h"
#include "record/description.h"
#include "record_scenes.h"
#include "stickslip/math/error.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/playback.h"
#include "stickslip/record/recorder.h"
#include "store/hdf5.h"

namespace stickslip::colours_test {
namespace {

using test::Directory;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kPainted = R"({
  "name": "painted",
  "materials": [{"name": "brass", "color": "#b5a642"}, {"name": "stone"}],
  "bodies": [
    {"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}, "material": "stone", "color": "#204060"},
    {"name": "ball", "shape": {"type": "sphere", "radius": 0.2}, "position": [0, 0, 0.3], "material": "brass"},
    {"name": "toy", "position": [1, 0, 0.3], "material": "brass", "color": "#ff000080",
     "parts": [{"shape": {"type": "sphere", "radius": 0.1}},
               {"shape": {"type": "sphere", "radius": 0.1}, "position": [0, 0, 0.2], "color": "#00ff00"}]},
    {"name": "plain", "shape": {"type": "sphere", "radius": 0.2}, "position": [2, 0, 0.3], "material": "stone"},
    {"name": "beads", "nodes": {"positions": [[3, 0, 1]], "radius": 0.1}, "color": "#0000FF"}
  ]})";

Scene painted() { return parse_scene(kPainted, "painted.json"); }

/// Colours of all parts, body by body.
std::vector<std::string> colours_in(const Json& description) {
  std::vector<std::string> colours;
  for (const Json& body : description["bodies"]) {
    for (const Json& part : body["parts"]) colours.push_back(part.value("colour", "none"));
    if (body.contains("nodes")) colours.push_back(body["nodes"].value("colour", "none"));
  }
  return colours;
}

const std::vector<std::string> kShown = {"#204060", "#b5a642", "#ff000080", "#00ff00", "none", "#0000ff"};

TEST(Colours, a_part_has_its_own_or_that_of_its_body_or_of_its_material) {
  EXPECT_EQ(colours_in(describe_scene(painted(), 1e-6)), kShown);
}

TEST(Colours, change_no_motion) {
  Scene with = painted(), without = painted();
  for (Collider& c : without.world.mutable_colliders()) c.colour.reset();
  test::simulate(with, 30), test::simulate(without, 30);
  EXPECT_EQ(with.world.state_hash(), without.world.state_hash());
}

TEST(Colours, stand_in_place_of_those_that_a_mesh_brings_but_those_of_materials_do_not) {
  Scene scene = test::meshes();
  const auto shown = [&] {
    const Json description = describe_scene(scene, 1e-6);
    for (const Json& body : description["bodies"])
      if (body["name"] == "bright") return body["parts"][0].value("colour", "none");
    return std::string("no such body");
  };
  Collider& part = scene.world.mutable_colliders()[scene.world.body(scene.world.find("bright")).colliders[0]];
  Material material = scene.world.materials[part.material];
  material.colour = Colour{1, 2, 3};
  scene.world.materials.set(part.material, material);
  EXPECT_EQ(shown(), "none") << "its mesh has colours";
  part.colour = Colour{16, 32, 48};
  EXPECT_EQ(shown(), "#102030");
}

TEST(Colours, survive_checkpoints_and_trajectories) {
  const Directory directory;
  Scene scene = painted();
  save_checkpoint(directory / "c.h5", scene);
  EXPECT_EQ(colours_in(describe_scene(load_checkpoint(directory / "c.h5"), 1e-6)), kShown);
  const auto recorder = make_recorder(directory / "t.h5");
  recorder->begin(scene);
  recorder->finish();
  EXPECT_EQ(colours_in(describe_scene(Playback(directory / "t.h5").scene(), 1e-6)), kShown);
  const h5::Handle file = h5::open_file((directory / "t.h5").string());
  std::uint8_t parts[5][4], bodies[5][4];
  h5::read_values(file.get(), "shapes/colour", H5T_NATIVE_UINT8, parts, {5, 4});
  h5::read_values(file.get(), "bodies/colour", H5T_NATIVE_UINT8, bodies, {5, 4});
  EXPECT_THAT(parts[2], ::testing::ElementsAre(255, 0, 0, 128));
  EXPECT_THAT(parts[4], ::testing::ElementsAre(0, 0, 0, 0)) << "nothing is said";
  EXPECT_THAT(bodies[4], ::testing::ElementsAre(0, 0, 255, 255));
}

TEST(Colours, are_missing_in_a_checkpoint_of_the_time_before_them_which_is_read_and_runs_on) {
  const Directory directory;
  test::unpack_older_checkpoint("checkpoint-13.h5.gz", directory / "c.h5");
  Scene scene = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(scene.name, "old-ball");
  EXPECT_EQ(scene.world.step_count, 5u);
  EXPECT_EQ(colours_in(describe_scene(scene, 1e-6)), (std::vector<std::string>{"none", "none"}));
  test::simulate(scene, 30);
  EXPECT_NEAR(scene.world.body(scene.world.find("ball")).position.z(), 0.2, 1e-3) << "it fell to the ground";
}

TEST(Colours, that_are_none_are_errors_that_say_how_to_write_one) {
  for (const std::string bad : {"red", "#12345", "#1234567", "#12345g", "", "123456#"}) {
    Json document = Json::parse(kPainted);
    document["bodies"][1]["color"] = bad;
    try {
      parse_scene(document.dump(), "bad.json");
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("bad.json: /bodies/1/color: '" + bad + "' is not a colour. Give \"#rrggbb\""));
    }
  }
  EXPECT_EQ(colour_name(colour_from_name("#aBcDeF01")), "#abcdef01");
  EXPECT_EQ(colour_of_parts(2, 0.5, -1, 1), (Colour{255, 128, 0}));
}

}   // namespace
}   // namespace stickslip::colours_test
