#include "stickslip/solve/splitting/projected_sor.h"

#include <fmt/format.h>

#include "solve/boxed_sweep.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

ProjectedSor::ProjectedSor(Options options) : options_(std::move(options)) {
  if (!(options_.relaxation > 0 && options_.relaxation < 2))
    throw Error(fmt::format("{} is not a relaxation factor. It must be between 0 and 2.", options_.relaxation))
        .at("relaxation");
  options_.order.check();
}

void ProjectedSor::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                           SolveMonitor& monitor) const {
  Acceleration plain(problem, impulses, workspace, false);
  Ordering order(options_.order, problem, model(), workspace);
  double previous = 0;
  for (int k = 1;; ++k) {
    const double change = boxed_sweep(problem, order, k, impulses, workspace.velocity, plain.next(), options_.relaxation);
    // Where normal and friction rows take turns, a sweep that does not move says nothing of the other rows.
    if (monitor.done(k, impulses, order.sweeps_per_pass() > 1 ? std::max(change, previous) : change)) return;
    previous = change;
  }
}

void SymmetricGaussSeidel::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                   SolveMonitor& monitor) const {
  Acceleration plain(problem, impulses, workspace, false);
  Ordering order(options_.order, problem, model(), workspace);
  for (int k = 1;; ++k) {
    const double forward = boxed_sweep(problem, order, k, impulses, workspace.velocity, plain.next(), options_.relaxation);
    const double back = boxed_sweep_back(problem, order, impulses, workspace.velocity, plain.next(), options_.relaxation);
    monitor.charge(2);
    if (monitor.done(k, impulses, std::max(forward, back))) return;
  }
}

}   // namespace stickslip
