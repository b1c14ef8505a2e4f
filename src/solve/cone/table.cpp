#include "solve/registry_entry.h"
#include "stickslip/solve/cone/accelerated_gradient.h"
#include "stickslip/solve/cone/admm.h"
#include "stickslip/solve/cone/projected_gradient.h"

namespace stickslip {

void add_cone_solvers(SolverTable& t) {
  add_solver<ProjectedGradient>(t,
                                {"cone", "products with W only; any friction law, joints", "course §1.8",
                                 "The plain gradient method to compare with: products with W only, slow on stacks."},
                                {{"shift", "none"}});
  add_solver<AcceleratedGradient>(t,
                                  {"cone", "products with W only; any friction law, joints", "course §1.8",
                                   "Large problems at loose tolerance, and the convex relaxation."},
                                  {{"shift", "none"}});
  add_solver<Admm>(t,
                   {"cone", "any W, symmetric or not; any friction law, joints; a sparse factorisation", "course §1.8",
                    "Few iterations on hyperstatic stacks and walls; each costs a sparse solve."},
                   {{"shift", "none"}});
}

}   // namespace stickslip
