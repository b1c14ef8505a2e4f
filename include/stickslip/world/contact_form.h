// What contacts of two bodies become rows as.
#pragma once

#include <cstdint>

namespace stickslip {

/// What the contacts of a manifold become rows as. The entry of a pair of materials goes first; then, of two bodies that
/// differ, the one that says points decides, then the one that says volume, then patch; where none of them says, the step does.
enum class ContactForm : std::uint8_t {
  automatic,   ///< as the next in that order says
  points,      ///< every point by itself
  patch,       ///< one block of six rows for the area that points of one plane span (docs/patches.md)
  volume       ///< the same from the volume that the bodies share, of which they keep some
};

}   // namespace stickslip
