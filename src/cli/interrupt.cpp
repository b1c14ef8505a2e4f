#include "cli/interrupt.h"

#include <csignal>

namespace stickslip::cli {

namespace {

std::atomic<bool> signal_seen = false;   // the only thing the signal handler touches
static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<int> guards = 0;   // one within another are one

void set_handler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // Reset after the first signal; interrupted writes go on.
  action.sa_flags = handler == SIG_DFL ? 0 : static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}   // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  signal_seen = false;
  set_handler([](int) { signal_seen = true; });
}
InterruptGuard::~InterruptGuard() {
  if (--guards == 0) set_handler(SIG_DFL);
}

bool InterruptGuard::requested() { return signal_seen; }
const std::atomic<bool>& InterruptGuard::flag() { return signal_seen; }

}   // namespace stickslip::cli
