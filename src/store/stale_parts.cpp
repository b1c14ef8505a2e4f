#include "store/stale_parts.h"

#include <signal.h>

#include <cerrno>
#include <charconv>
#include <string>

namespace stickslip {

void remove_stale_parts(const std::filesystem::path& wanted) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path final = fs::is_symlink(wanted, ignored) ? fs::weakly_canonical(wanted, ignored) : wanted;
  const std::string begin = final.filename().string() + ".", end = ".part";
  const fs::path directory = final.has_parent_path() ? final.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(directory, ignored), none; !ignored && entry != none; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) continue;
    pid_t writer = 0;
    const char *first = name.data() + begin.size(), *last = name.data() + name.size() - end.size();
    const auto [stop, error] = std::from_chars(first, last, writer);
    if (error != std::errc() || stop != last || writer <= 0) continue;
    std::error_code gone;
    if (::kill(writer, 0) != 0 && errno == ESRCH) fs::remove(entry->path(), gone);
  }
}

}   // namespace stickslip
