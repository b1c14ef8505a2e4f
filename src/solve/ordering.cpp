#include "stickslip/solve/ordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <numeric>
#include <sstream>

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
  coloured,
  grouped,
  extreme_staggered,
  greedy_staggered,
  permutation,
};

struct Ordering::Memory {
  std::vector<std::uint32_t> order;    ///< blocks, or rows, in the order of their visit
  std::vector<double> key;             ///< per block, or row: what the order is sorted by, upwards
  std::vector<double> block_key;       ///< where rows have the keys of their blocks
  std::vector<RowVisit> place;         ///< per row: where it is
  std::vector<RowVisit> visits;        ///< rows in the order of their visit
  std::vector<RowVisit> back_visits;   ///< and backwards
  std::vector<std::uint32_t> whole;    ///< blocks in the order of their first rows
  std::vector<bool> seen;
  std::string permutation_text;   ///< from which
  std::vector<std::uint32_t> permutation;
  std::vector<Batch> runs, friction_runs, backward;
  std::vector<double> v, segment_velocity;
  ContactGraph graph;
};

const std::vector<std::string>& ordering_names() {
  // In the order of Ordering::Kind.
  static const std::vector<std::string> names = {
      "given",        "random",  "random-sweep",      "coordinate",       "coordinate-x",
      "coordinate-y", "layers",  "propagation",       "effective-mass",   "complementarity",
      "coloured",     "grouped", "extreme-staggered", "greedy-staggered", "permutation"};
  return names;
}

Ordering::Kind Ordering::kind_of(std::string_view name) {
  const auto& names = ordering_names();
  return static_cast<Kind>(std::find(names.begin(), names.end(), name) - names.begin());
}

void OrderingOptions::check(Use use) const {
  const auto& names = ordering_names();
  const auto refuse = [&](std::string_view why) { throw Error(fmt::format("'{}' {}", ordering, why)).at("ordering"); };
  if (std::find(names.begin(), names.end(), ordering) == names.end())
    throw Error(fmt::format("There is no ordering '{}'. {}", ordering, suggest(ordering, names))).at("ordering");
  if (ordering_refresh < 1)
    throw Error(fmt::format("{} is not a number of sweeps between two sorts. It must be at least 1.", ordering_refresh))
        .at("ordering_refresh");
  const bool splits = ordering == "grouped" || ordering == "extreme-staggered" || ordering == "greedy-staggered";
  if (use != Use::any && splits)
    refuse("takes normal and friction rows apart, which this solver cannot. Take an ordering of whole contacts.");
  if (order_rows && splits) refuse("takes normal and friction rows apart already. Leave out order_rows.");
  if ((use == Use::fixed || use == Use::fixed_rows) && (ordering == "random-sweep" || ordering == "complementarity"))
    refuse("changes between sweeps, which destroys acceleration. Take an ordering that stays, or do not accelerate.");
  if (ordering == "permutation") (void)read_permutation(permutation);
  else if (!permutation.empty())
    throw Error(fmt::format("A permutation is given, but the ordering is '{}'. Set ordering to permutation.", ordering))
        .at("permutation");
}

std::string_view OrderingOptions::cannot_order(const ContactProblem& problem) const {
  if (ordering != "permutation" || read_permutation(permutation).size() == problem.rows()) return {};
  return "The permutation does not list as many rows as the problem has.";
}

std::string permutation_text(std::span<const std::uint32_t> rows) { return fmt::format("{}", fmt::join(rows, ",")); }

std::vector<std::uint32_t> read_permutation(std::string_view text) {
  std::string content;
  if (text.starts_with('@')) {
    std::ifstream file{std::string(text.substr(1))};
    if (!file) throw Error(fmt::format("'{}' cannot be read. Name a file of row numbers.", text.substr(1))).at("permutation");
    std::ostringstream all;
    all << file.rdbuf();
    content = all.str();
    text = content;
  }
  std::vector<std::uint32_t> rows;
  for (std::size_t at = 0; (at = text.find_first_not_of(" ,\t\r\n", at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(" ,\t\r\n", at), text.size());
    std::uint32_t row = 0;
    const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, row);
    if (error != std::errc() || rest != text.data() + end)
      throw Error(fmt::format("'{}' is not the number of a row. List whole numbers from 0.", text.substr(at, end - at)))
          .at("permutation");
    rows.push_back(row);
    at = end;
  }
  if (rows.empty()) throw Error("No row is listed. List every row of the problem once, such as 2,0,1.").at("permutation");
  std::vector<bool> seen(rows.size());
  for (const std::uint32_t row : rows) {
    if (row >= rows.size())
      throw Error(fmt::format("Row {} is listed, but only {} rows are. List every row from 0 once.", row, rows.size()))
          .at("permutation");
    if (seen[row]) throw Error(fmt::format("Row {} is listed twice. List every row from 0 once.", row)).at("permutation");
    seen[row] = true;
  }
  return rows;
}

