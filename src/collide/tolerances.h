// What counts as equal or parallel where faces, edges and segments meet; all are ratios.
#pragma once

namespace stickslip::narrow {

inline constexpr double kFaceBias =
    1e-4;   ///< of the smaller body: an edge must separate by so much more than a face to be preferred
inline constexpr double kNearFace = 0.9994;      ///< cosine of 2°: an edge normal so close to a face's is that face
inline constexpr double kEdgesParallel = 1e-6;   ///< sine² of the angle below which two edges span no axis
inline constexpr double kClipTolerance = 1e-6;   ///< of the features' size: so little outside counts as inside
inline constexpr double kCrossing =
    1e-6;   ///< of the smaller body: points so little above the crossing of two edges are the crossing
inline constexpr double kSegmentsParallel =
    0.02;   ///< sine of the angle below which two segments share a stretch, not a crossing

}   // namespace stickslip::narrow
