// stickslip study
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "stickslip/math/error.h"
#include "stickslip/study/run.h"

namespace stickslip::cli {

namespace {

namespace fs = std::filesystem;

struct StudyArguments {
  std::string what, output, size;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> problems, solvers;
  std::string hold;
  int jobs = 1;
  bool fresh = false, replot = false, no_figures = false, json = false, quiet = false;
};

void list_studies(bool json) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const study::Study& s : study::studies()) list.push_back({{"name", s.name}, {"title", s.title}, {"paper", s.paper}});
    fmt::print("{}\n", list.dump(2));
    return;
  }
  for (const study::Study& s : study::studies())
    fmt::print("{:<22} {}{}\n", s.name, s.title, s.paper.empty() ? "" : " [" + s.paper + "]");
}

study::Setting setting_of(const StudyArguments& arguments) {
  study::Setting setting;
  if (!arguments.size.empty()) setting.size = study::size_from_name(arguments.size);
  if (arguments.seed) setting.seed = *arguments.seed;
  setting.problems = arguments.problems;
  setting.solvers = arguments.solvers;
  return setting;
}

std::string command_of(const study::Study& s, const study::Setting& setting, const fs::path& folder) {
  std::string command =
      fmt::format("stickslip study {} -o {} --size {} --seed {}", setting.scene.empty() ? s.name : setting.scene,
                  folder.string(), study::size_name(setting.size), setting.seed);
  for (const std::string& file : setting.problems) command += " --problem " + file;
  if (!setting.solvers.empty()) command += fmt::format(" --solvers {}", fmt::join(setting.solvers, ","));
  if (!setting.criterion.empty()) command += " --hold " + setting.criterion;
  return command;
}

nlohmann::ordered_json to_json(const study::Study& s, const fs::path& folder, const study::RunResult& result) {
  nlohmann::ordered_json claims = nlohmann::ordered_json::array();
  for (const auto& [claim, finding] : result.claims)
    claims.push_back({{"name", claim.name},
                      {"claim", claim.sentence},
                      {"verdict", study::verdict_text(finding.verdict)},
                      {"evidence", finding.evidence},
                      {"paper", claim.paper}});
  return {{"study", s.name},
          {"folder", folder.string()},
          {"cases", result.cases},
          {"reused", result.reused},
          {"interrupted", result.interrupted},
          {"claims", claims},
          {"conclusion", result.conclusion},
          {"data", result.checksums},
          {"figures", result.no_figures.empty()}};
}

void print_result(const study::Study& s, const fs::path& folder, const study::RunResult& result) {
  fmt::print("{}\n", s.title);
  for (const std::string& paragraph : result.conclusion) fmt::print("  {}\n", wrapped(paragraph, 2));
  for (const auto& [claim, finding] : result.claims)
    fmt::print("  {:<22} {}\n", study::verdict_text(finding.verdict),
               wrapped(fmt::format("{} {}", claim.sentence, finding.evidence), 25));
  fmt::print("  {:<22} {} in {}{}\n", "cases", result.cases, duration(result.seconds),
             result.reused == 0 ? "" : fmt::format(", {} of them were there already (--fresh runs them again)", result.reused));
  fmt::print("  {:<22} {}\n", "written", (folder / "report.html").string());
}

study::RunResult run_one(const StudyArguments& arguments, const study::Study& s, const study::Setting& setting,
                         const fs::path& folder) {
  const InterruptGuard interrupts;
  Progress progress(1000, !arguments.quiet && !arguments.json);
  study::RunOptions options;
  options.folder = folder;
  options.jobs = arguments.jobs;
  options.fresh = arguments.fresh;
  options.replot = arguments.replot;
  options.figures = !arguments.no_figures;
  options.command = command_of(s, setting, folder);
  options.version = STICKSLIP_VERSION;
  options.cancel = &InterruptGuard::flag();
  options.progress = [&](const study::Progress& now) {
    progress.show(now.done, fmt::format("{}  case {}/{}", s.name, now.finished, now.cases), now.seconds_left);
  };
  study::RunResult result = study::run_study(s, setting, options);
  progress.clear();
  if (result.other_build && !arguments.quiet)
    tell("stickslip: cases of another build of the program were there; they have been run again.\n");
  if (!result.no_figures.empty() && !arguments.no_figures) tell(fmt::format("stickslip: warning: {}\n", result.no_figures));
  if (result.interrupted)
    tell(fmt::format("stickslip: interrupted; the cases that have finished are kept. The same command goes on: {}\n",
                     options.command));
  else if (arguments.json) fmt::print("{}\n", to_json(s, folder, result).dump(2));
  else if (!arguments.quiet) print_result(s, folder, result);
  return result;
}

/// Runs what a manifest says, into another folder, and compares the data.
int run_again(const StudyArguments& arguments) {
  const study::Manifest manifest = study::read_manifest(arguments.what);
  if (!arguments.size.empty() || arguments.seed)
    throw Error("A manifest says size and seed itself. Leave --size and --seed out, or name the study.").in(arguments.what);
  const fs::path there = fs::absolute(arguments.what).parent_path();
  const fs::path folder = !arguments.output.empty() ? fs::path(arguments.output) : fs::path(there.string() + "-again");
  const study::RunResult result = run_one(arguments, study::study_named(manifest.study), manifest.setting, folder);
  if (result.interrupted) return interrupted;
  if (manifest.checksums.empty() || arguments.quiet || arguments.json) return fine;
  std::vector<std::string> different;
  for (const auto& [file, sum] : manifest.checksums)
    if (const auto found = result.checksums.find(file); found == result.checksums.end() || found->second != sum)
      different.push_back(file);
  if (different.empty()) fmt::print("  {:<22} to the bit, all {} files\n", "same data", manifest.checksums.size());
  else fmt::print("  {:<22} {}\n", "other data", fmt::join(different, ", "));
  return different.empty() ? fine : tolerance_missed;
}

