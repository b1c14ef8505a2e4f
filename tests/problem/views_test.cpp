// The contact problem as LCP, boxed LCP and cone problem, there and back.
#include "stickslip/problem/views.h"

#include <gtest/gtest.h>

#include <random>

#include "problems.h"
#include "stickslip/friction/cone.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/residual.h"

namespace stickslip {
namespace {

using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> velocity(const ContactProblem& p, const std::vector<double>& impulses) {
  std::vector<double> v(p.rows()), scratch;
  p.contact_velocity(impulses, v, scratch);
  return v;
}

/// How far z is from 0 ≤ Mz + q ⊥ z ≥ 0.
double lcp_error(const Lcp& lcp, const VectorXd& z) { return z.cwiseMin(lcp.M * z + lcp.q).cwiseAbs().maxCoeff(); }

/// 0 ≤ Mz + q ⊥ z ≥ 0 by projected Gauss–Seidel with a proximal diagonal, which the zero diagonal of the slack rows needs.
VectorXd solve_lcp(const Lcp& lcp, int sweeps) {
  VectorXd z = VectorXd::Zero(static_cast<Eigen::Index>(lcp.size()));
  for (int outer = 0; outer < sweeps; ++outer) {
    const VectorXd center = z;
    for (int sweep = 0; sweep < 20; ++sweep)
      for (Eigen::Index i = 0; i < z.size(); ++i) {
        const double w = lcp.M.row(i).dot(z) + lcp.q[i] + (z[i] - center[i]);
        z[i] = std::max(0.0, z[i] - 0.5 * w / (lcp.M(i, i) + 1));
      }
  }
  return z;
}

/// A particle with a contact, a joint row along t, and a motor along b.
ContactProblem mixed_problem(double lower, double upper) {
  std::vector<Eigen::Triplet<double>> entries;
  const Eigen::MatrixXd w = (Eigen::MatrixXd(5, 5) << 2, 0.3, 0.1, 0.2, 0, 0.3, 1, 0, 0.1, 0.2, 0.1, 0, 1.5, 0, 0.1, 0.2, 0.1,
                             0, 3, 0.5, 0, 0.2, 0.1, 0.5, 2)
                                .finished();
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix({0, 3, 4, 5}, entries), BlockKind::contact, CircularFriction{0.4});
  p.blocks[1].kind = BlockKind::bilateral;
  p.blocks[2].kind = BlockKind::box;
  p.b = {-1, 0.5, -0.9, 0.3, -2};
  p.lower = {0, 0, 0, 0, lower};
  p.upper = {0, 0, 0, 0, upper};
  p.finalize();
  return p;
}

TEST(LcpView, has_the_unknowns_and_links_of_the_course) {
  const double mu = 0.7;
  const Lcp lcp = as_lcp(testing::particle_contact({-1, 2, 3}, mu), 4);
  // Of a unit particle W is the identity: normal, the directions t, b, −t, −b, slack.
  Eigen::MatrixXd expected(6, 6);
  expected << 1, 0, 0, 0, 0, 0, 0, 1, 0, -1, 0, 1, 0, 0, 1, 0, -1, 1, 0, -1, 0, 1, 0, 1, 0, 0, -1, 0, 1, 1, mu, -1, -1, -1, -1,
      0;
  EXPECT_LT((lcp.M - expected).norm(), 1e-15);
  EXPECT_LT((lcp.q - (VectorXd(6) << -1, 2, 3, -2, -3, 0).finished()).norm(), 1e-15);
}

TEST(LcpView, a_solution_gives_impulses_that_solve_the_polyhedral_model_and_back) {
  for (const int k : {4, 6, 8, 12})
    for (const auto& [lower, upper] :
         {std::pair{-0.3, 0.4}, {-kInfinity, 0.5}, {0.1, kInfinity}, {-kInfinity, kInfinity}, {0.2, 0.2}}) {
      const ContactProblem p = mixed_problem(lower, upper);
      const Lcp lcp = as_lcp(p, k);
      EXPECT_EQ(lcp.size(), lcp_size(p, k));
      const VectorXd z = solve_lcp(lcp, 3000);
      ASSERT_LT(lcp_error(lcp, z), 1e-9) << k << " directions, upper bound " << upper;
      std::vector<double> impulses(p.rows());
      lcp.impulses({z.data(), lcp.size()}, impulses);
      ResidualWorkspace work;
      EXPECT_LT(residual(p, impulses, work, FrictionModel::polyhedral(k)).total(), 1e-8)
          << k << " directions, upper bound " << upper;
      EXPECT_GT(std::hypot(impulses[1], impulses[2]), 0.1) << "friction takes part";
      // Back: other unknowns may stand for the same impulses, but they solve the LCP as well.
      EXPECT_LT(lcp_error(lcp, lcp.unknowns(impulses, velocity(p, impulses))), 1e-8)
          << k << " directions, upper bound " << upper;
    }
}

TEST(LcpView, unknowns_and_impulses_are_inverse_for_any_impulses_with_a_pushing_normal) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> number(-1, 1);
  const ContactProblem p = mixed_problem(-2, 2);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> impulses(p.rows()), back(p.rows());
    for (double& x : impulses) x = number(generator);
    impulses[0] = std::abs(impulses[0]);
    const Lcp lcp = as_lcp(p, 4 + 2 * (trial % 5));
    const VectorXd z = lcp.unknowns(impulses, velocity(p, impulses));
    EXPECT_GE(z.minCoeff(), 0);
    lcp.impulses({z.data(), lcp.size()}, back);
    for (std::size_t i = 0; i < p.rows(); ++i) EXPECT_NEAR(back[i], impulses[i], 1e-14);
  }
}

