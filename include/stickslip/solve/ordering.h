// In which order a Gauss–Seidel sweep visits the blocks of a problem.
//
// A sweep visits a list of runs (`Batch`); an ordering is such a list. With a Gauss–Seidel solver it takes two lines:
//
//     Ordering order(options.order, problem, model(), workspace);
//     … gauss_seidel_sweep(problem, order.next(k, impulses), impulses, workspace.velocity, momentum, rule);
//
// The fixed point of a sweep does not depend on the order, the number of sweeps does [reordering; course §3.2.3; thesis B §5].
#pragma once

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
///   greedy-staggered   normal or friction rows, whichever set has the larger error now [thesis B §5, GSP]; costs an evaluation
///                      of the residual per sweep
///
/// Acceleration between sweeps needs an order that stays: shuffling every sweep destroys it.
struct OrderingOptions {
  std::string ordering = "given";
  int seed = 1;
  int ordering_refresh = 10;
  bool reverse_order = false;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("ordering", ordering,
      "given, random, random-sweep, coordinate, coordinate-x, coordinate-y, layers, propagation, effective-mass, "
      "complementarity, grouped, extreme-staggered or greedy-staggered");
    v("seed", seed, "whole number: of the shuffles of random and random-sweep");
    v("ordering_refresh", ordering_refresh, "≥ 1: sweeps between two sorts by complementarity");
    v("reverse_order", reverse_order, "visit the blocks in the opposite order");
  }

  /// What the sweep of a solver can do with an order.
  enum class Use {
    any,            ///< the rule honours `BlockView::rows`
    whole_blocks,   ///< it always changes all rows of a contact
    fixed,          ///< and it needs every block once, in the same order every sweep (accelerated sweeps)
  };
  void check(Use = Use::any) const;   ///< @throws Error for an unknown ordering, one of no use here, or a number out of range
};

/// The names that `OrderingOptions::ordering` takes.
const std::vector<std::string>& ordering_names();

/// The order of one solve. Its memory lies in the workspace: one at a time per workspace. Sweeps allocate nothing.
class Ordering {
 public:
  /// @param model by which errors are measured: the one the solver solves
  Ordering(const OrderingOptions&, const ContactProblem&, FrictionModel, Workspace&);

  /// The runs of sweep k = 1, 2, …, called with every k in turn; valid until the next call. `impulses` are the current ones.
  std::span<const Batch> next(int k, std::span<const double> impulses);

  /// The runs of the last `next`, block by block from the last to the first; valid until the next call.
  std::span<const Batch> backward();

  /// Sweeps until every row was visited: 1, or 2 where normal and friction rows take turns.
  int sweeps_per_pass() const { return takes_turns_ ? 2 : 1; }

 private:
  struct Memory;
  enum class Kind : std::uint8_t;
  static Kind kind_of(std::string_view name);

  void sort_by_key();
  void shuffle();
  void fill_keys(std::span<const double> impulses);

  const ContactProblem& problem_;
  Memory& memory_;
  Kind kind_;
  FrictionModel model_;
  int refresh_;
  bool reverse_, takes_turns_ = false;
  std::uint64_t random_;
  std::span<const Batch> current_;
};

}   // namespace stickslip
