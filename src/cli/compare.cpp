// stickslip compare
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/amounts.h"
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/comparison.h"
#include "cli/interrupt.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/temporary_folder.h"
#include "stickslip/math/error.h"
#include "stickslip/step/integrator.h"

namespace stickslip::cli {

namespace {

struct CompareArguments {
  SceneArguments scene;
  std::vector<std::string> integrators, solvers;
  std::optional<std::string> steps;
  std::optional<double> seconds;
  std::vector<std::string> outputs;
  bool json = false, quiet = false;
};

/// Where bodies were after every step of the first run.
using Track = std::vector<std::vector<Pose>>;

/// Sees a run; the first one leaves its track, the others are compared with it.
class CompareRecorder final : public Recorder {
 public:
  CompareRecorder(ComparedRun& run, Track& track, bool first) : run_(run), track_(track), first_(first) {}

  void begin(const Scene&) override {}
  void finish() override {}
  void record(const World& world, const StepReport& report) override {
    ComparedStep s;
    s.time = report.time;
    s.energy = report.energy.kinetic_end + report.energy.potential_end;
    s.penetration = report.penetration_max;
    if (std::isfinite(report.distance_min)) s.distance = report.distance_min;
    s.milliseconds = 1e3 * report.seconds.total();
    Vec3 sum = Vec3::Zero();
    const auto moves = [&](BodyId id) { return world.contains(id) && world.body(id).motion == MotionType::dynamic; };
    for (const ContactRecord& c : report.contacts) {
      s.force = std::max(s.force, c.normal_impulse / report.force_time);
      if (!moves(c.body_a)) sum -= c.impulse / report.force_time;
      if (!moves(c.body_b)) sum += c.impulse / report.force_time;
    }
    s.ground_force = sum.norm();
    if (first_) follow(world);
    else if (run_.steps.size() < track_.size()) compare(world, s);
    run_.steps.push_back(s);
  }

 private:
  void follow(const World& world) {
    std::vector<Pose>& poses = track_.emplace_back();
    for (const Body& b : world.bodies()) poses.push_back({b.position, b.orientation});
  }

  void compare(const World& world, ComparedStep& s) {
    const std::vector<Pose>& there = track_[run_.steps.size()];
    double squares = 0, count = 0;
    for (std::size_t i = 0; i < std::min(there.size(), world.bodies().size()); ++i) {
      const Body& b = world.bodies()[i];
      if (!b.alive || b.motion != MotionType::dynamic) continue;
      const double distance = (b.position - there[i].position).norm();
      if (distance > run_.farthest) {
        run_.farthest = distance;
        run_.farthest_time = s.time;
        run_.farthest_body = b.name;
      }
      s.farthest = std::max(s.farthest, distance);
      squares += distance * distance;
      ++count;
      if (b.is_rigid()) s.turn = std::max(s.turn, b.orientation.angularDistance(there[i].orientation));
    }
    s.rms = count > 0 ? std::sqrt(squares / count) : 0;
  }

