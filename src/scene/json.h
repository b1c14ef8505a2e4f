// JSON text in and out, with messages for people. Objects keep the order in which they were written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace stickslip::document {

using Json = nlohmann::ordered_json;

/// Strict JSON, each key once per object, finite numbers, at most 64 levels deep.
/// @throws Error with line and column (broken syntax) or JSON pointer (a key given twice, a number too large).
Json parse_json(std::string_view text, const std::string& file);

/// Text that a person would like to edit: what fits on a line stands on one. Parsing it gives back the same bits.
std::string write_json(const Json&);

/// The value as it stands in the document, shortened if long: for messages.
std::string shown(const Json&);

/// "a number", "an object", …: for messages.
std::string_view kind_of(const Json&);

}   // namespace stickslip::document
