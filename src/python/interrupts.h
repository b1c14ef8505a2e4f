// Ctrl-C while a step runs without the lock of the interpreter, which looks at signals only between instructions of its own.
#pragma once

#include <atomic>

namespace stickslip::python {

/// While it lives, SIGINT sets a flag beside what Python does about it. Only in the main thread, which is the one that Python
/// raises KeyboardInterrupt in; steps of other threads go on.
class InterruptWatch {
 public:
  /// @param flag is cleared; must outlive the watch
  explicit InterruptWatch(std::atomic<bool>& flag);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  std::atomic<bool>* before_ = nullptr;   ///< of a watch around this one: a step within a callback of a step
  bool watches_ = false;
};

/// Remembers the thread that calls it as the main one: once, when the module is imported.
void remember_main_thread();

}   // namespace stickslip::python
