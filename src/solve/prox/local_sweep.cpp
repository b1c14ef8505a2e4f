#include "solve/prox/prox_sweeps.h"
#include "solve/rules.h"

namespace stickslip {

double local_prox_sweep(const ContactProblem& problem, std::span<const Batch> batches, std::span<double> impulses,
                        std::span<double> velocity, Momentum& momentum, double relaxation) {
  return gauss_seidel_sweep(problem, batches, impulses, velocity, momentum, ProxRule{problem, relaxation});
}

}   // namespace stickslip
