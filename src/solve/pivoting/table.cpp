#include "solve/registry_entry.h"
#include "stickslip/solve/pivoting/dantzig.h"
#include "stickslip/solve/pivoting/lemke.h"
#include "stickslip/solve/pivoting/principal_pivoting.h"

namespace stickslip {

void add_pivoting_solvers(SolverTable& t) {
  add_solver<Lemke>(t, {"pivoting", "up to 2000 unknowns (333 contacts); friction in the tangents alone, joints, LCP files",
                        "course §3.1.1, §1.6",
                        "Exact answer of the linear model, also of LCPs that are no contact problems; small problems."});
  add_solver<Dantzig>(
      t, {"pivoting", "symmetric W, up to 3000 rows (1000 contacts); any friction law, joints", "course §3.1.1, Alg. 3",
          "Rows one by one with Baraff's invariants: exact and robust on redundant contacts; small problems."});
  add_solver<Murty>(t, {"pivoting", "W a P-matrix or positive semidefinite; any friction law, joints", "course §3.1.2",
                        "Sure but slow, one row per iteration: what bpp falls back on, and a teaching tool."});
  add_solver<BlockPrincipalPivoting>(
      t, {"pivoting", "W a P-matrix or positive semidefinite; any friction law, joints", "course §3.1.3, Alg. 4",
          "Accurate boxed model at large mass ratios, few sparse factorisations."});
}

}   // namespace stickslip
