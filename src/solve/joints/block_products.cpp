#include "solve/joints/block_products.h"

#include "problem/kernels.h"

namespace stickslip {

namespace {

template <std::size_t N>
double dot(const double* a, const double* b) {
  double sum = 0;
  for (std::size_t k = 0; k < N; ++k) sum += a[k] * b[k];
  return sum;
}

}   // namespace

void BlockProducts::setup(const ContactProblem& p) {
  problem_ = &p;
  if (!p.is_factored()) return;
  rows_.resize(p.scaled_jacobian.size());
  for (const Block& b : p.blocks) kernels::copy_scaled(p, b, rows_.data() + b.jacobian);
  incidence_.find(p);
}

void BlockProducts::neighbours(std::uint32_t i, std::vector<std::uint32_t>& list) const {
  const ContactProblem& p = *problem_;
  if (p.is_factored()) incidence_.neighbours(p, p.blocks[i], list);
  else list.assign(p.matrix.column.begin() + p.matrix.first[i], p.matrix.column.begin() + p.matrix.first[i + 1]);
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

}   // namespace stickslip
