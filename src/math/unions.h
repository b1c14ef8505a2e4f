// Sets that become one, two at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stickslip {

/// Numbers that belong together, named by the smallest of them.
class Unions {
 public:
  explicit Unions(std::size_t count = 0) { begin(count); }
  /// Every number by itself.
  void begin(std::size_t count) {
    parent_.resize(count);
    for (std::uint32_t k = 0; k < count; ++k) parent_[k] = k;
  }
  std::size_t size() const { return parent_.size(); }

  std::uint32_t root(std::uint32_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}   // namespace stickslip
