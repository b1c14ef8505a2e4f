// Replaces every form of the global operator new of a test program by one that counts. Include it in one file per program.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace stickslip::testing {
inline std::atomic<long> allocations{0};   ///< calls of any operator new since the program began

inline void* counted(std::size_t size, std::size_t alignment) noexcept {
  ++allocations;
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
inline void* counted_or_throw(std::size_t size, std::size_t alignment) {
  if (void* p = counted(size ? size : 1, alignment)) return p;
  throw std::bad_alloc();
}
}   // namespace stickslip::testing

inline constexpr std::size_t kDefaultAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

void* operator new(std::size_t n) { return stickslip::testing::counted_or_throw(n, kDefaultAlignment); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return stickslip::testing::counted(n ? n : 1, kDefaultAlignment);
}
void* operator new(std::size_t n, std::align_val_t a) {
  return stickslip::testing::counted_or_throw(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
