#include "stickslip/math/error.h"

#include <algorithm>
#include <string>
#include <vector>

namespace stickslip {

Error::Error(std::string message) : message_(std::move(message)) { compose(); }

void Error::compose() {
  text_.clear();
  if (!file_.empty()) text_ += file_ + ": ";
  if (!pointer_.empty()) text_ += pointer_ + ": ";
  text_ += message_;
}

Error& Error::at(std::string_view key) & {
  std::string escaped = "/";
  for (char c : key) {
    if (c == '~') escaped += "~0";
    else if (c == '/') escaped += "~1";
    else escaped += c;
  }
  pointer_ = escaped + pointer_;
  compose();
  return *this;
}
Error&& Error::at(std::string_view key) && { return std::move(at(key)); }

Error& Error::in(std::string_view file) & {
  if (file_.empty()) file_ = file;
  compose();
  return *this;
}
Error&& Error::in(std::string_view file) && { return std::move(in(file)); }

namespace {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}   // namespace

std::string suggest(std::string_view given, const std::string* candidates, std::size_t count) {
  if (count == 0) return "There are none.";
  const std::string* best = candidates;
  std::size_t best_distance = std::string::npos;
  for (const std::string* c = candidates; c != candidates + count; ++c) {
    const std::size_t distance = edit_distance(given, *c);
    if (distance < best_distance) best_distance = distance, best = c;
  }
  if (best_distance <= std::max<std::size_t>(2, given.size() / 3)) return "Did you mean '" + *best + "'?";
  constexpr std::size_t kMost = 100;   // a scene may have thousands of bodies
  std::string list = count == 1 ? "Valid is: " : "Valid are: ";
  for (std::size_t i = 0; i < std::min(count, kMost); ++i) list += (i ? ", " : "") + candidates[i];
  return count > kMost ? list + " and " + std::to_string(count - kMost) + " more." : list + ".";
}

}   // namespace stickslip
