#include <algorithm>
#include <memory>

#include "math/infinity.h"
#include "problem/carrier_compliance.h"
#include "problem/incidence.h"
#include "problem/kernels.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

namespace {

/// Adds G_i G_jᵀ over the segments that both act on.
void add_product(const ContactProblem& p, const Block& a, const Block& b, double* out) {
  const std::uint32_t width_a = p.row_width(a), width_b = p.row_width(b);
  kernels::each_segment(p, a, [&](std::uint32_t, std::uint32_t s, auto&& place_a) {
    kernels::each_segment(p, b, [&](std::uint32_t, std::uint32_t t, auto&& place_b) {
      if (s != t) return;
      for (std::uint32_t j = 0; j < b.dim; ++j)
        for (std::uint32_t i = 0; i < a.dim; ++i)
          for (std::uint32_t c = 0; c < p.segments[s].size; ++c)
            out[a.dim * j + i] += p.scaled_jacobian[a.jacobian + width_a * i + place_a(c)] *
                                  p.scaled_jacobian[b.jacobian + width_b * j + place_b(c)];
    });
  });
}

/// W without Σ of a coupled problem. Factors of other matrices do not do.
BlockMatrix coupled_delassus(const ContactProblem& p) {
  BlockMatrix w;
  CoupledDelassus coupled;
  if (p.compliances && !has_stale_factors(p)) {
    coupled.make(p, *p.compliances, w);
    return w;
  }
  CarrierCompliances compliances;
  compliances.look(p);
  find_carrier_compliances(p, InverseBy::their_factors, compliances);
  coupled.make(p, compliances, w);
  return w;
}

std::vector<std::uint32_t> block_starts(const ContactProblem& p) {
  std::vector<std::uint32_t> offset;
  offset.reserve(p.blocks.size() + 1);
  for (const Block& b : p.blocks) offset.push_back(b.row);
  offset.push_back(static_cast<std::uint32_t>(p.rows()));
  return offset;
}

/// W without Σ where no carrier is coupled: blocks of G Gᵀ.
BlockMatrix scaled_delassus(const ContactProblem& p, std::vector<std::uint32_t> offset) {
  BlockMatrix w;
  w.offset = std::move(offset);
  Incidence incidence;
  incidence.find(p);
  std::vector<std::uint32_t> neighbours;
  w.first.push_back(0);
  std::size_t size = 0;
  for (const Block& block : p.blocks) {
    incidence.neighbours(p, block, neighbours);
    for (const std::uint32_t j : neighbours) {
      w.column.push_back(j);
      w.position.push_back(static_cast<std::uint32_t>(size));
      size += block.dim * p.blocks[j].dim;
      w.values.resize(size, 0.0);
      add_product(p, block, p.blocks[j], w.values.data() + w.position.back());
    }
    w.first.push_back(static_cast<std::uint32_t>(w.column.size()));
  }
  return w;
}

/// w += sign Σ.
void add_compliance(const ContactProblem& p, double sign, BlockMatrix& w) {
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
    w.entry(i, static_cast<std::size_t>(w.find(i, i))).diagonal() +=
        sign * Eigen::Map<const Eigen::VectorXd>(p.sigma.data() + p.blocks[i].row, p.blocks[i].dim);
}

}   // namespace

BlockMatrix delassus(const ContactProblem& p) {
  BlockMatrix w = !p.is_factored() ? p.matrix : p.is_coupled() ? coupled_delassus(p) : scaled_delassus(p, block_starts(p));
  add_compliance(p, 1, w);
  return w;
}

ContactProblem condense(const ContactProblem& p) {
  ContactProblem condensed;
  condensed.matrix = delassus(p);
  add_compliance(p, -1, condensed.matrix);   // Σ stands apart from the matrix
  for (const Block& b : p.blocks) condensed.blocks.push_back({b.kind, b.dim, 0, b.row, 0, 0, {}});
  condensed.copy_conditions(p);
  condensed.finalize();
  return condensed;
}

ContactProblem matrix_problem(BlockMatrix matrix, BlockKind kind, FrictionSet law) {
  ContactProblem p;
  p.matrix = std::move(matrix);
  const std::size_t rows = p.matrix.rows();
  for (std::size_t i = 0; i < p.matrix.blocks(); ++i)
    p.blocks.push_back({kind, static_cast<std::uint8_t>(p.matrix.dim(i)), 0, p.matrix.offset[i], 0, 0, {}});
  p.laws.assign(p.blocks.size(), law);
  p.b.assign(rows, 0.0);
  p.sigma.assign(rows, 0.0);
  if (kind == BlockKind::box) {
    p.lower.assign(rows, -kInfinity);
    p.upper.assign(rows, kInfinity);
  }
  return p;
}

}   // namespace stickslip
