// The published schema and the parser must agree on what a scene is.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "places.h"
#include "scene/scene_text.h"
#include "scene/schema_validator.h"

namespace stickslip::schema_test {
namespace {

using nlohmann::json;

const std::filesystem::path kScenes = std::filesystem::path(places::kSourceDir) / "scenes";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

const SchemaValidator& validator() {
  static const SchemaValidator schema(json::parse(scene_schema()));
  return schema;
}

TEST(SceneSchema, the_embedded_text_is_the_published_file) {
  EXPECT_EQ(scene_schema(), text_of(kScenes / "scene.schema.json"));
}

TEST(SceneSchema, every_example_scene_loads_without_warnings_and_satisfies_the_schema) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kScenes)) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "scene.schema.json") continue;
    const Scene scene = load_scene(entry.path().string());
    EXPECT_TRUE(scene.warnings.empty()) << entry.path();
    EXPECT_FALSE(scene.description.empty()) << entry.path();
    EXPECT_EQ(scene.name, entry.path().stem().string());
    EXPECT_TRUE(validator().accepts(json::parse(text_of(entry.path())))) << entry.path();
    EXPECT_TRUE(validator().accepts(json::parse(scene.document))) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 5);
}

TEST(SceneSchema, every_built_in_document_satisfies_the_schema) {
  for (const BuiltInScene& b : built_in_scenes())
    EXPECT_TRUE(validator().accepts(json::parse(load_scene(b.name).document))) << b.name;
}

/// A document that uses every key of the format at least once.
const json kFull = json::parse(R"({
  "$schema": "scene.schema.json", "schema": 1, "name": "full", "description": "all keys", "generated_from": {}, "seconds": 2,
  "gravity": [0, 0, -9.81], "allow_overlap": true,
  "materials": [{"name": "a", "density": 700, "friction": 0.4, "restitution": 0.1, "tangential_restitution": 0.2}],
  "material_pairs": [{"between": ["a", "default"], "friction": 0.3, "restitution": 0, "tangential_restitution": 0.1}],
  "combine": {"friction": "average", "restitution": "multiply"},
  "step": {"h": 0.01, "scheme": "semi-implicit-euler", "gyroscopic": "none",
           "stabilisation": {"method": "baumgarte", "error_reduction": 0.2, "compliance": 0},
           "projection": {"enabled": true, "max_rounds": 2, "iterations": 30, "fraction": 0.8},
           "sleep": {"enabled": true, "time": 0.5, "speed": 0.5}, "warm_start": true, "geometric_stiffness": false,
            "restitution_threshold": 2,
           "margin": 0.01, "contact_band": 1e-4, "contact_elasticity": 0.1, "turning_contacts": true,
           "penalty": {"law": "layered", "friction": "anchored", "stepping": "automatic", "depth": 1e-3, "stiffness": 0,
            "damping": 1, "friction_damping": 0, "exponent": 1.5, "substeps": 0},
            "solver": {"name": "prox-gs"}, "merit": {"function": "step", "absolute": 1e-3, "relative": 0.1, "divergence": 10},
            "last_iterate": false, "tolerance": 1e-6, "max_iterations": 200, "threads": 1},
  "bodies": [
    {"name": "b", "motion": "dynamic", "material": "a", "position": [0, 0, 1], "orientation_wxyz": [1, 0, 0, 0],
     "parts": [{"shape": {"type": "sphere", "radius": 0.1}, "position": [0, 0, 0], "rotation": {"axis": [1, 0, 0],
      "degrees": 3},
                "material": "default"},
               {"shape": {"type": "capsule", "radius": 0.1, "half_height": 0}, "orientation_wxyz": [1, 0, 0, 0]},
               {"shape": {"type": "cylinder", "radius": 0.1, "half_height": 0.1}},
               {"shape": {"type": "box", "half_extents": [0.1, 0.1, 0.1]}},
               {"shape": {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}],
     "velocity": [0, 0, 0], "angular_velocity": [0, 0, 0], "force": [0, 0, 0], "torque": [0, 0, 0], "can_sleep": false,
     "continuous": "impact",
     "mass_properties": {"mass": 1, "center": [0, 0, 0], "inertia": [1, 1, 1]},
     "repeat": {"count": [2, 1, 1], "step": [9, 0, 0]}},
    {"motion": "fixed", "shape": {"type": "half-space"}, "rotation": {"axis": [0, 0, 1], "degrees": 0}},
    {"motion": "kinematic", "shape": {"type": "box", "half_extents": [1, 1, 1]}, "position": [0, 99, 9],
     "script": {"type": "oscillation", "translation": [1, 0, 0], "rotation": {"axis": [1, 0, 0], "degrees": 3},
      "frequency": 2, "phase": 1}},
    {"motion": "kinematic", "shape": {"type": "box", "half_extents": [1, 1, 1]}, "position": [0, -99, 9],
     "script": {"type": "keyframes", "keys": [{"time": 0, "position": [9, 9, 99], "orientation_wxyz": [1, 0, 0, 0]},
                                              {"time": 1, "rotation": {"axis": [1, 0, 0], "degrees": 3}}]}},
    {"motion": "kinematic", "shape": {"type": "box", "half_extents": [1, 1, 1]}, "position": [0, 99, 99],
     "script": {"type": "constant-velocity"}},
    {"mass": 2, "shape": {"type": "sphere", "radius": 1}, "position": [0, 0, 500]}
  ]})");

