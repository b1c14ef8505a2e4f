#include "solve/islands.h"

#include <algorithm>
#include <cmath>

#include "solve/block_error.h"
#include "solve/run_list.h"

namespace stickslip {

namespace {

constexpr std::uint32_t kNone = 0xffffffff;

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t first, std::size_t count) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
            from.begin() + static_cast<std::ptrdiff_t>(first + count));
}

}   // namespace

void Islands::find(const ContactProblem& p) {
  const auto blocks = static_cast<std::uint32_t>(p.blocks.size());
  // Nodes are segments, or blocks where W is a matrix.
  const bool factored = p.is_factored();
  together_.begin(factored ? p.segments.size() : blocks);
  for (const Carrier& carrier : p.carriers)
    for (std::uint32_t s = carrier.first; s < carrier.first + carrier.count; ++s) together_.join(carrier.first, s);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const Block& b = p.blocks[i];
    for (const std::uint32_t s : p.segments_of(b)) together_.join(p.segments_of(b)[0], s);
    if (!factored)
      for (std::uint32_t e = p.matrix.first[i]; e < p.matrix.first[i + 1]; ++e) together_.join(i, p.matrix.column[e]);
  }
  const auto node = [&](std::uint32_t i) { return together_.root(factored ? p.segments_of(p.blocks[i])[0] : i); };
  // Islands are numbered by their first blocks.
  number_.assign(together_.size(), kNone);
  std::uint32_t islands = 0;
  for (std::uint32_t i = 0; i < blocks; ++i)
    if (std::uint32_t& mine = number_[node(i)]; mine == kNone) mine = islands++;
  blocks_.fill(islands, [&](auto&& put) {
    for (std::uint32_t i = 0; i < blocks; ++i) put(number_[node(i)], i);
  });
}

bool is_settled(const ContactProblem& p, std::uint32_t block, std::span<const double> impulses, std::span<const double> v,
                double tolerance) {
  const BlockError error = block_error(p, block, FrictionModel::exact, impulses, v);
  // The residual takes the length of a friction error where this takes its largest number.
  const double length = std::sqrt(std::max(1.0, p.blocks[block].dim - 1.0));
  return error.normal <= tolerance && length * error.friction <= tolerance;
}

bool are_settled(const ContactProblem& p, std::span<const std::uint32_t> blocks, std::span<const double> impulses,
                 std::span<const double> v, double tolerance) {
  return std::all_of(blocks.begin(), blocks.end(), [&](std::uint32_t i) { return is_settled(p, i, impulses, v, tolerance); });
}

std::uint32_t SubProblem::take_segment(const ContactProblem& whole, std::uint32_t segment) {
  std::uint32_t& number = segment_[segment];
  if (number != kNone) return number;
  number = static_cast<std::uint32_t>(problem_.segments.size());
  problem_.segments.push_back(whole.segments[segment]);
  if (whole.segments[segment].is_rigid()) problem_.inertia_factors.push_back(whole.inertia_factors[segment]);
  return number;
}

/// Segments in their order, so that a part without carriers is the problem that it would be without them; those of carriers all
/// together.
void SubProblem::take_coupled_segments(const ContactProblem& whole, std::span<const std::uint32_t> blocks) {
  taken_.clear();
  for (const std::uint32_t i : blocks)
    for (const std::uint32_t s : whole.segments_of(whole.blocks[i])) taken_.push_back(s);
  std::ranges::sort(taken_);
  for (const std::uint32_t s : taken_) {
    if (segment_[s] != kNone) continue;
    if (!whole.coupled[s]) {
      take_segment(whole, s);
      continue;
    }
    const Carrier& carrier = *std::prev(std::ranges::upper_bound(whole.carriers, s, {}, &Carrier::first));
    problem_.carriers.push_back({static_cast<std::uint32_t>(problem_.segments.size()), carrier.count, carrier.mass});
    for (std::uint32_t k = carrier.first; k < carrier.first + carrier.count; ++k) take_segment(whole, k);
  }
}

void SubProblem::take_segments(const ContactProblem& whole, Block& b) {
  taken_.clear();
  for (const std::uint32_t s : whole.segments_of(b)) taken_.push_back(take_segment(whole, s));
  problem_.set_segments(b, taken_);
}

