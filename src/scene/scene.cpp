#include "stickslip/scene/scene.h"

#include "scene/built_in/built_in.h"
#include "scene/overrides.h"
#include "scene/read_file.h"
#include "scene/read_joints.h"
#include "scene/read_meshes.h"
#include "scene/read_parts.h"
#include "scene/read_sensors.h"
#include "scene/start_check.h"
#include "stickslip/scene/controls.h"

namespace stickslip {

using document::Fields;
using document::Json;
using document::Place;

namespace {

/// "controls": {"file": …}, or the table itself. @returns the table
std::string read_controls(const Place& place, World& world, const std::filesystem::path& folder) {
  std::string table;
  document::read_object(place, "the controls", [&](Fields& fields) {
    fields.not_both("file", "table");
    if (const auto given = fields.find("table")) {
      read(*given, table);
      given->within([&] { parse_controls(table, "", world); });
      return;
    }
    const Place file = fields.get("file");
    std::string name;
    read(file, name);
    file.within([&] {
      table = document::read_file(folder / name, "Name a CSV file in it.");
      parse_controls(table, (folder / name).string(), world);
    });
  });
  return table;
}

/// @param controls the table of them, if there is one
void read_scene(const Place& place, Scene& scene, const std::filesystem::path& folder, std::string& controls) {
  bool allow_overlap = false;
  document::read_object(place, "a scene", [&](Fields& fields) {
    if (const auto version = fields.find("schema")) {
      int number = 0;
      read(*version, number);
      if (number != 1)
        version->fail(fmt::format("{} is not a version of the scene format that this program knows. Give 1.", number));
    }
    std::string ignored;
    fields.optional("$schema", ignored);   // lets editors find the JSON Schema
    fields.optional("name", scene.name);
    fields.optional("description", scene.description);
    if (const auto field = fields.find("generated_from"); field && !field->value().is_object())
      field->wrong_type("Give an object.");
    if (fields.optional("seconds", scene.seconds) && !(scene.seconds > 0)) {
      fields.get("seconds").fail(fmt::format("{} is not a duration. It must be greater than 0 s.", scene.seconds));
    }
    fields.optional("gravity", scene.world.gravity);
    fields.optional("allow_overlap", allow_overlap);
    read_materials(fields, scene.world.materials, folder);
    document::SceneMeshes meshes(folder, scene.warnings);
    meshes.read_list(fields);
    fields.optional("step", scene.step);
    const Place bodies = fields.get("bodies");
    if (!bodies.value().is_array()) bodies.wrong_type("Give an array of bodies.");
    std::size_t index = 0;
    for (const Json& body : bodies.value())
      add_bodies(Place(body, bodies, std::to_string(index++)), scene.world, meshes, scene.warnings);
    meshes.look_through_moving(scene.world);
    read_joints(fields, scene.world, scene.warnings);
    if (const auto given = fields.find("controls")) controls = read_controls(*given, scene.world, folder);
    if (const auto sensors = fields.find("sensors")) scene.sensors = document::read_sensors(*sensors, scene.world);
  });
  place.within([&] {
    document::check_start(scene.world, scene.step, allow_overlap, scene.warnings);
    document::check_laws(scene.world, scene.step, scene.warnings);
    document::check_joints(scene.world, scene.step, scene.warnings);
  });
}

/// @param file names the document in messages; its stem names the scene if the document does not
Scene build_scene(Json document, const std::string& file, std::span<const Override> overrides) {
  try {
    for (const Override& change : overrides) {
      if (document::split_pointer(change.pointer).front() == "parameters") {
        throw Error(fmt::format("Cannot set '{}': only built-in scenes have parameters.", change.pointer));
      }
      document::apply_override(document, change);
    }
    Scene scene;
    scene.name = std::filesystem::path(file).stem().string();
    scene.folder = std::filesystem::path(file).parent_path();
    std::string controls;
    read_scene(Place(document), scene, scene.folder, controls);
    // What is recorded can be read again wherever it is.
    if (!controls.empty()) document["controls"] = {{"table", controls}};
    scene.document = document::write_json(document);
    return scene;
  } catch (Error& e) {
    throw e.in(file);
  }
}

Scene load_built_in(const document::BuiltIn& built_in, std::span<const Override> overrides) {
  std::vector<Override> of_document;
  try {
    document::Parameters parameters(built_in);
    for (const Override& change : overrides) {
      const std::vector<std::string> keys = document::split_pointer(change.pointer);
      if (keys.front() != "parameters") {
        of_document.push_back(change);
        continue;
      }
      if (keys.size() != 2)
        throw Error(fmt::format("Cannot set '{}': a parameter is set by /parameters/<name>.", change.pointer));
      parameters.set(keys[1], document::override_value(change));
    }
    return build_scene(document::generate(built_in, parameters), built_in.name, of_document);
  } catch (Error& e) {
    throw e.in(built_in.name);
  }
}

}   // namespace

const std::vector<BuiltInScene>& built_in_scenes() {
  static const std::vector<BuiltInScene> scenes = [] {
    std::vector<BuiltInScene> list;
    for (const document::BuiltIn& b : document::built_ins()) {
      list.push_back({b.name, b.look_for, {}});
      for (const auto& p : b.parameters) list.back().parameters.push_back({p.name, p.default_value, p.help});
    }
    return list;
  }();
  return scenes;
}

const BuiltInScene& built_in_scene(std::string_view name) {
  std::vector<std::string> names;
  for (const BuiltInScene& scene : built_in_scenes()) {
    if (scene.name == name) return scene;
    names.push_back(scene.name);
  }
  throw Error(fmt::format("There is no built-in scene '{}'. {}", name, suggest(name, names)));
}

Scene load_scene(const std::string& name_or_path, std::span<const Override> overrides) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json")) {
    return parse_scene(document::read_file(name_or_path, "Name a scene file in it."), name_or_path, overrides);
  }
  std::vector<std::string> names;
  for (const document::BuiltIn& built_in : document::built_ins()) {
    if (built_in.name == name_or_path) return load_built_in(built_in, overrides);
    names.push_back(built_in.name);
  }
  std::error_code error;
  throw Error(fmt::format("There is no built-in scene '{}'. {}{}", name_or_path, suggest(name_or_path, names),
                          std::filesystem::exists(name_or_path, error)
                              ? fmt::format(" To load the file, write ./{}.", name_or_path)
                              : " A file is named by a path with '/' or '.json'."));
}

Scene parse_scene(std::string_view json_text, const std::string& file, std::span<const Override> overrides) {
  return build_scene(document::parse_json(json_text, file), file, overrides);
}

}   // namespace stickslip
