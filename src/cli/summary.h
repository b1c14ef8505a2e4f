// The result of a run, for programs and for people.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/simulate.h"

namespace stickslip::cli {

struct Summary {
  const Scene& scene;
  const SimulateResult& result;
  double energy_start, energy_end;     ///< kinetic and potential [J]
  std::vector<std::string> files;      ///< written
  std::vector<std::string> captured;   ///< contact problems of steps that missed their tolerance
  std::size_t not_captured = 0;        ///< further steps that missed it
};

/// The keys that design and scripts rely on, and more.
nlohmann::ordered_json to_json(const Summary&);
std::string to_text(const Summary&);

}   // namespace stickslip::cli
