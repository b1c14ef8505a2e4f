#include "mesh/files/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>

#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

/// A word as it is shown to people: not too long, and nothing that a terminal would act on.
std::string shown(std::string_view word) {
  std::string text(word.substr(0, 40));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
  return text + (word.size() > 40 ? "…" : "");
}

}   // namespace

std::string content(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw Error("There is no such mesh file. Check the path and the name.").in(path.string());
  if (!std::filesystem::is_regular_file(status))
    throw Error("This is not a file. Give the path of a mesh file.").in(path.string());
  std::ifstream file(path, std::ios::binary);
  const auto size = std::filesystem::file_size(path, error);
  std::string bytes;
  if (file && !error) {
    bytes.resize(size);
    file.read(bytes.data(), static_cast<std::streamsize>(size));
  }
  if (!file || error) throw Error("The file cannot be read. Check its permissions.").in(path.string());
  if (bytes.empty()) throw Error("The file is empty.").in(path.string());
  return bytes;
}

std::string_view plain_text(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
    throw Error("The text of this file is UTF-16. Save it as UTF-8 or ASCII.");
  return bytes.starts_with("\xef\xbb\xbf") ? bytes.substr(3) : bytes;
}

std::string ending(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string_view Text::word() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  word_at_ = at_;
  while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
  return text_.substr(word_at_, at_ - word_at_);
}

std::string_view Text::word_in_line() {
  while (at_ < text_.size() && text_[at_] != '\n' && is_space(text_[at_])) ++at_;
  word_at_ = at_;
  if (at_ < text_.size() && text_[at_] == '#') return {};
  while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
  return text_.substr(word_at_, at_ - word_at_);
}

std::string_view Text::rest_of_line() {
  while (at_ < text_.size() && text_[at_] != '\n' && is_space(text_[at_])) ++at_;
  word_at_ = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  std::size_t end = at_;
  while (end > word_at_ && is_space(text_[end - 1])) --end;
  return text_.substr(word_at_, end - word_at_);
}

bool Text::next_line() {
  const std::size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
  return at_ < text_.size();
}

double Text::to_number(std::string_view word, std::string_view what) const {
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range && end == digits.data() + digits.size()) {
    // Too small for a double is zero; too large is infinite, which is refused where it is used.
    return digits.find("e-") != digits.npos || digits.find("E-") != digits.npos ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (word.empty()) fail(fmt::format("The file ends where {} is expected. It is cut off: get it again.", what));
  if (error != std::errc() || end != digits.data() + digits.size())
    fail(fmt::format("'{}' is not a number, but {} is expected here.", shown(word), what));
  return value;
}

std::int64_t Text::to_integer(std::string_view word, std::string_view what) const {
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (word.empty()) fail(fmt::format("The file ends where {} is expected. It is cut off: get it again.", what));
  if (error != std::errc() || end != digits.data() + digits.size())
    fail(fmt::format("'{}' is not a whole number, but {} is expected here.", shown(word), what));
  return value;
}

double Text::number(std::string_view what) { return to_number(word(), what); }
double Text::number_in_line(std::string_view what) {
  const std::string_view next = word_in_line();
  if (next.empty()) fail(fmt::format("The line ends where {} is expected.", what));
  return to_number(next, what);
}
std::int64_t Text::integer(std::string_view what) { return to_integer(word(), what); }

std::uint64_t Text::count(std::string_view what) { return checked_count(integer(what), what); }

std::uint64_t Text::checked_count(std::int64_t value, std::string_view what) const {
  if (value < 0) fail(fmt::format("{} is not a number of things. {} must be 0 or more.", value, what));
  if (static_cast<std::uint64_t>(value) > text_.size() - at_)
    fail(
        fmt::format("The file says that there are {} ({}), but has only {} bytes left. It is cut off or damaged: get it again.",
                    value, what, text_.size() - at_));
  return static_cast<std::uint64_t>(value);
}

std::size_t Text::line() const {
  return 1 + static_cast<std::size_t>(std::count(
                 text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(word_at_, text_.size())), '\n'));
}

void Text::fail(const std::string& message) const { throw Error(fmt::format("line {}: {}", line(), message)); }

}   // namespace stickslip::mesh_file
