#include "solve/registry_entry.h"
#include "stickslip/solve/newton/alart_curnier.h"
#include "stickslip/solve/newton/boxed_newton.h"
#include "stickslip/solve/newton/coulomb_newton.h"
#include "stickslip/solve/newton/newton_paper.h"

namespace stickslip {

void add_newton_solvers(SolverTable& t) {
  add_solver<AlartCurnier>(
      t, {"newton", "nothing special: any friction law, joints, any W", "Alart & Curnier 1991; course §3.3.5; thesis §5",
          "Exact cone to 1e-8 and beyond in tens of sparse factorisations, redundant contacts included."});
  add_solver<CoulombNewton>(
      t, {"newton", "friction sets that are ellipsoids or products of them; joints, any W", "course §3.3.3, §3.3.4",
          "The exact cone with a slack per contact; for study, alart-curnier is smaller and surer."});
  add_solver<MinMapNewton>(t, {"newton", "nothing special: any friction law, joints, any W", "course §3.3.1; thesis A",
                               "Boxed model to high accuracy in few factorisations; large mass ratios."});
  add_solver<FischerNewton>(t, {"newton", "nothing special: any friction law, joints, any W", "course §3.3.2; thesis A",
                                "As min-map with a smoother function; which takes fewer steps depends on the problem."});
  add_solver<NewtonPaper>(t, {"newton", "nothing special: any friction law, joints, any W", "thesis A §3, §4.3, Alg. 2",
                              "Fischer–Newton as the thesis states it, to compare with it; fischer is the one to use."});
}

}   // namespace stickslip
