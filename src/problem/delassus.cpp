#include <algorithm>

#include "problem/kernels.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

namespace {

/// Blocks that act on each segment, as runs of one list.
struct Incidence {
  std::vector<std::uint32_t> first, block;

  explicit Incidence(const ContactProblem& p) : first(p.segments.size() + 1, 0) {
    for (const Block& b : p.blocks)
      for (int s = 0; s < b.arity; ++s) ++first[b.segment[s] + 1];
    for (std::size_t s = 0; s < p.segments.size(); ++s) first[s + 1] += first[s];
    block.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
      for (int s = 0; s < p.blocks[i].arity; ++s) block[next[p.blocks[i].segment[s]]++] = i;
  }
};

/// Adds G_i G_jᵀ over the segments that both act on.
void add_product(const ContactProblem& p, const Block& a, const Block& b, double* out) {
  for (int s = 0; s < a.arity; ++s)
    for (int t = 0; t < b.arity; ++t) {
      if (a.segment[s] != b.segment[t]) continue;
      for (int j = 0; j < b.dim; ++j)
        for (int i = 0; i < a.dim; ++i)
          for (int c = 0; c < kernels::kSegmentSize; ++c) out[a.dim * j + i] += kernels::scaled_number(p, a, s, i, c) * kernels::scaled_number(p, b, t, j, c);
    }
}

std::vector<std::uint32_t> block_starts(const ContactProblem& p) {
  std::vector<std::uint32_t> offset;
  offset.reserve(p.blocks.size() + 1);
  for (const Block& b : p.blocks) offset.push_back(b.row);
  offset.push_back(static_cast<std::uint32_t>(p.rows()));
  return offset;
}

}  // namespace

BlockMatrix delassus(const ContactProblem& p) {
  BlockMatrix w;
  if (!p.is_factored()) {
    w = p.matrix;
  } else {
    w.offset = block_starts(p);
    const Incidence incidence(p);
    std::vector<std::uint32_t> neighbours;
    w.first.push_back(0);
    std::size_t size = 0;
    for (const Block& block : p.blocks) {
      neighbours.clear();
      for (int s = 0; s < block.arity; ++s)
        neighbours.insert(neighbours.end(), incidence.block.begin() + incidence.first[block.segment[s]],
                          incidence.block.begin() + incidence.first[block.segment[s] + 1]);
      std::sort(neighbours.begin(), neighbours.end());
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      for (const std::uint32_t j : neighbours) {
        w.column.push_back(j);
        w.position.push_back(static_cast<std::uint32_t>(size));
        size += block.dim * p.blocks[j].dim;
        w.values.resize(size, 0.0);
        add_product(p, block, p.blocks[j], w.values.data() + w.position.back());
      }
      w.first.push_back(static_cast<std::uint32_t>(w.column.size()));
    }
  }
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
    w.entry(i, static_cast<std::size_t>(w.find(i, i))).diagonal() +=
        Eigen::Map<const Eigen::VectorXd>(p.sigma.data() + p.blocks[i].row, p.blocks[i].dim);
  return w;
}

ContactProblem matrix_problem(BlockMatrix matrix, BlockKind kind, FrictionLaw law) {
  ContactProblem p;
  p.matrix = std::move(matrix);
  const std::size_t rows = p.matrix.rows();
  for (std::size_t i = 0; i < p.matrix.blocks(); ++i)
    p.blocks.push_back({kind, static_cast<std::uint8_t>(p.matrix.dim(i)), 0, p.matrix.offset[i], 0, 0, {}});
  p.laws.assign(p.blocks.size(), law);
  p.b.assign(rows, 0.0);
  p.sigma.assign(rows, 0.0);
  if (kind == BlockKind::box) {
    p.lower.assign(rows, -std::numeric_limits<double>::infinity());
    p.upper.assign(rows, std::numeric_limits<double>::infinity());
  }
  return p;
}

}  // namespace stickslip