constexpr const char* kOwnScene = "own-scene";

int run_all(const StudyArguments& arguments) {
  const fs::path root = arguments.output.empty() ? fs::path("studies") : fs::path(arguments.output);
  std::vector<std::pair<const study::Study*, study::RunResult>> results;
  for (const study::Study& s : study::studies()) {
    if (s.name == kOwnScene) continue;
    results.emplace_back(&s, run_one(arguments, s, setting_of(arguments), root / s.name));
    if (results.back().second.interrupted) return interrupted;
  }
  study::write_index(root / "index.html", results);
  if (!arguments.json && !arguments.quiet) fmt::print("  {:<22} {}\n", "written", (root / "index.html").string());
  return fine;
}

/// Draws again what a folder holds.
int replot_folder(const StudyArguments& arguments) {
  const fs::path folder = arguments.what;
  const study::Manifest manifest = study::read_manifest(folder / "manifest.json");
  run_one(arguments, study::study_named(manifest.study), manifest.setting, folder);
  return fine;
}

bool names_study(const std::string& word) {
  return std::ranges::any_of(study::studies(), [&](const study::Study& s) { return s.name == word; });
}

bool names_scene(const std::string& word) {
  return word.ends_with(".json") || word.ends_with(".urdf") || word.ends_with(".xml") ||
         std::ranges::any_of(built_in_scenes(), [&](const BuiltInScene& s) { return s.name == word; });
}

/// Sweeps step, tolerance and solver of a scene.
int run_own_scene(const StudyArguments& arguments) {
  if (!arguments.problems.empty())
    throw Error("--problem gives files to the study `profiles`, not to that of a scene. Leave it out.");
  SceneArguments scene;
  scene.scene = arguments.what;
  const Scene opened = open_scene(scene);
  if (!arguments.json && !arguments.quiet) show_warnings(opened);
  study::Setting setting = setting_of(arguments);
  setting.scene = arguments.what;
  setting.document = opened.document;
  setting.criterion = arguments.hold;
  const fs::path folder =
      arguments.output.empty() ? fs::path("study-" + fs::path(arguments.what).stem().string()) : fs::path(arguments.output);
  return run_one(arguments, study::study_named(kOwnScene), setting, folder).interrupted ? interrupted : fine;
}

int run_studies(const StudyArguments& arguments) {
  if (arguments.jobs < 1 || arguments.jobs > 256)
    throw Error(fmt::format("--jobs {}: that many cases cannot run at a time. Give 1 to 256.", arguments.jobs));
  if (arguments.replot && arguments.fresh)
    throw Error("--replot draws what is there and --fresh throws it away. Give one of them.");
  if (arguments.what == "list") {
    list_studies(arguments.json);
    return fine;
  }
  if (arguments.what == "all") return run_all(arguments);
  if (arguments.replot && fs::is_directory(arguments.what)) return replot_folder(arguments);
  if (study::is_manifest(arguments.what)) return run_again(arguments);
  if (names_scene(arguments.what) && !names_study(arguments.what)) return run_own_scene(arguments);
  if (!arguments.hold.empty())
    throw Error("--hold is for the study of a scene: stickslip study my-scene.json --hold creep=1e-6.");
  const study::Study& s = study::study_named(arguments.what);
  if (s.name == kOwnScene)
    throw Error("Name the scene in place of the study: stickslip study my-scene.json, or a built-in one.");
  const fs::path folder = arguments.output.empty() ? fs::path("study-" + s.name) : fs::path(arguments.output);
  return run_one(arguments, s, setting_of(arguments), folder).interrupted ? interrupted : fine;
}

}   // namespace

void add_study(CLI::App& app, Outcome& outcome) {
  CLI::App* command =
      app.add_subcommand("study", "Run an experiment of the papers, or one on a scene of your own: data, figures, report");
  auto arguments = std::make_shared<StudyArguments>();
  command
      ->add_option("study", arguments->what,
                   "Name of a study, list, all, the manifest.json of an earlier run to repeat, or a scene of your own")
      ->required();
  command->add_option("-o,--output", arguments->output,
                      "Folder to write. Default: study-<name>; an interrupted run in it goes on");
  command->add_option("--size", arguments->size,
                      "quick (seconds), standard (minutes) or full (the paper's sizes). Default: standard");
  command->add_option("--seed", arguments->seed, "Of what is random. Default: 1");
  command->add_option("--jobs", arguments->jobs, "Cases that run at a time. Default: 1");
  command->add_option("--solvers", arguments->solvers, "Solvers to compare in place of the study's own, as auto,pgs")
      ->delimiter(',');
  command
      ->add_option("--problem", arguments->problems,
                   "Study profiles: problem file in place of its own problems; may be repeated")
      ->allow_extra_args(false);
  command->add_option(
      "--hold", arguments->hold,
      "Study of a scene: what the recommendation must keep, as creep=1e-6,penetration=1e-4. Default: creep=1e-6");
  command->add_flag("--fresh", arguments->fresh, "Run everything again and replace what the folder holds");
  command->add_flag("--replot", arguments->replot, "Run nothing: draw figures and report again from the data in the folder");
  command->add_flag("--no-figures", arguments->no_figures, "Data and report only");
  command->add_flag("--json", arguments->json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->callback([arguments, &outcome] { outcome.exit_code = run_studies(*arguments); });
}

}   // namespace stickslip::cli
