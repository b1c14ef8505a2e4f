#include "cli/open_scene.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stickslip/import/import.h"
#include "stickslip/math/error.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/scene/controls.h"

namespace stickslip::cli {

namespace {

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !text.starts_with("/"))
    throw Error(fmt::format("'--set {}' is not of the form /json/pointer=value, such as --set /step/h=0.005.", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Scene resume(const SceneArguments& arguments) {
  Scene scene = load_checkpoint(arguments.scene);
  if (!arguments.set.empty())
    throw Error(
        "--set changes a scene before it is built, and this one is built already. Only --integrator, --solver and "
        "--threads can "
        "change; or start again from the scene.")
        .in(arguments.scene);
  if (!arguments.integrator.empty()) scene.step.integrator = arguments.integrator;
  if (!arguments.solver.empty() && arguments.solver != scene.step.solver) {
    scene.step.solver = arguments.solver;
    scene.step.solver_options.clear();
  }
  if (!arguments.controls.empty()) read_controls(arguments.controls, scene.world);
  return scene;
}

Scene load_robot(const std::string& file, const std::vector<Override>& overrides) {
  const ImportedScene imported = import_robot(file);
  Scene scene = parse_scene(imported.document, file, overrides);
  const std::vector<std::string> warnings = import_warnings(imported.findings);
  scene.warnings.insert(scene.warnings.begin(), warnings.begin(), warnings.end());
  return scene;
}

}   // namespace

void add_scene_arguments(CLI::App& command, SceneArguments& arguments) {
  command
      .add_option("scene", arguments.scene,
                  "A built-in scene (see stickslip scenes), a .json file, a robot (.urdf, .xml), or a checkpoint or "
                  "trajectory (.h5) to go on from")
      ->required();
  command.add_option("--integrator", arguments.integrator, "How steps are taken (see docs/stepping.md)");
  command.add_option("--solver", arguments.solver, "Contact solver (see stickslip solvers)");
  command.add_option("--controls", arguments.controls,
                     "A CSV file that drives joints: time,joint:effort,joint.coordinate:target,… (see docs/driving.md)");
  command
      .add_option("--set", arguments.set,
                  "Change the scene: /json/pointer=value, such as /step/h=0.005 or /parameters/n=20; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--threads", arguments.threads, "Worker threads; the result is the same for every number");
}

bool names_checkpoint(const std::string& scene) {
  return is_checkpoint(scene) || scene.ends_with(".h5") || scene.ends_with(".hdf5");
}

Scene open_scene(const SceneArguments& arguments) {
  if (!arguments.solver.empty()) make_solver(arguments.solver);   // names an unknown solver without a place in a document
  Scene scene;
  if (names_checkpoint(arguments.scene)) {
    scene = resume(arguments);
  } else {
    std::vector<Override> overrides;
    if (!arguments.integrator.empty()) overrides.push_back({"/step/integrator", nlohmann::json(arguments.integrator).dump()});
    // As an object, so that --set /step/solver/<option> can follow.
    if (!arguments.solver.empty()) overrides.push_back({"/step/solver", nlohmann::json{{"name", arguments.solver}}.dump()});
    // From anywhere, and to be found from anywhere.
    if (!arguments.controls.empty())
      overrides.push_back(
          {"/controls", nlohmann::json{{"file", std::filesystem::absolute(arguments.controls).string()}}.dump()});
    for (const std::string& text : arguments.set) overrides.push_back(parse_override(text));
    scene = names_robot(arguments.scene) ? load_robot(arguments.scene, overrides) : load_scene(arguments.scene, overrides);
  }
  if (arguments.threads != 0) {
    scene.step.threads = arguments.threads;
    validate(scene.step);
  }
  return scene;
}

}   // namespace stickslip::cli
