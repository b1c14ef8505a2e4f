#pragma once

namespace stickslip {

/// Size of points below which squares of their coordinates may be lost, or be next to nothing.
inline constexpr double kSquaresVanish = 1e-100;

}   // namespace stickslip
