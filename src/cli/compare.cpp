// stickslip compare
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/amounts.h"
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/comparison.h"
#include "cli/interrupt.h"
#include "cli/length.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/play.h"
#include "cli/temporary_folder.h"
#include "record/output_file.h"
#include "stickslip/math/error.h"
#include "stickslip/step/integrator.h"

namespace stickslip::cli {

namespace {

struct CompareArguments {
  SceneArguments scene;
  std::vector<std::string> others;   ///< further trajectories
  std::vector<std::string> integrators, solvers;
  LengthArguments length;
  std::vector<std::string> outputs;
  bool json = false, quiet = false;
};

/// Where bodies were after every step of the first run.
struct TrackedState {
  double time;   ///< [s]
  std::vector<Pose> poses;
};
struct Track {
  std::vector<std::string> names;               ///< of the bodies
  std::map<std::string, std::size_t> by_name;   ///< where they stand in it
  std::vector<TrackedState> states;             ///< in the order of time

  /// The state at a time; null if there is none within rounding error.
  const TrackedState* at(double time) const {
    const double tolerance = 1e-9 * std::max(1.0, std::abs(time));
    const auto found = std::ranges::lower_bound(states, time - tolerance, {}, &TrackedState::time);
    return found != states.end() && found->time <= time + tolerance ? &*found : nullptr;
  }
  /// The body of the first run that one of another run is: the one in the same place with the same name, or the one of that
  /// name.
  std::optional<std::size_t> body(std::size_t place, const std::string& name) const {
    if (place < names.size() && names[place] == name) return place;
    const auto found = by_name.find(name);
    return found == by_name.end() ? std::nullopt : std::optional(found->second);
  }
  bool moves_any_of(const World& world) const {
    return std::ranges::any_of(world.bodies(),
                               [&](const Body& b) { return b.motion == MotionType::dynamic && by_name.contains(b.name); });
  }
};

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
    else if (const TrackedState* there = track_.at(report.time)) compare(world, there->poses, s);
    else s.farthest = s.rms = s.turn = std::numeric_limits<double>::quiet_NaN();
    run_.steps.push_back(s);
  }

 private:
  void follow(const World& world) {
    for (std::size_t i = track_.names.size(); i < world.bodies().size(); ++i) {
      track_.names.push_back(world.bodies()[i].name);
      track_.by_name.emplace(track_.names.back(), i);
    }
    std::vector<Pose>& poses = track_.states.emplace_back(world.time).poses;
    for (const Body& b : world.bodies()) poses.push_back({b.position, b.orientation});
  }

