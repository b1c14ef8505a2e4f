// The proximal schemes: r-factor strategies, rollback, blocks of every size, and PSOR as a special case.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "../problem/problems.h"
#include "places.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/files.h"
#include "stickslip/solve/registry.h"

namespace stickslip::prox_test {
namespace {

OptionList with(const char* name, OptionValue value, OptionList options = {}) {
  options.emplace_back(name, std::move(value));
  return options;
}
OptionList strategy(const char* name, OptionList options = {}) {
  return with("r_factor", std::string(name), std::move(options));
}

SolveReport solve(std::string_view name, const ContactProblem& p, std::vector<double>& impulses, const OptionList& options = {},
                  double tolerance = 1e-9, int max_iterations = 50000) {
  impulses.assign(p.rows(), 0.0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  return make_solver(name, options)->solve(p, impulses, workspace, control);
}

/// A matrix problem with a random symmetric positive definite W and every block of the given law.
ContactProblem random_problem(FrictionSet law, int blocks, unsigned seed, double coupling = 0.3) {
  const int dim = 1 + law_rows(law), n = blocks * dim;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd a(n, n);
  for (auto& number : a.reshaped()) number = normal(random);
  const Eigen::MatrixXd w = Eigen::MatrixXd::Identity(n, n) + coupling * a * a.transpose() / n;
  std::vector<std::uint32_t> offset;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i <= blocks; ++i) offset.push_back(static_cast<std::uint32_t>(i * dim));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix(offset, entries), BlockKind::contact, law);
  for (double& number : p.b) number = normal(random);
  for (int i = 0; i < blocks; ++i) p.b[static_cast<std::size_t>(i * dim)] -= 1;
  p.finalize();
  return p;
}

/// Ten frictionless rows, W of ones plus a diagonal: the largest eigenvalue is ten times the diagonal.
ContactProblem strongly_coupled_rows() {
  constexpr int n = 10;
  std::vector<std::uint32_t> offset;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::uint32_t i = 0; i <= n; ++i) offset.push_back(i);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) entries.emplace_back(i, j, i == j ? 1.0 : 0.95);
  ContactProblem p = matrix_problem(block_matrix(offset, entries), BlockKind::contact);
  for (int i = 0; i < n; ++i) p.b[static_cast<std::size_t>(i)] = -1 - 0.001 * i;
  p.finalize();
  return p;
}

TEST(Prox, solves_blocks_of_two_three_four_and_five_numbers_with_every_strategy) {
  for (const FrictionSet& law : {FrictionSet(PlanarFriction{0.6}), FrictionSet(CircularFriction{0.6}),
                                 FrictionSet(EllipsoidFriction{0.6, 0.3, 0.1}), FrictionSet(RollingFriction{0.6, 0.1})})
    for (const char* name : {"prox-gs", "prox-jacobi"})
      for (const char* r_factor : {"local", "global", "blocked"}) {
        const ContactProblem p = random_problem(law, 6, 4);
        std::vector<double> impulses, reference;
        const SolveReport r = solve(name, p, impulses, strategy(r_factor));
        EXPECT_EQ(r.status, SolveStatus::converged)
            << name << ' ' << r_factor << " law " << law.index() << ": " << r.residual.total();
        ASSERT_EQ(solve("prox-gs", p, reference, {}, 1e-10).status, SolveStatus::converged);
        // W is well conditioned: one solution.
        for (std::size_t k = 0; k < impulses.size(); ++k)
          EXPECT_NEAR(impulses[k], reference[k], 1e-6) << name << ' ' << r_factor;
      }
}

TEST(Prox, solves_plain_complementarity_problems_of_single_rows) {
  for (const char* name : {"prox-gs", "prox-jacobi"})
    for (const char* r_factor : {"local", "global", "blocked"}) {
      std::vector<double> impulses;
      const SolveReport r = solve(name, strongly_coupled_rows(), impulses, strategy(r_factor));
      EXPECT_EQ(r.status, SolveStatus::converged) << name << ' ' << r_factor << ": " << r.residual.total();
    }
}

TEST(Prox, every_strategy_solves_the_stack) {
  const ContactProblem p = testing::two_box_stack(2, 10, 0.2);
  std::vector<double> reference, impulses, expected(12, 0.0);
  ASSERT_EQ(solve("prox-gs", p, reference, {}, 1e-10).status, SolveStatus::converged);
  p.add_velocity_change(reference, expected);
  for (const char* name : {"prox-gs", "prox-jacobi"})
    for (const char* r_factor : {"local", "global", "blocked"}) {
      const SolveReport r = solve(name, p, impulses, strategy(r_factor), 1e-7);
      EXPECT_EQ(r.status, SolveStatus::converged) << name << ' ' << r_factor << ": " << r.residual.total();
      std::vector<double> found(12, 0.0);
      p.add_velocity_change(impulses, found);
      for (int k = 0; k < 12; ++k) EXPECT_NEAR(found[k], expected[k], 1e-4) << name << ' ' << r_factor;
    }
}

