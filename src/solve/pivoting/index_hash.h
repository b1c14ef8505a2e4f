// Numbers for index sets, to notice one that returns.
#pragma once

#include <cstdint>

namespace stickslip {

/// A well-mixed number for each label; the set has the exclusive or of its labels' numbers.
inline std::uint64_t index_hash(std::uint64_t label) {
  std::uint64_t x = label * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}   // namespace stickslip
