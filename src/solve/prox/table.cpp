#include "solve/registry_entry.h"
#include "stickslip/solve/prox/prox_gauss_seidel.h"
#include "stickslip/solve/prox/prox_jacobi.h"

namespace stickslip {

void add_proximal_solvers(SolverTable& t) {
  add_solver<ProxGaussSeidel>(t,
                              {"proximal", "positive diagonal; any friction law, joints", "prox §4, Alg. 2; course §3.4",
                               "Exact cone for any friction law, robust on redundant contacts, linear convergence."},
                              {{"friction", "box"}});
  add_solver<ProxJacobi>(t, {"proximal", "positive diagonal; any friction law, joints", "prox §4, Alg. 1",
                             "All contacts at once, in any order: to compare with prox-gs, which needs far fewer iterations."});
}

}   // namespace stickslip