/// A document that uses every key of joints at least once, in every type that has it.
const json kJoints = json::parse(R"({
  "allow_overlap": true,
  "bodies": [
    {"name": "l", "parts": [], "mass_properties": {"mass": 1, "inertia": [1, 1, 1]}},
    {"name": "r", "shape": {"type": "sphere", "radius": 1}, "position": [3, 0, 0]},
    {"name": "s", "shape": {"type": "sphere", "radius": 1}, "position": [6, 0, 0]}],
  "joints": [
    {"name": "fixed", "type": "fixed", "a": "l", "b": "r", "anchor": [1, 0, 0], "axis": [0, 1, 1], "x_axis": [1, 0, 0],
     "collide": true,
     "break_force": 1, "break_torque": 2},
    {"type": "ball", "b": "r", "frame_a": {"position": [1, 0, 0], "orientation_wxyz": [1, 0, 0, 0]},
     "frame_b": {"position": [1, 0, 0], "rotation": {"axis": [0, 0, 1], "degrees": 3}}, "swing_limit": 1,
     "axes": {"turn_x": {"lower": -1}, "turn_y": {"upper": 1}, "turn_z": {"friction": 1}}},
    {"name": "hinge", "type": "hinge", "a": "world", "b": "r", "anchor": [1, 0, 0], "lower": -1, "upper": 1,
     "limit_stiffness": 1, "limit_damping": 1,
     "friction": 1, "motor": {"speed": 1, "max_force": 1}, "servo": {"target": 1, "stiffness": 1, "damping": 1, "max_force": 3},
     "spring": {"rest": 1, "stiffness": 1, "damping": 1}},
    {"name": "prismatic", "type": "prismatic", "b": "s", "anchor": [1, 0, 0], "spring": {"stiffness": 1},
     "servo": {"damping": 1, "path": [[0, 1], [1, 2]]}},
    {"type": "cylindrical", "b": "s", "anchor": [1, 0, 0], "axes": {"z": {"limit_stiffness": 1, "upper": 1},
     "turn_z": {"motor": {"speed": 1}}}},
    {"type": "universal", "b": "s", "anchor": [1, 0, 0], "axis": [0, 0, 1], "x_axis": [1, 0, 0], "axes": {"turn_x": {},
     "turn_z": {}}},
    {"type": "planar", "b": "s", "anchor": [1, 0, 0], "axes": {"x": {}, "y": {}, "turn_z": {}}},
    {"type": "six-dof", "a": "r", "b": "s", "anchor": [1, 0, 0], "axes": {"x": {"locked": true}, "y": {"locked": false,
     "friction": 1}, "z": {}, "turn_x": {},
     "turn_y": {"servo": {"stiffness": 1}}, "turn_z": {"spring": {"damping": 1}}}},
    {"type": "screw", "b": "s", "anchor": [1, 0, 0], "pitch": 0.1, "axes": {"z": {"lower": -1}}},
    {"type": "distance", "a": "l", "b": "s", "anchor": [0, 0, 0], "anchor_b": [6, 0, 0], "locked": true, "length": 6},
    {"type": "distance", "a": "l", "b": "s", "frame_a": {}, "frame_b": {}, "upper": 6},
    {"type": "gear", "first": {"joint": "hinge", "coordinate": "turn_z"}, "second": {"joint": "prismatic"}, "ratio": -1}],
  "ignore_contacts": [["r", "s"]]})");

