#include "solve/registry_entry.h"

namespace stickslip {

void add_pivoting_solvers(SolverTable& t) {
  (void)t;
}

}  // namespace stickslip
