// Every solver of the registry on a library of small problems.
#include <gtest/gtest.h>

#include "../problem/problems.h"
#include "../published_methods.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/registry.h"

namespace stickslip::solvers_test {
namespace {

SolveReport solve(std::string_view name, const ContactProblem& p, std::vector<double>& impulses, double tolerance = 1e-10,
                  int max_iterations = 20000) {
  impulses.resize(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  return make_solver(name)->solve(p, impulses, workspace, control);
}

TEST(ProxGaussSeidel, solves_one_contact_in_closed_form) {
  for (const auto& [b, mu, expected] : {std::tuple<Vec3, double, Vec3>{{0.5, 3, 0}, 0.5, {0, 0, 0}},
                                        {{-1, 0.2, 0.1}, 0.5, {1, -0.2, -0.1}},
                                        {{-1, 3, 4}, 0.5, {1, -0.3, -0.4}},
                                        {{-1, 3, 4}, 0, {1, 0, 0}},
                                        {{-1, 3, 4}, 5, {1, -3, -4}}}) {
    std::vector<double> impulses;
    const SolveReport r = solve("prox-gs", testing::particle_contact(b, mu), impulses);
    EXPECT_EQ(r.status, SolveStatus::converged);
    EXPECT_LT((Eigen::Map<const Vec3>(impulses.data()) - expected).norm(), 1e-10);
  }
}

TEST(ProxGaussSeidel, reaches_1e10_on_stacks_with_redundant_contacts_sticking_and_sliding) {
  for (const double ratio : {1.0, 100.0})
    for (const double drift : {0.0, 0.2, 3.0}) {
      std::vector<double> impulses;
      const SolveReport r = solve("prox-gs", testing::two_box_stack(2, ratio, drift), impulses);
      EXPECT_EQ(r.status, SolveStatus::converged) << r.reason << " ratio " << ratio << " drift " << drift;
      EXPECT_LE(r.residual.total(), 1e-10);
      EXPECT_LT(r.natural_map_error, 1e-9);
    }
}

TEST(ProjectedSor, agrees_with_the_exact_cone_where_the_models_agree) {
  // Without friction both solve one convex problem, whose velocities are unique however redundant the contacts.
  // With friction, one contact off the centre of a box that sticks: inside box and circle alike.
  ContactProblem corner;
  corner.segments = {testing::box_segment(2)};
  testing::add_contact(corner, -1, {}, 0, {0, 0, 0.5}, {0.5, 0.3, 0}, Vec3::UnitZ(), 0.8, {-1, 0.1, 0.05});
  corner.finalize();
  for (const ContactProblem& p : {testing::two_box_stack(2, 10, 0.2, 0), corner}) {
    std::vector<double> boxed, exact;
    EXPECT_EQ(solve("pgs", p, boxed).status, SolveStatus::converged);
    EXPECT_EQ(solve("prox-gs", p, exact).status, SolveStatus::converged);
    std::vector<double> u_boxed(6 * p.segments.size()), u_exact(6 * p.segments.size());
    p.add_velocity_change(boxed, u_boxed);
    p.add_velocity_change(exact, u_exact);
    for (std::size_t i = 0; i < u_boxed.size(); ++i) EXPECT_NEAR(u_boxed[i], u_exact[i], 1e-8);
  }
}

TEST(ProjectedSor, stops_as_stalled_once_the_boxed_model_is_solved_and_differs_from_the_cone) {
  const ContactProblem p = testing::particle_contact({-1, 3, 3}, 0.5);
  std::vector<double> impulses;
  const SolveReport r = solve("pgs", p, impulses);
  EXPECT_EQ(r.status, SolveStatus::stalled);
  EXPECT_LT(r.iterations, 10);
  EXPECT_GT(r.residual.cone, 0.1);
  EXPECT_LE(r.model_residual, 1e-10);
}

TEST(Solvers, never_hand_back_anything_worse_than_the_guess) {
  for (const SolverInfo& info : solvers())
    for (const int iterations : {0, 1, 2, 5}) {
      const ContactProblem p = testing::two_box_stack(1, 1000, 1);
      std::vector<double> good, impulses;
      solve("prox-gs", p, good, 1e-6);
      impulses = good;
      const SolveReport r = solve(info.name, p, impulses, 1e-14, iterations);
      if (make_solver(info.name)->model() == FrictionModel::exact) {
        EXPECT_LE(r.residual.total(), r.initial_residual.total()) << info.name;
      }
      Workspace workspace;
      const double guess = residual(p, good, workspace.residual, make_solver(info.name)->model()).total();
      EXPECT_LE(r.model_residual, guess) << info.name;
    }
}

TEST(Solvers, recover_from_a_guess_that_is_not_a_number) {
  for (const SolverInfo& info : solvers()) {
    const ContactProblem p = testing::particle_contact({-1, 0, 0}, 0.5);
    std::vector<double> impulses(3, std::nan(""));
    const SolveReport r = solve(info.name, p, impulses);
    EXPECT_EQ(r.status, SolveStatus::converged) << info.name;
    EXPECT_NEAR(impulses[0], 1, 1e-9) << info.name;
  }
}

TEST(Solvers, solve_a_problem_without_contacts) {
  for (const SolverInfo& info : solvers()) {
    ContactProblem p;
    p.finalize();
    std::vector<double> impulses;
    EXPECT_EQ(solve(info.name, p, impulses).status, SolveStatus::converged) << info.name;
  }
}

TEST(Solvers, honour_bilateral_and_boxed_blocks) {
  for (const SolverInfo& info : solvers()) {
    ContactProblem p;
    p.segments.push_back({0.5, Mat3::Identity()});
    // Three bilateral rows on the position, one motor about z with a torque limit.
    Block joint{BlockKind::bilateral, 3, 1, 0, 0, 0, {}};
    Block motor{BlockKind::box, 1, 1, 3, 18, 0, {}};
    p.jacobian_values = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    p.blocks = {joint, motor};
    p.laws.resize(2);
    p.b = {1, -2, 3, 5};
    p.sigma = {0, 0, 0, 0};
    p.lower = {0, 0, 0, -2};
    p.upper = {0, 0, 0, 2};
    p.finalize();
    std::vector<double> impulses;
    const SolveReport r = solve(info.name, p, impulses);
    EXPECT_EQ(r.status, SolveStatus::converged) << info.name;
    EXPECT_NEAR(impulses[0], -2, 1e-9);
    EXPECT_NEAR(impulses[1], 4, 1e-9);
    EXPECT_NEAR(impulses[3], -2, 1e-9) << "the motor pushes with all it has";
  }
}

TEST(Solvers, keep_a_history_that_ends_at_the_reported_residual) {
  for (const SolverInfo& info : solvers()) {
    const ContactProblem p = testing::two_box_stack(1, 1, 0.05, 0);   // without friction all models agree
    std::vector<double> impulses(p.rows());
    Workspace workspace;
    SolveControl control;
    control.keep_history = true;
    control.tolerance = 1e-9;
    control.max_iterations = 5000;
    int seen = 0;
    control.observer = [&](int, std::span<const double>, const Residual&) { ++seen; };
    const SolveReport r = make_solver(info.name)->solve(p, impulses, workspace, control);
    EXPECT_EQ(r.history.size(), static_cast<std::size_t>(seen)) << info.name;
    // Iterations of `auto` are amounts of work: it keeps a number for each of its steps.
    if (info.name != "auto") {
      EXPECT_EQ(seen, r.iterations + 1) << info.name;
    }
    ASSERT_GE(r.history.size(), 2u) << info.name;
    if (is_published(info.name)) continue;
    EXPECT_EQ(r.history.back(), r.residual.total());
    EXPECT_LT(r.history.back(), 1e-3 * r.history.front());
  }
}

TEST(Solvers, stop_when_cancelled_or_out_of_time) {
  for (const SolverInfo& info : solvers()) {
    const ContactProblem p = testing::two_box_stack(1, 1e6, 0.2);
    std::vector<double> impulses(p.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-300;
    control.max_iterations = 1'000'000'000;
    std::atomic<bool> cancel{true};
    control.cancel = &cancel;
    EXPECT_EQ(make_solver(info.name)->solve(p, impulses, workspace, control).status, SolveStatus::cancelled);
    control.cancel = nullptr;
    control.time_limit = 1e-6;
    EXPECT_EQ(make_solver(info.name)->solve(p, impulses, workspace, control).status, SolveStatus::time_limit);
  }
}

TEST(Registry, names_the_nearest_solver_and_option) {
  const auto message = [](auto&& f) {
    try {
      f();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([] { make_solver("prox-gz"); }), "There is no solver 'prox-gz'. Did you mean 'prox-gs'?");
  EXPECT_EQ(message([] {
              make_solver("pgs", {{"relaxtion", 1.5}});
            }),
            "/relaxtion: There is no option 'relaxtion'. Did you mean 'relaxation'?");
  EXPECT_EQ(message([] {
              make_solver("pgs", {{"relaxation", 2.5}});
            }),
            "/relaxation: 2.5 is not a relaxation factor. It must be between 0 and 2.");
  EXPECT_NE(message([] { make_solver("pgs", {{"relaxation", std::string("fast")}}); }), "");
}

}   // namespace
}   // namespace stickslip::solvers_test
