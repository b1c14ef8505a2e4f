// `/json/pointer=value`: changes to a document before it is read.
#pragma once

#include <span>

#include "scene/json.h"
#include "stickslip/scene/scene.h"

namespace stickslip::document {

/// The keys of an RFC 6901 pointer. @throws Error if it is not one, or names the whole document.
std::vector<std::string> split_pointer(const std::string& pointer);

/// The value as JSON, or as a plain string if it is not. @throws Error if it is neither (bytes that are not UTF-8).
Json override_value(const Override&);

/// Sets the value. Objects on the way are made if they are missing; array entries must exist, but "-" appends one.
/// Whether the document may hold the key is decided when it is read. @throws Error naming the pointer and the remedy.
void apply_override(Json& document, const Override&);

}   // namespace stickslip::document
