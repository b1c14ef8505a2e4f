#include "python/interrupts.h"

#include <signal.h>

#include <thread>

namespace stickslip::python {

void set_flags_on_interrupt();

namespace {

std::thread::id main_thread;
std::atomic<const InterruptWatch*> watched = nullptr;   // read by the handler: no lock
struct sigaction handler_before;                        // what Python, or the program around it, does about SIGINT

void on_interrupt(int signal, siginfo_t* info, void* context) {
  set_flags_on_interrupt();
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) handler_before.sa_sigaction(signal, info, context);
  else handler_before.sa_handler(signal);
}

/// Puts our handler before the one that is there, unless it is there already. Signals that are ignored, or end the program,
/// are left alone.
void listen() {
  struct sigaction now {};
  if (sigaction(SIGINT, nullptr, &now) != 0) return;
  const bool takes_information = (now.sa_flags & SA_SIGINFO) != 0;
  if (takes_information && now.sa_sigaction == on_interrupt) return;
  if (!takes_information && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) return;
  handler_before = now;
  struct sigaction ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = on_interrupt;
  sigaction(SIGINT, &ours, nullptr);
}

}   // namespace

void remember_main_thread() { main_thread = std::this_thread::get_id(); }

void set_flags_on_interrupt() {
  if (const InterruptWatch* const watch = watched.load())
    for (InterruptWatch::Flag* const flag : watch->flags_) flag->store(true);
}

InterruptWatch::InterruptWatch(Flag& flag) : one_(&flag), flags_(&one_, 1) { begin(); }
InterruptWatch::InterruptWatch(std::span<Flag* const> flags) : flags_(flags) { begin(); }

void InterruptWatch::begin() {
  for (Flag* const flag : flags_) *flag = false;
  watches_ = std::this_thread::get_id() == main_thread;
  if (!watches_) return;
  listen();
  before_ = watched.exchange(this);
}

InterruptWatch::~InterruptWatch() {
  if (watches_) watched = before_;
}

}   // namespace stickslip::python
