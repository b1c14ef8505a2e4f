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

/// 19 contacts of a falling heap of boxes at which sweeps stand still, as `auto` takes them out of a step with their impulses.
/// They are 1e-5 m/s off, and the forces that are not lie as far away as the weight of a box, along a self-stress that slides.
TEST(HeapRegion, is_left_along_its_self_stresses_in_few_newton_steps) {
  const ProblemFile file = load_problem(std::filesystem::path(places::kSourceDir) / "tests/solve/data/heap-region.hdf5");
  std::vector<double> impulses = file.guess;
  Workspace workspace;
  SolveControl control;
  control.tolerance = 98e-9;
  const SolveReport report = make_solver("alart-curnier")->solve(file.problem, impulses, workspace, control);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_GT(report.initial_residual.total(), 1e-5);
  EXPECT_LE(report.iterations, 30);
  double farthest = 0;   // [m/s]
  for (const Block& b : file.problem.blocks)
    farthest = std::max(farthest, file.problem.diagonal(b)(0, 0) * std::abs(impulses[b.row] - file.guess[b.row]));
  EXPECT_GT(farthest, 0.01);
}

}   // namespace
}   // namespace stickslip
