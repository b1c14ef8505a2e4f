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
