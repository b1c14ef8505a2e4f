// The option `model` of solvers that come in two kinds.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "stickslip/math/error.h"

namespace stickslip {

/// @throws Error unless the name is exact or boxed.
inline bool is_exact_model(const std::string& name) {
  if (name != "exact" && name != "boxed")
    throw Error(fmt::format("There is no model '{}' here. {}", name, suggest(name, std::vector<std::string>{"exact", "boxed"})))
        .at("model");
  return name == "exact";
}

}   // namespace stickslip
