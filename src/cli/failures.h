// What a run does about steps that miss their tolerance.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "record/captured_problem.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::cli {

class FailureHandler {
 public:
  /// @param action ignore, stop or capture. @throws Error if it is another word or the directory does not exist
  FailureHandler(std::string_view action, std::filesystem::path directory);

  /// @returns whether the run is to stop
  bool handle(const Scene&, const Stepper&, const StepReport&);

  const std::vector<std::string>& files() const { return files_; }
  std::size_t left_out() const { return left_out_; }   ///< steps beyond the most that are captured

 private:
  enum class Action { ignore, stop, capture } action_ = Action::ignore;
  std::filesystem::path directory_;
  std::vector<std::string> files_;
  std::size_t left_out_ = 0;
};

}   // namespace stickslip::cli