TEST(ProxGaussSeidel, keeps_friction_opposed_to_slip_with_blocked_factors_where_the_block_is_not_isotropic) {
  // One contact with W = diag(1, 1, 9) that slides: the direction of friction is that of the slip, not of W_ff⁻¹ times it.
  std::vector<Eigen::Triplet<double>> entries{{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 9.0}};
  ContactProblem p = matrix_problem(block_matrix({0, 3}, entries), BlockKind::contact, CircularFriction{0.5});
  p.b = {-1, 3, 40};
  p.finalize();
  std::vector<double> x;
  EXPECT_EQ(solve("prox-gs", p, x, strategy("blocked")).status, SolveStatus::converged);
  const Vec2 slip(x[1] + 3, 9 * x[2] + 40), friction(x[1], x[2]);
  EXPECT_NEAR(friction.norm(), 0.5 * x[0], 1e-8);
  EXPECT_NEAR(friction.dot(slip), -friction.norm() * slip.norm(), 1e-6);
}

/// The iterates that a solver goes through.
std::vector<std::vector<double>> iterates(std::string_view name, const ContactProblem& p, const OptionList& options,
                                          int count) {
  std::vector<std::vector<double>> seen;
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-300;
  control.max_iterations = count;
  control.observer = [&](int, std::span<const double> x, const Residual&) { seen.emplace_back(x.begin(), x.end()); };
  make_solver(name, options)->solve(p, impulses, workspace, control);
  return seen;
}

void expect_same_iterates(const ContactProblem& p, const OptionList& prox, double relaxation) {
  const auto a = iterates("prox-gs", p, prox, 30), b = iterates("psor", p, {{"relaxation", relaxation}}, 30);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 20u);
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      EXPECT_NEAR(a[k][i], b[k][i], 1e-12) << "iteration " << k;
      largest = std::max(largest, std::abs(a[k][i]));
    }
  EXPECT_GT(largest, 0.1);
}

TEST(ProxGaussSeidel, with_fixed_local_factors_and_a_box_takes_the_iterates_of_psor) {
  const double forever = std::numeric_limits<double>::infinity();
  for (const double relaxation : {1.0, 1.3}) {
    const OptionList fixed{{"relaxation", relaxation}, {"growth", forever}, {"accelerate", false}};
    // In the plane the friction set is a box already.
    expect_same_iterates(random_problem(PlanarFriction{0.6}, 8, 9), fixed, relaxation);
    const OptionList box = with("friction", std::string("box"), fixed);
    expect_same_iterates(random_problem(CircularFriction{0.6}, 6, 9), box, relaxation);
    expect_same_iterates(testing::two_box_stack(2, 10, 0.5), box, relaxation);
  }
  EXPECT_EQ(make_solver("prox-gs", with("friction", std::string("box")))->model(), FrictionModel::boxed);
}

TEST(Prox, rollback_rescues_factors_that_are_far_too_large) {
  // Local factors of Jacobi overshoot tenfold here; Gauss–Seidel is driven out of (0, 2) by its relaxation.
  const ContactProblem p = strongly_coupled_rows();
  const double forever = std::numeric_limits<double>::infinity();
  const OptionList large{{"relaxation", 3.0}, {"accelerate", false}}, unchecked = with("growth", forever, large),
                                                                      checked = with("growth", 1.0, large);
  std::vector<double> impulses;
  EXPECT_EQ(solve("prox-gs", p, impulses, checked, 1e-8).status, SolveStatus::converged);
  EXPECT_NE(solve("prox-gs", p, impulses, unchecked, 1e-8, 2000).status, SolveStatus::converged);
  EXPECT_EQ(solve("prox-jacobi", p, impulses, {}, 1e-8).status, SolveStatus::converged);
  EXPECT_EQ(solve("prox-jacobi", p, impulses, with("growth", 1.0), 1e-6).status, SolveStatus::converged)
      << "the rule of the paper";
}

TEST(ProxGaussSeidel, solves_in_any_order) {
  const ContactProblem p = testing::two_box_stack(2, 10, 0.2);
  std::vector<double> impulses;
  EXPECT_EQ(solve("prox-gs", p, impulses, with("ordering", std::string("random"))).status, SolveStatus::converged);
  for (const char* ordering : {"random-sweep", "grouped", "extreme-staggered"}) {
    const OptionList options = with("ordering", std::string(ordering), with("accelerate", false));
    EXPECT_EQ(solve("prox-gs", p, impulses, options, 1e-6).status, SolveStatus::converged) << ordering;
  }
  EXPECT_THROW(make_solver("prox-gs", with("ordering", std::string("random-sweep"))), Error)
      << "would destroy the acceleration";
}

TEST(Prox, refuses_options_that_make_no_sense) {
  EXPECT_THROW(make_solver("prox-gs", strategy("blocks")), Error);
  EXPECT_THROW(make_solver("prox-gs", strategy("global", with("friction", std::string("box")))), Error);
  EXPECT_THROW(make_solver("prox-gs", with("friction", std::string("boxes"))), Error);
  EXPECT_THROW(make_solver("prox-jacobi", strategy("blocks")), Error);
  EXPECT_THROW(make_solver("prox-jacobi", with("shrink", 1.0)), Error);
}

TEST(ProxGaussSeidel, solves_the_rolling_problems_of_the_collection) {
  const std::filesystem::path folder = std::filesystem::path(places::kSourceDir) / "../shared/data/rolling";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent.";
  for (const char* file : {"RFC3D_cube_1.dat", "RFC3D_sphere_1.dat", "rockfall_14_25792.dat"}) {
    const ContactProblem p = load_problem(folder / file).problem;
    std::vector<double> impulses;
    for (const char* r_factor : {"local", "blocked"})
      EXPECT_EQ(solve("prox-gs", p, impulses, strategy(r_factor), 1e-8).status, SolveStatus::converged)
          << file << ' ' << r_factor;
  }
}

}   // namespace
}   // namespace stickslip::prox_test
