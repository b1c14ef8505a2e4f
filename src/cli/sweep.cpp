// stickslip sweep
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/amounts.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/length.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/sweep_table.h"
#include "record/output_file.h"
#include "stickslip/math/error.h"
#include "study/folder.h"

namespace stickslip::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct SweepArguments {
  SceneArguments scene;
  LengthArguments length;
  std::vector<std::string> over, bodies;
  std::string output;
  int jobs = 1;
  bool fresh = false, json = false, quiet = false;
};

struct SweepRun {
  Cells values;          ///< of the axes
  std::string setting;   ///< digits that change with all that decides the row
  std::uint64_t steps = 0;
  Cells row;   ///< empty while it has not run
};

class Sweep {
 public:
  explicit Sweep(const SweepArguments& arguments) : arguments_(arguments) {
    if (arguments.over.empty()) throw Error("'sweep' needs something to vary: --over /materials/0/friction=0.1:0.9:17, say.");
    if (arguments.jobs < 1 || arguments.jobs > 256)
      throw Error(fmt::format("--jobs {}: that many runs cannot go at a time. Give 1 to 256.", arguments.jobs));
    for (const std::string& text : arguments.over) axes_.push_back(parse_axis(text));
    table_.header = sweep_header(axes_, arguments.bodies);
    for (const auto& one : combinations(axes_)) {
      SweepRun& run = runs_.emplace_back();
      for (std::size_t k = 0; k < axes_.size(); ++k) run.values.push_back(axes_[k].values[one[k]]);
    }
  }

  /// Builds every scene once: a value that cannot be is told before the first run, and every run knows what decides it.
  void prepare() {
    const std::string& build = study::build_of_program();
    each(runs_.size(), [&](std::size_t i) {
      SweepRun& run = runs_[i];
      const Scene scene = scene_of(run);
      for (const std::string& name : arguments_.bodies) body_named(scene.world, name);
      run.steps = steps_of(arguments_.length, scene, arguments_.scene.scene);
      run.setting = study::checksum(fmt::format("{}\n{}\n{}\n{}", scene.document, scene.world.state_hash(), run.steps, build));
      if (i > 0) return;
      scene_name_ = scene.name;
      if (!arguments_.json && !arguments_.quiet) show_warnings(scene);
    });
  }

  /// Takes rows of an earlier sweep from the file. @throws Error if there is something in it that would be lost
  void reuse() {
    if (arguments_.fresh || !std::filesystem::exists(arguments_.output)) return;
    const SweepTable old = read_sweep(arguments_.output);
    const auto keep = [&](const char* what) {
      return Error(fmt::format("The file holds {}. Give another name with -o, or --fresh to replace it.", what))
          .in(arguments_.output);
    };
    if (old.header.empty()) return;
    if (old.header != table_.header) throw keep("other columns than those of this sweep");
    const auto setting = static_cast<std::size_t>(std::ranges::find(old.header, kSettingColumn) - old.header.begin());
    std::map<Cells, SweepRun*> by_values;
    for (SweepRun& run : runs_) by_values[run.values] = &run;
    for (const Cells& row : old.rows) {
      const Cells values(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(axes_.size()));
      const auto found = by_values.find(values);
      if (found == by_values.end()) throw keep("runs of values that this sweep does not have");
      if (row[setting] != found->second->setting) ++outdated_;
      else found->second->row = row, ++reused_;
    }
  }

  /// @returns false if it was interrupted
  bool run_all() {
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (runs_[i].row.empty()) todo.push_back(i);
    write();   // also says at once whether the file can be written
    Progress progress(todo.size(), !arguments_.quiet && !arguments_.json, "run");
    std::size_t done = 0;
    Clock::time_point start = Clock::now(), written = start;
    each(todo.size(), [&](std::size_t k) {
      SweepRun& run = runs_[todo[k]];
      Cells row = row_of(run);
      if (row.empty()) return;   // interrupted
      const std::scoped_lock lock(mutex_);
      run.row = std::move(row);
      ++done;
      const double elapsed = std::chrono::duration<double>(Clock::now() - start).count(),
                   part = double(done) / double(todo.size());
      progress.show(part, fmt::format("run {}/{}", done, todo.size()), elapsed * (1 - part) / part);
      // Whole files one after the other: whoever is killed loses a second of runs at most.
      if (Clock::now() - written < std::chrono::seconds(1)) return;
      write();
      written = Clock::now();
    });
    progress.clear();
    write();
    return done == todo.size();
  }

