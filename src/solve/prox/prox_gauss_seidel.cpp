#include "stickslip/solve/prox/prox_gauss_seidel.h"

#include <algorithm>

#include "math/infinity.h"
#include "solve/prox/prox_sweeps.h"
#include "solve/prox/r_factors.h"
#include "solve/row_sweep.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr int kCyclePatience = 200;   // sweeps without a smallest one that count as a cycle, and half of all so far

using Sweep = double (*)(const ContactProblem&, std::span<const Batch>, std::span<double> impulses, std::span<double> velocity,
                         Momentum&, double);

struct ProxRowScratch {
  std::vector<bool> seen;
};

Sweep sweep_of(RFactor strategy) {
  switch (strategy) {
    case RFactor::global:
      return global_prox_sweep;
    case RFactor::blocked:
      return blocked_prox_sweep;
    case RFactor::local:
      break;
  }
  return local_prox_sweep;
}

}   // namespace

ProxGaussSeidel::ProxGaussSeidel(Options options) : options_(std::move(options)), boxed_(wants_box(options_.friction)) {
  check_r_factors(options_.relaxation, options_.shrink, options_.growth);
  if (r_factor_of(options_.r_factor) != RFactor::local && boxed_)
    throw Error("The box is treated row by row: r_factor must be local with friction=box.").at("r_factor");
  options_.order.check(order_use());
}

OrderingOptions::Use ProxGaussSeidel::order_use() const {
  if (!options_.accelerate) return OrderingOptions::Use::any;
  return boxed_ ? OrderingOptions::Use::fixed_rows : OrderingOptions::Use::fixed;
}

std::string_view ProxGaussSeidel::cannot_solve(const ContactProblem& problem) const {
  const bool by_rows =
      (options_.order.order_rows || options_.order.ordering == "permutation") && !options_.accelerate && !boxed_;
  const auto is_patch = [](const FrictionSet& law) { return std::holds_alternative<PatchFriction>(law); };
  if (by_rows && r_factor_of(options_.r_factor) != RFactor::local)
    return "Rows are visited one by one with local r-factors only. Set r_factor to local, or leave the order to blocks.";
  if (by_rows && std::any_of(problem.laws.begin(), problem.laws.end(), is_patch))
    return "Patches cannot be visited row by row. Leave the order to blocks.";
  return options_.order.cannot_order(problem);
}

void ProxGaussSeidel::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                              SolveMonitor& monitor) const {
  const RFactor strategy = r_factor_of(options_.r_factor);
  const Sweep sweep = sweep_of(strategy);
  double relaxation = options_.relaxation * (strategy == RFactor::global ? smallest_r_factor(problem) : 1);
  Acceleration acceleration(problem, impulses, workspace, options_.accelerate);
  Ordering order(options_.order, problem, model(), workspace, order_use());
  note_joined_rows(order, monitor);
  std::vector<bool>& seen = workspace.scratch<ProxRowScratch>().seen;
  double best_change = kInfinity, previous = 0;
  int since_best = 0;
  bool plain = !options_.accelerate;   // without momentum for now
  for (int k = 1;; ++k) {
    Momentum& momentum = acceleration.next();
    double moved = 0;
    if (boxed_) moved = boxed_sweep(problem, order, k, impulses, workspace.velocity, momentum, relaxation);
    else if (order.by_rows())
      moved = prox_row_sweep(problem, order.next_rows(k, impulses), impulses, workspace.velocity, momentum, relaxation, seen);
    else moved = sweep(problem, order.next(k, impulses), impulses, workspace.velocity, momentum, relaxation);
    // Where normal and friction rows take turns, a sweep alone says nothing of the other rows.
    const double change = order.sweeps_per_pass() > 1 ? std::max(moved, previous) : moved;
    previous = moved;
    const bool diverges = !(change <= options_.growth * best_change);
    if (diverges) {
      // Momentum is to blame first; only a plain sweep that moves too far calls for smaller r-factors.
      // A sweep that moved little by chance must not hold all later ones to its measure, hence the larger best.
      if (!acceleration.has_momentum()) {
        relaxation *= options_.shrink;
        best_change *= 2;
      }
      acceleration.undo();
    } else {
      since_best = change < best_change ? 0 : since_best + 1;
      best_change = std::min(best_change, change);
      if (plain) momentum.along = -1;
      acceleration.restart_if_opposed();
    }
    // A cycle: without momentum for as long again; if it was a plain one, with smaller r-factors.
    if (since_best > kCyclePatience + k / 2) {
      if (plain && std::isfinite(options_.growth)) relaxation *= options_.shrink;
      plain = !plain || !options_.accelerate;
      since_best = 0;
    }
    if (diverges ? monitor.undone(k, impulses) : monitor.done(k, impulses, change)) return;
  }
}

}   // namespace stickslip