  ComparedRun& run_;
  Track& track_;
  bool first_;
};

bool has_ending(const std::vector<std::string>& files, std::string_view ending) {
  return std::ranges::any_of(files, [&](const std::string& f) { return f.ends_with(ending); });
}

void check_compare_files(const CompareArguments& arguments) {
  for (const std::string& file : arguments.outputs) {
    if (!file.ends_with(".html") && !file.ends_with(".csv") && !file.ends_with(".json"))
      throw Error("A comparison is written as .html, .csv or .json. Choose one of these endings.").in(file);
    check_writable(file);
  }
}

/// Names of what is compared: integrators or solvers, two at least, each once.
std::vector<std::string> compared_names(const CompareArguments& arguments) {
  const bool solvers = !arguments.solvers.empty();
  std::vector<std::string> names = solvers ? arguments.solvers : arguments.integrators;
  const char* option = solvers ? "--solvers" : "--integrators";
  if (names.empty())
    for (const IntegratorInfo& info : integrators()) names.push_back(info.name);
  if (names.size() < 2)
    throw Error(fmt::format("There is nothing to compare with: give {} two names or more, as a,b.", option));
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error(fmt::format("{} names '{}' twice.", option, *twice));
  return names;
}

/// The end of a replay as a data URL; empty, with a warning, if there is no browser.
std::string picture_of(const std::filesystem::path& page) {
  constexpr int width = 640, height = 420;
  Browser browser("file://" + page.string(), width, height, page.string() + ".browser");
  wait_for_viewer(browser);
  browser.evaluate("stickslip.theme('light')");
  return browser.evaluate(fmt::format("stickslip.setFrame(stickslip.frames() - 1), stickslip.picture({}, {})", width, height))
      .get<std::string>();
}

/// Runs the scene once. @param page replay to make pictures from; empty: none
void run_one(const CompareArguments& arguments, Comparison& comparison, ComparedRun& run, Track& track,
             const std::filesystem::path& page) {
  SceneArguments named = arguments.scene;
  (comparison.kind == "solver" ? named.solver : named.integrator) = run.name;
  Scene scene = open_scene(named);
  const bool first = &run == &comparison.runs.front();
  if (first) {
    if (!arguments.json) show_warnings(scene);
    comparison.scene = scene.name;
    comparison.h = scene.step.h;
    comparison.bodies = scene.world.body_count();
    comparison.energy_start = scene.world.kinetic_energy() + scene.world.potential_energy();
    comparison.steps = arguments.steps     ? count_of_steps("--steps", *arguments.steps)
                       : arguments.seconds ? steps_for(checked_seconds("--seconds", *arguments.seconds), scene.step.h)
                                           : steps_for(scene.seconds - scene.world.time, scene.step.h);
  }
  std::vector<std::unique_ptr<Recorder>> recorders;
  recorders.push_back(std::make_unique<CompareRecorder>(run, track, first));
  if (!page.empty()) recorders.push_back(make_recorder(page, {.frames_per_second = 10}));
  FailureHandler failures("ignore", ".");
  try {
    run.result = simulate(scene, comparison.steps, recorders, failures, !arguments.quiet && !arguments.json);
  } catch (const Error& error) {
    if (first && run.steps.empty()) throw;   // nothing to compare with
    run.error = error.what();
  }
}

void take_pictures(Comparison& comparison, const std::filesystem::path& folder) {
  try {
    for (std::size_t i = 0; i < comparison.runs.size(); ++i)
      if (!comparison.runs[i].steps.empty()) comparison.runs[i].picture = picture_of(folder / fmt::format("{}.html", i));
  } catch (const Error& error) {
    tell(fmt::format("stickslip: warning: the page has no pictures: {}\n", error.what()));
  }
}

void write_comparison(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error("The comparison could not be written. Is the disk full?").in(file);
}

/// Reads the scene as every run will, so that a wrong name is told before the first has run.
void check_runs(const CompareArguments& arguments, const Comparison& comparison) {
  for (const ComparedRun& run : comparison.runs) {
    SceneArguments named = arguments.scene;
    (comparison.kind == "solver" ? named.solver : named.integrator) = run.name;
    open_scene(named);
  }
}

int compare(const CompareArguments& arguments) {
  check_compare_files(arguments);
  Comparison comparison;
  comparison.kind = arguments.solvers.empty() ? "integrator" : "solver";
  for (const std::string& name : compared_names(arguments)) comparison.runs.emplace_back().name = name;
  check_runs(arguments, comparison);
  const bool pictures = has_ending(arguments.outputs, ".html");
  const InterruptGuard interrupts;
  const TemporaryFolder folder("compare");
  Track track;
  for (std::size_t i = 0; i < comparison.runs.size() && !InterruptGuard::requested(); ++i)
    run_one(arguments, comparison, comparison.runs[i], track, pictures ? folder.path / fmt::format("{}.html", i) : "");
  if (pictures) take_pictures(comparison, folder.path);
  for (const std::string& file : arguments.outputs)
    write_comparison(file, file.ends_with(".html")  ? to_html(comparison)
                           : file.ends_with(".csv") ? to_csv(comparison)
                                                    : to_json(comparison).dump(2) + "\n");
  if (arguments.json) fmt::print("{}\n", to_json(comparison).dump(2));
  else if (!arguments.quiet) fmt::print("{}", to_text(comparison));
  for (const std::string& file : arguments.outputs)
    if (!arguments.json && !arguments.quiet)
      fmt::print("  {:<16} {} ({})\n", "written", file, file_size(std::filesystem::file_size(file)));
  if (InterruptGuard::requested()) return interrupted;
  return std::ranges::any_of(comparison.runs, [](const ComparedRun& r) { return !r.error.empty(); }) ? tolerance_missed : fine;
}

}   // namespace

void add_compare(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand(
      "compare", "Run a scene by several integrators or solvers and show how motion, forces and cost differ");
  auto arguments = std::make_shared<CompareArguments>();
  add_scene_arguments(*command, arguments->scene);
  CLI::Option* integrators_option = command
                                        ->add_option("--integrators", arguments->integrators,
                                                     "Names, as impulse,penalty; the first is compared with. "
                                                     "Default: all")
                                        ->delimiter(',');
  command->add_option("--solvers", arguments->solvers, "The same of contact solvers, as auto,prox-gs,pgs")
      ->delimiter(',')
      ->excludes(integrators_option);
  CLI::Option* steps = command->add_option("--steps", arguments->steps, "Number of steps");
  command->add_option("--seconds", arguments->seconds, "Simulated time [s]. Default: the scene's own duration")
      ->excludes(steps);
  command
      ->add_option(
          "-o,--output", arguments->outputs,
          "Write the comparison, chosen by the ending: .html page with pictures and plots, .csv every step, .json; may be "
          "repeated")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->callback([arguments, &outcome] { outcome.exit_code = compare(*arguments); });
}

}   // namespace stickslip::cli
