// What two bodies share at contacts that a volume made, as it is: to be drawn.
#pragma once

#include <span>

#include "stickslip/step/report.h"
#include "stickslip/volume/surface.h"

namespace stickslip {

/// A part of a common volume, of the contact of the two bodies that is nearest to it.
struct ContactOverlap {
  std::uint32_t contact;   ///< number among those given
  OverlapSurface surface;
};

/// What the bodies of such contacts share where they are now; nothing of bodies that have come apart, or are not there.
/// Measured anew, which takes about as long as the detection of a step, and allocates.
std::vector<ContactOverlap> contact_overlaps(const World&, std::span<const ContactRecord>);

}   // namespace stickslip
