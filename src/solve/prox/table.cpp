#include "solve/registry_entry.h"
#include "stickslip/solve/prox/prox_gauss_seidel.h"
#include "stickslip/solve/prox/prox_jacobi.h"
#include "stickslip/solve/prox/prox_paper.h"

namespace stickslip {

void add_proximal_solvers(SolverTable& t) {
  add_solver<ProxGaussSeidel>(t,
                              {"proximal", "positive diagonal; any friction law, joints", "prox §4, Alg. 2; course §3.4",
                               "Exact cone for any friction law, robust on redundant contacts, linear convergence."},
                              {{"friction", "box"}});
  add_solver<ProxJacobi>(t, {"proximal", "positive diagonal; any friction law, joints", "prox §4, Alg. 1",
                             "All contacts at once, in any order: to compare with prox-gs, which needs far fewer iterations."});
  add_solver<ProxGaussSeidelPaper>(t,
                                   {"proximal", "positive diagonal; any friction law of points, joints", "prox §4, Alg. 2",
                                    "Algorithm 2 line by line, to compare with the paper; prox-gs is the one to use."},
                                   {{"friction", "box"}});
  add_solver<ProxJacobiPaper>(t,
                              {"proximal", "positive diagonal; any friction law of points, joints", "prox §4, Alg. 1",
                               "Algorithm 1 line by line, to compare with the paper."},
                              {{"friction", "box"}});
}

}   // namespace stickslip
