// The page of the viewer, web/viewer.html, made part of the library.
#pragma once

#include <string_view>

namespace stickslip {

/// The whole HTML text.
std::string_view viewer_page();

}   // namespace stickslip
