// Scenes: a document becomes a world and the options to step it, or an error that names file, place, value and remedy.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/step/options.h"
#include "stickslip/step/sensors.h"
#include "stickslip/world/world.h"

namespace stickslip {

struct Scene {
  std::string name;
  std::string description;   ///< what to look for
  World world;
  StepOptions step;
  std::vector<Sensor> sensors;    ///< that records read after every step; they do not change the motion
  double seconds = 5;             ///< how long to simulate if the user does not say [s]
  std::string document;           ///< the complete scene document (JSON text) it was built from, overrides applied
  std::filesystem::path folder;   ///< that names of files in the document are relative to
  std::vector<std::string> warnings;
};

/// `/json/pointer=value` from the command line; the value is JSON, or a plain string if it is not.
struct Override {
  std::string pointer, value;
};

/// A built-in scene: parameters with defaults, set by overrides on `/parameters/<name>`; the rest of the document
/// (`/step/h`, …) can be overridden too.
struct BuiltInScene {
  std::string name;
  std::string look_for;   ///< one sentence
  struct Parameter {
    std::string name;
    double default_value;
    std::string help;   ///< unit and meaning
  };
  std::vector<Parameter> parameters;
};
const std::vector<BuiltInScene>& built_in_scenes();
const BuiltInScene& built_in_scene(std::string_view name);   ///< @throws Error, which names the nearest

/// Loads a file, or a built-in scene if `name_or_path` is the name of one (a path wins if it contains '/' or ends in
/// ".json"). @throws Error
Scene load_scene(const std::string& name_or_path, std::span<const Override> overrides = {});

/// Builds from JSON text. @param file for messages
Scene parse_scene(std::string_view json_text, const std::string& file, std::span<const Override> overrides = {});

/// Sensors as the JSON text of the "sensors" of a document; empty if there are none. Those of bodies and joints that are gone
/// are left out.
std::string sensors_to_text(const World&, std::span<const Sensor>);
/// @throws Error
std::vector<Sensor> sensors_from_text(const std::string&, const World&);

/// The JSON Schema of scene documents (draft 2020-12), as text.
const std::string& scene_schema();

}   // namespace stickslip
