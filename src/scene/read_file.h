// Files as text.
#pragma once

#include <filesystem>
#include <string>

namespace stickslip::document {

/// @param remedy for a directory. @throws Error naming the file if it cannot be read
std::string read_file(const std::filesystem::path&, const std::string& remedy);

}   // namespace stickslip::document
