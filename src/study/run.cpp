#include "stickslip/study/run.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "stickslip/math/error.h"
#include "stickslip/step/integrator.h"
#include "study/drawing.h"
#include "study/folder.h"
#include "study/report.h"
#include "study/run_in_memory.h"

namespace stickslip::study {

namespace {

using Clock = std::chrono::steady_clock;

/// Runs cases by several threads, the costliest first, and stores each when it has finished.
class CasePool {
 public:
  CasePool(const Plan& plan, const RunOptions& options, std::vector<Data>& results, std::vector<std::size_t> todo,
           Progress progress)
      : plan_(plan), options_(options), results_(results), todo_(std::move(todo)), progress_(std::move(progress)) {
    std::ranges::stable_sort(todo_, [&](std::size_t a, std::size_t b) { return plan_.cases[a].cost > plan_.cases[b].cost; });
    for (const std::size_t i : todo_) total_cost_ += plan_.cases[i].cost;
  }

  /// @returns whether all have run. @throws the first error of a case, with its name
  bool run() {
    start_ = Clock::now();
    std::vector<std::thread> threads;
    const std::size_t jobs = std::min<std::size_t>(std::max(1, options_.jobs), todo_.size());
    running_ = jobs;
    for (std::size_t i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
    watch();
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
    return finished_ == todo_.size();
  }

 private:
  bool stopping() const { return error_ || (options_.cancel && *options_.cancel); }

  void work() {
    std::unique_lock lock(mutex_);
    while (next_ < todo_.size() && !stopping()) {
      const std::size_t i = todo_[next_++];
      lock.unlock();
      std::exception_ptr error;
      bool whole = false;
      try {
        whole = run_case(plan_.cases[i], results_[i]);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error && !error_) error_ = error;
      if (whole) note_finished(plan_.cases[i]);
    }
    --running_;
    changed_.notify_one();
  }

  /// @returns false if it was cancelled
  bool run_case(const Case& one, Data& data) const {
    const double start = processor_seconds();
    try {
      CaseRun run(data, options_.cancel);
      one.run(run);
      if (run.cancelled()) return false;   // it may have cut its loops short
      save_case(options_.folder, one.name, data, processor_seconds() - start);
      return true;
    } catch (const Cancelled&) {
      return false;
    } catch (const StepCancelled&) {
      return false;
    } catch (const Error& error) {
      throw Error(fmt::format("Case '{}' failed: {} Cases that have finished are kept.", one.name, error.what()));
    }
  }

  void note_finished(const Case& one) {
    ++finished_;
    done_cost_ += one.cost;
    ++progress_.finished;
    progress_.name = one.name;
    progress_.done = done_cost_ / total_cost_;
    changed_.notify_one();
  }

  /// Tells the caller how far it is, in the caller's own thread.
  void watch() {
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(200));
      Progress now = progress_;
      const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
      now.seconds_left = now.done > 0 ? elapsed * (1 - now.done) / now.done : std::numeric_limits<double>::quiet_NaN();
      lock.unlock();
      if (options_.progress) options_.progress(now);
      lock.lock();
    }
  }

