#include "stickslip/world/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stickslip/math/error.h"

namespace stickslip {

std::string colour_name(Colour c) {
  const std::string name = fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
  return c.opacity == 255 ? name : name + fmt::format("{:02x}", c.opacity);
}

Colour colour_from_name(std::string_view name) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  const bool fits = (name.size() == 7 || name.size() == 9) && name[0] == '#' &&
                    std::all_of(name.begin() + 1, name.end(), [&](char c) { return digit(c) >= 0; });
  if (!fits)
    throw Error(
        fmt::format("'{}' is not a colour. Give \"#rrggbb\" or, with an opacity, \"#rrggbbaa\": two digits from 00 to "
                    "ff each, such as \"#c0392b\".",
                    name));
  const auto part = [&](std::size_t k) {
    return name.size() > 2 * k + 2 ? static_cast<std::uint8_t>(16 * digit(name[2 * k + 1]) + digit(name[2 * k + 2]))
                                   : std::uint8_t{255};
  };
  return {part(0), part(1), part(2), part(3)};
}

Colour colour_of_parts(double red, double green, double blue, double opacity) {
  const auto whole = [](double x) {   // what is not a number is 0
    return static_cast<std::uint8_t>(std::lround(255 * (x > 0 ? std::min(x, 1.0) : 0.0)));
  };
  return {whole(red), whole(green), whole(blue), whole(opacity)};
}

}   // namespace stickslip
