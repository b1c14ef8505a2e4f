// Problems that the repository carries (scripts/make-problems.mjs): steps of scenes with solutions to 1e-11 m/s.
#include <gtest/gtest.h>

#include <filesystem>

#include "places.h"
#include "stickslip/problem/files.h"
#include "stickslip/solve/registry.h"

namespace stickslip {
namespace {

class Carried : public ::testing::TestWithParam<const char*> {
 protected:
  ProblemFile file_ =
      load_problem(std::filesystem::path(places::kSourceDir) / "tests/solve/data" / (std::string(GetParam()) + ".hdf5"));
};
INSTANTIATE_TEST_SUITE_P(Problems, Carried,
                         ::testing::Values("wall", "stack", "mass-ratio", "card-house", "falling-boxes", "spheres", "dominoes",
                                           "pinch-grasp"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Carried, holds_a_solution) {
  ResidualWorkspace work;
  ASSERT_EQ(file_.solution.size(), file_.problem.rows());
  EXPECT_LE(residual(file_.problem, file_.solution, work).total(), 1e-11);
}

TEST_P(Carried, is_solved_to_1e_8_by_auto_from_zero) {
  const ContactProblem& p = file_.problem;
  std::vector<double> impulses(p.rows(), 0.0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = control.natural_map_tolerance = 1e-8;
  control.max_iterations = 20000;
  const SolveReport report = make_solver("auto")->solve(p, impulses, workspace, control);
  EXPECT_EQ(report.status, SolveStatus::converged) << report.notes;
  ResidualWorkspace work;
  EXPECT_LE(residual(p, impulses, work).total(), 1e-8) << "recomputed";
  EXPECT_LE(natural_map_error(p, impulses, work), 1e-8) << "recomputed";
}

}   // namespace
}   // namespace stickslip
