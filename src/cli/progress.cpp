#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output.h"

namespace stickslip::cli {

Progress::Progress(std::uint64_t steps, bool wanted) : steps_(steps), shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}
Progress::~Progress() { clear(); }

void Progress::update(std::uint64_t done, double time) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr std::uint64_t cells = 24;
  const std::uint64_t filled = steps_ ? done * cells / steps_ : cells;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = elapsed / static_cast<double>(done) * static_cast<double>(steps_ - done);
  tell(fmt::format("\r\033[K{}{} {:3} %  step {}/{}  t = {:.3f} s  {} left", std::string(filled, '#'),
                   std::string(cells - filled, '.'), done * 100 / steps_, done, steps_, time, duration(left)));
}

void Progress::clear() {
  if (shown_) tell("\r\033[K");
  shown_ = false;
}

std::string duration(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}   // namespace stickslip::cli