/// All columns lie in the same island.
void SubProblem::take_row_of_matrix(const ContactProblem& whole, std::uint32_t block) {
  BlockMatrix& w = problem_.matrix;
  const BlockMatrix& from = whole.matrix;
  for (std::uint32_t e = from.first[block]; e < from.first[block + 1]; ++e) {
    const std::uint32_t column = from.column[e];
    w.column.push_back(block_[column]);
    w.position.push_back(static_cast<std::uint32_t>(w.values.size()));
    append(w.values, from.values, from.position[e], std::size_t{from.dim(block)} * from.dim(column));
  }
  w.first.push_back(static_cast<std::uint32_t>(w.column.size()));
}

void SubProblem::extract(const ContactProblem& whole, std::span<const std::uint32_t> blocks) {
  problem_.clear();
  blocks_.assign(blocks.begin(), blocks.end());
  row_.clear();
  segment_.assign(whole.segments.size(), kNone);
  block_.assign(whole.blocks.size(), kNone);
  for (std::uint32_t i = 0; i < blocks.size(); ++i) block_[blocks[i]] = i;
  if (whole.is_coupled()) take_coupled_segments(whole, blocks);
  // Rigid bodies come first.
  for (const bool rigid : {true, false})
    for (const std::uint32_t i : blocks)
      for (const std::uint32_t s : whole.segments_of(whole.blocks[i]))
        if (whole.segments[s].is_rigid() == rigid) take_segment(whole, s);
  if (!whole.is_factored()) problem_.matrix.first.push_back(0);
  for (const std::uint32_t i : blocks) {
    Block b = whole.blocks[i];
    const std::size_t numbers = std::size_t{b.dim} * whole.row_width(b);
    append(problem_.jacobian_values, whole.jacobian_values, b.jacobian, numbers);
    append(problem_.scaled_jacobian, whole.scaled_jacobian, b.jacobian, numbers);
    append(problem_.diagonal_values, whole.diagonal_values, b.diagonal, std::size_t{b.dim} * b.dim);
    append(problem_.b, whole.b, b.row, b.dim);
    append(problem_.sigma, whole.sigma, b.row, b.dim);
    if (!whole.lower.empty()) append(problem_.lower, whole.lower, b.row, b.dim);
    if (!whole.upper.empty()) append(problem_.upper, whole.upper, b.row, b.dim);
    problem_.laws.push_back(whole.laws[i]);
    problem_.scales.push_back(whole.scales[i]);
    for (std::uint32_t k = 0; k < b.dim; ++k) row_.push_back(b.row + k);
    b.row = static_cast<std::uint32_t>(problem_.b.size()) - b.dim;
    b.jacobian = static_cast<std::uint32_t>(problem_.jacobian_values.size() - numbers);
    b.diagonal = static_cast<std::uint32_t>(problem_.diagonal_values.size() - std::size_t{b.dim} * b.dim);
    take_segments(whole, b);
    problem_.blocks.push_back(b);
    if (whole.is_factored()) continue;
    problem_.matrix.offset.push_back(b.row);
    take_row_of_matrix(whole, i);
  }
  if (!whole.is_factored()) problem_.matrix.offset.push_back(static_cast<std::uint32_t>(problem_.b.size()));
  problem_.offsets.assign(1, 0);
  for (const VelocitySegment& s : problem_.segments) problem_.offsets.push_back(problem_.offsets.back() + s.size);
  problem_.h = whole.h;
  problem_.has_compliance = std::any_of(problem_.sigma.begin(), problem_.sigma.end(), [](double s) { return s != 0; });
  blocks_.resize(problem_.blocks.size());
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) blocks_[i] = i;
  problem_.batches.clear();
  append_runs(problem_, blocks_, RowSet::all, problem_.batches);
  if (problem_.is_coupled()) problem_.finalize();   // what carriers do between segments
  else problem_.compliances.reset();
}

void SubProblem::hold_others(std::span<const double> v, std::span<const double> part) {
  v_.resize(problem_.rows());
  problem_.contact_velocity(part, v_, segment_velocity_);
  for (std::size_t k = 0; k < row_.size(); ++k) problem_.b[k] += v[row_[k]] - v_[k];
}

void SubProblem::gather(std::span<const double> whole, std::span<double> part) const {
  for (std::size_t k = 0; k < row_.size(); ++k) part[k] = whole[row_[k]];
}

void SubProblem::scatter(std::span<const double> part, std::span<double> whole) const {
  for (std::size_t k = 0; k < row_.size(); ++k) whole[row_[k]] = part[k];
}

}   // namespace stickslip