  void print() const;
  bool failed() const {
    return std::ranges::any_of(runs_, [](const SweepRun& run) { return !run.row.empty() && !run.row.back().empty(); });
  }
  std::size_t finished() const {
    return static_cast<std::size_t>(std::ranges::count_if(runs_, [](const SweepRun& run) { return !run.row.empty(); }));
  }
  std::size_t size() const { return runs_.size(); }

 private:
  /// Calls `work` for all numbers by several threads. @throws the error of the smallest number
  template <class Work>
  void each(std::size_t count, Work&& work) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stop = false;
    std::map<std::size_t, std::exception_ptr> errors;
    const auto loop = [&] {
      while (!stop && !InterruptGuard::requested()) {
        const std::size_t i = next++;
        if (i >= count) return;
        try {
          work(i);
        } catch (...) {
          const std::scoped_lock lock(mutex_);
          errors[i] = std::current_exception();
          stop = true;
        }
      }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(static_cast<std::size_t>(arguments_.jobs), count); ++i)
      threads.emplace_back(loop);
    loop();
    threads.clear();
    if (!errors.empty()) std::rethrow_exception(errors.begin()->second);
  }

  std::string named(const SweepRun& run) const {
    std::string text;
    for (std::size_t k = 0; k < axes_.size(); ++k)
      text += fmt::format("{}{}={}", k > 0 ? ", " : "", axes_[k].pointer, run.values[k]);
    return text;
  }

  Scene scene_of(const SweepRun& run) const {
    SceneArguments here = arguments_.scene;
    for (std::size_t k = 0; k < axes_.size(); ++k) here.set.push_back(axes_[k].pointer + "=" + run.values[k]);
    if (here.threads == 0 && arguments_.jobs > 1) here.threads = 1;
    try {
      return open_scene(here);
    } catch (const Error& error) {
      throw Error(fmt::format("With {}: {}", named(run), error.what()));
    }
  }

  /// Runs it. @returns the row; nothing if it was interrupted
  Cells row_of(const SweepRun& run) const {
    Scene scene = scene_of(run);
    const auto energy = [&] { return scene.world.kinetic_energy() + scene.world.potential_energy(); };
    const double start = energy();
    std::vector<std::unique_ptr<Recorder>> none;
    FailureHandler failures("ignore", ".");
    try {
      const SimulateResult result = simulate(scene, run.steps, none, failures, false);
      if (result.interrupted) return {};
      const Summary summary{scene, result, start, energy(), {}, {}};
      return finished_row(run.values, scene.world, arguments_.bodies, run.setting, to_json(summary));
    } catch (const Error& error) {
      return failed_row(run.values, table_.header.size(), run.setting, error.what(), arguments_.bodies.size());
    }
  }

  void write() {
    table_.rows.clear();
    for (const SweepRun& run : runs_)
      if (!run.row.empty()) table_.rows.push_back(run.row);
    OutputFile file(arguments_.output);
    file.write(to_csv(table_));
    file.commit();
  }

  const SweepArguments& arguments_;
  std::vector<SweepAxis> axes_;
  std::vector<SweepRun> runs_;
  SweepTable table_;
  std::string scene_name_;
  std::mutex mutex_;
  std::size_t reused_ = 0, outdated_ = 0;
};

