// Text for people: quantities, tables, files.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "stickslip/scene/scene.h"

namespace stickslip::cli {

/// "12.3 µm": three digits, or so many, and the prefix that fits. Not for units with a prefix of their own.
std::string quantity(double value, std::string_view unit, int digits = 3);

/// "1.2 MB"
std::string file_size(std::uintmax_t bytes);

/// "1 body", "2 bodies"
std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// Breaks text into lines of at most `width` characters, each after the first indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 110);

/// Text without what a terminal would obey: control characters but the ends of lines become `\x1b` and the like.
std::string shown_text(std::string_view);

/// Writes to standard error. Where that cannot be written there is nobody to tell, and nothing happens.
void tell(std::string_view text);

/// Shows the warnings of a scene on standard error.
void show_warnings(const Scene&);

}   // namespace stickslip::cli
