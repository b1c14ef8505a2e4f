// Ctrl-C while a step runs without the lock of the interpreter, which looks at signals only between instructions of its own.
#pragma once

#include <atomic>
#include <span>

namespace stickslip::python {

/// While it lives, SIGINT sets flags beside what Python does about it. Only in the main thread, which is the one that Python
/// raises KeyboardInterrupt in; steps of other threads go on.
class InterruptWatch {
 public:
  using Flag = std::atomic<bool>;

  /// @param flag is cleared; must outlive the watch
  explicit InterruptWatch(Flag& flag);
  /// @param flags are cleared; they and the list must outlive the watch
  explicit InterruptWatch(std::span<Flag* const> flags);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  friend void set_flags_on_interrupt();
  void begin();

  Flag* one_ = nullptr;
  std::span<Flag* const> flags_;
  const InterruptWatch* before_ = nullptr;   ///< a watch around this one: a step within a callback of a step
  bool watches_ = false;
};

/// Remembers the thread that calls it as the main one: once, when the module is imported.
void remember_main_thread();

}   // namespace stickslip::python
