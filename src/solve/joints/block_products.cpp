#include "solve/joints/block_products.h"

#include <algorithm>

#include "problem/kernels.h"

namespace stickslip {

namespace {

template <std::size_t N>
double dot(const double* a, const double* b) {
  double sum = 0;
  for (std::size_t k = 0; k < N; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

void BlockProducts::setup(const ContactProblem& p) {
  problem_ = &p;
  if (!p.is_factored()) return;
  rows_.resize(p.scaled_jacobian.size());
  first_.assign(p.segments.size() + 1, 0);
  for (const Block& b : p.blocks) {
    for (const std::uint32_t s : p.segments_of(b)) ++first_[s + 1];
    kernels::copy_scaled(p, b, rows_.data() + b.jacobian);
  }
  for (std::size_t s = 0; s < p.segments.size(); ++s) first_[s + 1] += first_[s];
  incident_.resize(first_.back());
  // Filled from behind, so that first_ ends where it must.
  std::vector<std::uint32_t>& next = first_;
  for (std::uint32_t i = static_cast<std::uint32_t>(p.blocks.size()); i-- > 0;)
    for (const std::uint32_t s : p.segments_of(p.blocks[i])) incident_[--next[s + 1]] = i;
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
  for (const std::uint32_t s : p.segments_of(p.blocks[i]))
    list.insert(list.end(), incident_.begin() + first_[s], incident_.begin() + first_[s + 1]);
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
  const double* left = rows_.data() + a.jacobian;
  for (const std::uint32_t s : p.segments_of(a)) {
    const std::size_t size = p.segments[s].size;
    const double* right = rows_.data() + b.jacobian;
    for (const std::uint32_t t : p.segments_of(b)) {
      if (s == t)
        for (std::size_t c = 0; c < b.dim; ++c)
          for (std::size_t r = 0; r < a.dim; ++r)
            out[stride * c + r] +=
                size == kRigidSize
                    ? dot<kRigidSize>(left + kRigidSize * r, right + kRigidSize * c)
                    : Eigen::Map<const Eigen::VectorXd>(left + size * r, static_cast<Eigen::Index>(size))
                          .dot(Eigen::Map<const Eigen::VectorXd>(right + size * c, static_cast<Eigen::Index>(size)));
      right += std::size_t{b.dim} * p.segments[t].size;
    }
    left += a.dim * size;
  }
}

}  // namespace stickslip
