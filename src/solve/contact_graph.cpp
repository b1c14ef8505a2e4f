#include "solve/contact_graph.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "math/small_matrices.h"

namespace stickslip {

namespace {
constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();
}

/// Breadth first, from the segments in the queue on.
void ContactGraph::spread(const ContactProblem& p, std::uint32_t from) {
  for (std::size_t head = from; head < queue_.size(); ++head) {
    const std::uint32_t s = queue_[head];
    for (const std::uint32_t i : incidence_.at(s)) {
      for (const std::uint32_t other : p.segments_of(p.blocks[i])) {
        if (distance_[other] != kUnreached) continue;
        distance_[other] = distance_[s] + 1;
        queue_.push_back(other);
      }
    }
  }
}

void ContactGraph::spread_over_matrix(const ContactProblem& p) {
  const auto mobility = [&](std::uint32_t i) { return p.diagonal_values[p.blocks[i].diagonal]; };
  by_mass_.resize(p.blocks.size());
  std::iota(by_mass_.begin(), by_mass_.end(), 0u);
  std::sort(by_mass_.begin(), by_mass_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return mobility(a) != mobility(b) ? mobility(a) < mobility(b) : a < b; });
  layer_.assign(p.blocks.size(), kUnreached);
  for (const std::uint32_t root : by_mass_) {
    if (layer_[root] != kUnreached) continue;
    layer_[root] = 0;
    queue_.push_back(root);
    for (std::size_t head = queue_.size() - 1; head < queue_.size(); ++head) {
      const std::uint32_t i = queue_[head];
      for (std::uint32_t e = p.matrix.first[i]; e < p.matrix.first[i + 1]; ++e) {
        const std::uint32_t j = p.matrix.column[e];
        if (layer_[j] != kUnreached) continue;
        layer_[j] = layer_[i] + 1;
        queue_.push_back(j);
      }
    }
  }
}

void ContactGraph::build(const ContactProblem& p) {
  queue_.clear();
  distance_.clear();
  if (!p.is_factored()) {
    spread_over_matrix(p);
  } else {
    incidence_.find(p);
    distance_.assign(p.segments.size(), kUnreached);
    for (const Block& block : p.blocks)
      if (block.arity == 1 && distance_[block.segment[0]] == kUnreached) {
        distance_[block.segment[0]] = 1;
        queue_.push_back(block.segment[0]);
      }
    spread(p, 0);
    by_mass_.clear();
    for (std::uint32_t s = 0; s < p.segments.size(); ++s)
      if (distance_[s] == kUnreached) by_mass_.push_back(s);
    std::sort(by_mass_.begin(), by_mass_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const double ma = p.segments[a].inverse_mass, mb = p.segments[b].inverse_mass;
      return ma != mb ? ma < mb : a < b;
    });
    for (const std::uint32_t root : by_mass_) {
      if (distance_[root] != kUnreached) continue;
      distance_[root] = 0;
      queue_.push_back(root);
      spread(p, static_cast<std::uint32_t>(queue_.size() - 1));
    }
    layer_.resize(p.blocks.size());
    for (std::size_t i = 0; i < p.blocks.size(); ++i) {
      const Block& b = p.blocks[i];
      std::uint32_t farthest = 1;
      if (b.arity > 1)
        for (const std::uint32_t s : p.segments_of(b)) farthest = std::max(farthest, distance_[s]);
      layer_[i] = farthest - 1;
    }
  }
  layers_ = 0;
  for (const std::uint32_t layer : layer_) layers_ = std::max(layers_, layer + 1);
}

/// Least squares for r in r × d = m over the rows (d, m) of a rigid body: Σ (|d|² I − d dᵀ) r = Σ d × m. Zero of a node.
Vec3 ContactGraph::arm(const ContactProblem& p, const Block& block, std::size_t slot) {
  const std::span<const std::uint32_t> segments = p.segments_of(block);
  if (!p.segments[segments[slot]].is_rigid()) return Vec3::Zero();
  const double* row = p.jacobian_values.data() + block.jacobian;
  for (const std::uint32_t before : segments.first(slot)) row += std::size_t{block.dim} * p.segments[before].size;
  Mat3 a = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (int k = 0; k < block.dim; ++k, row += kRigidSize) {
    const Eigen::Map<const Vec3> d(row), m(row + 3);
    a += d.squaredNorm() * Mat3::Identity() - d * d.transpose();
    right += d.cross(m);
  }
  const double scale = a.trace();
  if (!(scale > 0)) return Vec3::Zero();
  a.diagonal().array() += 1e-12 * scale;
  return solve_linear(a, right);
}

void ContactGraph::coordinates(const ContactProblem& p, int axis, std::span<double> out) {
  build(p);
  if (!p.is_factored()) {
    for (std::size_t n = 0; n < queue_.size(); ++n) out[queue_[n]] = static_cast<double>(n);
    return;
  }
  center_.assign(p.segments.size(), Vec3::Zero());
  distance_.assign(p.segments.size(), kUnreached);
  queue_.clear();
  for (std::uint32_t root = 0; root < p.segments.size(); ++root) {
    if (distance_[root] != kUnreached) continue;
    distance_[root] = 0;
    queue_.push_back(root);
    for (std::size_t head = queue_.size() - 1; head < queue_.size(); ++head) {
      const std::uint32_t s = queue_[head];
      for (const std::uint32_t i : incidence_.at(s)) {
        const Block& block = p.blocks[i];
        if (block.arity != 2) continue;
        const std::size_t side = block.segment[0] == s ? 0 : 1;
        const std::uint32_t other = block.segment[1 - side];
        if (distance_[other] != kUnreached) continue;
        distance_[other] = distance_[s] + 1;
        center_[other] = center_[s] + arm(p, block, side) - arm(p, block, 1 - side);
        queue_.push_back(other);
      }
    }
  }
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    out[i] = center_[p.segments_of(p.blocks[i])[0]][axis] + arm(p, p.blocks[i], 0)[axis];
}

void ContactGraph::colours(const ContactProblem& p, std::span<double> out) {
  if (p.is_factored()) incidence_.find(p);
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    neighbours_.clear();
    if (p.is_factored()) incidence_.neighbours(p, p.blocks[i], neighbours_);
    else neighbours_.assign(p.matrix.column.begin() + p.matrix.first[i], p.matrix.column.begin() + p.matrix.first[i + 1]);
    queue_.clear();   // colours that are taken
    for (const std::uint32_t j : neighbours_)
      if (j < i) queue_.push_back(static_cast<std::uint32_t>(out[j]));
    std::sort(queue_.begin(), queue_.end());
    std::uint32_t free = 0;
    for (const std::uint32_t colour : queue_)
      if (colour == free) ++free;
    out[i] = free;
  }
}

}   // namespace stickslip
