// What the caller of a solve decides: tolerances, divergence, memory.
#include <gtest/gtest.h>

#include "../problem/problems.h"
#include "stickslip/solve/monitor.h"
#include "stickslip/solve/registry.h"

namespace stickslip {
namespace {

/// Multiplies the impulses by a factor in every iteration: a solver that converges to 0, or diverges, at a known rate.
class Scaling final : public ContactSolver {
 public:
  explicit Scaling(double factor) : factor_(factor) {}
  std::string_view name() const override { return "scaling"; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor& monitor) const override {
    for (int k = 1;; ++k) {
      for (double& x : impulses) x *= factor_;
      if (monitor.done(k, impulses)) return;
    }
  }

 private:
  double factor_;
};

TEST(SolveControl, stops_as_stalled_when_the_residual_falls_by_less_than_the_relative_tolerance) {
  // The particle separates at 1 m/s: pushing with λ is wrong by min(vₙ, λ) = λ, which shrinks by a hundredth per iteration.
  const ContactProblem p = testing::particle_contact({1, 0, 0}, 0.5);
  for (const auto& [tolerance, status] :
       {std::pair(0.02, SolveStatus::stalled), std::pair(0.005, SolveStatus::iteration_limit)}) {
    std::vector<double> impulses = {0.5, 0, 0};
    Workspace workspace;
    SolveControl control;
    control.relative_tolerance = tolerance;
    control.max_iterations = 50;
    const SolveReport r = Scaling(0.99).solve(p, impulses, workspace, control);
    EXPECT_EQ(r.status, status);
    if (status == SolveStatus::stalled) {
      EXPECT_LE(r.iterations, 3);
    }
  }
}

TEST(SolveControl, stops_as_diverged_when_the_residual_outgrows_the_best_and_hands_back_the_guess) {
  const ContactProblem p = testing::particle_contact({1, 0, 0}, 0.5);
  std::vector<double> impulses = {0.001, 0, 0};
  Workspace workspace;
  SolveControl control;
  control.divergence = 100;
  const SolveReport r = Scaling(2).solve(p, impulses, workspace, control);
  EXPECT_EQ(r.status, SolveStatus::diverged);
  EXPECT_EQ(r.iterations, 7) << "2⁷ is the first power of two beyond 100";
  EXPECT_EQ(impulses[0], 0.001);
}

TEST(SolveControl, holds_the_natural_map_to_its_own_tolerance) {
  const ContactProblem p = testing::two_box_stack(2, 10, 0.2);
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-3;
  control.max_iterations = 20000;
  std::vector<double> loose(p.rows()), tight(p.rows());
  const SolveReport first = make_solver("prox-gs")->solve(p, loose, workspace, control);
  control.natural_map_tolerance = 1e-9;
  const SolveReport second = make_solver("prox-gs")->solve(p, tight, workspace, control);
  EXPECT_EQ(first.status, SolveStatus::converged);
  EXPECT_GT(first.natural_map_error, 1e-9);
  EXPECT_EQ(second.status, SolveStatus::converged);
  EXPECT_LE(second.natural_map_error, 1e-9);
  EXPECT_GT(second.iterations, first.iterations);
}

TEST(Workspace, keeps_one_scratch_object_per_type) {
  struct A {
    int value = 1;
  };
  struct B {
    int value = 2;
  };
  Workspace workspace;
  A& a = workspace.scratch<A>();
  a.value = 7;
  EXPECT_EQ(workspace.scratch<B>().value, 2);
  EXPECT_EQ(&workspace.scratch<A>(), &a);
  EXPECT_EQ(workspace.scratch<A>().value, 7);
  EXPECT_EQ(Workspace().scratch<A>().value, 1);
}

TEST(Workspace, changes_no_result_however_often_it_was_used) {
  const ContactProblem small = testing::two_box_stack(2, 10, 0.2), other = testing::particle_contact({-1, 3, 4}, 0.5);
  for (const SolverInfo& info : solvers()) {
    Workspace fresh, used;
    std::vector<double> a(small.rows()), b(small.rows()), c(other.rows());
    SolveControl control;
    control.max_iterations = 30;
    make_solver(info.name)->solve(other, c, used, control);
    make_solver(info.name)->solve(small, b, used, control);
    std::fill(b.begin(), b.end(), 0.0);
    make_solver(info.name)->solve(small, b, used, control);
    make_solver(info.name)->solve(small, a, fresh, control);
    EXPECT_EQ(a, b) << info.name;
  }
}

TEST(MatrixProblem, takes_prox_gs_through_the_iterates_of_the_factored_one) {
  const ContactProblem p = testing::two_box_stack(2, 10, 0.2);
  ContactProblem m = matrix_problem(delassus(p), BlockKind::contact);
  m.laws = p.laws;
  m.b = p.b;
  m.finalize();
  for (const bool accelerate : {false, true})
    for (const int iterations : {1, 2, 10, 40}) {
      Workspace workspace;
      SolveControl control;
      control.tolerance = 1e-300;
      control.max_iterations = iterations;
      std::vector<double> a(p.rows()), b(p.rows());
      make_solver("prox-gs", {{"accelerate", accelerate}})->solve(p, a, workspace, control);
      make_solver("prox-gs", {{"accelerate", accelerate}})->solve(m, b, workspace, control);
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-11) << iterations << " iterations";
    }
}

}   // namespace
}   // namespace stickslip
