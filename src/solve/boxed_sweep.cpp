#include "solve/boxed_sweep.h"
#include "solve/row_sweep.h"
#include "solve/rules.h"

namespace stickslip {

double boxed_sweep(const ContactProblem& problem, std::span<double> impulses, std::span<double> velocity, Momentum& momentum) {
  return boxed_sweep(problem, problem.batches, impulses, velocity, momentum);
}

double boxed_sweep(const ContactProblem& problem, std::span<const Batch> batches, std::span<double> impulses,
                   std::span<double> velocity, Momentum& momentum, double relaxation) {
  return gauss_seidel_sweep(problem, batches, impulses, velocity, momentum, BoxedRule{problem, relaxation});
}

double boxed_sweep(const ContactProblem& problem, Ordering& order, int k, std::span<double> impulses,
                   std::span<double> velocity, Momentum& momentum, double relaxation) {
  if (order.by_rows()) return boxed_row_sweep(problem, order.next_rows(k, impulses), impulses, velocity, momentum, relaxation);
  return boxed_sweep(problem, order.next(k, impulses), impulses, velocity, momentum, relaxation);
}

double boxed_sweep_back(const ContactProblem& problem, Ordering& order, std::span<double> impulses, std::span<double> velocity,
                        Momentum& momentum, double relaxation) {
  if (order.by_rows()) return boxed_row_sweep(problem, order.backward_rows(), impulses, velocity, momentum, relaxation);
  return boxed_sweep(problem, order.backward(), impulses, velocity, momentum, relaxation);
}

}   // namespace stickslip
