#include "solve/registry_entry.h"
#include "stickslip/solve/exact/nsgs.h"

namespace stickslip {

void add_exact_solvers(SolverTable& t) {
  add_solver<NonsmoothGaussSeidel>(
      t, {"exact", "positive diagonal; any friction law, joints", "Acary, Brémond, Huber 2018; course §3.4",
          "Plain reference: each contact solved exactly in turn. Good to 1e-4, slow beyond on stacks."});
  add_solver<AcceleratedNonsmoothGaussSeidel>(
      t, {"exact", "positive diagonal; any friction law, joints", "Nesterov's method on nsgs",
          "Large rigid scenes: the same cost per sweep as nsgs, far fewer sweeps."});
}

}   // namespace stickslip
