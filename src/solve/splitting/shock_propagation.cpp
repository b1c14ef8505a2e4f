#include "stickslip/solve/splitting/shock_propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "problem/kernels.h"
#include "solve/boxed_sweep.h"
#include "solve/contact_graph.h"
#include "solve/run_list.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

/// The pass over the layers of one problem.
class ShockPass {
 public:
  void prepare(const ContactProblem& p) {
    graph_.build(p);
    order_.resize(p.blocks.size());
    std::iota(order_.begin(), order_.end(), 0u);
    const auto& layer = graph_.layer();
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return layer[a] != layer[b] ? layer[a] < layer[b] : a < b; });
    if (p.is_factored()) carry_by_the_upper_body(p);
    const ContactProblem& swept = p.is_factored() ? carried_ : p;
    runs_.clear();
    first_run_.assign(1, 0);
    first_block_.assign(1, 0);
    for (std::uint32_t l = 0, i = 0; l < graph_.layers(); ++l) {
      const std::uint32_t start = i;
      while (i < order_.size() && layer[order_[i]] == l) ++i;
      append_runs(swept, std::span(order_).subspan(start, i - start), RowSet::all, runs_);
      first_run_.push_back(static_cast<std::uint32_t>(runs_.size()));
      first_block_.push_back(i);
    }
  }

  /// @param settled a layer that moves less in a sweep is done [m/s]
  void run(const ContactProblem& p, std::span<double> impulses, std::vector<double>& velocity, Acceleration& plain, int sweeps,
           double settled) {
    settled_ = settled;
    const int layers = static_cast<int>(graph_.layers());
    applied_.assign(impulses.begin(), impulses.end());
    for (int l = 0; l < layers; ++l) sweep_layer(p, l, impulses, velocity, plain, sweeps);
    for (int l = layers - 1; l >= 0; --l) {
      apply_reactions(p, l, impulses, velocity);
      if (l > 0) sweep_layer(p, l - 1, impulses, velocity, plain, sweeps);
    }
  }

 private:
  /// Which side of a block is kept still while its layer is swept; −1 if none.
  int lower_side(const Block& block) const {
    if (block.arity != 2) return -1;   // one that acts on nodes is left as it is
    const std::uint32_t a = graph_.distance()[block.segment[0]], b = graph_.distance()[block.segment[1]];
    return a == b ? -1 : a < b ? 0 : 1;
  }

  /// The problem in which every block acts on its upper body only.
  void carry_by_the_upper_body(const ContactProblem& p) {
    carried_.segments = p.segments;
    carried_.stencils = p.stencils;
    carried_.blocks = p.blocks;
    carried_.copy_conditions(p);
    carried_.jacobian_values.clear();
    for (Block& block : carried_.blocks) {
      const double* from = p.jacobian_values.data() + block.jacobian;
      const int lower = lower_side(block);
      block.jacobian = static_cast<std::uint32_t>(carried_.jacobian_values.size());
      int slot = 0;
      for (const std::uint32_t s : p.segments_of(block)) {
        const int size = block.dim * p.segments[s].size;
        if (slot++ != lower) carried_.jacobian_values.insert(carried_.jacobian_values.end(), from, from + size);
        from += size;
      }
      if (lower < 0) continue;
      block.segment[0] = block.segment[1 - lower];
      block.segment[1] = 0;
      block.arity = 1;
    }
    carried_.finalize();
  }

  std::span<const std::uint32_t> blocks(int layer) const {
    return std::span(order_).subspan(first_block_[layer], first_block_[layer + 1] - first_block_[layer]);
  }

  void sweep_layer(const ContactProblem& p, int layer, std::span<double> impulses, std::vector<double>& velocity,
                   Acceleration& plain, int sweeps) {
    const auto runs = std::span<const Batch>(runs_).subspan(first_run_[layer], first_run_[layer + 1] - first_run_[layer]);
    const ContactProblem& swept = p.is_factored() ? carried_ : p;
    if (p.is_factored())
      for (const std::uint32_t i : blocks(layer)) {
        const Block& block = p.blocks[i];
        const int lower = lower_side(block);
        if (lower < 0) continue;
        // The motion of the body below is given, as if it were driven.
        each_number_below(p, block, lower, [&](std::uint32_t k, double g, std::uint32_t at) {
          if (at == p.offset(block.segment[lower])) carried_.b[block.row + k] = p.b[block.row + k];
          carried_.b[block.row + k] += g * velocity[at];
        });
      }
    for (int n = 0; n < sweeps; ++n)
      if (boxed_sweep(swept, runs, impulses, velocity, plain.next()) <= settled_) break;
  }

  void apply_reactions(const ContactProblem& p, int layer, std::span<double> impulses, std::vector<double>& velocity) {
    if (!p.is_factored()) return;
    for (const std::uint32_t i : blocks(layer)) {
      const Block& block = p.blocks[i];
      const int lower = lower_side(block);
      if (lower < 0) continue;
      each_number_below(p, block, lower, [&](std::uint32_t k, double g, std::uint32_t at) {
        velocity[at] += g * (impulses[block.row + k] - applied_[block.row + k]);
      });
      for (std::uint32_t row = block.row; row < block.row + block.dim; ++row) applied_[row] = impulses[row];
    }
  }

  /// f(row, number of G, place in the velocities) for one side of a block on two segments, row by row.
  template <class F>
  static void each_number_below(const ContactProblem& p, const Block& block, int side, F&& f) {
    const std::uint32_t width = p.row_width(block);
    kernels::each_segment(p, block, [&](std::uint32_t slot, std::uint32_t s, auto&& place) {
      if (static_cast<int>(slot) != side) return;
      for (std::uint32_t k = 0; k < block.dim; ++k)
        for (std::uint32_t c = 0; c < p.segments[s].size; ++c)
          f(k, p.scaled_jacobian[block.jacobian + width * k + place(c)], p.offset(s) + c);
    });
  }

  ContactGraph graph_;
  ContactProblem carried_;
  std::vector<std::uint32_t> order_, first_run_, first_block_;
  std::vector<Batch> runs_;
  double settled_ = 0;
  std::vector<double> applied_;   ///< impulses whose reaction the bodies below have felt [N s]
};

