#include "step/block_assembly.h"

#include <algorithm>

namespace stickslip {

void BlockAssembly::begin(std::uint32_t blocks) {
  blocks_ = blocks;
  wanted_.clear();
  present_.clear();
  built_ = false;
  for (std::uint32_t k = 0; k < blocks; ++k) want(k, k);
}

void BlockAssembly::clear() {
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  if (!built_ || !std::includes(present_.begin(), present_.end(), wanted_.begin(), wanted_.end())) {
    std::vector<std::uint64_t> all;
    std::set_union(present_.begin(), present_.end(), wanted_.begin(), wanted_.end(), std::back_inserter(all));
    present_.swap(all);
    build();
  }
  wanted_.clear();
  std::fill_n(matrix_.valuePtr(), matrix_.nonZeros(), 0.0);
}

void BlockAssembly::build() {
  first_.assign(blocks_ + 1, 0);
  rows_.resize(present_.size());
  for (std::size_t k = 0; k < present_.size(); ++k) {
    ++first_[(present_[k] >> 32) + 1];
    rows_[k] = static_cast<std::uint32_t>(present_[k]);
  }
  for (std::uint32_t j = 0; j < blocks_; ++j) first_[j + 1] += first_[j];
  matrix_.resize(3 * blocks_, 3 * blocks_);
  matrix_.resizeNonZeros(static_cast<Eigen::Index>(9 * present_.size()));
  for (std::uint32_t j = 0; j < blocks_; ++j) {
    const std::uint32_t height = 3 * (first_[j + 1] - first_[j]);
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t start = 9 * first_[j] + c * height;
      matrix_.outerIndexPtr()[3 * j + c] = static_cast<int>(start);
      for (std::uint32_t k = first_[j]; k < first_[j + 1]; ++k)
        for (std::uint32_t r = 0; r < 3; ++r)
          matrix_.innerIndexPtr()[start + 3 * (k - first_[j]) + r] = static_cast<int>(3 * rows_[k] + r);
    }
  }
  matrix_.outerIndexPtr()[3 * blocks_] = static_cast<int>(9 * present_.size());
  built_ = true;
}

void BlockAssembly::add_lower(std::uint32_t i, std::uint32_t j, const Mat3& m) {
  const auto begin = rows_.begin() + first_[j], end = rows_.begin() + first_[j + 1];
  const auto place = static_cast<std::uint32_t>(std::lower_bound(begin, end, i) - begin);
  const std::uint32_t height = 3 * (first_[j + 1] - first_[j]);
  double* at = matrix_.valuePtr() + 9 * std::size_t{first_[j]} + 3 * place;
  for (int c = 0; c < 3; ++c, at += height)
    for (int r = 0; r < 3; ++r) at[r] += m(r, c);
}

}   // namespace stickslip
