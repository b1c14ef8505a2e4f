// The interior point method on full matrices: of full rank and not, with friction, without it, with joints.
#include "solve/newton/interior_point.h"

#include <random>

#include <gtest/gtest.h>

#include "stickslip/problem/residual.h"
#include "stickslip/solve/registry.h"

namespace stickslip::interior_point_test {
namespace {

constexpr double kDigits = 3e-7;   ///< of velocities about 1 m/s: near the faces of cones half of the digits are lost

/// Contacts of a body that has `freedoms` of its own: W = G Gᵀ has that rank.
ContactProblem problem_of_rank(int contacts, int freedoms, double mu, unsigned seed, int joints = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const Eigen::Index n = 3 * (contacts + joints);
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(n, freedoms, [&] { return normal(random); });
  const Eigen::MatrixXd w = g * g.transpose() / freedoms;
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<std::uint32_t> offset = {0};
  for (int i = 0; i < contacts + joints; ++i) offset.push_back(offset.back() + 3);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix(offset, entries), BlockKind::contact, CircularFriction{mu});
  for (int i = 0; i < joints; ++i) p.blocks[contacts + i].kind = BlockKind::bilateral;
  // What some velocity of the body gives: then impulses exist that no contact has to give way to.
  const Eigen::VectorXd b = g * Eigen::VectorXd::NullaryExpr(freedoms, [&] { return normal(random); });
  for (int i = 0; i < n; ++i) p.b[i] = b[i] / std::sqrt(freedoms);
  p.finalize();
  return p;
}

int steps_to(const ContactProblem& p, double tolerance, std::vector<double>& impulses, int cheap = 5) {
  InteriorPoint inside;
  impulses.assign(p.rows(), 0.0);
  ResidualWorkspace work;
  EXPECT_TRUE(InteriorPoint::fits(p));
  if (!inside.start(p, true)) return -1;
  for (int k = 1; k <= 60; ++k) {
    if (!inside.step(impulses, k > cheap)) return -1;
    if (residual(p, impulses, work).total() <= tolerance) return k;
  }
  return -1;
}

TEST(InteriorPoint, solves_contacts_of_full_rank_and_such_as_are_more_than_a_body_needs) {
  for (const double mu : {0.1, 0.5, 1.0})
    for (const int freedoms : {200, 60})
      for (unsigned seed = 0; seed < 3; ++seed) {
        const ContactProblem p = problem_of_rank(30, freedoms, mu, seed);
        std::vector<double> impulses;
        const int steps = steps_to(p, kDigits, impulses);
        EXPECT_GT(steps, 0) << mu << ' ' << freedoms << ' ' << seed;
        EXPECT_LT(steps, 40) << mu << ' ' << freedoms << ' ' << seed;
      }
}

TEST(InteriorPoint, finds_the_impulses_that_sweeps_find_where_there_is_one_solution) {
  const ContactProblem p = problem_of_rank(20, 400, 0.3, 7);
  std::vector<double> impulses, swept(p.rows(), 0.0);
  ASSERT_GT(steps_to(p, kDigits, impulses), 0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-12;
  control.max_iterations = 100000;
  ASSERT_EQ(make_solver("nsgs", {})->solve(p, swept, workspace, control).status, SolveStatus::converged);
  for (std::size_t k = 0; k < swept.size(); ++k) EXPECT_NEAR(impulses[k], swept[k], 1e-5) << k;
}

TEST(InteriorPoint, takes_contacts_without_friction_and_joints_along) {
  for (const double mu : {0.0, 0.4})
    for (const int joints : {0, 3}) {
      std::vector<double> impulses;
      EXPECT_GT(steps_to(problem_of_rank(20, 300, mu, 3, joints), kDigits, impulses), 0) << mu << ' ' << joints;
    }
}

TEST(InteriorPoint, leaves_alone_what_it_cannot_do) {
  ContactProblem p = problem_of_rank(4, 50, 0.5, 1);
  p.laws[2] = EllipsoidFriction{0.5, 0.3, 0.2};
  EXPECT_FALSE(InteriorPoint::fits(p));
  ContactProblem skew = problem_of_rank(4, 50, 0.5, 1);
  skew.matrix.values[1] += 0.1;
  skew.finalize();
  InteriorPoint inside;
  EXPECT_FALSE(inside.start(skew, true));
}

TEST(InteriorPoint, is_what_auto_turns_to_where_a_soft_body_has_more_contacts_than_it_needs) {
  // Sweeps alone take thousands; no contact of a guess is right.
  const ContactProblem p = problem_of_rank(100, 150, 0.5, 11);
  std::vector<double> impulses(p.rows(), 0.0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-9;
  control.max_iterations = 100000;
  const SolveReport report = make_solver("auto", {})->solve(p, impulses, workspace, control);
  EXPECT_EQ(report.status, SolveStatus::converged);
  ResidualWorkspace work;
  EXPECT_LE(residual(p, impulses, work).total(), 1e-9);
}

}   // namespace
}   // namespace stickslip::interior_point_test