struct ShockScratch {
  ShockPass pass;
  std::vector<double> impulses, velocity;
};

}   // namespace

ShockPropagation::ShockPropagation(Options options) : options_(std::move(options)) {
  const auto check = [](int value, int least, const char* name) {
    if (value < least) throw Error(fmt::format("{} is not a number of sweeps. It must be at least {}.", value, least)).at(name);
  };
  check(options_.sweeps_before, 0, "sweeps_before");
  check(options_.layer_sweeps, 1, "layer_sweeps");
  check(options_.every, 0, "every");
  options_.order.check();
}

void ShockPropagation::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                               SolveMonitor& monitor) const {
  ShockScratch& scratch = workspace.scratch<ShockScratch>();
  scratch.pass.prepare(problem);
  Acceleration plain(problem, impulses, workspace, false);
  Ordering order(options_.order, problem, model(), workspace);
  const auto error = [&] { return residual(problem, impulses, workspace.residual, model()).total(); };
  long next_pass = options_.sweeps_before + 1L, interval = options_.every;
  for (int k = 1, sweep = 1;; ++k) {
    if (k != next_pass) {
      const double change = boxed_sweep(problem, order, sweep++, impulses, workspace.velocity, plain.next());
      if (monitor.done(k, impulses, change)) return;
      continue;
    }
    const double before = error();
    scratch.impulses.assign(impulses.begin(), impulses.end());
    scratch.velocity = workspace.velocity;
    scratch.pass.run(problem, impulses, workspace.velocity, plain, options_.layer_sweeps, 0.1 * monitor.control().tolerance);
    if (!(error() < before)) {
      std::copy(scratch.impulses.begin(), scratch.impulses.end(), impulses.begin());
      workspace.velocity = scratch.velocity;
      interval *= 2;
    }
    if (interval > 0) next_pass = k + 1 + interval;
    if (monitor.done(k, impulses)) return;
  }
}

}   // namespace stickslip
