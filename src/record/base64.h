// Bytes as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stickslip {

std::string base64(std::string_view bytes);

/// The bytes of numbers as they lie in memory, little-endian.
template <class Number>
std::string base64(std::span<const Number> numbers) {
  return base64(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));
}

}   // namespace stickslip
