#include "cli/failures.h"

#include <fmt/format.h>

#include <algorithm>

#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {
constexpr std::size_t kMostFiles = 10;
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

}   // namespace stickslip::cli