/// A document that uses every key of meshes, but for the numbers of formulas and for files.
const json kMeshes = json::parse(R"({
  "meshes": [
    {"name": "tet", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
     "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], "repair": "merge", "checksum": "f1487494b78b9d9b"},
    {"name": "box", "make": "box", "half_extents": [1, 1, 1], "repair": "orient"}],
  "bodies": [
    {"name": "a", "shape": {"type": "mesh", "mesh": "tet"}, "position": [0, 0, 0]},
    {"name": "b", "shape": {"type": "mesh", "mesh": "box", "as": "hull"}, "position": [90, 0, 0]},
    {"name": "c", "shape": {"type": "mesh", "make": "box", "half_extents": [1, 1, 1], "as": "hulls", "concavity": 0.1,
     "max_parts": 4}, "position": [180, 0, 0]},
    {"name": "d", "shape": {"type": "height-field", "size": [1, 1], "scale": 0.5, "base": 0.1, "heights": [[0, 0], [0, 1]]},
     "position": [270, 0, 0]},
    {"name": "e", "shape": {"type": "mesh", "mesh": "tet"}, "position": [360, 0, 0]}
  ]})");

/// The same for distance fields.
const json kSampled = json::parse(R"({
  "bodies": [
    {"name": "e", "shape": {"type": "sdf", "make": "box", "half_extents": [1, 1, 1],
     "resolution": 8, "tolerance": 0.5, "sign": "normals"}}
  ]})");
const json kUnion = json::parse(R"({
  "bodies": [
    {"name": "f", "shape": {"type": "sdf", "smooth": 0.1, "size": 1, "union": [{"shape": {"type": "sphere", "radius": 1},
     "position": [1, 0, 0], "orientation_wxyz": [1, 0, 0, 0]}, {"shape": {"type": "sphere", "radius": 1}, "rotation":
      {"axis": [1, 0, 0], "degrees": 3}}]}, "position": [450, 0, 0]}
  ]})");

const std::vector<const json*> kDocuments = {&kFull, &kJoints, &kMeshes, &kSampled, &kUnion};

void expect_both(bool accept, const json& document, const std::string& what) {
  const std::string error = error_of(document.dump());
  EXPECT_EQ(error.empty(), accept) << "parser: " << what << "\n" << error;
  EXPECT_EQ(validator().accepts(document), accept) << "schema: " << what;
}

/// Calls f with the place of every value in the document.
template <class F>
void for_each_place(const json& value, const json::json_pointer& here, F&& f) {
  f(here);
  if (value.is_object())
    for (const auto& [key, child] : value.items()) for_each_place(child, here / key, f);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) for_each_place(value[i], here / i, f);
}

