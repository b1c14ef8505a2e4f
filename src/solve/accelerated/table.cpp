#include "solve/registry_entry.h"
#include "stickslip/solve/accelerated/nncg.h"
#include "stickslip/solve/accelerated/pgs_subspace.h"
#include "stickslip/solve/accelerated/pgs_subspace_paper.h"

namespace stickslip {

void add_accelerated_solvers(SolverTable& t) {
  add_solver<Nncg>(t,
                   {"accelerated", "positive diagonal; any friction law, joints", "course §3.2.7, Alg. 10",
                    "Conjugate gradients over sweeps: for one sweep and a little more, far fewer of them than pgs on stacks."},
                   {{"model", "exact"}});
  add_solver<PgsSubspace>(
      t, {"accelerated", "positive diagonal; any friction law, joints; factorises W", "course §3.2.6, Alg. 9; thesis C",
          "Sweeps guess the active set, a direct solve finishes: mass ratios and joints, small problems."});
  add_solver<PgsSubspacePaper>(
      t, {"accelerated", "positive diagonal; any friction law, joints; builds W", "thesis C §4.3; course §3.2.6, Alg. 9",
          "PGS-SM line by line, with conjugate gradients, to compare with the paper; pgs-sm is the one to use."});
}

}   // namespace stickslip
