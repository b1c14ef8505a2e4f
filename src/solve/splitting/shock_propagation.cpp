#include "stickslip/solve/splitting/shock_propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "problem/kernels.h"
#include "solve/contact_graph.h"
#include "solve/run_list.h"
#include "solve/sweeps.h"
#include "stickslip/math/error.h"

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
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) { return layer[a] != layer[b] ? layer[a] < layer[b] : a < b; });
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
    if (block.arity != 2) return -1;
    const std::uint32_t a = graph_.distance()[block.segment[0]], b = graph_.distance()[block.segment[1]];
    return a == b ? -1 : a < b ? 0 : 1;
  }

  /// The problem in which every block acts on its upper body only.
  void carry_by_the_upper_body(const ContactProblem& p) {
    carried_.segments = p.segments;
    carried_.blocks = p.blocks;
    carried_.laws = p.laws;
    carried_.b = p.b;
    carried_.sigma = p.sigma;
    carried_.lower = p.lower;
    carried_.upper = p.upper;
    carried_.h = p.h;
    carried_.jacobian_values.clear();
    for (Block& block : carried_.blocks) {
      const double* const from = p.jacobian_values.data() + block.jacobian;
      const int size = 6 * block.dim, lower = lower_side(block);
      block.jacobian = static_cast<std::uint32_t>(carried_.jacobian_values.size());
      for (int s = 0; s < block.arity; ++s)
        if (s != lower) carried_.jacobian_values.insert(carried_.jacobian_values.end(), from + size * s, from + size * (s + 1));
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

  void sweep_layer(const ContactProblem& p, int layer, std::span<double> impulses, std::vector<double>& velocity, Acceleration& plain,
                   int sweeps) {
    const auto runs = std::span<const Batch>(runs_).subspan(first_run_[layer], first_run_[layer + 1] - first_run_[layer]);
    const ContactProblem& swept = p.is_factored() ? carried_ : p;
    if (p.is_factored())
      for (const std::uint32_t i : blocks(layer)) {
        const Block& block = p.blocks[i];
        const int lower = lower_side(block);
        if (lower < 0) continue;
        // The motion of the body below is given, as if it were driven.
        for (int k = 0; k < block.dim; ++k) {
          double v = p.b[block.row + k];
          for (int c = 0; c < kernels::kSegmentSize; ++c) v += scaled(p, block, lower, k, c) * velocity[6 * block.segment[lower] + c];
          carried_.b[block.row + k] = v;
        }
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
      for (int k = 0; k < block.dim; ++k) {
        const double change = impulses[block.row + k] - applied_[block.row + k];
        for (int c = 0; c < kernels::kSegmentSize; ++c) velocity[6 * block.segment[lower] + c] += scaled(p, block, lower, k, c) * change;
        applied_[block.row + k] = impulses[block.row + k];
      }
    }
  }

  static double scaled(const ContactProblem& p, const Block& block, int side, int row, int column) {
    return p.scaled_jacobian[block.jacobian + 12 * row + kernels::row_position(2, side, column)];
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

}  // namespace

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
      const double change = boxed_sweep(problem, order.next(sweep++, impulses), impulses, workspace.velocity, plain.next());
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

}  // namespace stickslip
