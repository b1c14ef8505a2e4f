// How long a command simulates: --steps or --seconds, or what the scene says.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "stickslip/scene/scene.h"

namespace stickslip::cli {

struct LengthArguments {
  std::optional<std::string> steps;
  std::optional<double> seconds;
};

/// Adds --steps and --seconds, which exclude each other.
void add_length_arguments(CLI::App&, LengthArguments&);

/// @param name of the scene as the user gave it, for messages. @throws Error if a number is none, or the scene is over
std::uint64_t steps_of(const LengthArguments&, const Scene&, const std::string& name);

}   // namespace stickslip::cli