/// A mesh of each formula, with every number it takes.
const json kMade = json::parse(R"([
  {"make": "box", "half_extents": [1, 1, 1], "divisions": 2},
  {"make": "sphere", "radius": 1, "divisions": 2},
  {"make": "cylinder", "radius": 1, "half_height": 1, "segments": 5},
  {"make": "capsule", "radius": 1, "half_height": 1, "segments": 5},
  {"make": "torus", "radius": 1, "tube": 0.2, "segments": 5, "around": 4},
  {"make": "revolve", "profile": [[1, 0], [2, 0], [1, 1]], "segments": 5},
  {"make": "extrude", "outline": [[0, 0], [4, 0], [0, 4]], "half_height": 1, "holes": [[[0.5, 0.5], [1, 0.5], [0.5, 1]]]},
  {"make": "gear", "teeth": 9, "module": 0.1, "half_height": 0.1, "pressure_degrees": 20, "backlash": 0.01, "flank_points": 2,
   "bore": 0.1},
  {"make": "sweep", "path": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "section": [[0, 0], [0.1, 0], [0, 0.1]], "closed": true,
   "up": [0, 0, 1]},
  {"make": "sweep", "path": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "radius": 0.1, "segments": 5, "closed": false, "up": [0, 0, 1]},
  {"make": "bolt", "radius": 0.003, "pitch": 0.001, "depth": 0.0006, "clearance": 5e-5, "flank_degrees": 30, "segments": 8,
   "length": 0.005, "head_radius": 0.005, "head_height": 0.003},
  {"make": "nut", "radius": 0.003, "pitch": 0.001, "depth": 0.0006, "clearance": 5e-5, "flank_degrees": 30, "segments": 8,
   "half_height": 0.002, "outer_radius": 0.006},
  {"make": "sticks", "sticks": [{"from": [0, 0, 0], "to": [1, 0, 0], "radius": 0.5}], "blend": 0.1, "size": 0.5},
  {"make": "block", "corners": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]],
   "divisions": 2},
  {"make": "voussoir", "inner": 1, "outer": 2, "from_degrees": -5, "to_degrees": 10, "half_depth": 0.3, "divisions": 2},
  {"make": "wall-stone", "a": 10, "b": 8, "thickness": 1, "lower": [[0, 0], [5, 1]], "upper": [[0, 2], [5, 2]], "divisions": 2,
   "origin": [2, 1]}])");

/// Calls f with a document for each made mesh, and with the places of that mesh and all in it.
template <class F>
void for_each_made_place(F&& f) {
  for (json mesh : kMade) {
    mesh["name"] = "made";
    const json document = {{"meshes", {mesh}}, {"bodies", json::array()}};
    for_each_place(mesh, json::json_pointer("/meshes/0"), [&](const json::json_pointer& place) { f(document, place); });
  }
}

TEST(SceneSchema, schema_and_parser_agree_on_what_formulas_of_meshes_take) {
  for_each_made_place([](const json& document, const json::json_pointer& place) {
    const std::string what = document["meshes"][0]["make"].get<std::string>() + place.to_string();
    expect_both(true, document, what);
    json broken = document;
    if (document[place].is_object()) {
      broken[place]["no_such_key"] = 1;
      expect_both(false, broken, what);
    }
    broken[place] = nullptr;
    expect_both(false, broken, what + " = null");
    broken[place] = document[place].is_number() ? json("many") : json(7.25);
    expect_both(false, broken, what + " = " + broken[place].dump());
    if (!document[place.parent_pointer()].is_object()) return;
    json shorter = document;
    shorter[place.parent_pointer()].erase(place.back());
    const std::string error = error_of(shorter.dump());
    EXPECT_EQ(error.empty(), validator().accepts(shorter)) << "without " << what << "\n" << error;
  });
}

TEST(SceneSchema, whatever_stands_in_a_formula_of_a_mesh_the_parser_accepts_it_or_throws_an_error) {
  for_each_made_place([](const json& document, const json::json_pointer& place) {
    for (const json& value : std::vector<json>{1e308, -1e308, 1e-308, -1, 0, 1, "", json::array(), {1e200, -1e200, 1e200}}) {
      json changed = document;
      changed[place] = value;
      EXPECT_NO_THROW(error_of(changed.dump())) << place.to_string() << " = " << value.dump();
    }
  });
}

TEST(SceneSchema, schema_and_parser_accept_a_document_with_every_key) {
  expect_both(true, kFull, "full");
  expect_both(true, kJoints, "joints");
  expect_both(true, kMeshes, "meshes");
  expect_both(true, kSampled, "a sampled field");
  expect_both(true, kUnion, "a union");
}

TEST(SceneSchema, schema_and_parser_refuse_an_unknown_key_in_every_object) {
  int count = 0;
  for (const json* document : kDocuments)
    for_each_place(*document, json::json_pointer(), [&](const json::json_pointer& place) {
      if (!(*document)[place].is_object() || place.to_string() == "/generated_from" || place.to_string() == "/step/solver")
        return;
      json broken = *document;
      broken[place]["no_such_key"] = 1;
      expect_both(false, broken, place.to_string());
      ++count;
    });
  EXPECT_GE(count, 60);
}

