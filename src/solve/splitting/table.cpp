#include "solve/registry_entry.h"
#include "stickslip/solve/splitting/projected_sor.h"

namespace stickslip {

void add_splitting_solvers(SolverTable& t) {
  t.push_back(solver_entry<ProjectedSor>({"pgs", "boxed", "splitting", "positive diagonal; any friction law, joints", "course §3.2.1, §1.7",
                                          "The games classic: cheap sweeps, friction up to √2 too strong along the diagonal.", {}}));
}

}  // namespace stickslip
