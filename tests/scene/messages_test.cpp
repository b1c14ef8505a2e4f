// What a user reads when a document is wrong: the whole message, word for word.
#include <gtest/gtest.h>

#include "scene/scene_text.h"

namespace stickslip::messages_test {
namespace {

struct Case {
  std::string document, message;
};

void expect_messages(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(error_of(c.document), c.message) << c.document;
}

TEST(SceneMessages, broken_json_is_named_by_line_and_column) {
  expect_messages({
      {"", "s.json: The file is empty. A scene is a JSON object with at least \"bodies\"."},
      {" \n\t ", "s.json: The file is empty. A scene is a JSON object with at least \"bodies\"."},
      {"{\n  \"bodies\": [\n  ]]\n}", "s.json: line 3, column 4: this is not JSON: unexpected ']'; expected '}'."},
      {"{\"bodies\": [",
       "s.json: line 1, column 13: this is not JSON: unexpected end of input; expected '[', '{', or a literal."},
      {"{\n // a comment\n}",
       "s.json: line 2, column 2: this is not JSON: unexpected \"/\"; expected string literal."
       " JSON has no comments; use \"description\"."},
      {"{\"gravity\": [0, 0, NaN]}", "s.json: line 1, column 20: this is not JSON: unexpected \"N\"."},
  });
}

TEST(SceneMessages, of_nodes_name_place_value_and_remedy) {
  const auto nodes = [](const std::string& text) { return R"({"bodies": [{"nodes": {)" + text + "}}]}"; };
  expect_messages({
      {nodes(R"("radius": 0.1)"), "s.json: /bodies/0/nodes: 'positions' is missing: a list of nodes needs it."},
      {nodes(R"("positions": [], "radius": 0.1)"), "s.json: /bodies/0/nodes/positions: A body of nodes needs at least one."},
      {nodes(R"("grid": {"count": [0, 1, 1], "spacing": 1}, "radius": 0.1)"),
       "s.json: /bodies/0/nodes/grid/count: [0, 1, 1] is not a size of a grid. Give three counts of at least 1, and at most "
       "1000000 nodes."},
      {nodes(R"("positions": [[0, 0, 0]], "radius": 0.1, "triangles": [[0, 1]])"),
       "s.json: /bodies/0/nodes/triangles/0: [0, 1] is not a triangle. Give three numbers of nodes."},
      {R"({"bodies": [{"nodes": {"positions": [[0, 0, 0]], "radius": 0.1}, "shape": {}}]})",
       "s.json: /bodies/0/shape: Unknown key 'shape' for a body of nodes. Valid are: name, nodes, position, material, "
       "color, velocity, force, "
       "can_sleep."},
  });
}

TEST(SceneMessages, numbers_too_large_and_keys_given_twice_are_named_by_place) {
  expect_messages({
      {R"({"gravity": [0, 0, -1e400], "bodies": []})",
       "s.json: /gravity/2: -1e400 is too large: numbers must stay below about 1.8e308."},
      {R"({"step": {"h": 0.1, "h": 0.2}, "bodies": []})", "s.json: /step/h: The key 'h' is given twice. Keep one of them."},
      {R"({"bodies": [], "bodies": []})", "s.json: /bodies: The key 'bodies' is given twice. Keep one of them."},
      {R"({"bodies": [{}, {"name": "a", "name": "a"}]})",
       "s.json: /bodies/1/name: The key 'name' is given twice. Keep one of them."},
      {std::string(100, '['), "s.json: The document is nested more than 64 levels deep."},
  });
}

TEST(SceneMessages, unknown_keys_come_with_a_suggestion) {
  expect_messages({
      {with_field(R"("gravitty": [0, 0, 0])"),
       "s.json: /gravitty: Unknown key 'gravitty' for a scene. Did you mean 'gravity'?"},
      {with_field(R"("step": {"tolerence": 1})"),
       "s.json: /step/tolerence: Unknown key 'tolerence' for the step options. Did you mean 'tolerance'?"},
      {with_body(R"({"shape": {"type": "sphere", "raduis": 1}})"),
       "s.json: /bodies/0/shape/raduis: Unknown key 'raduis' for a shape. Did you mean 'radius'?"},
      {with_body(R"({"shape": {"type": "sphere", "radius": 1, "colour": 3}})"),
       "s.json: /bodies/0/shape/colour: Unknown key 'colour' for a shape. Valid are: type, radius."},
      {with_field(R"("materials": [{"name": "a", "densty": 3}])"),
       "s.json: /materials/0/densty: Unknown key 'densty' for a material. Did you mean 'density'?"},
      {with_field(R"("parameters": {"rows": 3})"),
       "s.json: /parameters: Unknown key 'parameters' for a scene. Valid are: schema, $schema, name, description, "
       "generated_from, seconds, gravity, allow_overlap, materials, combine, material_pairs, meshes, step, bodies, joints, "
       "ignore_contacts, "
       "controls, sensors."},
      {with_field(R"("a/b~c": 1)").substr(0),
       "s.json: /a~1b~0c: Unknown key 'a/b~c' for a scene. Valid are: schema, $schema, name, "
       "description, generated_from, seconds, gravity, allow_overlap, materials, combine, material_pairs, meshes, step, "
       "bodies, "
       "joints, "
       "ignore_contacts, "
       "controls, sensors."},
  });
}

TEST(SceneMessages, wrong_types_say_what_stands_there_and_what_should) {
  expect_messages({
      {"[]", "s.json: [] is an array. Give an object for a scene."},
      {"{}", "s.json: 'bodies' is missing: a scene needs it."},
      {R"({"bodies": {}})", "s.json: /bodies: {} is an object. Give an array of bodies."},
      {with_field(R"("seconds": "five")"), "s.json: /seconds: \"five\" is a string. Give a number."},
      {with_field(R"("seconds": null)"), "s.json: /seconds: null is no value here. Give a number."},
      {with_field(R"("seconds": true)"), "s.json: /seconds: true is not valid here. Give a number."},
      {with_field(R"("gravity": 9.81)"), "s.json: /gravity: 9.81 is a number. Give three numbers: [x, y, z]."},
      {with_field(R"("gravity": [0, -9.81])"), "s.json: /gravity: [0, -9.81] has 2 entries. Give three numbers: [x, y, z]."},
      {with_field(R"("gravity": [0, 0, "down"])"), "s.json: /gravity/2: \"down\" is a string. Give a number."},
      {with_field(R"("step": {"max_iterations": 2.5})"), "s.json: /step/max_iterations: 2.5 is not a whole number."},
      {with_field(R"("step": {"max_iterations": 1e10})"),
       "s.json: /step/max_iterations: 10000000000.0 is too large: at most 2147483647 is possible."},
      {with_field(R"("step": {"warm_start": 1})"), "s.json: /step/warm_start: 1 is a number. Give true or false."},
      {with_field(R"("step": {"sleep": 3})"), "s.json: /step/sleep: 3 is a number. Give an object for the sleep options."},
      {with_field(R"("schema": 2)"),
       "s.json: /schema: 2 is not a version of the scene format that this program knows. Give 1."},
      {with_body("7"), "s.json: /bodies/0: 7 is a number. Give an object for a body."},
  });
}

TEST(SceneMessages, words_that_do_not_exist_come_with_a_suggestion) {
  expect_messages({
      {with_body(R"({"shape": {"type": "spere", "radius": 1}})"),
       "s.json: /bodies/0/shape/type: There is no 'spere' here. Did you mean 'sphere'?"},
      {with_body(R"({"motion": "static", "shape": {"type": "half-space"}})"),
       "s.json: /bodies/0/motion: There is no 'static' here. Valid are: dynamic, fixed, kinematic."},
      {with_field(R"("step": {"scheme": "euler"})"),
       "s.json: /step/scheme: 'euler' is not a time-stepping scheme. Valid are: semi-implicit-euler, moreau-midpoint."},
      {with_field(R"("combine": {"friction": "mininum"})"),
       "s.json: /combine/friction: 'mininum' is not a combine rule. Did you mean 'minimum'?"},
      {with_body(R"({"material": "stel", "shape": {"type": "sphere", "radius": 1}})", R"("materials": [{"name": "steel"}], )"),
       "s.json: /bodies/0/material: There is no material 'stel'. Did you mean 'steel'?"},
      {with_field(R"("step": {"solver": "prox-ggs"})"),
       "s.json: /step/solver: There is no solver 'prox-ggs'. Did you mean 'prox-gs'?"},
      {with_field(R"("step": {"solver": {"name": "pgss"}})"),
       "s.json: /step/solver/name: There is no solver 'pgss'. Did you mean 'pgs'?"},
      {with_field(R"("step": {"stabilisation": {"method": "springs"}})"),
       "s.json: /step/stabilisation/method: There is no 'springs' here. Did you mean 'spring'?"},
  });
}

TEST(SceneMessages, values_out_of_range_name_the_value_and_the_range) {
  expect_messages({
      {with_body(R"({"shape": {"type": "sphere", "radius": -0.5}})"),
       "s.json: /bodies/0/shape/radius: -0.5 is not a length. A sphere radius must be finite and greater than 0."},
      {with_body(R"({"shape": {"type": "box", "half_extents": [1, 0, 1]}})"),
       "s.json: /bodies/0/shape/half_extents/1: 0 is not a length. Each half extent of a box must be finite and greater than "
       "0."},
      {with_field(R"("materials": [{"name": "a", "friction": -1}])"),
       "s.json: /materials/0/friction: -1 is not a coefficient of friction. It must be at least 0 and "
       "at most 1e+06; what never slips has 100."},
      {with_field(R"("step": {"h": 0})"), "s.json: /step/h: 0 is out of range. It must be finite and greater than 0 s."},
      {with_field(R"("step": {"stabilisation": {"error_reduction": 2}})"),
       "s.json: /step/stabilisation/error_reduction: 2 is out of range. It must be between 0 and 1."},
      {with_field(R"("seconds": -1)"), "s.json: /seconds: -1 is not a duration. It must be greater than 0 s."},
      {with_body(R"({"mass": -2, "shape": {"type": "sphere", "radius": 1}})"),
       "s.json: /bodies/0/mass: -2 is not a mass. It must be finite and greater than 0 kg."},
      {with_body(R"({"orientation_wxyz": [1, 1, 0, 0], "shape": {"type": "sphere", "radius": 1}})"),
       "s.json: /bodies/0/orientation_wxyz: [1, 1, 0, 0] has length 1.41421. A rotation is a quaternion [w, x, y, z] of length "
       "1."},
      {with_body(R"({"rotation": {"axis": [0, 0, 0], "degrees": 3}, "shape": {"type": "sphere", "radius": 1}})"),
       "s.json: /bodies/0/rotation/axis: [0, 0, 0] is not an axis. Give a direction such as [0, 0, 1]."},
      {with_body(R"({"repeat": {"count": [0, 1, 1], "step": [1, 1, 1]}, "shape": {"type": "sphere", "radius": 0.1}})"),
       "s.json: /bodies/0/repeat/count/0: 0 is not a count. It must be at least 1."},
      {with_body(R"({"repeat": {"count": [1000, 1000, 1000], "step": [1, 1, 1]}, "shape": {"type": "sphere", "radius": 0.1}})"),
       "s.json: /bodies/0/repeat/count: [1000, 1000, 1000] makes 1000000000 bodies. At most 1000000 are possible."},
  });
}

TEST(SceneMessages, fields_that_contradict_each_other_are_errors) {
  const std::string shape = R"("shape": {"type": "sphere", "radius": 1})";
  expect_messages({
      {with_body("{}"), "s.json: /bodies/0: 'shape' is missing: a body needs it."},
      {with_body("{" + shape + R"(, "parts": []})"),
       "s.json: /bodies/0: 'shape' and 'parts' are both given. Keep one of them."},
      {with_body(R"({"parts": []})"),
       "s.json: /bodies/0/parts: [] holds no part. A body needs at least one; a dynamic body with \"mass_properties\" can do "
       "without."},
      {with_body("{" + shape + R"(, "mass": 1, "mass_properties": {}})"),
       "s.json: /bodies/0: 'mass' and 'mass_properties' are both given. Keep one of them."},
      {with_body("{" + shape + R"(, "rotation": {}, "orientation_wxyz": []})"),
       "s.json: /bodies/0: 'orientation_wxyz' and 'rotation' are both given. Keep one of them."},
      {with_body("{" + shape + R"(, "motion": "fixed", "velocity": [1, 0, 0]})"),
       "s.json: /bodies/0/velocity: A fixed body has no velocity. Set \"motion\" to \"kinematic\", or leave this out."},
      {with_body("{" + shape + R"(, "script": {"type": "oscillation"}})"),
       "s.json: /bodies/0/script: Only a kinematic body follows a script. Set \"motion\" to \"kinematic\"."},
      {with_body(kBall + ", " + kBall), "s.json: /bodies/1/name: There is already a body 'ball'. Body names must differ."},
      {with_body(kBall, R"("materials": [{"name": "a"}, {"name": "a"}], )"),
       "s.json: /materials/1/name: There is already a material 'a'. Material names must differ."},
      {with_body(kBall,
                 R"("materials": [{"name": "a"}], "material_pairs": [{"between": ["a", "a"]}, {"between": ["a", "a"]}], )"),
       "s.json: /material_pairs/1/between: The pair [\"a\", \"a\"] is given twice. Keep one of them."},
      {with_body(R"({"shape": {"type": "half-space"}})"),
       "s.json: /bodies/0/shape: A half-space has no mass and cannot move by forces. Make the body fixed or kinematic, or use "
       "a box."},
  });
}

TEST(SceneMessages, overlapping_starts_name_the_deepest_pair_and_its_depth) {
  const auto ball = [](const char* name, double x) {
    return fmt::format(R"({{"name": "{}", "shape": {{"type": "sphere", "radius": 1}}, "position": [{}, 0, 0]}})", name, x);
  };
  expect_messages({
      {with_body(ball("a", 0) + ", " + ball("b", 1.75)),
       "s.json: 'a' and 'b' overlap by 250 mm at the start. Move them apart, or set \"allow_overlap\" to true."},
      {with_body(ball("a", 0) + ", " + ball("b", 1.75) + ", " + ball("c", 2.5)),
       "s.json: 'b' and 'c' overlap by 1.25 m at the start, the deepest of 2 pairs. Move them apart, or set \"allow_overlap\" "
       "to true."},
  });
  const Scene scene = parse_scene(with_body(ball("a", 0) + ", " + ball("b", 1.75), R"("allow_overlap": true, )"), "s.json");
  EXPECT_EQ(scene.warnings, std::vector<std::string>{"'a' and 'b' overlap by 250 mm at the start."});
}

TEST(SceneMessages, a_hundred_thousand_bodies_in_one_spot_are_refused_with_a_message) {
  const std::string text = error_of(
      with_body(R"({"shape": {"type": "sphere", "radius": 1}, "repeat": {"count": [100000, 1, 1], "step": [0, 0, 0]}})"));
  EXPECT_TRUE(text.starts_with("s.json: ")) << text;
}

}   // namespace
}   // namespace stickslip::messages_test
