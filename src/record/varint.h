// Whole numbers in few bytes: zig-zag, seven bits to a byte, low ones first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace stickslip {

inline void put_varint(std::string& out, std::int64_t value) {
  auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (; bits >= 0x80; bits >>= 7) out.push_back(static_cast<char>(0x80 | (bits & 0x7f)));
  out.push_back(static_cast<char>(bits));
}

/// Nearest whole number; what is too far away ends at the border, what is not a number at 0. The difference of two, zig-zag
/// coded, has the 53 bits that a page can read.
inline std::int64_t rounded(double x) {
  constexpr double most = 2e15;
  return std::isnan(x) ? 0 : static_cast<std::int64_t>(std::llround(std::fmin(std::fmax(x, -most), most)));
}

/// The same within 32 bits.
inline std::int32_t rounded_to_32_bits(double x) {
  constexpr std::int64_t most = 2'000'000'000;
  return static_cast<std::int32_t>(std::clamp(rounded(x), -most, most));
}

}   // namespace stickslip
