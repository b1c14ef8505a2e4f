// Numbers for the structures of worlds: no two of this process are the same, so that caches which know one by its number stay
// right when a world is assigned another.
#pragma once

#include <atomic>
#include <cstdint>

namespace stickslip {

inline std::uint64_t next_structure_version() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}   // namespace stickslip
