#include "solve/registry_entry.h"
#include "stickslip/solve/prox/prox_gauss_seidel.h"
#include "stickslip/solve/prox/prox_jacobi.h"

namespace stickslip {

void add_proximal_solvers(SolverTable& t) {
  t.push_back(
      solver_entry<ProxGaussSeidel>({"prox-gs",
                                     "exact",
                                     "proximal",
                                     "positive diagonal; any friction law, joints",
                                     "prox §4, Alg. 2; course §3.4",
                                     "Exact cone for any friction law, robust on redundant contacts, linear convergence.",
                                     {}}));
  t.push_back(solver_entry<ProxJacobi>(
      {"prox-jacobi",
       "exact",
       "proximal",
       "positive diagonal; any friction law, joints",
       "prox §4, Alg. 1",
       "All contacts at once, in any order: to compare with prox-gs, which needs far fewer iterations.",
       {}}));
}

}  // namespace stickslip
