// One line on the terminal that says how far a run is and how long it still takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace stickslip::cli {

class Progress {
 public:
  /// Shows nothing unless `wanted` and standard error is a terminal.
  /// @param what is counted: steps, pictures
  Progress(std::uint64_t steps, bool wanted, std::string_view what = "step");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, double time);
  /// The same of other work. @param part that is done, from 0 to 1. @param left time left [s]; NaN: not known yet
  void show(double part, std::string_view what, double left);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t steps_;
  bool shown_;
  std::string what_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

/// Replaces the line on the terminal, cut at its width: a line that wraps cannot be taken back.
void show_line(std::string_view text);

/// "2 min 05 s", "0.4 s"
std::string duration(double seconds);

}   // namespace stickslip::cli
