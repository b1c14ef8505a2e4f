#include "cli/amounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "stickslip/math/error.h"
#include "store/staged_file.h"
#include "store/stale_parts.h"

namespace stickslip::cli {

namespace {
constexpr double kMostSteps = 1e15;
}

std::uint64_t count_of_steps(std::string_view option, const std::string& text) {
  const auto refuse = [&](std::string_view remedy) {
    return Error(fmt::format("{} {} is not a number of steps. {}", option, text, remedy));
  };
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    throw refuse("Give a whole number in decimal digits, 0 or more.");
  if (text.size() > 1 && text.front() == '0') throw refuse("Leave out the zero in front: numbers are decimal here.");
  const double steps = std::stod(text);
  if (steps > kMostSteps) throw refuse("That is more than can ever be simulated.");
  return static_cast<std::uint64_t>(steps);
}

double checked_seconds(std::string_view option, double seconds) {
  if (!(std::isfinite(seconds) && seconds >= 0))
    throw Error(fmt::format("{} {} is not a duration. Give a finite number of seconds, 0 or more.", option, seconds));
  return seconds;
}

std::uint64_t steps_for(double seconds, double h) {
  const double steps = std::ceil(seconds / h - 1e-6);
  if (steps > kMostSteps) throw Error(fmt::format("{} s in steps of {} s is more than can ever be simulated.", seconds, h));
  return static_cast<std::uint64_t>(std::max(steps, 0.0));
}

void check_writable(const std::string& file) {
  remove_stale_parts(file);
  const StagedFile staged(file);
  std::error_code ignored;
  // Opening a pipe would wait for its reader.
  if (const auto status = std::filesystem::status(file, ignored);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return;
  std::FILE* trial = std::fopen(staged.path().c_str(), "wb");
  if (!trial) throw Error(fmt::format("Cannot write: {}.", std::strerror(errno))).in(file);
  std::fclose(trial);
}

}   // namespace stickslip::cli
