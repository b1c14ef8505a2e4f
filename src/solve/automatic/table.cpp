#include "solve/registry_entry.h"
#include "stickslip/solve/automatic/automatic.h"

namespace stickslip {

void add_automatic_solvers(SolverTable& t) {
  add_solver<AutomaticSolver>(t, {"exact", "any friction law, joints", "Nesterov; Alart and Curnier; course §3.3, §3.4",
                                  "The default: island by island, joints directly, accelerated sweeps, then Newton or ADMM "
                                  "where they are cheaper; says what it did."});
}

}   // namespace stickslip
