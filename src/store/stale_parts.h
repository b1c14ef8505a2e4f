// What killed programs leave behind.
#pragma once

#include <filesystem>

namespace stickslip {

/// Removes what programs that are no more have left of writing this file: temporary files of `StagedFile`, known by their
/// names.
void remove_stale_parts(const std::filesystem::path& wanted);

}   // namespace stickslip
