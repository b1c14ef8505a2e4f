// Colours that materials and parts are shown in. They change no motion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stickslip {

/// As screens show it (sRGB), 0 … 255.
struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  std::uint8_t opacity = 255;   ///< 0: not seen at all

  bool operator==(const Colour&) const = default;
};

/// "#rrggbb", or "#rrggbbaa" if it is not opaque.
std::string colour_name(Colour);
/// @throws Error if it is not "#rrggbb" or "#rrggbbaa"
Colour colour_from_name(std::string_view);
/// From parts of 1, as robot files give them; what is beyond 0 … 1 is cut.
Colour colour_of_parts(double red, double green, double blue, double opacity);

}   // namespace stickslip
