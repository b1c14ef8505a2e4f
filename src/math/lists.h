// Lists of numbers, one per key, as runs of one array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stickslip {

class ListsByKey {
 public:
  /// Fills the lists of keys 0 … keys − 1. Memory is kept.
  /// @param each calls its argument with (key, number) for every entry. Called twice, it must give the same entries in the same
  /// order, which they keep within their lists.
  template <class Each>
  void fill(std::size_t keys, const Each& each) {
    first_.assign(keys + 2, 0);
    each([&](std::uint32_t key, std::uint32_t) { ++first_[key + 2]; });
    for (std::size_t k = 2; k < first_.size(); ++k) first_[k] += first_[k - 1];
    numbers_.resize(first_.back());
    // first_[key + 1] is where the next entry of the key goes, and the end of its list once all are in.
    each([&](std::uint32_t key, std::uint32_t number) { numbers_[first_[key + 1]++] = number; });
    first_.pop_back();
  }

  std::size_t size() const { return first_.empty() ? 0 : first_.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t key) const {
    return {numbers_.data() + first_[key], numbers_.data() + first_[key + 1]};
  }

 private:
  std::vector<std::uint32_t> first_, numbers_;
};

}   // namespace stickslip
