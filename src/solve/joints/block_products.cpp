#include "solve/joints/block_products.h"

#include <algorithm>

#include "problem/kernels.h"

namespace stickslip {

namespace {
constexpr std::size_t kSegmentNumbers = kernels::kSegmentSize;
}  // namespace

void BlockProducts::setup(const ContactProblem& p) {
  problem_ = &p;
  if (!p.is_factored()) return;
  rows_.resize(p.scaled_jacobian.size());
  first_.assign(p.segments.size() + 1, 0);
  for (const Block& b : p.blocks) {
    double* out = rows_.data() + b.jacobian;
    for (int s = 0; s < b.arity; ++s) {
      ++first_[b.segment[s] + 1];
      for (int k = 0; k < b.dim; ++k)
        for (std::size_t c = 0; c < kSegmentNumbers; ++c) *out++ = kernels::scaled_number(p, b, s, k, static_cast<int>(c));
    }
  }
  for (std::size_t s = 0; s < p.segments.size(); ++s) first_[s + 1] += first_[s];
  incident_.resize(first_.back());
  // Filled from behind, so that first_ ends where it must.
  std::vector<std::uint32_t>& next = first_;
  for (std::uint32_t i = static_cast<std::uint32_t>(p.blocks.size()); i-- > 0;)
    for (int s = 0; s < p.blocks[i].arity; ++s) incident_[--next[p.blocks[i].segment[s] + 1]] = i;
  first_.erase(first_.begin());
  first_.push_back(static_cast<std::uint32_t>(incident_.size()));
}

void BlockProducts::neighbours(std::uint32_t i, std::vector<std::uint32_t>& list) const {
  list.clear();
  const ContactProblem& p = *problem_;
  if (!p.is_factored()) {
    list.assign(p.matrix.column.begin() + p.matrix.first[i], p.matrix.column.begin() + p.matrix.first[i + 1]);
    return;
  }
  const Block& b = p.blocks[i];
  for (int s = 0; s < b.arity; ++s)
    list.insert(list.end(), incident_.begin() + first_[b.segment[s]], incident_.begin() + first_[b.segment[s] + 1]);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void BlockProducts::add(std::uint32_t i, std::uint32_t j, double* out, std::size_t stride) const {
  const ContactProblem& p = *problem_;
  const Block &a = p.blocks[i], &b = p.blocks[j];
  if (!p.is_factored()) {
    const std::ptrdiff_t e = p.matrix.find(i, j);
    if (e < 0) return;
    const double* value = p.matrix.values.data() + p.matrix.position[static_cast<std::size_t>(e)];
    for (std::size_t c = 0; c < b.dim; ++c)
      for (std::size_t r = 0; r < a.dim; ++r) out[stride * c + r] += *value++;
    return;
  }
  for (std::size_t s = 0; s < a.arity; ++s)
    for (std::size_t t = 0; t < b.arity; ++t) {
      if (a.segment[s] != b.segment[t]) continue;
      const double *left = rows_.data() + a.jacobian + kSegmentNumbers * a.dim * s, *right = rows_.data() + b.jacobian + kSegmentNumbers * b.dim * t;
      for (std::size_t c = 0; c < b.dim; ++c)
        for (std::size_t r = 0; r < a.dim; ++r) {
          double sum = 0;
          for (std::size_t k = 0; k < kSegmentNumbers; ++k) sum += left[kSegmentNumbers * r + k] * right[kSegmentNumbers * c + k];
          out[stride * c + r] += sum;
        }
    }
}

}  // namespace stickslip
