#pragma once

#include "stickslip/volume/overlap.h"

namespace stickslip {

/// Checks options, clears what the last call left, and says whether there is anything to measure; if not, and not because the
/// shapes are apart, the reason is in `found`.
bool begin_overlaps(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch&,
                    std::vector<OverlapVolume>& found, const OverlapOptions&);

}   // namespace stickslip
