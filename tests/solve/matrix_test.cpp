// Solvers × problems. A pair that does not reach the shared residual must stand in the list below with the reason: a change
// in either direction fails.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "../problem/small_problems.h"
#include "../published_methods.h"
#include "stickslip/solve/registry.h"

namespace stickslip {
namespace {

enum class Why {
  solved,
  model_differs,    ///< its own model is solved to 1e-8, and is not Coulomb's law
  slow,             ///< first order: 20,000 iterations are not enough for mass ratios of 1e4
  no_agreement,     ///< its normal and friction programs do not come to agree
  up_to_rounding,   ///< its own model is solved; of its many solutions rounding picks one, which is Coulomb's or not
};

struct Exceptions {
  const char* solver;
  Why why;
  std::vector<std::string> problems;
};

const std::vector<Exceptions>& exceptions() {
  static const std::vector<Exceptions> list = {
      {"nsgs", Why::slow, {"mass ratio 1e4"}},
      {"accelerated-nsgs", Why::slow, {"mass ratio 1e4"}},
      {"prox-jacobi", Why::slow, {"mass ratio 1e4"}},
      {"pgs", Why::model_differs, {"sliding", "wedge", "redundant stack", "sliding stack", "table", "joint and motors"}},
      {"pgs", Why::slow, {"mass ratio 1e4"}},
      {"psor", Why::model_differs, {"sliding", "wedge", "redundant stack", "sliding stack", "table", "joint and motors"}},
      {"psor", Why::slow, {"mass ratio 1e4"}},
      {"sgs", Why::model_differs, {"sliding", "wedge", "redundant stack", "sliding stack", "table", "joint and motors"}},
      {"sgs", Why::slow, {"mass ratio 1e4"}},
      {"jacobi", Why::model_differs, {"sliding", "wedge", "table", "joint and motors"}},
      {"jacobi", Why::slow, {"mass ratio 1e4"}},
      {"bgs", Why::model_differs, {"sliding", "wedge", "table", "joint and motors"}},
      {"bgs", Why::slow, {"mass ratio 1e4"}},
      {"bgs", Why::up_to_rounding, {"redundant stack", "sliding stack"}},
      {"shock", Why::model_differs, {"sliding", "wedge", "redundant stack", "sliding stack", "table", "joint and motors"}},
      {"shock", Why::slow, {"mass ratio 1e4"}},
      {"six-d", Why::slow, {"mass ratio 1e4"}},
      {"staggered", Why::no_agreement, {"mass ratio 1e4"}},
      {"nncg", Why::model_differs, {"sliding", "wedge", "redundant stack", "sliding stack", "table", "joint and motors"}},
      {"nncg", Why::slow, {"mass ratio 1e4"}},
      {"pgs-sm", Why::model_differs, {"sliding", "wedge", "redundant stack", "sliding stack", "table", "joint and motors"}},
      {"min-map", Why::model_differs, {"sliding", "wedge", "redundant stack", "sliding stack", "table", "joint and motors"}},
      {"min-map", Why::up_to_rounding, {"mass ratio 1e4"}},
      {"fischer", Why::model_differs, {"sliding", "wedge", "redundant stack", "sliding stack", "table", "joint and motors"}},
      {"pg", Why::slow, {"mass ratio 1e4"}},
      {"lemke", Why::model_differs, {"sliding", "table", "joint and motors", "friction 5"}},
      {"dantzig",
       Why::model_differs,
       {"sliding", "wedge", "redundant stack", "sliding stack", "mass ratio 1e4", "table", "joint and motors"}},
      {"murty", Why::model_differs, {"sliding", "wedge", "table", "joint and motors"}},
      {"bpp", Why::model_differs, {"sliding", "wedge", "table", "joint and motors"}},
  };
  return list;
}

Why expected(const std::string& solver, const std::string& problem) {
  for (const Exceptions& e : exceptions())
    if (e.solver == solver && std::find(e.problems.begin(), e.problems.end(), problem) != e.problems.end()) return e.why;
  return Why::solved;
}

/// What a report amounts to.
Why seen(const SolveReport& r, double tolerance) {
  if (r.status == SolveStatus::converged && r.residual.total() <= tolerance) return Why::solved;
  if (r.status == SolveStatus::stalled) return r.model_residual <= tolerance ? Why::model_differs : Why::no_agreement;
  return Why::slow;
}

class Matrix : public ::testing::TestWithParam<std::string> {};

TEST_P(Matrix, every_problem_is_solved_to_1e8_or_listed_with_its_reason) {
  for (const testing::SmallProblem& small : testing::small_problems()) {
    std::vector<double> impulses(small.problem.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-8;
    control.max_iterations = 20000;
    const SolveReport r = make_solver(GetParam())->solve(small.problem, impulses, workspace, control);
    const Why outcome = seen(r, control.tolerance), listed = expected(GetParam(), small.name);
    const bool as_listed =
        listed == Why::up_to_rounding ? outcome == Why::solved || outcome == Why::model_differs : outcome == listed;
    EXPECT_TRUE(as_listed) << fmt::format("{} on {}: {}, residual {:.1e}, own model {:.1e}, {} iterations. {}", GetParam(),
                                          small.name, status_name(r.status), r.residual.total(), r.model_residual, r.iterations,
                                          r.reason);
  }
}

TEST(MatrixList, lists_only_solvers_and_problems_that_exist) {
  std::vector<std::string> problems;
  for (const testing::SmallProblem& small : testing::small_problems()) problems.push_back(small.name);
  for (const Exceptions& e : exceptions()) {
    EXPECT_NO_THROW(make_solver(e.solver));
    for (const std::string& problem : e.problems)
      EXPECT_EQ(std::count(problems.begin(), problems.end(), problem), 1) << problem;
  }
}

/// M⁻¹Jᵀλ of what a solver finds.
std::vector<double> body_velocities(const std::string& solver, const ContactProblem& p) {
  std::vector<double> impulses(p.rows()), velocities(6 * p.segments.size());
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-9;
  control.max_iterations = 200000;
  make_solver(solver)->solve(p, impulses, workspace, control);
  p.add_velocity_change(impulses, velocities);
  return velocities;
}

void expect_same_velocities(const std::string& solver, const std::string& problem, const ContactProblem& p) {
  const std::vector<double> expected = body_velocities("auto", p), found = body_velocities(solver, p);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-7) << solver << " on " << problem << ", number " << i;
}

TEST_P(Matrix, velocities_are_those_of_every_other_solver_where_they_are_unique) {
  // Without friction all models are one convex problem: unique velocities, however redundant the contacts.
  expect_same_velocities(GetParam(), "a stack without friction", testing::two_box_stack(2, 10, 0.2, 0));
  expect_same_velocities(GetParam(), "a table without friction", [] {
    ContactProblem p = testing::four_legged_table();
    for (FrictionSet& law : p.laws) law = CircularFriction{0};
    p.finalize();
    return p;
  }());
  if (make_solver(GetParam())->model() != FrictionModel::exact) return;
  // With friction one contact has one solution.
  for (const testing::SmallProblem& small : testing::small_problems())
    if (small.problem.contact_count() == 1) expect_same_velocities(GetParam(), small.name, small.problem);
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const SolverInfo& solver : solvers())
    if (!is_published(solver.name)) list.push_back(solver.name);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Solvers, Matrix, ::testing::ValuesIn(names()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}   // namespace
}   // namespace stickslip
