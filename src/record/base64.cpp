#include "record/base64.h"

#include <bit>
#include <cstdint>

namespace stickslip {

static_assert(std::endian::native == std::endian::little);

std::string base64(std::string_view data) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < data.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = i; k < i + 3; ++k) bits = bits << 8 | (k < data.size() ? static_cast<unsigned char>(data[k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out.push_back(i + k <= data.size() ? digits[bits >> (18 - 6 * k) & 63] : '=');
  }
  return out;
}

}   // namespace stickslip
