// Checks of options that several solvers share: words, and numbers that have a least one.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "stickslip/math/error.h"

namespace stickslip {

/// The place of a word among those that an option knows. @throws Error at the option if it is none of them.
inline std::size_t choose(const std::string& word, const std::vector<std::string>& known, const char* option) {
  for (std::size_t i = 0; i < known.size(); ++i)
    if (word == known[i]) return i;
  throw Error(fmt::format("There is no {} '{}' here. {}", option, word, suggest(word, known))).at(option);
}

/// @throws Error at the option if the number is less than the least one, or not finite.
inline void check_at_least(double value, double least, const char* option) {
  if (!(value >= least && std::isfinite(value)))
    throw Error(fmt::format("{} is too small. It must be finite and at least {}.", value, least)).at(option);
}

/// @throws Error unless the name is exact or boxed.
inline bool is_exact_model(const std::string& name) { return choose(name, {"exact", "boxed"}, "model") == 0; }

}   // namespace stickslip
