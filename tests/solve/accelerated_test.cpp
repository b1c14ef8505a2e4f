// nncg, pgs-sm and staggered against plain sweeps, closed solutions and each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../error_message.h"
#include "accelerated_problems.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/registry.h"

namespace stickslip::accelerated_test {
namespace {

SolveReport solve(std::string_view name, const ContactProblem& p, std::vector<double>& impulses, double tolerance = 1e-10,
                  int max_iterations = 20000, const OptionList& options = {}) {
  impulses.assign(p.rows(), 0.0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  return make_solver(name, options)->solve(p, impulses, workspace, control);
}

Eigen::VectorXd contact_velocity(const ContactProblem& p, const std::vector<double>& impulses) {
  Eigen::VectorXd v(p.rows());
  std::vector<double> scratch;
  p.contact_velocity(impulses, {v.data(), p.rows()}, scratch);
  return v;
}

/// The same problem with W as a matrix.
ContactProblem as_matrix(const ContactProblem& p) {
  ContactProblem m = matrix_problem(delassus(p), BlockKind::contact);
  m.laws = p.laws;
  m.b = p.b;
  m.finalize();
  return m;
}

TEST(Nncg, reaches_1e10_on_stacks_where_pgs_needs_three_times_as_many_sweeps) {
  for (const auto& [boxes, ratio, mu] : {std::tuple(5, 1.0, 0.5), std::tuple(8, 1.0, 0.5), std::tuple(8, 10.0, 0.0)}) {
    const ContactProblem p = testing::drifting_stack(boxes, ratio, 0.02, mu);
    std::vector<double> impulses;
    const SolveReport fast = solve("nncg", p, impulses), slow = solve("pgs", p, impulses, 1e-10, 3 * fast.iterations);
    EXPECT_LE(fast.model_residual, 1e-10) << boxes << " boxes, friction " << mu << ": " << fast.reason;
    EXPECT_GT(slow.model_residual, 1e-10) << boxes << " boxes, friction " << mu << ", " << fast.iterations << " iterations";
  }
}

TEST(Nncg, finds_the_velocities_of_pgs_where_they_are_unique) {
  // Without friction the velocities are those of a convex program; one contact at low friction has one solution.
  for (const ContactProblem& p :
       {testing::drifting_stack(4, 10, 0.1, 0), testing::box_on_corner(1, 0.3), testing::box_on_corner(-1, 0.3)}) {
    std::vector<double> a, b;
    EXPECT_LE(solve("nncg", p, a).model_residual, 1e-10);
    EXPECT_LE(solve("pgs", p, b, 1e-10, 200000).model_residual, 1e-10);
    EXPECT_LT((contact_velocity(p, a) - contact_velocity(p, b)).lpNorm<Eigen::Infinity>(), 1e-7);
  }
}

TEST(Nncg, solves_the_exact_law_if_asked) {
  for (const double drift : {0.02, 0.2}) {
    std::vector<double> impulses;
    const SolveReport r =
        solve("nncg", testing::drifting_stack(5, 1, drift, 0.5), impulses, 1e-9, 20000, {{"model", std::string("exact")}});
    EXPECT_EQ(r.status, SolveStatus::converged) << r.reason;
  }
  const ContactProblem p = testing::box_on_corner(1, 0.3);
  std::vector<double> a, b;
  EXPECT_EQ(solve("nncg", p, a, 1e-10, 20000, {{"model", std::string("exact")}}).status, SolveStatus::converged);
  EXPECT_EQ(solve("prox-gs", p, b).status, SolveStatus::converged);
  EXPECT_LT((contact_velocity(p, a) - contact_velocity(p, b)).norm(), 1e-8);
}

TEST(Nncg, takes_the_same_iterates_whichever_form_the_matrix_has) {
  const ContactProblem p = testing::drifting_stack(3, 1, 0.05, 0.5), m = as_matrix(p);
  for (const char* model : {"boxed", "exact"}) {
    std::vector<double> a, b;
    solve("nncg", p, a, 1e-300, 40, {{"model", std::string(model)}});
    solve("nncg", m, b, 1e-300, 40, {{"model", std::string(model)}});
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << model;
  }
}

TEST(PgsSubspace, solves_a_frictionless_stack_with_mass_ratio_1e4_in_a_handful_of_iterations) {
  const ContactProblem p = testing::drifting_stack(10, 1e4, 0, 0);
  std::vector<double> impulses, swept;
  const SolveReport r = solve("pgs-sm", p, impulses, 1e-10, 5);
  EXPECT_EQ(r.status, SolveStatus::converged) << r.residual.total();
  EXPECT_GT(solve("pgs", p, swept, 1e-10, 5000).residual.total(), 1e-3);
  // Closed form: the four contacts at the bottom carry everything.
  double carried = 0;
  for (int c = 0; c < 4; ++c) carried += impulses[3 * c];
  EXPECT_NEAR(carried, 0.0981 * (9 + 1e4), 1e-6);
}

TEST(PgsSubspace, solves_the_boxed_model_of_stacks_that_stick_and_slide) {
  for (const double ratio : {1.0, 100.0})
    for (const double drift : {0.02, 0.2}) {
      std::vector<double> impulses;
      // Which bounds are tried next depends on the last bits: numbers changed by 1e-15 take from 28 to 359 iterations.
      const SolveReport r = solve("pgs-sm", testing::drifting_stack(10, ratio, drift, 0.5), impulses, 1e-8, 5000);
      EXPECT_LE(r.model_residual, 1e-8) << "ratio " << ratio << " drift " << drift;
    }
}

TEST(PgsSubspace, is_never_worse_than_its_sweeps_and_falls_back_on_them) {
  int better = 0, fallen_back = 0;
  for (const int boxes : {3, 5, 10})
    for (const double ratio : {1.0, 1000.0})
      for (const double drift : {0.02, 0.2, 1.0})
        for (const int sweeps : {1, 2, 10}) {
          const ContactProblem p = testing::drifting_stack(boxes, ratio, drift, 0.5);
          std::vector<double> swept, solved;
          Workspace workspace;
          solve("pgs", p, swept, 0, sweeps);
          const SolveReport r = solve("pgs-sm", p, solved, 0, 1, {{"sweeps", double(sweeps)}, {"accelerate", false}});
          const double last = residual(p, swept, workspace.residual, FrictionModel::boxed).total();
          EXPECT_LE(r.model_residual, last * (1 + 1e-9));
          better += r.model_residual < 0.999 * last;
          fallen_back += solved == swept;
        }
  EXPECT_GT(better, 5);
  EXPECT_GT(fallen_back, 5);
}

TEST(PgsSubspace, factorises_sparsely_and_densely_to_the_same_velocities) {
  const ContactProblem p = testing::drifting_stack(6, 50, 0.03, 0);
  std::vector<double> dense, sparse;
  EXPECT_LE(solve("pgs-sm", p, dense, 1e-10, 50, {{"sparse_threshold", 10000.0}}).model_residual, 1e-10);
  EXPECT_LE(solve("pgs-sm", p, sparse, 1e-10, 50, {{"sparse_threshold", 0.0}}).model_residual, 1e-10);
  EXPECT_LT((contact_velocity(p, dense) - contact_velocity(p, sparse)).lpNorm<Eigen::Infinity>(), 1e-8);
}

TEST(PgsSubspace, solves_a_nonsymmetric_complementarity_problem_as_enumeration_does) {
  // Positive definite but not symmetric: exactly one of the 2⁶ index sets fits.
  constexpr int n = 6;
  Eigen::Matrix<double, n, n> a, w;
  Eigen::Matrix<double, n, 1> b;
  unsigned state = 7;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) / 4294967296.0 - 0.5; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a(i, j) = next();
  for (int i = 0; i < n; ++i) b[i] = next();
  w = a * a.transpose() + 0.1 * Eigen::Matrix<double, n, n>::Identity() + (a - a.transpose());
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix({0, 1, 2, 3, 4, 5, 6}, entries), BlockKind::contact);
  p.b.assign(b.data(), b.data() + n);
  p.finalize();

