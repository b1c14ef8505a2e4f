#include "cli/sweep_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

constexpr std::size_t kMostRuns = 100'000;

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

/// Splits where nothing is open: no bracket, no quote.
std::vector<std::string> split_outside(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool quoted = false, escaped = false;
  for (const char c : text) {
    if (quoted) {
      quoted = c != '"' || escaped;
      escaped = c == '\\' && !escaped;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  return parts;
}

std::vector<std::string> range_of(const std::vector<std::string>& parts, const std::string& text) {
  const std::optional<double> from = number_of(parts[0]), until = number_of(parts[1]), count = number_of(parts[2]);
  const bool logarithmic = parts.size() == 4;
  const auto refuse = [&](const char* why) { return Error(fmt::format("--over {}: {}", text, why)); };
  if (!from || !until || !count || (logarithmic && parts[3] != "log"))
    throw refuse("a range is first:last:count, such as 0.1:0.9:17, or 1e-8:1e-2:7:log in equal ratios.");
  if (!(*count >= 1 && *count <= kMostRuns && *count == std::floor(*count)))
    throw refuse("the count of a range is a whole number from 1 to 100000.");
  if (*count == 1 && *from != *until) throw refuse("one value cannot be both ends of a range. Give a count of 2 or more.");
  if (logarithmic && !(*from * *until > 0)) throw refuse("equal ratios need ends of one sign, neither of them 0.");
  std::vector<std::string> values;
  for (double i = 0; i < *count; ++i) {
    const double part = *count > 1 ? i / (*count - 1) : 0;
    const double value = logarithmic ? *from * std::pow(*until / *from, part) : *from + (*until - *from) * part;
    values.push_back(fmt::format("{:.12g}", value));
  }
  return values;
}

}   // namespace

SweepAxis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !text.starts_with("/"))
    throw Error(
        fmt::format("'--over {}' is not of the form /json/pointer=values, such as /materials/0/friction=0.1:0.9:17.", text));
  SweepAxis axis{text.substr(0, equals), {}};
  const std::string values = text.substr(equals + 1);
  const std::vector<std::string> parts = split_outside(values, ':');
  axis.values = parts.size() == 3 || parts.size() == 4 ? range_of(parts, text) : split_outside(values, ',');
  for (const std::string& value : axis.values)
    if (value.empty()) throw Error(fmt::format("--over {}: a value is missing. Give them as a,b,c or first:last:count.", text));
  std::vector<std::string> sorted = axis.values;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error(fmt::format("--over {}: the value {} is there twice.", text, *twice));
  return axis;
}

std::vector<std::vector<std::size_t>> combinations(const std::vector<SweepAxis>& axes) {
  std::vector<std::vector<std::size_t>> all(1);
  for (const SweepAxis& axis : axes) {
    if (all.size() * axis.values.size() > kMostRuns)
      throw Error(fmt::format("These are more than {} runs. Give fewer values.", kMostRuns));
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& one : all)
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        longer.push_back(one);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

}   // namespace stickslip::cli
