// stickslip capture
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "cli/amounts.h"
#include "cli/commands.h"
#include "cli/failures.h"
#include "cli/interrupt.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

struct CaptureArguments {
  SceneArguments scene;
  std::optional<std::string> step;
  std::string output, format;
  bool json = false, quiet = false;
};

/// Steps the world until the wanted step is done. @returns its report, or null if a signal came first
const StepReport* run_to(std::uint64_t step, Scene& scene, Stepper& stepper, bool show_progress) try {
  const InterruptGuard guard;
  const std::uint64_t start = scene.world.step_count;
  Progress progress(step - start, show_progress);
  const StepReport* report = nullptr;
  while (scene.world.step_count < step) {
    if (InterruptGuard::requested()) return nullptr;
    report = &stepper.step(scene.world);
    progress.update(scene.world.step_count - start, scene.world.time);
  }
  return report;
} catch (const StepCancelled&) {
  return nullptr;
}

void print(const CaptureArguments& arguments, const Scene& scene, const ProblemFile& file, const std::string& path,
           const std::string& format, const StepReport& report) {
  const std::size_t contacts = file.problem.contact_count(), bytes = std::filesystem::file_size(path);
  if (arguments.json) {
    const nlohmann::ordered_json result = {{"file", path},
                                           {"format", format},
                                           {"bytes", bytes},
                                           {"scene", scene.name},
                                           {"step", report.step},
                                           {"time", report.time},
                                           {"contacts", contacts},
                                           {"rows", file.problem.rows()},
                                           {"solver", scene.step.solver},
                                           {"status", status_name(report.outcome.status)},
                                           {"residual", report.outcome.error},
                                           {"warnings", scene.warnings}};
    fmt::print("{}\n", result.dump(2));
  } else if (!arguments.quiet) {
    // The name alone is what other commands are given: stickslip solve $(stickslip capture …).
    fmt::print("{}\n", path);
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());   // told by the program
    std::string rest = fmt::format("  step {} of {} (t = {:g} s), {}, {}; {} format, {}\n", report.step, scene.name,
                                   report.time, counted(contacts, "contact", "contacts"),
                                   counted(file.problem.rows(), "row", "rows"), format, file_size(bytes));
    rest += fmt::format("  {}\n", contacts == 0 ? "nothing touches in this step" : file.description);
    tell(rest + fmt::format("  stickslip solve {} --solver all\n", path));
  }
}

int capture(const CaptureArguments& arguments) {
  if (!arguments.step) throw Error("'capture' needs a step: --step N saves the contact problem of step N, counted from 1.");
  const std::uint64_t step = count_of_steps("--step", *arguments.step);
  Scene scene = open_scene(arguments.scene);
  if (!arguments.json) show_warnings(scene);
  if (step <= scene.world.step_count)
    throw Error(fmt::format("--step {} is not a step to come. Give {} or more.", step, scene.world.step_count + 1));
  const std::string path = arguments.output.empty() ? capture_name(scene, step) : arguments.output;
  if (!arguments.format.empty()) cannot_save({}, arguments.format);   // names an unknown format before anything is simulated
  check_writable(path);

  StepOptions options = scene.step;
  options.cancel = &InterruptGuard::flag();
  Stepper stepper(std::move(options));
  const StepReport* report = run_to(step, scene, stepper, !arguments.quiet && !arguments.json);
  if (report == nullptr) return interrupted;
  ProblemFile file = problem_of_step(scene, stepper, *report);
  if (report->outcome.status == SolveStatus::converged)
    file.solution.assign(stepper.impulses().begin(), stepper.impulses().end());
  const std::string format = arguments.format.empty() ? default_format(path, file.problem) : arguments.format;
  save_problem(path, file, format);
  print(arguments, scene, file, path, format, *report);
  return fine;
}

}   // namespace

void add_capture(CLI::App& app, Outcome& outcome) {
  CLI::App* command =
      app.add_subcommand("capture", "Run a scene and save the contact problem of one step, for stickslip solve and others");
  auto arguments = std::make_shared<CaptureArguments>();
  add_scene_arguments(*command, arguments->scene);
  command->add_option("--step", arguments->step, "The step whose problem is saved, counted from 1 since the scene began");
  command->add_option("-o,--output", arguments->output, "The file. Default: <scene>-step<N>.hdf5");
  command->add_option(
      "--format", arguments->format,
      "stickslip (everything), fclib, fclib-global or siconos. Default: siconos if the name ends in .dat, fclib if all "
      "contacts are Coulomb's, else stickslip");
  command->add_flag("--json", arguments->json, "Print one JSON document");
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->callback([arguments, &outcome] { outcome.exit_code = capture(*arguments); });
}

}   // namespace stickslip::cli
