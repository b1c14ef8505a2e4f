// In which order a Gauss–Seidel sweep visits the blocks of a problem, or its rows.
//
// A sweep visits a list of runs (`Batch`); an ordering is such a list. With a Gauss–Seidel solver it takes two lines:
//
//     Ordering order(options.order, problem, model(), workspace);
//     … gauss_seidel_sweep(problem, order.next(k, impulses), impulses, workspace.velocity, momentum, rule);
//
// Solvers whose rows are solved one by one ask `by_rows()` first and visit those of `next_rows`.
//
// The fixed point of a sweep does not depend on the order, the number of sweeps does [reordering; course §3.2.3; thesis B §5].
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "stickslip/solve/solver.h"

namespace stickslip {

/// The options that every solver with orderings shares: make it a member, visit it, and check it in the constructor.
///
///   given              as the problem lists its blocks; the only one whose runs are as long as they can be, hence the fastest
///                      sweeps
///   random             one shuffle per solve, from the seed
///   random-sweep       a new shuffle every sweep, from the seed
///   coordinate         contacts by height z, upwards [thesis B §5, CP]; `coordinate-x`, `coordinate-y` along other axes.
///                      Positions come from the Jacobian (src/solve/contact_graph.h); where W is a matrix, by breadth-first
///                      number
///   layers             by distance in the contact graph from the unmoving world
///   propagation        by relative normal velocity at the guess, fastest approach first [thesis B §5, IPP]
///   effective-mass     by effective mass 1 / W_nn, heaviest first [reordering]
///   complementarity    by the error of each block, largest first, sorted anew every `ordering_refresh` sweeps [reordering]
///   grouped            all normal rows (with joints and boxes), then all friction rows, in one sweep [thesis B §5]
///   extreme-staggered  normal rows in odd sweeps, friction rows in even ones [thesis B §5, ESP]
///   coloured           greedily coloured so that no two blocks of a colour share a body, colour by colour [course §3.2.3]: the
///                      order of a parallel sweep
///   permutation        the rows that `permutation` lists, in that order: one of your own
///   greedy-staggered   normal or friction rows, whichever set has the larger error now [thesis B §5, GSP]; costs an evaluation
///                      of the residual per sweep
///
/// Acceleration between sweeps needs an order that stays: shuffling every sweep destroys it.
///
/// With `order_rows` the orderings sort single rows instead of blocks: by their own velocity, W_ii or error. Solvers of the
/// boxed model then visit row by row. Those that project the friction rows of a contact together visit them where the first of
/// them stands, and those that change a contact as a whole visit it where the first of its rows stands.
struct OrderingOptions {
  std::string ordering = "given";
  std::string permutation;
  bool order_rows = false;
  int seed = 1;
  int ordering_refresh = 10;
  bool reverse_order = false;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("ordering", ordering,
      "given, random, random-sweep, coordinate, coordinate-x, coordinate-y, layers, propagation, effective-mass, "
      "complementarity, coloured, grouped, extreme-staggered, greedy-staggered or permutation");
    v("permutation", permutation,
      "of ordering=permutation: every row of the problem once, from 0, such as 2,0,1; or @ and the name of a file of them");
    v("order_rows", order_rows, "sort single rows instead of blocks");
    v("seed", seed, "whole number: of the shuffles of random and random-sweep");
    v("ordering_refresh", ordering_refresh, "≥ 1: sweeps between two sorts by complementarity");
    v("reverse_order", reverse_order, "visit the blocks in the opposite order");
  }

  /// What the sweep of a solver can do with an order.
  enum class Use {
    any,            ///< the rule honours `BlockView::rows`, or rows one by one
    whole_blocks,   ///< it always changes all rows of a contact
    fixed,          ///< and it needs every block once, in the same order every sweep (accelerated sweeps)
    fixed_rows,     ///< it needs every row once, in the same order every sweep
  };
  void check(Use = Use::any) const;   ///< @throws Error for an unknown ordering, one of no use here, or a number out of range

  /// Why the permutation does not fit the problem, in one sentence of fixed text; empty if it does, or none is asked for.
  std::string_view cannot_order(const ContactProblem&) const;
};

/// The text that `OrderingOptions::permutation` takes for these rows.
std::string permutation_text(std::span<const std::uint32_t> rows);

/// The rows that such a text or file lists. @throws Error at /permutation unless they are 0 … n − 1, each once.
std::vector<std::uint32_t> read_permutation(std::string_view text);

/// The names that `OrderingOptions::ordering` takes.
const std::vector<std::string>& ordering_names();

/// One row of a block.
struct RowVisit {
  std::uint32_t block;
  std::uint32_t row;   ///< of the block, from 0
};

/// The order of one solve. Its memory lies in the workspace: one at a time per workspace. Sweeps allocate nothing.
class Ordering {
 public:
  /// The model is that by which errors are measured: the one the solver solves; `use` is as in OrderingOptions::check
  Ordering(const OrderingOptions&, const ContactProblem&, FrictionModel, Workspace&,
           OrderingOptions::Use use = OrderingOptions::Use::any);

  /// Whether rows are to be visited one by one: then `next_rows` takes the place of `next`.
  bool by_rows() const { return sorts_rows_ && visits_rows_; }
  /// Whether an order of rows was asked for and contacts are visited whole.
  bool joins_rows() const { return sorts_rows_ && !visits_rows_; }

  /// The runs of sweep k = 1, 2, …, called with every k in turn; valid until the next call. `impulses` are the current ones.
  std::span<const Batch> next(int k, std::span<const double> impulses);

  /// The same, row by row.
  std::span<const RowVisit> next_rows(int k, std::span<const double> impulses);
  /// Those of the last `next_rows`, from the last to the first.
  std::span<const RowVisit> backward_rows();

  /// The runs of the last `next`, block by block from the last to the first; valid until the next call.
  std::span<const Batch> backward();

  /// Sweeps until every row was visited: 1, or 2 where normal and friction rows take turns.
  int sweeps_per_pass() const { return takes_turns_ ? 2 : 1; }

 private:
  struct Memory;
  enum class Kind : std::uint8_t;
  static Kind kind_of(std::string_view name);

  bool renew(int k, std::span<const double> impulses);
  void set_up_rows(const OrderingOptions&);
  void join_rows();
  std::span<const Batch> take_turns(int k, std::span<const double> impulses);
  void sort_by_key();
  void shuffle();
  void fill_keys(std::span<const double> impulses);
  void fill_row_keys(std::span<const double> impulses);

  const ContactProblem& problem_;
  Memory& memory_;
  Kind kind_;
  FrictionModel model_;
  int refresh_;
  bool reverse_, takes_turns_ = false, sorts_rows_ = false, visits_rows_ = false, first_ = true;
  std::uint64_t random_;
  std::span<const Batch> current_;
};

}   // namespace stickslip