  Eigen::Matrix<double, n, 1> expected;
  int fitting = 0;
  for (int set = 0; set < 1 << n; ++set) {
    Eigen::Matrix<double, n, n> m = Eigen::Matrix<double, n, n>::Identity();
    Eigen::Matrix<double, n, 1> y = Eigen::Matrix<double, n, 1>::Zero();
    for (int i = 0; i < n; ++i)
      if (set >> i & 1) m.row(i) = w.row(i), y[i] = -b[i];
    const Eigen::Matrix<double, n, 1> x = m.partialPivLu().solve(y);
    if (x.minCoeff() >= -1e-12 && (w * x + b).minCoeff() >= -1e-12) expected = x, ++fitting;
  }
  ASSERT_EQ(fitting, 1);
  for (const double threshold : {0.0, 100.0}) {
    std::vector<double> impulses;
    EXPECT_EQ(solve("pgs-sm", p, impulses, 1e-10, 50, {{"sparse_threshold", threshold}}).status, SolveStatus::converged);
    EXPECT_LT((Eigen::Map<const Eigen::Matrix<double, n, 1>>(impulses.data()) - expected).norm(), 1e-8);
  }
}

TEST(Staggered, comes_to_the_velocities_of_prox_gs_where_contacts_stick_and_where_they_slide) {
  for (const double speed : {0.1, 1.0, -1.0})
    for (const double mu : {0.3, 0.8}) {
      const ContactProblem p = testing::box_on_corner(speed, mu);
      std::vector<double> a, b;
      EXPECT_EQ(solve("staggered", p, a).status, SolveStatus::converged) << "speed " << speed << " friction " << mu;
      EXPECT_EQ(solve("prox-gs", p, b).status, SolveStatus::converged);
      EXPECT_LT((contact_velocity(p, a) - contact_velocity(p, b)).norm(), 1e-8);
    }
  for (const double drift : {0.02, 0.2}) {
    std::vector<double> impulses;
    const SolveReport r = solve("staggered", testing::drifting_stack(5, 1, drift, 0.5), impulses, 1e-9);
    EXPECT_EQ(r.status, SolveStatus::converged) << "drift " << drift;
  }
}

TEST(Staggered, is_one_program_where_there_is_no_friction) {
  std::vector<double> impulses;
  const SolveReport r = solve("staggered", testing::drifting_stack(5, 1, 0.1, 0), impulses, 1e-9, 10,
                              {{"inner_tolerance", 0.0}, {"inner_sweeps", 1e5}});
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_EQ(r.iterations, 1);
}

TEST(Staggered, leaves_a_cycle_by_smaller_steps) {
  // Friction presses the corner down and slides it away in turn.
  const ContactProblem p = testing::box_on_corner(-2, 3);
  std::vector<double> impulses;
  const SolveReport stuck = solve("staggered", p, impulses, 1e-9, 1000, {{"patience", 1e6}, {"accelerate", false}});
  EXPECT_EQ(stuck.status, SolveStatus::iteration_limit);
  EXPECT_GT(stuck.residual.total(), 0.1);
  const SolveReport r = solve("staggered", p, impulses, 1e-9, 1000);
  EXPECT_EQ(r.status, SolveStatus::converged) << r.reason;
}

TEST(Staggered, solves_the_boxed_model_if_asked) {
  const ContactProblem p = testing::particle_contact({-1, 3, 3}, 0.5);
  std::vector<double> impulses;
  const SolveReport r = solve("staggered", p, impulses, 1e-10, 100, {{"model", std::string("boxed")}});
  EXPECT_EQ(r.status, SolveStatus::stalled);
  EXPECT_LE(r.model_residual, 1e-10);
  EXPECT_NEAR(impulses[1], -0.5, 1e-9);
  EXPECT_NEAR(impulses[2], -0.5, 1e-9);
}

TEST(Staggered, takes_the_same_iterates_whichever_form_the_matrix_has) {
  const ContactProblem p = testing::drifting_stack(3, 1, 0.05, 0.5), m = as_matrix(p);
  std::vector<double> a, b;
  solve("staggered", p, a, 1e-300, 10, {{"inner_sweeps", 20.0}});
  solve("staggered", m, b, 1e-300, 10, {{"inner_sweeps", 20.0}});
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10);
}