/// A few columns for people; the file has all.
void Sweep::print() const {
  if (arguments_.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Cells& row : table_.rows) {
      nlohmann::ordered_json& entry = rows.emplace_back(nlohmann::ordered_json::object());
      for (std::size_t k = 0; k < row.size(); ++k) {
        const nlohmann::ordered_json value = nlohmann::ordered_json::parse(row[k], nullptr, false);
        entry[table_.header[k]] = row[k].empty()      ? nlohmann::ordered_json()
                                  : value.is_number() ? value
                                                      : nlohmann::ordered_json(row[k]);
      }
    }
    const nlohmann::ordered_json all = {
        {"scene", scene_name_}, {"output", arguments_.output}, {"reused", reused_}, {"runs", rows}};
    fmt::print("{}\n", all.dump(2));
    return;
  }
  if (arguments_.quiet) return;
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < axes_.size(); ++k) shown.push_back(k);
  const std::size_t summary_begins = axes_.size() + 4 * arguments_.bodies.size();
  for (std::size_t k = axes_.size(); k < summary_begins; ++k) shown.push_back(k);
  for (const char* name :
       {"penetration_max_m", "energy_end_J", "steps_missing_tolerance", "motion_findings", "ms_per_step_mean", "error"})
    shown.push_back(static_cast<std::size_t>(std::ranges::find(table_.header, name) - table_.header.begin()));
  const auto cell = [&](const Cells& row, std::size_t k) {
    char* end = nullptr;
    const double number = std::strtod(row[k].c_str(), &end);
    return k < axes_.size() || row[k].empty() || *end != '\0' ? row[k] : fmt::format("{:.4g}", number);
  };
  const auto line = [&](const Cells& row) {
    std::string text = " ";
    for (const std::size_t k : shown) text += fmt::format(" {:<{}}", cell(row, k), table_.header[k].size());
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  };
  fmt::print("{}: {}{}\n\n", scene_name_, counted(table_.rows.size(), "run", "runs"),
             reused_ > 0 ? fmt::format(", {} of them were there already", reused_) : "");
  line(table_.header);
  constexpr std::size_t most = 40;
  for (std::size_t i = 0; i < std::min(table_.rows.size(), most); ++i) line(table_.rows[i]);
  if (table_.rows.size() > most) fmt::print("  and {} more\n", table_.rows.size() - most);
  if (outdated_ > 0)
    fmt::print("\n  {} there before came of another scene, duration or build and ran again\n",
               counted(outdated_, "row", "rows"));
  fmt::print("\n  {:<12} {} ({})\n", "written", arguments_.output, file_size(std::filesystem::file_size(arguments_.output)));
}

int sweep(const SweepArguments& arguments) {
  const InterruptGuard interrupts;
  Sweep all(arguments);
  check_writable(arguments.output);
  all.prepare();
  if (InterruptGuard::requested()) return interrupted;
  all.reuse();
  const bool whole = all.run_all();
  if (!whole)
    tell(fmt::format("stickslip: interrupted; {} of {} runs are in {}. The same command goes on.\n", all.finished(), all.size(),
                     arguments.output));
  else all.print();
  return !whole ? interrupted : all.failed() ? tolerance_missed : fine;
}

}   // namespace

void add_sweep(CLI::App& app, Outcome& outcome) {
  CLI::App* command =
      app.add_subcommand("sweep", "Run a scene for every value of some of its numbers, and write a table with a row per run");
  auto arguments = std::make_shared<SweepArguments>();
  add_scene_arguments(*command, arguments->scene);
  command
      ->add_option(
          "--over", arguments->over,
          "What varies: /json/pointer=first:last:count, …:log for equal ratios, or a list a,b,c; repeated: every combination")
      ->allow_extra_args(false);
  command->add_option("-o,--output", arguments->output, "The table (.csv). What is in it already is not run again")->required();
  command->add_option("--body", arguments->bodies, "Columns for the place and speed of this body at the end; may be repeated")
      ->allow_extra_args(false);
  add_length_arguments(*command, arguments->length);
  command->add_option("--jobs", arguments->jobs, "Runs at a time, on one thread each")->capture_default_str();
  command->add_flag("--fresh", arguments->fresh, "Run everything again and replace the file");
  command->add_flag("--json", arguments->json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->callback([arguments, &outcome] { outcome.exit_code = sweep(*arguments); });
}

}   // namespace stickslip::cli
