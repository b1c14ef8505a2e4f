#include "solve/registry_entry.h"
#include "stickslip/solve/cone/accelerated_gradient.h"
#include "stickslip/solve/cone/admm.h"
#include "stickslip/solve/cone/projected_gradient.h"

namespace stickslip {

void add_cone_solvers(SolverTable& t) {
  t.push_back(
      solver_entry<ProjectedGradient>({"pg",
                                       "exact (shift=none: convex)",
                                       "cone",
                                       "products with W only; any friction law, joints",
                                       "course §1.8",
                                       "The plain gradient method to compare with: products with W only, slow on stacks.",
                                       {}}));
  t.push_back(solver_entry<AcceleratedGradient>({"apgd",
                                                 "exact (shift=none: convex)",
                                                 "cone",
                                                 "products with W only; any friction law, joints",
                                                 "course §1.8",
                                                 "Large problems at loose tolerance, and the convex relaxation.",
                                                 {}}));
  t.push_back(solver_entry<Admm>({"admm",
                                  "exact (shift=none: convex)",
                                  "cone",
                                  "any W, symmetric or not; any friction law, joints; a sparse factorisation",
                                  "course §1.8",
                                  "Few iterations on hyperstatic stacks and walls; each costs a sparse solve.",
                                  {}}));
}

}  // namespace stickslip
