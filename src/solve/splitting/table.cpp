#include "solve/registry_entry.h"
#include "stickslip/solve/splitting/blocked_gauss_seidel.h"
#include "stickslip/solve/splitting/projected_jacobi.h"
#include "stickslip/solve/splitting/projected_sor.h"
#include "stickslip/solve/splitting/shock_propagation.h"
#include "stickslip/solve/splitting/six_d.h"
#include "stickslip/solve/splitting/staggered.h"

namespace stickslip {

void add_splitting_solvers(SolverTable& t) {
  add_solver<ProjectedSor>(t, {"splitting", "positive diagonal; any friction law, joints", "course §3.2.1, §1.7",
                               "The games classic: cheap sweeps, friction up to √2 too strong along the diagonal."});
  add_solver<ProjectedOverRelaxation>(t, {"splitting", "positive diagonal; any friction law, joints", "course §3.2.1, Alg. 6",
                                          "As pgs, fewer sweeps on stacks where ω suits; try 1.2 to 1.5."});
  add_solver<SymmetricGaussSeidel>(t, {"splitting", "positive diagonal; any friction law, joints", "course §3.2.1, eq. 149",
                                       "Forward and backward sweeps: less bias from the order of contacts."});
  add_solver<ProjectedJacobi>(t, {"splitting", "positive diagonal; any friction law, joints; sums the rows of W",
                                  "course §3.2.1, Table 3", "Independent of the order of contacts, and slow: a baseline."});
  add_solver<BlockedGaussSeidel>(t,
                                 {"splitting", "positive diagonal; any friction law, joints; builds W", "course §3.2.4, Alg. 8",
                                  "Body pairs solved exactly, joints as one system: for ragdolls and face contacts."},
                                 {{"sub_solver", "nsgs"}});
  add_solver<ShockPropagation>(t, {"splitting", "positive diagonal; any friction law, joints", "course §3.2.4; Erleben 2007",
                                   "Tall stacks on the ground: a pass carries their weight down at once."});
  add_solver<SixD>(t, {"splitting", "positive diagonal; patches, points of any friction law, joints", "6d §5, Alg. 1",
                       "Patches as the paper projects wrenches: exact where they stick, beside the law where they slide."});
  add_solver<Staggered>(t,
                        {"splitting", "positive diagonal; any friction law, joints", "course §3.2.5; Kaufman et al. 2008",
                         "Normal and friction programs in turn: to study the coupling, or where one of the two is easy."},
                        {{"model", "boxed"}, {"model", "polyhedral"}});
}

}   // namespace stickslip
