#include "stickslip/solve/accelerated/nncg.h"

#include "solve/model_option.h"
#include "solve/prox/prox_sweeps.h"
#include "solve/row_sweep.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

struct NncgScratch {
  std::vector<double> weight;                   ///< W_ii [1/kg]
  std::vector<double> direction, direction_w;   ///< p and Gᵀp
};

/// p ← βp + (now − before), now ← now + βp with the p before.
void step_along(std::span<double> now, std::span<const double> before, std::span<double> direction, double beta) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double carried = beta * direction[i];
    direction[i] = carried + (now[i] - before[i]);
    now[i] += carried;
  }
}

}   // namespace

Nncg::Nncg(Options options) : options_(std::move(options)), exact_(is_exact_model(options_.model)) {
  choose(options_.start, {"zero", "gradient"}, "start");
  choose(options_.norm, {"energy", "plain"}, "norm");
  options_.order.check(order_use());
}

OrderingOptions::Use Nncg::order_use() const { return exact_ ? OrderingOptions::Use::fixed : OrderingOptions::Use::fixed_rows; }

void Nncg::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                   SolveMonitor& monitor) const {
  auto& [weight, direction, direction_w] = workspace.scratch<NncgScratch>();
  weight.assign(problem.rows(), 1.0);
  if (options_.norm == "energy")
    for (const Block& block : problem.blocks)
      for (int k = 0; k < block.dim; ++k) weight[block.row + k] = std::abs(problem.diagonal(block)(k, k));
  direction.assign(problem.rows(), 0.0);
  direction_w.assign(workspace.velocity.size(), 0.0);

  Ordering order(options_.order, problem, model(), workspace, order_use());
  note_joined_rows(order, monitor);
  Acceleration plain(problem, impulses, workspace, false);   // remembers λ and w of before each sweep
  double previous = 0;
  for (int k = 1;; ++k) {
    const double change =
        exact_ ? local_prox_sweep(problem, order.next(k, impulses), impulses, workspace.velocity, plain.next(), 1)
               : boxed_sweep(problem, order, k, impulses, workspace.velocity, plain.next());
    if (monitor.done(k, impulses, change)) return;
    double size = 0;
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      const double moved = impulses[i] - workspace.previous_impulses[i];
      size += weight[i] * moved * moved;
    }
    const double beta = size / previous;
    if (k == 1 && options_.start == "gradient") {   // p₀ = −g₀ = S(λ₀) − λ₀
      step_along(impulses, workspace.previous_impulses, direction, 0);
      step_along(workspace.velocity, workspace.previous_velocity, direction_w, 0);
    } else if (beta <= 1) {
      step_along(impulses, workspace.previous_impulses, direction, beta);
      step_along(workspace.velocity, workspace.previous_velocity, direction_w, beta);
    } else {   // also at the start, where it is infinite
      std::fill(direction.begin(), direction.end(), 0.0);
      std::fill(direction_w.begin(), direction_w.end(), 0.0);
    }
    previous = size;
  }
}

}   // namespace stickslip
