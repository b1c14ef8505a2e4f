#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>

#include "cli/output.h"

namespace stickslip::cli {

Progress::Progress(std::uint64_t steps, bool wanted, std::string_view what)
    : steps_(steps), shown_(wanted && ::isatty(STDERR_FILENO) == 1), what_(what) {}
Progress::~Progress() { clear(); }

void Progress::update(std::uint64_t done, double time) {
  if (!shown_) return;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const double left = elapsed / static_cast<double>(done) * static_cast<double>(steps_ - done);
  const double part = steps_ ? static_cast<double>(done) / static_cast<double>(steps_) : 1;
  show(part, fmt::format("{} {}/{}  t = {:.3f} s", what_, done, steps_, time), left);
}

void Progress::show(double part, std::string_view what, double left) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr double cells = 24;
  const auto filled = static_cast<std::size_t>(part * cells);
  show_line(fmt::format("{}{} {:3.0f} %  {}{}", std::string(filled, '#'),
                        std::string(static_cast<std::size_t>(cells) - filled, '.'), std::floor(100 * part), what,
                        std::isnan(left) ? "" : fmt::format("  {} left", duration(left))));
}

void Progress::clear() {
  if (shown_) tell("\r\033[K");
  shown_ = false;
}

void show_line(std::string_view text) {
  struct winsize size = {};
  const std::size_t width = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
  tell("\r\033[K");
  tell(shown_text(text.substr(0, width)));
}

std::string duration(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}   // namespace stickslip::cli
