#include "solve/boxed_sweep.h"
#include "solve/rules.h"

namespace stickslip {

double boxed_sweep(const ContactProblem& problem, std::span<double> impulses, std::span<double> velocity, Momentum& momentum) {
  return boxed_sweep(problem, problem.batches, impulses, velocity, momentum);
}

double boxed_sweep(const ContactProblem& problem, std::span<const Batch> batches, std::span<double> impulses,
                   std::span<double> velocity, Momentum& momentum, double relaxation) {
  return gauss_seidel_sweep(problem, batches, impulses, velocity, momentum, BoxedRule{problem, relaxation});
}

}   // namespace stickslip
