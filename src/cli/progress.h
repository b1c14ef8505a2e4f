// One line on the terminal that says how far a run is and how long it still takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace stickslip::cli {

class Progress {
 public:
  /// Shows nothing unless `wanted` and standard error is a terminal.
  Progress(std::uint64_t steps, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, double time);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t steps_;
  bool shown_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

/// "2 min 05 s", "0.4 s"
std::string duration(double seconds);

}   // namespace stickslip::cli
