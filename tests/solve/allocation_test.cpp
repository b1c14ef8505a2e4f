// Iterations allocate nothing.
#include "allocation_counter.h"

#include <gtest/gtest.h>

#include "../problem/small_problems.h"
#include "stickslip/solve/registry.h"

namespace stickslip {
namespace {

/// Calls of operator new between the second iteration and the last, or an earlier one.
long allocations_in_iterations(const std::string& solver, const ContactProblem& p, int last = 30) {
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = 0;   // out of reach
  control.max_iterations = 30;
  long at_second = -1, at_last = -1;
  control.observer = [&](int iteration, std::span<const double>, const Residual&) {
    if (iteration == 2) at_second = testing::allocations;
    if (iteration <= last) at_last = testing::allocations;
  };
  make_solver(solver)->solve(p, impulses, workspace, control);
  EXPECT_GE(at_second, 0) << solver << " took fewer than two iterations";
  return at_last - at_second;
}

TEST(Iterations, of_solvers_without_factorisations_allocate_nothing) {
  for (const char* solver : {"nsgs", "accelerated-nsgs", "prox-gs", "prox-jacobi", "pgs", "psor", "sgs", "jacobi", "nncg", "pg",
                             "apgd", "prox-gs-paper", "prox-jacobi-paper", "pgs-sm-paper"})
    for (const ContactProblem& p : {testing::two_box_stack(1, 1e4, 0.2), testing::joint_motors_and_contact()})
      EXPECT_EQ(allocations_in_iterations(solver, p), 0) << solver;
}

TEST(Iterations, of_auto_on_a_condensed_problem_allocate_nothing_while_it_sweeps) {
  EXPECT_EQ(allocations_in_iterations("auto", testing::joint_motors_and_contact(), 15), 0);
}

TEST(Iterations, of_admm_allocate_nothing_between_factorisations) {
#ifndef STICKSLIP_HAS_SUITESPARSE
  GTEST_SKIP() << "Eigen's own factorisations allocate when they solve";
#endif
  EXPECT_EQ(allocations_in_iterations("admm", testing::two_box_stack(1, 1e4, 0.2)), 0);
}

}   // namespace
}   // namespace stickslip
