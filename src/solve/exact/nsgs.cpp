#include "stickslip/solve/exact/nsgs.h"

#include <fmt/format.h>

#include "solve/exact/exact_sweep.h"
#include "solve/row_sweep.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

void check(const NonsmoothGaussSeidelOptions& options, OrderingOptions::Use use) {
  options.order.check(use);
  if (!(std::isfinite(options.proximal) && options.proximal >= 0))
    throw Error(fmt::format("{} is not a proximal weight. It must be finite and at least 0.", options.proximal)).at("proximal");
}

void sweep_until_done(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor,
                      const NonsmoothGaussSeidelOptions& options, bool accelerate) {
  ExactBlocks& blocks = workspace.scratch<ExactBlocks>();
  blocks.prepare(problem, options.proximal);
  Acceleration acceleration(problem, impulses, workspace, accelerate);
  Ordering order(options.order, problem, FrictionModel::exact, workspace, OrderingOptions::Use::whole_blocks);
  note_joined_rows(order, monitor);
  for (int k = 1;; ++k) {
    const std::span<const Batch> batches = order.next(k, impulses);
    const double change = exact_sweep(problem, blocks, batches, impulses, workspace.velocity, acceleration.next());
    acceleration.restart_if_opposed();
    if (!monitor.done(k, impulses, change)) continue;
    if (blocks.unsolved > 0)
      monitor.note([&] {
        return fmt::format(
            "{} visits did not solve their contact to rounding: it has no solution or its set is not accurate "
            "enough.",
            blocks.unsolved);
      });
    return;
  }
}

}   // namespace

NonsmoothGaussSeidel::NonsmoothGaussSeidel(Options options) : options_(std::move(options)) {
  check(options_, OrderingOptions::Use::whole_blocks);
}

void NonsmoothGaussSeidel::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                   SolveMonitor& monitor) const {
  sweep_until_done(problem, impulses, workspace, monitor, options_, false);
}

AcceleratedNonsmoothGaussSeidel::AcceleratedNonsmoothGaussSeidel(Options options) : options_(std::move(options)) {
  check(options_, OrderingOptions::Use::fixed);
}

void AcceleratedNonsmoothGaussSeidel::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                              SolveMonitor& monitor) const {
  sweep_until_done(problem, impulses, workspace, monitor, options_, true);
}

}   // namespace stickslip
