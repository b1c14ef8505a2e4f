#include "stickslip/solve/ordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "solve/block_error.h"
#include "solve/contact_graph.h"
#include "solve/run_list.h"
#include "stickslip/math/error.h"

namespace stickslip {

enum class Ordering::Kind : std::uint8_t {
  given,
  random,
  random_sweep,
  coordinate,
  coordinate_x,
  coordinate_y,
  layers,
  propagation,
  effective_mass,
  complementarity,
  grouped,
  extreme_staggered,
  greedy_staggered,
};

struct Ordering::Memory {
  std::vector<std::uint32_t> order;   ///< blocks in the order of their visit
  std::vector<double> key;            ///< per block: what the order is sorted by, upwards
  std::vector<Batch> runs, friction_runs, backward;
  std::vector<double> v, segment_velocity;
  ContactGraph graph;
};

const std::vector<std::string>& ordering_names() {
  // In the order of Ordering::Kind.
  static const std::vector<std::string> names = {
      "given",       "random",         "random-sweep",    "coordinate", "coordinate-x",      "coordinate-y",    "layers",
      "propagation", "effective-mass", "complementarity", "grouped",    "extreme-staggered", "greedy-staggered"};
  return names;
}

Ordering::Kind Ordering::kind_of(std::string_view name) {
  const auto& names = ordering_names();
  return static_cast<Kind>(std::find(names.begin(), names.end(), name) - names.begin());
}

void OrderingOptions::check(Use use) const {
  const auto& names = ordering_names();
  if (std::find(names.begin(), names.end(), ordering) == names.end())
    throw Error(fmt::format("There is no ordering '{}'. {}", ordering, suggest(ordering, names))).at("ordering");
  if (ordering_refresh < 1)
    throw Error(fmt::format("{} is not a number of sweeps between two sorts. It must be at least 1.", ordering_refresh))
        .at("ordering_refresh");
  const bool splits = ordering == "grouped" || ordering == "extreme-staggered" || ordering == "greedy-staggered";
  if (use != Use::any && splits)
    throw Error(
        fmt::format("'{}' takes normal and friction rows apart, which this solver cannot. Take an ordering of whole contacts.",
                    ordering))
        .at("ordering");
  if (use == Use::fixed && (ordering == "random-sweep" || ordering == "complementarity"))
    throw Error(
        fmt::format(
            "'{}' changes between sweeps, which destroys acceleration. Take an ordering that stays, or do not accelerate.",
            ordering))
        .at("ordering");
}

Ordering::Ordering(const OrderingOptions& options, const ContactProblem& problem, FrictionModel model, Workspace& workspace)
    : problem_(problem),
      memory_(workspace.scratch<Memory>()),
      kind_(kind_of(options.ordering)),
      model_(model),
      refresh_(options.ordering_refresh),
      reverse_(options.reverse_order),
      random_(static_cast<std::uint64_t>(options.seed)) {
  if (kind_ == Kind::given && !reverse_) return;
  const std::size_t blocks = problem.blocks.size();
  memory_.order.resize(blocks);
  std::iota(memory_.order.begin(), memory_.order.end(), 0u);
  memory_.key.resize(blocks);
  memory_.runs.reserve(2 * blocks);
  memory_.friction_runs.reserve(blocks);
  memory_.v.resize(problem.rows());
  if (kind_ == Kind::extreme_staggered || kind_ == Kind::greedy_staggered)
    takes_turns_ = std::any_of(problem.blocks.begin(), problem.blocks.end(),
                               [](const Block& b) { return b.kind == BlockKind::contact && b.dim > 1; });
}

void Ordering::fill_keys(std::span<const double> impulses) {
  std::vector<double>& key = memory_.key;
  if (kind_ == Kind::propagation || kind_ == Kind::complementarity)
    problem_.contact_velocity(impulses, memory_.v, memory_.segment_velocity);
  switch (kind_) {
    case Kind::coordinate:
      return memory_.graph.coordinates(problem_, 2, key);
    case Kind::coordinate_x:
      return memory_.graph.coordinates(problem_, 0, key);
    case Kind::coordinate_y:
      return memory_.graph.coordinates(problem_, 1, key);
    case Kind::layers:
      memory_.graph.build(problem_);
      std::copy(memory_.graph.layer().begin(), memory_.graph.layer().end(), key.begin());
      return;
    case Kind::propagation:
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = memory_.v[problem_.blocks[i].row];
      return;
    case Kind::effective_mass:
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = problem_.diagonal_values[problem_.blocks[i].diagonal];
      return;
    case Kind::complementarity:
      for (std::size_t i = 0; i < key.size(); ++i) {
        const BlockError error = block_error(problem_, i, model_, impulses, memory_.v);
        key[i] = -std::max(error.normal, error.friction);
      }
      return;
    default:
      std::fill(key.begin(), key.end(), 0.0);
  }
}

void Ordering::sort_by_key() {
  // Keys that differ by rounding only count as equal, and a NaN as first: the order must be a strict one.
  double largest = 0;
  for (double& k : memory_.key) {
    if (!std::isfinite(k)) k = 0;
    largest = std::max(largest, std::abs(k));
  }
  const double grain = kind_ == Kind::complementarity ? 0 : 1e-9 * largest;
  if (grain > 0)
    for (double& k : memory_.key) k = std::round(k / grain);
  std::sort(memory_.order.begin(), memory_.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double ka = memory_.key[a], kb = memory_.key[b];
    return ka != kb ? ka < kb : a < b;
  });
}