TEST(SceneSchema, schema_and_parser_refuse_a_value_of_the_wrong_type_at_every_place) {
  for (const json* document : kDocuments)
    for_each_place(*document, json::json_pointer(), [&](const json::json_pointer& place) {
      json broken = *document;
      broken[place] = nullptr;
      expect_both(false, broken, place.to_string() + " = null");
      // A number where something else stands, and an empty array where a number stands.
      broken[place] = (*document)[place].is_number() ? json::array() : json(7.25);
      expect_both(false, broken, place.to_string() + " = " + broken[place].dump());
    });
}

TEST(SceneSchema, whatever_stands_at_a_place_the_parser_accepts_it_or_throws_an_error) {
  const std::vector<json> odd = {
      1e308, -1e308, 1e-308, -1, 0, 1e18, "", "\x01", json::array(), json::object(), {1, 2, 3}, {1e200, -1e200, 1e200}, true};
  for (const json* document : kDocuments)
    for_each_place(*document, json::json_pointer(), [&](const json::json_pointer& place) {
      for (const json& value : odd) {
        json changed = *document;
        changed[place] = value;
        EXPECT_NO_THROW(error_of(changed.dump())) << place.to_string() << " = " << value.dump();
      }
    });
}

TEST(SceneSchema, schema_and_parser_agree_on_which_keys_may_be_left_out) {
  for_each_place(kFull, json::json_pointer(), [&](const json::json_pointer& place) {
    if (place.empty() || !kFull[place.parent_pointer()].is_object()) return;
    json shorter = kFull;
    shorter[place.parent_pointer()].erase(place.back());
    // Without them, what is left is still well formed but means something that only the parser can judge.
    for (const char* meaning : {"/bodies/1/motion", "/bodies/2/motion", "/bodies/3/motion", "/bodies/4/motion", "/materials"})
      if (place.to_string() == meaning) return;
    if (place.to_string() == "/materials/0/name") return expect_both(false, shorter, "without " + place.to_string());
    const std::string error = error_of(shorter.dump());
    EXPECT_EQ(error.empty(), validator().accepts(shorter)) << "without " << place.to_string() << "\n" << error;
  });
}

TEST(SceneSchema, schema_and_parser_agree_on_which_keys_of_joints_may_be_left_out) {
  int refused = 0;
  for_each_place(kJoints["joints"], json::json_pointer("/joints"), [&](const json::json_pointer& place) {
    if (!kJoints[place.parent_pointer()].is_object() || place.back() == "name") return;   // names may be those a gear refers to
    json shorter = kJoints;
    shorter[place.parent_pointer()].erase(place.back());
    const std::string error = error_of(shorter.dump());
    EXPECT_EQ(error.empty(), validator().accepts(shorter)) << "without " << place.to_string() << "\n" << error;
    refused += !error.empty();
  });
  EXPECT_GE(refused, 30);
}

TEST(SceneSchema, every_key_of_joints_is_refused_by_schema_and_parser_in_the_same_types) {
  std::map<std::string, json> examples;   // a value for every key
  for (const json& joint : kJoints["joints"])
    for (const auto& [key, value] : joint.items()) examples[key] = value;
  examples["anchor"] = {1, 0, 0};
  examples["name"] = "not used elsewhere";
  int refused = 0, accepted = 0;
  for (std::size_t i = 0; i < kJoints["joints"].size(); ++i)
    for (const auto& [key, value] : examples) {
      // Changing the type changes which joints a gear can couple, which only the parser knows.
      if (kJoints["joints"][i].contains(key) || key == "axes") continue;
      json changed = kJoints;
      changed["joints"][i][key] = value;
      const std::string error = error_of(changed.dump());
      EXPECT_EQ(error.empty(), validator().accepts(changed)) << "with " << key << " in " << kJoints["joints"][i].dump() << "\n"
                                                             << error;
      ++(error.empty() ? accepted : refused);
    }
  EXPECT_GE(refused, 100);
  EXPECT_GE(accepted, 40);
}

