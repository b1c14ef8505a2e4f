// stickslip run
#include <nlohmann/json.hpp>

#include "cli/amounts.h"
#include "cli/commands.h"
#include "cli/length.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/summary.h"
#include "stickslip/math/error.h"
#include "stickslip/record/checkpoint.h"

namespace stickslip::cli {

namespace {

struct RunArguments {
  SceneArguments scene;
  LengthArguments length;
  std::vector<std::string> outputs;
  std::string checkpoint;
  double frames_per_second = 0;
  std::string on_failure = "ignore", capture_directory = ".";
  bool overlaps = false;
  bool json = false, quiet = false, strict = false;
};

void check_files(const RunArguments& arguments) {
  std::vector<std::string> files = arguments.outputs;
  if (!arguments.checkpoint.empty()) files.push_back(arguments.checkpoint);
  std::sort(files.begin(), files.end());
  if (const auto twice = std::adjacent_find(files.begin(), files.end()); twice != files.end())
    throw Error("This file is to be written twice. Give each output a name of its own.").in(*twice);
  std::error_code ignored;
  for (const std::string& file : arguments.outputs)
    if (std::filesystem::equivalent(file, arguments.scene.scene, ignored))
      throw Error("The run goes on from this file, and would replace it. Give the output another name.").in(file);
  for (const std::string& file : files) check_writable(file);
}

int run(const RunArguments& arguments) {
  check_files(arguments);
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (const std::string& file : arguments.outputs)
    recorders.push_back(
        make_recorder(file, {.frames_per_second = arguments.frames_per_second, .overlaps = arguments.overlaps}));
  Scene scene = open_scene(arguments.scene);
  if (!arguments.json) show_warnings(scene);
  const std::uint64_t steps = steps_of(arguments.length, scene, arguments.scene.scene);

  const auto energy = [&] { return scene.world.kinetic_energy() + scene.world.potential_energy(); };
  const double energy_start = energy();
  FailureHandler failures(arguments.on_failure, arguments.capture_directory);
  const SimulateResult result = simulate(scene, steps, recorders, failures, !arguments.quiet);
  Summary summary{scene, result, energy_start, energy(), arguments.outputs, failures.files(), failures.left_out()};
  if (!arguments.checkpoint.empty()) {
    save_checkpoint(arguments.checkpoint, scene);
    summary.files.push_back(arguments.checkpoint);
  }
  if (arguments.json) fmt::print("{}\n", to_json(summary).dump(2));
  else if (!arguments.quiet) fmt::print("{}", to_text(summary));

  if (result.interrupted) return interrupted;
  const bool flawed = result.statistics.missed() > 0 || !result.motion.empty();
  return result.stopped || (arguments.strict && flawed) ? tolerance_missed : fine;
}

}   // namespace

void add_run(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scene and say how it went");
  auto arguments = std::make_shared<RunArguments>();
  add_scene_arguments(*command, arguments->scene);
  add_length_arguments(*command, arguments->length);
  command
      ->add_option("-o,--output", arguments->outputs,
                   "Write a record, chosen by the ending: .html replay, .h5 trajectory, .csv telemetry, .glb glTF, .pvd "
                   "ParaView; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--checkpoint", arguments->checkpoint, "At the end, save everything needed to continue to the same bits");
  command->add_option("--frames-per-second", arguments->frames_per_second,
                      "Frames of the trajectory per simulated second. Default: every step");
  command->add_flag("--overlaps", arguments->overlaps,
                    "Replays (.html) draw what bodies by volume share as it is, which is measured for them");
  command
      ->add_option("--on-failure", arguments->on_failure,
                   "What to do about a step that misses its tolerance: ignore, stop, or capture its contact problem as "
                   "<scene>-step<N>.hdf5 (10 at most)")
      ->capture_default_str();
  command->add_option("--capture-dir", arguments->capture_directory, "Where captured problems go")->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the summary as one JSON document and nothing else");
  command->add_flag("--quiet", arguments->quiet, "Print no summary and no progress");
  command->add_flag("--strict", arguments->strict,
                    "Exit with 1 if a step missed its tolerance or something is wrong with the motion");
  command->callback([arguments, &outcome] { outcome.exit_code = run(*arguments); });
}

}   // namespace stickslip::cli