  const Plan& plan_;
  const RunOptions& options_;
  std::vector<Data>& results_;
  std::vector<std::size_t> todo_;
  Progress progress_;
  double total_cost_ = 0, done_cost_ = 0;
  Clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, running_ = 0, finished_ = 0;
  std::exception_ptr error_;
};

void check_names(const Plan& plan) {
  std::set<std::string> files;
  for (const Case& one : plan.cases) {
    if (one.name.empty() ||
        one.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .-_/") != std::string::npos)
      throw std::logic_error(fmt::format("'{}' is no name of a case", one.name));
    if (!files.insert(case_file_name(one.name)).second)
      throw std::logic_error(fmt::format("two cases are called '{}'", one.name));
  }
}

/// Whether a folder is empty, or holds what a study makes before its manifest is there and nothing else: it was killed then.
bool is_barely_begun(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name == "cases" ? entry.is_directory() && std::filesystem::is_empty(entry.path())
                                      : name.starts_with("manifest.json.") && name.ends_with(".part");
    if (!ours) return false;
  }
  return true;
}

/// Makes the folder, or finds in it the same study in the same setting.
void enter_folder(const Study& study, const Setting& setting, const RunOptions& options) {
  const std::filesystem::path& folder = options.folder;
  const std::filesystem::path manifest = folder / "manifest.json";
  if (std::filesystem::exists(folder) && !std::filesystem::is_directory(folder))
    throw Error("This is a file. A study is written into a folder: give the name of one that is there or is to be made.")
        .in(folder.string());
  const bool was_there = std::filesystem::exists(manifest);
  if (options.replot && !was_there)
    throw Error("There is no study in this folder to draw again: manifest.json is missing. Run it without --replot first.")
        .in(folder.string());
  if (was_there && !options.fresh) {
    const Manifest found = read_manifest(manifest);
    if (found.study != study.name || to_json(found.setting) != to_json(setting))
      throw Error(
          fmt::format("The folder holds the study '{}' in size {} with seed {}{}. Give another folder with -o, or --fresh "
                      "to replace it.",
                      found.study, size_name(found.setting.size), found.setting.seed,
                      found.study == study.name ? " and other settings than asked for now" : ""))
          .in(folder.string());
  }
  if (!was_there && std::filesystem::exists(folder) && !is_barely_begun(folder))
    throw Error("The folder holds other files. Give an empty folder or the name of one that is to be made.")
        .in(folder.string());
  std::error_code trouble;
  std::filesystem::create_directories(folder / "cases", trouble);
  if (trouble) throw Error(fmt::format("The folder cannot be made: {}.", trouble.message())).in(folder.string());
  if (options.fresh && was_there)
    for (const char* part : {"cases", "data", "times", "figures"}) std::filesystem::remove_all(folder / part);
  std::filesystem::create_directories(folder / "cases");
}

/// Fills `results` with the cases that are there. @returns those that are not
std::vector<std::size_t> load_cases(const Plan& plan, const RunOptions& options, std::vector<Data>& results,
                                    RunResult& result) {
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < plan.cases.size(); ++i)
    if (load_case(options.folder, plan.cases[i].name, results[i], options.replot, result.other_build)) ++result.reused;
    else todo.push_back(i);
  if (options.replot && !todo.empty())
    throw Error(fmt::format("{} of {} cases have not run yet, such as '{}'. Run the study without --replot to finish it.",
                            todo.size(), plan.cases.size(), plan.cases[todo.front()].name))
        .in(options.folder.string());
  return todo;
}

}   // namespace

std::vector<JudgedClaim> judge(const Plan& plan, const Data& data) {
  std::vector<JudgedClaim> claims;
  for (const Claim& claim : plan.claims) {
    Finding finding = claim.check(data);
    if (finding.verdict == Verdict::fails && !claim.paper.empty()) finding.verdict = Verdict::contradicts;
    claims.push_back({claim, std::move(finding)});
  }
  return claims;
}

const Finding& MemoryRun::finding(std::string_view claim) const {
  for (const JudgedClaim& one : claims)
    if (one.claim.name == claim) return one.finding;
  throw std::logic_error(fmt::format("the study makes no claim {}", claim));
}

MemoryRun run_in_memory(const Study& study, const Setting& setting) {
  MemoryRun result;
  result.plan = study.plan(setting);
  result.data = Data(result.plan.tables);
  CaseRun run(result.data, nullptr);
  for (const Case& one : result.plan.cases) one.run(run);
  if (result.plan.summarise) result.plan.summarise(result.data);
  result.claims = judge(result.plan, result.data);
  return result;
}

RunResult run_study(const Study& study, const Setting& setting, const RunOptions& options) {
  const Clock::time_point start = Clock::now();
  const Plan plan = study.plan(setting);
  check_names(plan);
  enter_folder(study, setting, options);
  RunResult result;
  result.cases = plan.cases.size();
  std::vector<Data> results(plan.cases.size(), Data(plan.tables));
  const std::vector<std::size_t> todo = load_cases(plan, options, results, result);
  if (!todo.empty()) {
    write_manifest(options.folder, study, setting, options, {});
    CasePool pool(plan, options, results, todo, {.finished = result.reused, .cases = plan.cases.size()});
    result.interrupted = !pool.run();
    if (result.interrupted) return result;
  }
  Data data(plan.tables);
  for (const Data& one : results)
    for (const Table& table : one.tables()) data.table(table.name()).append(table);
  if (plan.summarise) plan.summarise(data);
  result.claims = judge(plan, data);
  if (plan.conclusion) result.conclusion = plan.conclusion(data);
  result.checksums = write_data(options.folder, data);
  if (options.figures) result.no_figures = draw_figures(options, plan, data);
  else result.no_figures = "Figures were not asked for.";
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!options.replot) write_manifest(options.folder, study, setting, options, result.checksums);
  write_report(options, study, setting, plan, data, result);
  return result;
}

}   // namespace stickslip::study