/// Solves to 1e-8 and writes down how it went, for docs/solvers/accelerated.md: see the properties in the output of a test.
/// Returns the iterations, or more than allowed if they did not suffice.
int measured_iterations(const std::string& title, const char* name, const ContactProblem& p, int most,
                        const OptionList& options = {}) {
  std::vector<double> impulses;
  const SolveReport r = solve(name, p, impulses, 1e-8, most, options);
  const bool solved = r.model_residual <= 1e-8;
  ::testing::Test::RecordProperty(title, fmt::format("{}{} iterations, {:.1e} m/s. {}", solved ? "" : "more than ",
                                                     r.iterations, r.model_residual, r.notes));
  return solved ? r.iterations : most + 1;
}

TEST(AcceleratedStacks, take_fewer_iterations_to_1e8_than_plain_sweeps) {
  for (const int boxes : {5, 10, 20})
    for (const double drift : {0.02, 0.2}) {
      const ContactProblem p = testing::drifting_stack(boxes, 1, drift, 0.5);
      const auto iterations = [&](const char* name, int most) {
        return measured_iterations(fmt::format("{}, {} boxes, drift {}", name, boxes, drift), name, p, most);
      };
      const int plain = iterations("pgs", 30000);
      EXPECT_LT(iterations("nncg", 30000), plain) << boxes << " boxes, drift " << drift;
      EXPECT_LT(iterations("pgs-sm", 200), plain / 10) << boxes << " boxes, drift " << drift;
      EXPECT_LT(iterations("staggered", 2000), plain) << boxes << " boxes, drift " << drift;
      EXPECT_LT(iterations("prox-gs", 20000), plain) << boxes << " boxes, drift " << drift;
    }
}

