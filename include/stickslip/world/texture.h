// Pictures on the surfaces of materials and parts. They change no motion.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "stickslip/world/colour.h"

namespace stickslip {

/// A picture that lies on a part from the six sides of its frame, as paper on a parcel: every triangle shows the side that its
/// normal points to most, upright and not mirrored seen from outside. Its colours multiply that of the part. Where the file of
/// a mesh says which place of a picture its corners show, that counts instead.
struct Texture {
  std::string name;                        ///< of its file or pattern
  std::string picture;                     ///< a whole file, PNG or JPEG
  std::array<double, 2> size = {0, 0};     ///< width and height of a copy [m]; 0: as `repeat` says
  std::array<double, 2> repeat = {1, 1};   ///< copies across and up each side of the part, and a metre of a half-space

  bool operator==(const Texture&) const = default;
};

using SharedTexture = std::shared_ptr<const Texture>;

/// @throws Error if the picture is neither PNG nor JPEG, or a number is not positive
void validate(const Texture&);

enum class TexturePattern {
  checker,    ///< two by two squares, the first colour at the lower left
  gradient,   ///< from the first colour at the top to the second
  flat,       ///< the first colour
};

/// A picture of a pattern, as a PNG file.
std::string pattern_picture(TexturePattern, Colour first, Colour second);

}   // namespace stickslip
