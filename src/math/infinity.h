#pragma once

#include <limits>

namespace stickslip {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}   // namespace stickslip