TEST(SceneSchema, schema_and_parser_refuse_locked_coordinates_in_the_axes_of_every_type) {
  const std::map<std::string, std::set<std::string>> free = {{"ball", {"turn_x", "turn_y", "turn_z"}},
                                                             {"cylindrical", {"z", "turn_z"}},
                                                             {"screw", {"z", "turn_z"}},
                                                             {"universal", {"turn_x", "turn_z"}},
                                                             {"planar", {"x", "y", "turn_z"}},
                                                             {"six-dof", {"x", "y", "z", "turn_x", "turn_y", "turn_z"}}};
  for (std::size_t i = 0; i < kJoints["joints"].size(); ++i)
    for (const char* coordinate : {"x", "y", "z", "turn_x", "turn_y", "turn_z", "turn"}) {
      json changed = kJoints;
      changed["joints"][i]["axes"] = {{coordinate, {{"friction", 1}}}};
      const auto found = free.find(kJoints["joints"][i]["type"]);
      expect_both(found != free.end() && found->second.contains(coordinate), changed, changed["joints"][i].dump());
    }
}

TEST(SceneSchema, schema_and_parser_agree_on_ranges_of_joints) {
  for (const auto& [place, value, accept] :
       std::vector<std::tuple<const char*, json, bool>>{{"/joints", json::array(), true},
                                                        {"/joints/2/type", "hing", false},
                                                        {"/joints/0/break_force", 0, false},
                                                        {"/joints/0/break_torque", 0, false},
                                                        {"/joints/0/anchor", {1, 2}, false},
                                                        {"/joints/1/swing_limit", 0, false},
                                                        {"/joints/1/swing_limit", 3.15, false},
                                                        {"/joints/1/frame_b/orientation_wxyz", {1, 0, 0, 0}, false},
                                                        {"/joints/2/friction", -1, false},
                                                        {"/joints/2/friction", 0, true},
                                                        {"/joints/2/limit_stiffness", -1, false},
                                                        {"/joints/2/limit_damping", -1, false},
                                                        {"/joints/2/motor/max_force", -1, false},
                                                        {"/joints/2/motor/max_force", 0, true},
                                                        {"/joints/2/servo/max_force", -1, false},
                                                        {"/joints/2/servo/stiffness", -1, false},
                                                        {"/joints/2/servo/stiffness", 0, true},
                                                        {"/joints/2/spring/damping", -1, false},
                                                        {"/joints/3/spring/stiffness", 0, false},
                                                        {"/joints/3/servo/damping", 0, false},
                                                        {"/joints/3/servo/path", json::array(), false},
                                                        {"/joints/3/servo/path/0", {0}, false},
                                                        {"/joints/3/servo/path/0", {0, 1, 2}, false},
                                                        {"/joints/7/axes/x/friction", 1, false},
                                                        {"/joints/7/axes/y/locked", true, false},
                                                        {"/joints/8/pitch", 0, false},
                                                        {"/joints/8/pitch", -1, true},
                                                        {"/joints/9/length", 0, false},
                                                        {"/joints/9/locked", false, false},
                                                        {"/joints/9/upper", 7, false},
                                                        {"/joints/10/locked", false, true},
                                                        {"/joints/10/locked", true, false},
                                                        {"/joints/11/ratio", 0, false},
                                                        {"/joints/11/first/coordinate", "turn", false},
                                                        {"/ignore_contacts/0", {"r"}, false},
                                                        {"/ignore_contacts/0", {"r", "s", "l"}, false}}) {
    json changed = kJoints;
    changed[json::json_pointer(place)] = value;
    expect_both(accept, changed, std::string(place) + " = " + value.dump());
  }
}

