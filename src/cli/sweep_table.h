// The table of a sweep: a row for every run, as CSV.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep_values.h"
#include "stickslip/world/world.h"

namespace stickslip::cli {

using Cells = std::vector<std::string>;

struct SweepTable {
  Cells header;
  std::vector<Cells> rows;
};

inline constexpr std::string_view kSettingColumn = "setting", kErrorColumn = "error";

/// Pointers, then numbers of the bodies, then those of the summary, then what the clock said, at last why a run failed.
Cells sweep_header(const std::vector<SweepAxis>&, const std::vector<std::string>& bodies);

/// The row of a run that came to its end. @param summary what `run --json` prints. @param values of the axes
Cells finished_row(const Cells& values, const World&, const std::vector<std::string>& bodies, const std::string& setting,
                   const nlohmann::ordered_json& summary);
/// The row of one that did not. @param columns of the header
Cells failed_row(const Cells& values, std::size_t columns, const std::string& setting, const std::string& error,
                 std::size_t bodies);

/// The body of this name. @throws Error naming those that there are
const Body& body_named(const World&, const std::string& name);

std::string to_csv(const SweepTable&);
/// @throws Error if it cannot be read or is no table with rows of equal length
SweepTable read_sweep(const std::filesystem::path&);

}   // namespace stickslip::cli
