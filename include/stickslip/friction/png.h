// Pictures as PNG files in memory.
#pragma once

#include <string>

#include "stickslip/friction/surface.h"

namespace stickslip {

/// What `Picture::write_png` writes. @throws Error
std::string png_bytes(const Picture&);

}   // namespace stickslip