TEST(AcceleratedStacks, with_a_heavy_top_are_for_direct_solves) {
  const ContactProblem smooth = testing::drifting_stack(10, 1e4, 0, 0), rough = testing::drifting_stack(5, 1e4, 0.02, 0.5);
  EXPECT_LE(measured_iterations("pgs-sm, frictionless", "pgs-sm", smooth, 10), 10);
  EXPECT_GT(measured_iterations("prox-gs, frictionless", "prox-gs", smooth, 20000), 1000);
  EXPECT_GT(measured_iterations("nncg, frictionless", "nncg", smooth, 20000), 1000);
  EXPECT_LE(measured_iterations("pgs-sm, rough", "pgs-sm", rough, 100), 100);
  EXPECT_GT(measured_iterations("nncg, rough", "nncg", rough, 20000), 1000);
  EXPECT_GT(measured_iterations("staggered, rough", "staggered", rough, 1000), 1000);
}

TEST(AcceleratedStacks, gain_from_what_goes_beyond_the_papers) {
  const ContactProblem ten = testing::drifting_stack(10, 1, 0.02, 0.5), twenty = testing::drifting_stack(20, 1, 0.02, 0.5);
  EXPECT_GT(measured_iterations("staggered without extrapolation, 10 boxes", "staggered", ten, 5000, {{"accelerate", false}}),
            5 * measured_iterations("staggered, 10 boxes", "staggered", ten, 5000));
  EXPECT_LE(measured_iterations("pgs-sm, 20 boxes", "pgs-sm", twenty, 100), 100);
  EXPECT_GT(measured_iterations("pgs-sm as in the paper, 20 boxes", "pgs-sm", twenty, 100,
                                {{"accelerate", false}, {"release", false}}),
            100);
}

TEST(AcceleratedOptions, out_of_range_are_errors_that_name_the_option) {
  EXPECT_EQ(testing::message_of([] {
              make_solver("nncg", {{"model", std::string("exat")}});
            }),
            "/model: There is no model 'exat' here. Did you mean 'exact'?");
  EXPECT_THROW(make_solver("nncg", {{"model", std::string("convex")}}), Error);
  EXPECT_THROW(make_solver("pgs-sm", {{"sweeps", 0.0}}), Error);
  EXPECT_THROW(make_solver("pgs-sm", {{"subspace", 0.0}}), Error);
  EXPECT_THROW(make_solver("pgs-sm", {{"regularisation", -1.0}}), Error);
  EXPECT_THROW(make_solver("pgs-sm", {{"sparse_threshold", -1.0}}), Error);
  EXPECT_THROW(make_solver("staggered", {{"inner_tolerance", 1.0}}), Error);
  EXPECT_THROW(make_solver("staggered", {{"inner_sweeps", 0.0}}), Error);
  EXPECT_THROW(make_solver("staggered", {{"patience", 0.0}}), Error);
}

}   // namespace
}   // namespace stickslip::accelerated_test

namespace stickslip::accelerated_test {
namespace {

TEST(Staggered, on_polygons_solves_the_linear_model_that_lemke_solves) {
  // One contact that slides askew: a polygon lets it turn towards a corner, by an amount that depends on their number.
  for (const int directions : {4, 8, 16}) {
    const ContactProblem p = testing::particle_contact({-1, 0.9, 0.4}, 0.5);
    std::vector<double> found(3), expected(3), exact(3);
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-10;
    control.max_iterations = 2000;
    const OptionList polygon = {{"model", std::string("polyhedral")}, {"directions", static_cast<double>(directions)}};
    const SolveReport r = make_solver("staggered", polygon)->solve(p, found, workspace, control);
    EXPECT_LE(r.model_residual, 1e-9) << directions << ": " << r.reason;
    make_solver("lemke", {{"directions", static_cast<double>(directions)}})->solve(p, expected, workspace, control);
    make_solver("staggered")->solve(p, exact, workspace, control);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-8) << directions << " row " << i;
    EXPECT_GT(std::hypot(found[1] - exact[1], found[2] - exact[2]), 1e-3) << directions << ": the polygon is not the circle";
  }
  EXPECT_THROW(make_solver("staggered", {{"directions", 5.0}}), Error);
  EXPECT_FALSE(
      make_solver("staggered", {{"model", std::string("polyhedral")}})->cannot_take(RollingFriction{0.5, 0.1}).empty());
}

}   // namespace
}   // namespace stickslip::accelerated_test
