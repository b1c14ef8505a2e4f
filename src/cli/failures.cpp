#include "cli/failures.h"

#include <algorithm>
#include <cctype>

#include "cli/output.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {
constexpr std::size_t kMostFiles = 10;
}

ProblemFile problem_of_step(const Scene& scene, const Stepper& stepper, const StepReport& report) {
  ProblemFile file;
  file.problem = stepper.problem();
  file.guess.assign(stepper.guess().begin(), stepper.guess().end());
  file.title = fmt::format("{}, step {}", scene.name, report.step);
  file.description = fmt::format("{} ended as {} after {} with a residual of {:.3g} m/s; {:.3g} m/s was asked for", scene.step.solver,
                                 status_name(report.solve.status), counted(static_cast<std::size_t>(report.solve.iterations), "iteration", "iterations"),
                                 report.solve.residual.total(), report.tolerance);
  return file;
}

std::string capture_name(const Scene& scene, std::uint64_t step) {
  std::string name = scene.name.empty() ? "scene" : scene.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '-';
  return fmt::format("{}-step{}.hdf5", name, step);
}

FailureHandler::FailureHandler(std::string_view action, std::filesystem::path directory) : directory_(std::move(directory)) {
  const std::vector<std::string> words = {"ignore", "stop", "capture"};
  const auto at = std::find(words.begin(), words.end(), action);
  if (at == words.end()) throw Error(fmt::format("'--on-failure {}' is not known. {}", action, suggest(action, words)));
  action_ = static_cast<Action>(at - words.begin());
  std::error_code ignored;
  if (action_ == Action::capture && !std::filesystem::is_directory(directory_, ignored))
    throw Error("This directory does not exist. Create it first, or give another with --capture-dir.").in(directory_.string());
}

bool FailureHandler::handle(const Scene& scene, const Stepper& stepper, const StepReport& report) {
  if (action_ == Action::capture) {
    if (files_.size() >= kMostFiles) {
      ++left_out_;
      return false;
    }
    const std::filesystem::path name = capture_name(scene, report.step), path = directory_ == "." ? name : directory_ / name;
    save_problem(path, problem_of_step(scene, stepper, report), "stickslip");
    files_.push_back(path.string());
  }
  return action_ == Action::stop;
}

}  // namespace stickslip::cli