TEST(SceneSchema, schema_and_parser_agree_on_ranges) {
  const auto with = [](const char* place, json value) {
    json changed = kFull;
    changed[json::json_pointer(place)] = std::move(value);
    return changed;
  };
  for (const auto& [place, value] :
       std::vector<std::pair<const char*, json>>{{"/schema", 2},
                                                 {"/seconds", 0},
                                                 {"/materials/0/density", 0},
                                                 {"/materials/0/friction", -0.1},
                                                 {"/materials/0/restitution", 1.1},
                                                 {"/materials/0/tangential_restitution", -0.1},
                                                 {"/materials/0/name", ""},
                                                 {"/material_pairs/0/friction", -1},
                                                 {"/material_pairs/0/between", {"a"}},
                                                 {"/combine/friction", "sum"},
                                                 {"/step/h", 0},
                                                 {"/step/scheme", "euler"},
                                                 {"/step/gyroscopic", "on"},
                                                 {"/step/max_iterations", 0},
                                                 {"/step/max_iterations", 1.5},
                                                 {"/step/tolerance", 0},
                                                 {"/step/threads", 0},
                                                 {"/step/margin", -1},
                                                 {"/step/restitution_threshold", -1},
                                                 {"/step/contact_band", -1e-4},
                                                 {"/step/contact_band", 1},
                                                 {"/step/contact_elasticity", -1},
                                                 {"/step/penalty/law", "cubic"},
                                                 {"/step/penalty/friction", "static"},
                                                 {"/step/penalty/stepping", "both"},
                                                 {"/step/penalty/depth", 0},
                                                 {"/step/penalty/stiffness", -1},
                                                 {"/step/penalty/damping", -1},
                                                 {"/step/penalty/friction_damping", -1},
                                                 {"/step/penalty/exponent", 0.5},
                                                 {"/step/penalty/substeps", -1},
                                                 {"/step/stabilisation/error_reduction", 1.5},
                                                 {"/step/stabilisation/compliance", -1},
                                                 {"/step/stabilisation/method", "spring"},
                                                 {"/step/projection/fraction", 0},
                                                 {"/step/projection/max_rounds", 0},
                                                 {"/step/projection/iterations", 0},
                                                 {"/step/sleep/time", -1},
                                                 {"/step/sleep/speed", -1},
                                                 {"/bodies/0/motion", "static"},
                                                 {"/bodies/5", {{"parts", json::array()}}},
                                                 {"/bodies/5", {{"parts", json::array()}, {"mass", 1}}},
                                                 {"/bodies/0/parts/0/shape/radius", 0},
                                                 {"/bodies/0/parts/1/shape/half_height", -1},
                                                 {"/bodies/0/parts/2/shape/half_height", 0},
                                                 {"/bodies/0/parts/3/shape/half_extents/1", 0},
                                                 {"/bodies/0/parts/4/shape/points", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
                                                 {"/bodies/0/repeat/count/0", 0},
                                                 {"/bodies/0/orientation_wxyz", {1, 0, 0}},
                                                 {"/bodies/0/rotation", {{"axis", {1, 0, 0}}, {"degrees", 1}}},
                                                 {"/bodies/0/mass", 1},
                                                 {"/bodies/0/shape", {{"type", "half-space"}}},
                                                 {"/bodies/0/mass_properties/mass", 0},
                                                 {"/bodies/0/mass_properties/inertia", {1, 1}},
                                                 {"/bodies/2/script/frequency", 0},
                                                 {"/bodies/3/script/keys", json::array()},
                                                 {"/bodies/5/mass", 0},
                                                 {"/step/solver/sweeps", {1}}}) {
    expect_both(false, with(place, value), std::string(place) + " = " + value.dump());
  }
  for (const auto& [place, value] :
       std::vector<std::pair<const char*, json>>{{"/step/sleep", false},
                                                 {"/step/projection", true},
                                                 {"/step/stabilisation", {{"method", "none"}}},
                                                 {"/step/solver", "pgs"},
                                                 {"/step/stabilisation", json::object()},
                                                 {"/step/stabilisation", {{"method", "spring"}, {"stiffness", 1}}},
                                                 {"/step/threads", 2.0},
                                                 {"/bodies/0/mass_properties/inertia", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                                 {"/bodies/0/parts", json::array()},
                                                 {"/bodies", json::array()}}) {
    expect_both(true, with(place, value), std::string(place) + " = " + value.dump());
  }
}

}   // namespace
}   // namespace stickslip::schema_test