  void compare(const World& world, const std::vector<Pose>& there, ComparedStep& s) {
    double squares = 0, count = 0;
    for (std::size_t place = 0; place < world.bodies().size(); ++place) {
      const Body& b = world.bodies()[place];
      const std::optional<std::size_t> found = track_.body(place, b.name);
      if (!b.alive || b.motion != MotionType::dynamic || !found || *found >= there.size()) continue;
      const std::size_t i = *found;
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
  run.energy_start = scene.world.kinetic_energy() + scene.world.potential_energy();
  const bool first = &run == &comparison.runs.front();
  if (first) {
    if (!arguments.json) show_warnings(scene);
    comparison.scene = scene.name;
    comparison.h = scene.step.h;
    comparison.bodies = scene.world.body_count();
    comparison.steps = steps_of(arguments.length, scene, arguments.scene.scene);
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
  OutputFile out(file);
  out.write(text);
  out.commit();
}

/// Reads the scene as every run will, so that a wrong name is told before the first has run.
void check_runs(const CompareArguments& arguments, const Comparison& comparison) {
  for (const ComparedRun& run : comparison.runs) {
    SceneArguments named = arguments.scene;
    (comparison.kind == "solver" ? named.solver : named.integrator) = run.name;
    open_scene(named);
  }
}

/// Names that tell trajectories apart: those of the files, or the paths where these are the same.
std::vector<std::string> names_of(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).filename().string());
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return names;
  sorted = files;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error("This trajectory is named twice. Give another one to compare it with.").in(*twice);
  return files;
}

void check_trajectories(const CompareArguments& arguments) {
  if (!arguments.integrators.empty() || !arguments.solvers.empty() || arguments.length.steps)
    throw Error("Trajectories are compared as they were recorded: leave out --integrators, --solvers and --steps.")
        .in(arguments.scene.scene);
  if (arguments.others.empty())
    throw Error("There is nothing to compare this trajectory with. Name another one after it.").in(arguments.scene.scene);
  for (const std::string& file : arguments.others)
    if (!is_trajectory(file))
      throw Error(
          "This is no trajectory, and one can only be compared with another. 'stickslip run wall -o run.h5' writes one.")
          .in(file);
}

/// Plays a trajectory once. @param page replay to make pictures from; empty: none
void play_one(const CompareArguments& arguments, const std::string& file, Comparison& comparison, ComparedRun& run,
              Track& track, const std::filesystem::path& page) {
  SceneArguments named = arguments.scene;
  named.scene = file;
  Playback playback = open_playback(named);
  const Scene& scene = playback.scene();
  run.energy_start = scene.world.kinetic_energy() + scene.world.potential_energy();
  const bool first = &run == &comparison.runs.front();
  if (first) {
    comparison.scene = scene.name;
    comparison.h = scene.step.h;
    comparison.bodies = scene.world.body_count();
  } else if (!track.moves_any_of(scene.world)) {
    throw Error(
        fmt::format("No body that moves here is also in {}: there is nothing to compare. Name trajectories of the same scene.",
                    comparison.runs.front().name))
        .in(file);
  }
  const double until = arguments.length.seconds ? playback.time(0) + checked_seconds("--seconds", *arguments.length.seconds)
                                                : std::numeric_limits<double>::infinity();
  CompareRecorder recorder(run, track, first);
  const auto picture = page.empty() ? nullptr : make_recorder(page, {.frames_per_second = 10});
  if (picture) picture->begin(scene);
  for (std::size_t frame = 1; frame < playback.frames() && playback.time(frame) <= until * (1 + 1e-12); ++frame) {
    if (InterruptGuard::requested()) return;
    const StepReport& report = playback.show(frame);
    recorder.record(scene.world, report);
    run.result.statistics.add(scene.world, report, report.seconds.total());
    run.steps_with_findings += report.findings.empty() ? 0 : 1;
    if (picture) picture->record(scene.world, report);
  }
  if (picture) picture->finish();
  comparison.steps = std::max<std::uint64_t>(comparison.steps, run.steps.size());
}

void play_all(const CompareArguments& arguments, Comparison& comparison, const std::filesystem::path& folder) {
  check_trajectories(arguments);
  std::vector<std::string> files = {arguments.scene.scene};
  files.insert(files.end(), arguments.others.begin(), arguments.others.end());
  comparison.kind = "trajectory";
  for (const std::string& name : names_of(files)) comparison.runs.emplace_back().name = name;
  Track track;
  for (std::size_t i = 0; i < files.size() && !InterruptGuard::requested(); ++i)
    play_one(arguments, files[i], comparison, comparison.runs[i], track,
             folder.empty() ? folder : folder / fmt::format("{}.html", i));
  for (const ComparedRun& run : comparison.runs)
    if (&run != &comparison.runs.front() && !InterruptGuard::requested() &&
        std::ranges::none_of(run.steps, [](const ComparedStep& s) { return std::isfinite(s.rms); }))
      throw Error(
          fmt::format("{} has no frame at a time at which {} has one: there is nothing to compare. Record both with the same "
                      "step or the same --frames-per-second.",
                      run.name, comparison.runs.front().name));
}

void run_all(const CompareArguments& arguments, Comparison& comparison, const std::filesystem::path& folder) {
  if (!arguments.others.empty())
    throw Error(
        fmt::format("'{}' is one argument too many for 'compare': of scenes it compares runs of one, of files trajectories "
                    "(run.h5) only.",
                    arguments.others.front()));
  comparison.kind = arguments.solvers.empty() ? "integrator" : "solver";
  for (const std::string& name : compared_names(arguments)) comparison.runs.emplace_back().name = name;
  check_runs(arguments, comparison);
  Track track;
  for (std::size_t i = 0; i < comparison.runs.size() && !InterruptGuard::requested(); ++i)
    run_one(arguments, comparison, comparison.runs[i], track, folder.empty() ? folder : folder / fmt::format("{}.html", i));
}

int compare(const CompareArguments& arguments) {
  check_compare_files(arguments);
  Comparison comparison;
  const bool pictures = has_ending(arguments.outputs, ".html");
  const InterruptGuard interrupts;
  const TemporaryFolder folder("compare");
  const std::filesystem::path pages = pictures ? folder.path : std::filesystem::path();
  if (is_trajectory(arguments.scene.scene)) play_all(arguments, comparison, pages);
  else run_all(arguments, comparison, pages);
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
  CLI::App* command = app.add_subcommand("compare",
                                         "Run a scene by several integrators or solvers, or play several trajectories, and "
                                         "show how motion, forces and cost differ");
  auto arguments = std::make_shared<CompareArguments>();
  add_scene_arguments(*command, arguments->scene);
  command->add_option("trajectories", arguments->others, "Where the first is a trajectory (run.h5): those to compare with it");
  CLI::Option* integrators_option = command
                                        ->add_option("--integrators", arguments->integrators,
                                                     "Names, as impulse,penalty; the first is compared with. "
                                                     "Default: all")
                                        ->delimiter(',');
  command->add_option("--solvers", arguments->solvers, "The same of contact solvers, as auto,prox-gs,pgs")
      ->delimiter(',')
      ->excludes(integrators_option);
  add_length_arguments(*command, arguments->length);
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