Ordering::Ordering(const OrderingOptions& options, const ContactProblem& problem, FrictionModel model, Workspace& workspace,
                   OrderingOptions::Use use)
    : problem_(problem),
      memory_(workspace.scratch<Memory>()),
      kind_(kind_of(options.ordering)),
      model_(model),
      refresh_(options.ordering_refresh),
      reverse_(options.reverse_order),
      sorts_rows_(options.order_rows || kind_ == Kind::permutation),
      visits_rows_(use == OrderingOptions::Use::any || use == OrderingOptions::Use::fixed_rows),
      random_(static_cast<std::uint64_t>(options.seed)) {
  if (kind_ == Kind::given && !reverse_ && !sorts_rows_) return;
  const std::size_t blocks = problem.blocks.size();
  memory_.order.resize(sorts_rows_ ? problem.rows() : blocks);
  std::iota(memory_.order.begin(), memory_.order.end(), 0u);
  memory_.key.resize(memory_.order.size());
  memory_.runs.reserve(2 * blocks);
  memory_.friction_runs.reserve(blocks);
  memory_.v.resize(problem.rows());
  if (sorts_rows_) set_up_rows(options);
  if (kind_ == Kind::extreme_staggered || kind_ == Kind::greedy_staggered)
    takes_turns_ = std::any_of(problem.blocks.begin(), problem.blocks.end(),
                               [](const Block& b) { return b.kind == BlockKind::contact && b.dim > 1; });
}

void Ordering::set_up_rows(const OrderingOptions& options) {
  memory_.block_key.resize(problem_.blocks.size());
  memory_.place.clear();
  for (std::uint32_t i = 0; i < problem_.blocks.size(); ++i)
    for (std::uint32_t k = 0; k < problem_.blocks[i].dim; ++k) memory_.place.push_back({i, k});
  if (kind_ != Kind::permutation) return;
  if (memory_.permutation_text != options.permutation || options.permutation.starts_with('@')) {
    memory_.permutation = read_permutation(options.permutation);
    memory_.permutation_text = options.permutation;
  }
  memory_.order = memory_.permutation;
}

/// Rows by their own numbers; where only blocks have one, by that of their block.
void Ordering::fill_row_keys(std::span<const double> impulses) {
  if (kind_ == Kind::propagation || kind_ == Kind::complementarity)
    problem_.contact_velocity(impulses, memory_.v, memory_.segment_velocity);
  else if (kind_ != Kind::effective_mass) fill_keys(impulses);
  for (std::size_t row = 0; row < memory_.key.size(); ++row) {
    const auto [i, k] = memory_.place[row];
    const double diagonal = problem_.diagonal(problem_.blocks[i])(k, k);
    if (kind_ == Kind::propagation) memory_.key[row] = memory_.v[row];
    else if (kind_ == Kind::effective_mass) memory_.key[row] = diagonal;
    else if (kind_ == Kind::complementarity) memory_.key[row] = -boxed_row_error(problem_, i, k, impulses, memory_.v);
    else memory_.key[row] = memory_.block_key[i];
  }
}

/// Keys of blocks.
void Ordering::fill_keys(std::span<const double> impulses) {
  std::vector<double>& key = sorts_rows_ ? memory_.block_key : memory_.key;
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
    case Kind::coloured:
      memory_.graph.colours(problem_, key);
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

std::span<const Batch> Ordering::take_turns(int k, std::span<const double> impulses) {
  if (first_) {
    first_ = false;
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
  return friction ? memory_.friction_runs : memory_.runs;
}

/// Sorts for sweep k. False if the order is that of the sweep before.
bool Ordering::renew(int k, std::span<const double> impulses) {
  const bool again = kind_ == Kind::random_sweep || (kind_ == Kind::complementarity && (k - 1) % refresh_ == 0);
  if (!first_ && !again) return false;
  if (kind_ == Kind::random || kind_ == Kind::random_sweep) {
    // A shuffle begins at the last one, before that was turned round.
    if (reverse_ && !first_) std::reverse(memory_.order.begin(), memory_.order.end());
    shuffle();
  } else if (kind_ != Kind::permutation) {
    if (sorts_rows_) fill_row_keys(impulses);
    else fill_keys(impulses);
    sort_by_key();
  }
  if (reverse_) std::reverse(memory_.order.begin(), memory_.order.end());
  first_ = false;
  return true;
}

/// Blocks where the first of their rows stands.
void Ordering::join_rows() {
  memory_.whole.clear();
  memory_.seen.assign(problem_.blocks.size(), false);
  for (const std::uint32_t row : memory_.order) {
    const std::uint32_t block = memory_.place[row].block;
    if (!memory_.seen[block]) memory_.whole.push_back(block);
    memory_.seen[block] = true;
  }
}

std::span<const Batch> Ordering::next(int k, std::span<const double> impulses) {
  if (kind_ == Kind::given && !reverse_) return current_ = problem_.batches;
  if (takes_turns_) return current_ = take_turns(k, impulses);
  if (!renew(k, impulses)) return current_;
  if (sorts_rows_) join_rows();
  const std::vector<std::uint32_t>& blocks = sorts_rows_ ? memory_.whole : memory_.order;
  memory_.runs.clear();
  if (kind_ == Kind::grouped) {
    append_runs(problem_, blocks, RowSet::normal, memory_.runs);
    append_runs(problem_, blocks, RowSet::friction, memory_.runs);
  } else {
    append_runs(problem_, blocks, RowSet::all, memory_.runs);
  }
  return current_ = memory_.runs;
}

std::span<const RowVisit> Ordering::next_rows(int k, std::span<const double> impulses) {
  if (renew(k, impulses)) {
    memory_.visits.clear();
    for (const std::uint32_t row : memory_.order) memory_.visits.push_back(memory_.place[row]);
  }
  return memory_.visits;
}

std::span<const RowVisit> Ordering::backward_rows() {
  memory_.back_visits.assign(memory_.visits.rbegin(), memory_.visits.rend());
  return memory_.back_visits;
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
