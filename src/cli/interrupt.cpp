#include "cli/interrupt.h"

#include <csignal>

namespace stickslip::cli {

namespace {

volatile std::sig_atomic_t signal_seen = 0;  // the only thing a signal handler may touch

void set_handler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // Reset after the first signal; interrupted writes go on.
  action.sa_flags = handler == SIG_DFL ? 0 : static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signal_seen = 0;
  set_handler([](int) { signal_seen = 1; });
}
InterruptGuard::~InterruptGuard() { set_handler(SIG_DFL); }

bool InterruptGuard::requested() { return signal_seen != 0; }

}  // namespace stickslip::cli
