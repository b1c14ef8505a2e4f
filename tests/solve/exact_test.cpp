// The exact solvers: one contact in closed form, sweeps, and the solver that chooses.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "../problem/small_problems.h"
#include "places.h"
#include "solve/exact/local_contact.h"
#include "stickslip/problem/files.h"
#include "stickslip/solve/registry.h"

namespace stickslip::exact_test {
namespace {

SolveReport solve(std::string_view name, const ContactProblem& p, std::vector<double>& impulses, double tolerance = 1e-10,
                  int max_iterations = 100000, const OptionList& options = {}) {
  impulses.assign(p.rows(), 0.0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  control.time_limit = 20;
  return make_solver(name, options)->solve(p, impulses, workspace, control);
}

/// A random one-contact problem with a matrix that is positive definite and, where asked, not symmetric.
ContactProblem random_contact(std::mt19937& random, double skew) {
  std::normal_distribution<double> normal;
  Mat3 root, twist;
  for (double& x : root.reshaped()) x = normal(random);
  for (double& x : twist.reshaped()) x = normal(random);
  const Mat3 w = root * root.transpose() + 0.1 * Mat3::Identity() + skew * (twist - twist.transpose());
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) entries.emplace_back(i, k, w(i, k));
  ContactProblem p =
      matrix_problem(block_matrix({0, 3}, entries), BlockKind::contact, CircularFriction{std::abs(normal(random))});
  for (double& b : p.b) b = normal(random);
  p.finalize();
  return p;
}

TEST(LocalContact, is_exact_to_rounding_for_any_state_it_starts_from) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  ResidualWorkspace work;
  int sticks = 0, slides = 0, parts = 0;
  for (int n = 0; n < 20000; ++n) {
    const ContactProblem p = random_contact(random, n % 2 == 0 ? 0.0 : 0.02);
    const double mu = std::get<CircularFriction>(p.laws[0]).mu;
    const LocalContact local(p.diagonal_values.data(), 0);
    Vec3 impulse(std::abs(normal(random)), normal(random), normal(random));
    std::vector<double> v(3), scratch;
    p.contact_velocity(std::span(impulse.data(), 3), v, scratch);
    local.solve(mu, Eigen::Map<const Vec3>(v.data()), impulse);
    // With strong coupling and friction one contact may have no solution (Painlevé): those are not counted.
    p.contact_velocity(std::span(impulse.data(), 3), v, scratch);
    if (impulse[0] <= 0 && v[0] < 0) continue;
    const double scale = Eigen::Map<const Vec3>(p.b.data()).norm() + p.diagonal(p.blocks[0]).norm() * impulse.norm();
    EXPECT_LT(residual(p, std::span(impulse.data(), 3), work).total(), 1e-12 * scale) << n << " μ " << mu;
    (impulse[0] == 0 ? parts : impulse.tail<2>().norm() < 0.999999 * mu * impulse[0] ? sticks : slides)++;
  }
  EXPECT_GT(parts, 1000);
  EXPECT_GT(sticks, 1000);
  EXPECT_GT(slides, 1000);
}

TEST(LocalContact, without_any_friction_pushes_the_normal_only) {
  const double w[9] = {2, 0.5, 0, 0.5, 3, 0, 0, 0, 1};
  Vec3 impulse(1, 1, 1);
  const Vec3 b(-4, 1, 1);
  const Vec3 v = Eigen::Map<const Mat3>(w) * impulse + b;
  LocalContact(w, 0).solve(0, v, impulse);
  EXPECT_LT((impulse - Vec3(2, 0, 0)).norm(), 1e-15);
}

TEST(AcceleratedNonsmoothGaussSeidel, needs_a_tenth_of_the_sweeps_on_a_stack_of_mass_ratio_100) {
  const ContactProblem p = testing::two_box_stack(1, 100, 0.2);
  std::vector<double> impulses;
  const SolveReport plain = solve("nsgs", p, impulses), fast = solve("accelerated-nsgs", p, impulses);
  ASSERT_EQ(plain.status, SolveStatus::converged);
  ASSERT_EQ(fast.status, SolveStatus::converged);
  EXPECT_LT(10 * fast.iterations, plain.iterations);
}

/// The same from a guess that is a few hundredths off, as from the step before.
SolveReport solve_on(const ContactProblem& p, double tolerance) {
  std::vector<double> impulses;
  solve("auto", p, impulses, tolerance);
  for (double& impulse : impulses) impulse *= 0.97;
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = 100000;
  return make_solver("auto")->solve(p, impulses, workspace, control);
}

TEST(AutomaticSolver, shares_a_load_alike_among_contacts_that_begin) {
  // Two boxes, pushed along x: the corners of either side bear the same by symmetry, but infinitely many shares are solutions.
  const ContactProblem p = testing::two_box_stack(1, 1, 0.2);
  std::vector<double> impulses;
  ASSERT_EQ(solve("auto", p, impulses).status, SolveStatus::converged);
  for (std::size_t i = 0; i < p.blocks.size(); i += 2)
    EXPECT_NEAR(impulses[p.blocks[i + 1].row], impulses[p.blocks[i].row], 1e-9) << i;
}

TEST(AutomaticSolver, says_what_it_did) {
  const SolveReport easy = solve_on(testing::two_box_stack(1, 1, 0.2), 1e-10);
  EXPECT_EQ(easy.status, SolveStatus::converged);
  EXPECT_NE(easy.notes.find("accelerated sweeps took the residual from"), std::string::npos) << easy.notes;
  EXPECT_EQ(easy.notes.find("Newton"), std::string::npos) << easy.notes;
  const SolveReport hard = solve_on(testing::two_box_stack(1, 1e5, 0.2), 1e-8);
  EXPECT_EQ(hard.status, SolveStatus::converged);
  EXPECT_NE(hard.notes.find("accelerated sweeps, which then"), std::string::npos) << hard.notes;
  EXPECT_TRUE(hard.notes.find("ADMM steps took") != std::string::npos ||
              hard.notes.find("Newton steps took") != std::string::npos)
      << hard.notes;
}

TEST(AutomaticSolver, keeps_silent_where_no_notes_are_wanted) {
  const ContactProblem p = testing::two_box_stack(1, 1, 0.2);
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  SolveControl control;
  control.notes = false;
  EXPECT_EQ(make_solver("auto")->solve(p, impulses, workspace, control).notes, "");
}

TEST(AutomaticSolver, gives_the_same_bits_every_time) {
  const ContactProblem p = testing::two_box_stack(1, 1e5, 0.2);
  std::vector<double> first, second;
  solve("auto", p, first);
  solve("auto", p, second);
  EXPECT_EQ(first, second);
}

TEST(AutomaticSolver, ends_as_stalled_on_a_problem_that_has_no_solution) {
  // W = 0: nothing moves, v = b whatever the impulses.
  ContactProblem p = matrix_problem(block_matrix({0, 3}, {}), BlockKind::contact, CircularFriction{0.5});
  p.b = {-1, 0, 0};
  p.finalize();
  std::vector<double> impulses;
  const SolveReport r = solve("auto", p, impulses, 1e-10);
  EXPECT_NE(r.status, SolveStatus::converged);
  EXPECT_FALSE(r.reason.empty());
}

class PublishedProblems : public ::testing::Test {
 protected:
  static std::vector<std::filesystem::path> files(const char* folder) {
    std::vector<std::filesystem::path> list;
    const std::filesystem::path where = std::filesystem::path(places::kSourceDir) / "../shared/data" / folder;
    if (std::filesystem::is_directory(where))
      for (const auto& entry : std::filesystem::directory_iterator(where)) list.push_back(entry.path());
    std::sort(list.begin(), list.end());
    return list;
  }
};

TEST_F(PublishedProblems, auto_solves_all_in_space_to_a_natural_map_error_of_1e8) {
  const auto list = files("fc3d");
  if (list.empty()) GTEST_SKIP() << "../shared/data/fc3d is not there";
  for (const auto& file : list) {
    const ContactProblem p = load_problem(file).problem;
    std::vector<double> impulses(p.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = control.natural_map_tolerance = 1e-8;
    control.max_iterations = 1'000'000;
    control.time_limit = 30;
    const SolveReport r = make_solver("auto")->solve(p, impulses, workspace, control);
    EXPECT_EQ(r.status, SolveStatus::converged) << file << ": " << r.notes;
    EXPECT_LE(natural_map_error(p, impulses, workspace.residual), 1e-8) << file;
  }
}

TEST_F(PublishedProblems, auto_solves_those_in_the_plane_and_with_rolling) {
  auto list = files("fc2d");
  const auto rolling = files("rolling");
  list.insert(list.end(), rolling.begin(), rolling.end());
  if (list.empty()) GTEST_SKIP() << "../shared/data/fc2d and rolling are not there";
  for (const auto& file : list) {
    std::vector<double> impulses;
    const SolveReport r = solve("auto", load_problem(file).problem, impulses, 1e-8);
    EXPECT_EQ(r.status, SolveStatus::converged) << file << ": " << r.residual.total() << " " << r.notes;
  }
}

}   // namespace
}   // namespace stickslip::exact_test
