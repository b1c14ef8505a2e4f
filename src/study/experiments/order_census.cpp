#include "study/experiments/order_census.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stickslip/math/error.h"
#include "stickslip/problem/views.h"

namespace stickslip::study {

SmallBoxedProblem::SmallBoxedProblem(const ContactProblem& problem) {
  const BoxedLcp boxed = as_blcp(problem);
  std::vector<int> places(problem.rows(), -1), kept;   // friction rows without friction stay 0 and are left out
  for (std::size_t row = 0; row < problem.rows(); ++row)
    if (boxed.normal_row[row] < 0 || boxed.coefficient_upper[row] > 0 || boxed.coefficient_lower[row] > 0)
      places[row] = static_cast<int>(kept.size()), kept.push_back(static_cast<int>(row));
  if (kept.size() > kMostRows)
    throw Error(fmt::format("{} rows have too many orders to try. Take a problem of at most {}.", kept.size(), kMostRows));
  rows_ = static_cast<int>(kept.size());
  const Eigen::MatrixXd W = boxed.W.dense();
  for (const Block& block : problem.blocks) {
    if (block.kind == BlockKind::box)
      throw Error("Orders of rows are tried on contacts and joints only. Take a problem without motors and limits.");
    const ContactScale& scale = problem.scales[static_cast<std::size_t>(&block - problem.blocks.data())];
    for (int k = 0; k < block.dim; ++k) {
      const int row = static_cast<int>(block.row) + k, i = places[row];
      if (i < 0) continue;
      if (!(W(row, row) > 0)) throw Error(fmt::format("Nothing can move row {}. Take a problem whose bodies are free.", row));
      for (int j = 0; j < rows_; ++j) W_[i][j] = W(row, kept[j]);
      b_[i] = boxed.b[row];
      inverse_diagonal_[i] = 1 / W(row, row);
      const bool friction = boxed.normal_row[row] >= 0;
      bounds_[i] = {friction ? places[boxed.normal_row[row]] : -1, friction ? boxed.coefficient_lower[row] : boxed.lower[row],
                    friction ? boxed.coefficient_upper[row] : boxed.upper[row]};
      // Friction rows of a contact are measured together, as in the residual.
      const bool with_others = block.kind == BlockKind::contact && k > 0;
      scale_[i] = with_others ? 1 / scale.friction_mass : W(row, row);
      group_[i] = with_others ? places[block.row + 1] : i;
    }
  }
}

SmallBoxedProblem::Order SmallBoxedProblem::as_listed() {
  Order order;
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  return order;
}

inline double SmallBoxedProblem::clamped(int row, double impulse, const double* impulses) const {
  const Bounds& bounds = bounds_[row];
  if (bounds.normal < 0) return std::min(bounds.above, std::max(bounds.below, impulse));
  const double normal = std::max(impulses[bounds.normal], 0.0);
  return std::min(bounds.above * normal, std::max(-bounds.below * normal, impulse));
}

double SmallBoxedProblem::error(const double* impulses) const {
  double worst = 0, outside = 0, slip = 0;   // the last two of the group, squared
  for (int i = 0; i < rows_; ++i) {
    double v = b_[i];
    for (int j = 0; j < kMostRows; ++j) v += W_[i][j] * impulses[j];
    const double off = impulses[i] - clamped(i, impulses[i], impulses);
    const double move = impulses[i] - clamped(i, impulses[i] - v / scale_[i], impulses);
    if (group_[i] == i) outside = slip = 0;
    outside += off * off, slip += move * move;
    worst = std::max(worst, scale_[i] * std::sqrt(std::max(outside, slip)));
  }
  return worst;
}

inline void SmallBoxedProblem::sweep_once(const Order& order, double* impulses) const {
  for (int place = 0; place < rows_; ++place) {
    const int i = order[place];
    double v = b_[i];
    for (int j = 0; j < kMostRows; ++j) v += W_[i][j] * impulses[j];
    impulses[i] = clamped(i, impulses[i] - v * inverse_diagonal_[i], impulses);
  }
}

SmallBoxedProblem::Outcome SmallBoxedProblem::sweep(const Order& order, double tolerance, int limit) const {
  alignas(32) double impulses[kMostRows] = {};
  double now = 0;
  for (int count = 1; count <= limit; ++count) {
    sweep_once(order, impulses);
    now = error(impulses);
    if (now <= tolerance) return {count, now};
  }
  return {limit + 1, now};
}

std::vector<double> SmallBoxedProblem::curve(const Order& order, int sweeps) const {
  alignas(32) double impulses[kMostRows] = {};
  std::vector<double> errors = {error(impulses)};
  for (int count = 0; count < sweeps; ++count) {
    sweep_once(order, impulses);
    errors.push_back(error(impulses));
  }
  return errors;
}

double OrderCensus::part_within(int sweeps) const {
  const auto end = by_sweeps.begin() + std::min<std::ptrdiff_t>(sweeps + 1, std::ssize(by_sweeps));
  return static_cast<double>(std::accumulate(by_sweeps.begin(), end, std::uint64_t{0})) / static_cast<double>(orders);
}

void shuffle_order(SmallBoxedProblem::Order& order, int rows, std::uint64_t& lots) {
  // Fisher and Yates' shuffle on the generator splitmix64.
  for (int i = rows; i > 1; --i) {
    std::uint64_t z = (lots += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    std::swap(order[i - 1], order[(z ^ (z >> 31)) % static_cast<std::uint64_t>(i)]);
  }
}

OrderCensus take_census(const SmallBoxedProblem& problem, const CensusOptions& options) {
  const int n = problem.rows();
  OrderCensus census;
  census.by_sweeps.assign(static_cast<std::size_t>(options.limit) + 2, 0);
  census.best.sweeps = std::numeric_limits<int>::max();
  SmallBoxedProblem::Order order = SmallBoxedProblem::as_listed();
  std::uint64_t lots = options.seed;
  const auto next_order = [&] {
    if (options.samples == 0) return std::next_permutation(order.begin(), order.begin() + n);
    shuffle_order(order, n, lots);
    return census.orders < options.samples;
  };
  do {
    const SmallBoxedProblem::Outcome outcome = problem.sweep(order, options.tolerance, options.limit);
    ++census.by_sweeps[outcome.sweeps];
    ++census.orders;
    census.mean += outcome.sweeps;
    if (outcome < census.best) census.best = outcome, census.best_order = order;
    if (census.worst < outcome) census.worst = outcome, census.worst_order = order;
    if (options.stop && census.orders % 4096 == 0 && options.stop()) break;
  } while (next_order());
  census.mean /= static_cast<double>(census.orders);
  return census;
}

std::string order_text(const SmallBoxedProblem::Order& order, int rows, int rows_per_contact) {
  std::string text;
  for (int place = 0; place < rows; ++place)
    text += fmt::format("{}{}{}", place ? " " : "", order[place] / rows_per_contact, "ntb"[order[place] % rows_per_contact]);
  return text;
}

}   // namespace stickslip::study
