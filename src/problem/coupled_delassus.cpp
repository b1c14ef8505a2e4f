// W of coupled problems. K Gᵀ of a block is made once, and every block that it meets takes its W from that.
#include <algorithm>

#include "problem/carrier_compliance.h"
#include "problem/kernels.h"

namespace stickslip {

void CoupledDelassus::find_pattern(const ContactProblem& p, const CarrierCompliances& compliances, BlockMatrix& w) {
  const std::vector<std::uint32_t>& carrier_of = compliances.carrier_of;
  w.offset.clear();
  for (const Block& b : p.blocks) w.offset.push_back(b.row);
  w.offset.push_back(static_cast<std::uint32_t>(p.rows()));
  // A carrier stands for all its segments, by its first one. A block is in a list once.
  const auto meets_at = [&](const Block& block) {
    meeting_.clear();
    for (const std::uint32_t s : p.segments_of(block))
      meeting_.push_back(carrier_of[s] == kNoCarrier ? s : p.carriers[carrier_of[s]].first);
    std::sort(meeting_.begin(), meeting_.end());
    meeting_.erase(std::unique(meeting_.begin(), meeting_.end()), meeting_.end());
    return std::span<const std::uint32_t>(meeting_);
  };
  blocks_at_.fill(p.segments.size(), [&](auto&& put) {
    for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
      for (const std::uint32_t s : meets_at(p.blocks[i])) put(s, i);
  });
  w.column.clear();
  w.position.clear();
  w.first.assign(1, 0);
  std::size_t size = 0;
  for (const Block& block : p.blocks) {
    const std::span<const std::uint32_t> places = meets_at(block);
    std::span<const std::uint32_t> met = blocks_at_[places.front()];
    if (places.size() > 1) {
      neighbours_.clear();
      for (const std::uint32_t s : places) neighbours_.insert(neighbours_.end(), blocks_at_[s].begin(), blocks_at_[s].end());
      std::sort(neighbours_.begin(), neighbours_.end());
      neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
      met = neighbours_;
    }
    for (const std::uint32_t j : met) {
      w.column.push_back(j);
      w.position.push_back(static_cast<std::uint32_t>(size));
      size += std::size_t{block.dim} * p.blocks[j].dim;
    }
    w.first.push_back(static_cast<std::uint32_t>(w.column.size()));
  }
  w.values.assign(size, 0.0);
}

/// K Gᵀ of a block, for the carriers that it acts on.
void CoupledDelassus::push_through(const ContactProblem& p, const CarrierCompliances& compliances, const Block& block) {
  const std::uint32_t width = p.row_width(block);
  const double* const g = p.scaled_jacobian.data() + block.jacobian;
  carriers_.clear();
  kernels::each_segment(p, block, [&](std::uint32_t, std::uint32_t s, auto&& place) {
    const std::uint32_t k = compliances.carrier_of[s];
    if (k == kNoCarrier) return;
    const CarrierCompliance& compliance = compliances[k];
    const Eigen::MatrixXd& inverse = compliance.inverse();
    const auto found = std::ranges::find(carriers_, k);
    const auto number = static_cast<std::size_t>(found - carriers_.begin());
    if (found == carriers_.end()) {
      carriers_.push_back(k);
      if (pushed_.size() < carriers_.size()) pushed_.emplace_back();
      pushed_[number].setZero(inverse.rows() * block.dim);
    }
    const std::uint32_t at = compliance.place[s - p.carriers[k].first];
    for (std::uint32_t i = 0; i < block.dim; ++i) {
      Eigen::Map<Eigen::VectorXd> out(pushed_[number].data() + i * inverse.rows(), inverse.rows());
      for (std::uint32_t c = 0; c < p.segments[s].size; ++c)
        if (const double weight = g[width * i + place(c)]; weight != 0) out += weight * inverse.col(at + c);
    }
  });
}

/// G_a K G_bᵀ with K G_aᵀ known, column-major.
void CoupledDelassus::write(const ContactProblem& p, const CarrierCompliances& compliances, const Block& a, const Block& b,
                            double* out) const {
  const std::uint32_t width_a = p.row_width(a), width_b = p.row_width(b);
  const double *const of_a = p.scaled_jacobian.data() + a.jacobian, *const of_b = p.scaled_jacobian.data() + b.jacobian;
  kernels::each_segment(p, b, [&](std::uint32_t, std::uint32_t t, auto&& place_b) {
    const std::uint32_t k = compliances.carrier_of[t], size = p.segments[t].size;
    if (k != kNoCarrier) {
      const auto found = std::ranges::find(carriers_, k);
      if (found == carriers_.end()) return;
      const Eigen::Index rows = compliances[k].inverse().rows();
      const double* const pushed =
          pushed_[static_cast<std::size_t>(found - carriers_.begin())].data() + compliances[k].place[t - p.carriers[k].first];
      for (std::uint32_t j = 0; j < b.dim; ++j)
        for (std::uint32_t i = 0; i < a.dim; ++i)
          for (std::uint32_t c = 0; c < size; ++c) out[a.dim * j + i] += pushed[rows * i + c] * of_b[width_b * j + place_b(c)];
      return;
    }
    kernels::each_segment(p, a, [&](std::uint32_t, std::uint32_t s, auto&& place_a) {
      if (s != t) return;
      for (std::uint32_t j = 0; j < b.dim; ++j)
        for (std::uint32_t i = 0; i < a.dim; ++i)
          for (std::uint32_t c = 0; c < size; ++c)
            out[a.dim * j + i] += of_a[width_a * i + place_a(c)] * of_b[width_b * j + place_b(c)];
    });
  });
}

void CoupledDelassus::make(const ContactProblem& p, const CarrierCompliances& compliances, BlockMatrix& w) {
  find_pattern(p, compliances, w);
  // Rows are filled in order, so that what comes next in a row below is what the row above mirrors.
  filled_.assign(w.first.begin(), w.first.end() - 1);
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    const Block& a = p.blocks[i];
    push_through(p, compliances, a);
    for (std::uint32_t e = filled_[i]; e < w.first[i + 1]; ++e) {
      const std::uint32_t j = w.column[e];
      const Block& b = p.blocks[j];
      double* const entry = w.values.data() + w.position[e];
      write(p, compliances, a, b, entry);
      if (j == i) continue;
      double* const mirrored = w.values.data() + w.position[filled_[j]++];
      for (std::uint32_t r = 0; r < a.dim; ++r)
        for (std::uint32_t c = 0; c < b.dim; ++c) mirrored[b.dim * r + c] = entry[a.dim * c + r];
    }
  }
}

void condense(const ContactProblem& p, const CarrierCompliances& compliances, CoupledDelassus& delassus,
              ContactProblem& condensed) {
  delassus.make(p, compliances, condensed.matrix);
  condensed.blocks.clear();
  for (const Block& b : p.blocks) condensed.blocks.push_back({b.kind, b.dim, 0, b.row, 0, 0, {}});
  condensed.copy_conditions(p);
  condensed.finalize();
}

}   // namespace stickslip
