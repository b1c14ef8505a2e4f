#include "solve/registry_entry.h"

namespace stickslip {

void add_accelerated_solvers(SolverTable& t) {
  (void)t;
}

}  // namespace stickslip
