#include "stickslip/world/texture.h"

#include <fmt/format.h>

#include <cmath>

#include "stickslip/friction/png.h"
#include "stickslip/math/error.h"

namespace stickslip {

void validate(const Texture& texture) {
  if (!texture.picture.starts_with("\x89PNG") && !texture.picture.starts_with("\xff\xd8\xff"))
    throw Error(fmt::format("The texture '{}' is neither a PNG nor a JPEG picture. Convert it to one of them.", texture.name));
  for (int k = 0; k < 2; ++k) {
    if (!(texture.size[k] >= 0 && std::isfinite(texture.size[k])))
      throw Error(fmt::format("{} is not the side of a picture. It must be greater than 0 m.", texture.size[k])).at("size");
    if (!(texture.repeat[k] > 0 && std::isfinite(texture.repeat[k])))
      throw Error(fmt::format("{} is not a number of copies. It must be greater than 0.", texture.repeat[k])).at("repeat");
  }
}

std::string pattern_picture(TexturePattern pattern, Colour first, Colour second) {
  // Squares of several pixels: pictures are smoothed between pixels, and edges should stay sharp.
  const int side = pattern == TexturePattern::flat ? 1 : 64, rows = pattern == TexturePattern::gradient ? 256 : side;
  const int columns = pattern == TexturePattern::gradient ? 1 : side;
  std::vector<float> rgb;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const bool other = pattern == TexturePattern::checker && (row < rows / 2) == (column < columns / 2);
      const float part = pattern == TexturePattern::gradient ? float(row) / float(rows - 1) : other ? 1.0F : 0.0F;
      const auto mixed = [&](int a, int b) { return (float(a) + part * float(b - a)) / 255.0F; };
      for (const float x : {mixed(first.red, second.red), mixed(first.green, second.green), mixed(first.blue, second.blue)})
        rgb.push_back(x);
    }
  return png_bytes(Picture(columns, rows, std::move(rgb)));
}

}   // namespace stickslip
