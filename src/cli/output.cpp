#include "cli/output.h"

#include <cmath>
#include <cstdio>

namespace stickslip::cli {

std::string quantity(double value, std::string_view unit, int digits) {
  if (!std::isfinite(value)) return fmt::format("{} {}", value, unit);
  if (value == 0) return fmt::format("0 {}", unit);
  static constexpr std::string_view prefixes[] = {"f", "p", "n", "µ", "m", "", "k", "M", "G", "T"};
  constexpr int plain = 5;
  int power = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3));
  // 999.96 is rounded to 1000: then the next prefix is the right one.
  if (std::abs(value) * std::pow(1000.0, -power) >= 999.5) ++power;
  if (power < -plain || power >= static_cast<int>(std::size(prefixes)) - plain)
    return fmt::format("{:.{}g} {}", value, digits, unit);
  return fmt::format("{:.{}g} {}{}", value * std::pow(1000.0, -power), digits, prefixes[power + plain], unit);
}

std::string file_size(std::uintmax_t bytes) { return quantity(static_cast<double>(bytes), "B"); }

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

std::string shown_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n' && c != '\t') || code == 0x7f) result += fmt::format("\\x{:02x}", code);
    else result += c;
  }
  return result;
}

void tell(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void show_warnings(const Scene& scene) {
  for (const std::string& warning : scene.warnings) tell(shown_text(fmt::format("stickslip: warning: {}\n", warning)));
}

}   // namespace stickslip::cli
