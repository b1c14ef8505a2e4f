// `--name value` pairs of a benchmark's command line.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace stickslip::bench {

class Arguments {
 public:
  Arguments(int argc, char** argv) : given_(argv + 1, argv + argc) {}

  /// The whole number after `name`, or `otherwise` if it is not given.
  int number(const std::string& name, int otherwise) {
    const std::string text = this->text(name, std::to_string(otherwise));
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || value < 1 || value > 10'000'000)
      throw std::invalid_argument(fmt::format("{} {}: not a whole number greater than 0", name, text));
    return static_cast<int>(value);
  }

  std::string text(const std::string& name, const std::string& otherwise) {
    for (std::size_t i = 0; i + 1 < given_.size(); i += 2)
      if (given_[i] == name) {
        const std::string value = given_[i + 1];
        given_.erase(given_.begin() + static_cast<std::ptrdiff_t>(i), given_.begin() + static_cast<std::ptrdiff_t>(i) + 2);
        return value;
      }
    return otherwise;
  }

  /// @throws std::invalid_argument if something was given that nobody asked for
  void finish(const std::string& usage) const {
    if (given_.empty()) return;
    throw std::invalid_argument(fmt::format("{} is unknown or lacks a value. Options: {}", given_[0], usage));
  }

 private:
  std::vector<std::string> given_;
};

}   // namespace stickslip::bench
