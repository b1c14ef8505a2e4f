// Ctrl-C and the polite way to end a process: leave the step that is being taken, complete the files.
#pragma once

#include <atomic>

namespace stickslip::cli {

/// While it lives, the first SIGINT or SIGTERM only sets a flag; a second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool requested();
  /// The flag itself, for those who look at it while they work.
  static const std::atomic<bool>& flag();
};

}   // namespace stickslip::cli