void Ordering::shuffle() {
  // Fisher and Yates' shuffle on the generator splitmix64: the same on every machine, unlike std::shuffle.
  const auto next_random = [&] {
    std::uint64_t z = (random_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  for (std::size_t n = memory_.order.size(); n > 1; --n) std::swap(memory_.order[n - 1], memory_.order[next_random() % n]);
}

std::span<const Batch> Ordering::next(int k, std::span<const double> impulses) {
  if (kind_ == Kind::given && !reverse_) return current_ = problem_.batches;
  const bool first = current_.data() == nullptr;
  if (takes_turns_) {
    if (first) {
      memory_.runs.clear();
      memory_.friction_runs.clear();
      if (reverse_) std::reverse(memory_.order.begin(), memory_.order.end());
      append_runs(problem_, memory_.order, RowSet::normal, memory_.runs);
      append_runs(problem_, memory_.order, RowSet::friction, memory_.friction_runs);
    }
    bool friction = k % 2 == 0;
    if (kind_ == Kind::greedy_staggered) {
      BlockError worst;
      problem_.contact_velocity(impulses, memory_.v, memory_.segment_velocity);
      for (std::size_t i = 0; i < problem_.blocks.size(); ++i) {
        const BlockError error = block_error(problem_, i, model_, impulses, memory_.v);
        worst = {std::max(worst.normal, error.normal), std::max(worst.friction, error.friction)};
      }
      friction = worst.friction > worst.normal;
    }
    return current_ = friction ? memory_.friction_runs : memory_.runs;
  }
  const bool again = kind_ == Kind::random_sweep || (kind_ == Kind::complementarity && (k - 1) % refresh_ == 0);
  if (!first && !again) return current_;
  if (kind_ == Kind::random || kind_ == Kind::random_sweep) {
    // A shuffle begins at the last one, before that was turned round.
    if (reverse_ && !first) std::reverse(memory_.order.begin(), memory_.order.end());
    shuffle();
  } else {
    fill_keys(impulses);
    sort_by_key();
  }
  if (reverse_) std::reverse(memory_.order.begin(), memory_.order.end());
  memory_.runs.clear();
  if (kind_ == Kind::grouped) {
    append_runs(problem_, memory_.order, RowSet::normal, memory_.runs);
    append_runs(problem_, memory_.order, RowSet::friction, memory_.runs);
  } else {
    append_runs(problem_, memory_.order, RowSet::all, memory_.runs);
  }
  return current_ = memory_.runs;
}

std::span<const Batch> Ordering::backward() {
  std::vector<Batch>& out = memory_.backward;
  out.clear();
  out.reserve(2 * problem_.blocks.size());
  for (std::size_t r = current_.size(); r > 0; --r) {
    Batch one = current_[r - 1];
    one.count = 1;
    for (std::uint32_t i = current_[r - 1].count; i > 0; --i) {
      one.first = current_[r - 1].first + i - 1;
      out.push_back(one);
    }
  }
  return out;
}

}   // namespace stickslip