TEST(LcpView, planar_friction_has_two_directions_and_other_laws_a_reason) {
  ContactProblem planar = matrix_problem(block_matrix({0, 2}, std::vector<Eigen::Triplet<double>>{{0, 0, 1.0}, {1, 1, 1.0}}),
                                         BlockKind::contact, PlanarFriction{0.5});
  planar.b = {-1, -3};
  planar.finalize();
  EXPECT_EQ(lcp_size(planar, 8), 4u);
  const Lcp lcp = as_lcp(planar, 8);
  const VectorXd z = (VectorXd(4) << 1, 0.5, 0, 2.5).finished();   // λₙ = 1, friction 0.5 along +t, slip 2.5
  EXPECT_LT(lcp_error(lcp, z), 1e-15);

  ContactProblem rolling = matrix_problem(block_matrix({0, 5}, {}), BlockKind::contact, RollingFriction{0.5, 0.1});
  rolling.finalize();
  EXPECT_NE(no_lcp_because(rolling), "");
  EXPECT_THROW(as_lcp(rolling, 4), Error);
  EXPECT_THROW(as_lcp(planar, 5), Error);
  EXPECT_THROW(as_lcp(planar, 2), Error);
}

TEST(BoxedView, bounds_friction_by_the_box_around_its_set) {
  const ContactProblem p = mixed_problem(-0.5, 2);
  const BoxedLcp view = as_blcp(p);
  EXPECT_EQ(view.normal_row, (std::vector<std::int32_t>{-1, 0, 0, -1, -1}));
  std::vector<double> low(5), high(5);
  const std::vector<double> impulses = {3, 9, 9, 9, 9};
  view.bounds(impulses, low, high);
  EXPECT_EQ(low, (std::vector<double>{0, -0.4 * 3, -0.4 * 3, -kInfinity, -0.5}));
  EXPECT_EQ(high, (std::vector<double>{kInfinity, 0.4 * 3, 0.4 * 3, kInfinity, 2}));
  EXPECT_TRUE(view.has_friction);
  // v = W λ + b of the view is that of the problem.
  std::vector<double> v(5);
  view.W.multiply(impulses, v);
  const std::vector<double> expected = velocity(p, impulses);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(v[i] + view.b[i], expected[i], 1e-14);
}

TEST(ConeView, relaxation_lifts_a_sliding_contact_by_mu_times_its_speed) {
  // A particle that slides: the relaxation's solution is λ = P_K(−b), and it leaves the ground at μ‖v_T‖.
  const double mu = 0.5;
  const ContactProblem p = testing::particle_contact({-1, 3, 4}, mu);
  const ConeProblem cone = as_cone(p);
  std::vector<double> impulses = {1, -3, -4};
  cone.project(impulses);
  const std::vector<double> v = velocity(p, impulses);
  ResidualWorkspace work;
  EXPECT_LT(residual(p, impulses, work, FrictionModel::convex).total(), 1e-14);
  EXPECT_LT(cone.dual_distance(v), 1e-14);
  EXPECT_NEAR(impulses[0] * v[0] + impulses[1] * v[1] + impulses[2] * v[2], 0, 1e-14);
  std::vector<double> shift(3);
  cone.shift(v, shift);
  EXPECT_NEAR(shift[0], v[0], 1e-14);
  EXPECT_EQ(shift[1], 0);
  EXPECT_NEAR(cone.distance_from_coulomb(impulses, v), std::min(v[0], impulses[0]), 1e-14);
  EXPECT_GT(cone.distance_from_coulomb(impulses, v), 0.5);

  // Coulomb's solution: with the shift its velocity is in the dual cone, without it is not.
  const std::vector<double> coulomb = {1, -0.3, -0.4};
  std::vector<double> slip = velocity(p, coulomb);
  EXPECT_GT(cone.dual_distance(slip), 0.1);
  cone.shift(slip, shift);
  for (int i = 0; i < 3; ++i) slip[i] += shift[i];
  EXPECT_LT(cone.dual_distance(slip), 1e-14);
}

TEST(ConeView, projects_every_kind_of_block) {
  const ContactProblem p = mixed_problem(-0.5, 2);
  std::vector<double> impulses = {-1, 0.1, 0.1, -7, 9};
  as_cone(p).project(impulses);
  EXPECT_EQ(impulses, (std::vector<double>{0, 0, 0, -7, 2}));
}

}   // namespace
}   // namespace stickslip
