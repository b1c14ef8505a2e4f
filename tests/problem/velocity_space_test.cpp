// Velocity space: every kind of segment and carrier against dense matrices made from the definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../error_message.h"
#include "mixed_problems.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/residual.h"

namespace stickslip {
namespace {

using testing::dense_inverse_mass;
using testing::dense_jacobian;
using testing::problem_of_all_segments;

Eigen::Map<const Eigen::VectorXd> vector(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

Eigen::MatrixXd dense_w(const ContactProblem& p) {
  const Eigen::MatrixXd j = dense_jacobian(p);
  Eigen::MatrixXd w = j * dense_inverse_mass(p) * j.transpose();
  w.diagonal() += vector(p.sigma);
  return w;
}

std::vector<double> some_impulses(const ContactProblem& p) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> x(p.rows());
  for (double& value : x) value = number(random);
  return x;
}

class VelocitySpace : public ::testing::TestWithParam<bool> {};   // whether carriers are coupled
INSTANTIATE_TEST_SUITE_P(Forms, VelocitySpace, ::testing::Bool(), [](const auto& i) { return i.param ? "coupled" : "lumped"; });

TEST_P(VelocitySpace, contact_velocities_are_those_of_the_dense_operator) {
  const ContactProblem p = problem_of_all_segments(GetParam());
  const std::vector<double> impulses = some_impulses(p);
  std::vector<double> v(p.rows()), scratch;
  p.contact_velocity(impulses, v, scratch);
  EXPECT_LT((vector(v) - dense_w(p) * vector(impulses) - vector(p.b)).norm(), 1e-13);
}

TEST_P(VelocitySpace, the_delassus_matrix_and_its_diagonal_blocks_are_those_of_the_dense_operator) {
  const ContactProblem p = problem_of_all_segments(GetParam());
  const Eigen::MatrixXd w = dense_w(p);
  EXPECT_LT((delassus(p).dense() - w).norm(), 1e-13 * w.norm());
  for (const Block& b : p.blocks) EXPECT_LT((p.diagonal(b) - w.block(b.row, b.row, b.dim, b.dim)).norm(), 1e-13 * w.norm());
}

TEST_P(VelocitySpace, impulses_change_velocities_by_the_inverse_mass) {
  const ContactProblem p = problem_of_all_segments(GetParam());
  const std::vector<double> impulses = some_impulses(p);
  const Eigen::VectorXd expected = dense_inverse_mass(p) * dense_jacobian(p).transpose() * vector(impulses);
  std::vector<double> change(p.velocity_size(), 0.0), v(p.rows()), scaled, unscaled(p.velocity_size(), 0.0);
  p.add_velocity_change(impulses, change);
  EXPECT_LT((vector(change) - expected).norm(), 1e-13);
  p.contact_velocity(impulses, v, scaled);
  p.add_unscaled_velocity(scaled, unscaled);
  EXPECT_LT((vector(unscaled) - expected).norm(), 1e-13) << "what a stepper takes from a solve";
}

TEST_P(VelocitySpace, a_condensed_problem_has_the_same_residual) {
  const ContactProblem p = problem_of_all_segments(GetParam()), q = condense(p);
  EXPECT_FALSE(q.is_factored());
  std::vector<double> impulses = some_impulses(p);
  ResidualWorkspace work;
  EXPECT_NEAR(residual(p, impulses, work).total(), residual(q, impulses, work).total(), 1e-12);
}

TEST(CoupledMass, refuses_what_is_no_mass) {
  CoupledMass::Matrix a = testing::chain_mass(3, 1, 1, 1);
  a.coeffRef(0, 1) = 5;
  EXPECT_THAT(testing::message_of([&] { CoupledMass{a}; }), ::testing::HasSubstr("not symmetric"));
  EXPECT_THAT(testing::message_of([] { CoupledMass{testing::chain_mass(3, 1, -1, 0)}; }),
              ::testing::HasSubstr("not positive definite"));
}

/// The largest difference of two vectors of impulses or velocities, relative.
double apart(const Eigen::VectorXd& a, const Eigen::VectorXd& b) { return (a - b).norm() / b.norm(); }

TEST(CoupledMass, with_the_factors_of_another_matrix_solves_as_exactly) {
  constexpr int kNodes = 200;
  const CoupledMass::Matrix near = testing::chain_mass(kNodes, 3, 1.01, 52), far = testing::chain_mass(kNodes, 3, 1, 5000);
  CoupledMass mass(testing::chain_mass(kNodes, 3, 1, 50));
  ASSERT_TRUE(mass.take(near));
  EXPECT_TRUE(mass.is_stale());
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::srand(seed);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(3 * kNodes);
    Eigen::VectorXd x(b.size()), again = b, exact(b.size());
    mass.solve(b.data(), x.data());
    mass.solve_in_place(again.data());
    CoupledMass(near).solve(b.data(), exact.data());
    EXPECT_LT(apart(x, exact), 1e-9);
    EXPECT_LT(apart(again, exact), 1e-9);
  }
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(3 * kNodes) + 0.5 * Eigen::VectorXd::Random(3 * kNodes);
  Eigen::VectorXd x(b.size());
  EXPECT_TRUE(mass.solve_within(b.data(), x.data(), 20));
  ASSERT_TRUE(mass.take(far));
  EXPECT_FALSE(mass.solve_within(b.data(), x.data(), 5)) << "another matrix altogether";
  ASSERT_TRUE(mass.take(testing::chain_mass(kNodes, 3, 1, 50)));
  EXPECT_FALSE(mass.is_stale()) << "the matrix that was factored";
  EXPECT_FALSE(mass.take(testing::chain_mass(kNodes - 1, 3, 1, 50))) << "another pattern";
}

TEST(CoupledMass, with_the_factors_of_another_matrix_has_the_same_w) {
  ContactProblem p = problem_of_all_segments(true);
  const auto mass = std::make_shared<CoupledMass>(testing::chain_mass(4, 3, 1.1, 2.9));
  ASSERT_TRUE(mass->take(testing::chain_mass(4, 3, 1, 3)));
  p.carriers[0].mass = mass;
  p.finalize();
  EXPECT_LT((delassus(p).dense() - delassus(problem_of_all_segments(true)).dense()).norm(), 1e-12);
}

TEST(CoupledMass, keeps_a_part_of_its_inverse_for_fewer_rows) {
  CoupledMass mass(testing::chain_mass(9, 1, 1, 3));
  const std::vector<int> many{1, 2, 5, 7}, few{2, 7}, others{0, 2};
  EXPECT_EQ(mass.inverse_between(many)->rows, many);
  EXPECT_EQ(mass.inverse_between(few)->rows, few) << "what is found must not depend on what was found before";
  mass.keep_inverse(many);
  EXPECT_EQ(mass.inverse_between(few)->rows, many);
  EXPECT_EQ(mass.inverse_between(others)->rows, others);
  const Eigen::MatrixXd inverse = Eigen::MatrixXd(mass.matrix()).inverse();
  EXPECT_NEAR(mass.inverse_between(others)->numbers(0, 1), inverse(0, 2), 1e-14);
  ASSERT_TRUE(mass.refactor(testing::chain_mass(9, 1, 2, 3)));
  EXPECT_NEAR(mass.inverse_between(others)->numbers(1, 1), Eigen::MatrixXd(mass.matrix()).inverse()(2, 2), 1e-14);
}

TEST(VelocitySpaceChecks, name_what_is_wrong) {
  const auto message = [](auto&& spoil) {
    ContactProblem p = problem_of_all_segments(true);
    spoil(p);
    return testing::message_of([&] { p.finalize(); });
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message([](ContactProblem& p) { std::swap(p.segments[1], p.segments[2]); }),
              HasSubstr("rigid body after a node"));
  EXPECT_THAT(message([](ContactProblem& p) { p.segments[2].size = 5; }), HasSubstr("segment 2"));
  EXPECT_THAT(message([](ContactProblem& p) { p.carriers[1].first = 6; }), HasSubstr("carrier 1"));
  EXPECT_THAT(message([](ContactProblem& p) { p.carriers[0].count = 3; }), HasSubstr("no mass matrix of 9 rows"));
  EXPECT_THAT(message([](ContactProblem& p) { p.stencils.clear(); }), HasSubstr("list of segments"));
  EXPECT_THAT(message([](ContactProblem& p) { p.stencils.back() = p.stencils[p.stencils.size() - 2]; }), HasSubstr("twice"));
}

}   // namespace
}   // namespace stickslip
