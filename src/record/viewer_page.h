// The page of the viewer, built from web/ and made part of the library.
#pragma once

#include <string_view>

namespace stickslip {

/// The whole HTML text; empty if the library was built without it (STICKSLIP_WEB=OFF).
std::string_view viewer_page();

}  // namespace stickslip
