// The shared residual on problems whose solution is known in closed form.
#include "stickslip/problem/residual.h"

#include <gtest/gtest.h>

#include "../problem/problems.h"
#include "stickslip/problem/accuracy.h"

namespace stickslip {
namespace {

TEST(Residual, vanishes_exactly_at_the_closed_form_solution_of_one_contact) {
  ResidualWorkspace work;
  // Unit mass on the ground, pressed down with 1 m/s: separating, sticking, sliding.
  struct Case {
    Vec3 b;
    double mu;
    Vec3 solution;
  };
  for (const Case& c : {Case{{0.5, 3, 0}, 0.5, {0, 0, 0}}, Case{{-1, 0.2, 0.1}, 0.5, {1, -0.2, -0.1}},
                        Case{{-1, 3, 4}, 0.5, {1, -0.3, -0.4}}, Case{{-1, 3, 4}, 0, {1, 0, 0}}}) {
    const ContactProblem p = testing::particle_contact(c.b, c.mu);
    EXPECT_LT(residual(p, {c.solution.data(), 3}, work).total(), 1e-15);
    EXPECT_LT(natural_map_error(p, {c.solution.data(), 3}, work), 1e-15);
    const Vec3 wrong = c.solution + Vec3(0.01, 0.02, -0.01);
    EXPECT_GT(residual(p, {wrong.data(), 3}, work).total(), 1e-3);
    EXPECT_GT(natural_map_error(p, {wrong.data(), 3}, work), 1e-3);
  }
}

TEST(Residual, names_the_part_that_is_violated) {
  ResidualWorkspace work;
  const ContactProblem p = testing::particle_contact({-1, 3, 4}, 0.5);
  const auto parts = [&](const Vec3& impulse) { return residual(p, {impulse.data(), 3}, work); };
  EXPECT_NEAR(parts({0.4, 0, 0}).gap_velocity, 0.6, 1e-15);             // still approaches
  EXPECT_NEAR(parts({1.5, -0.45, -0.6}).complementarity, 0.5, 1e-15);   // pushes it off the ground
  EXPECT_NEAR(parts({1, -0.6, -0.8}).cone, 0.5, 1e-15);                 // twice what the cone allows
  EXPECT_GT(parts({1, 0.5, 0}).dissipation, 0.4);                       // friction that pushes along
  EXPECT_NEAR(parts({-0.2, 0, 0}).cone, 0.2, 1e-15);                    // pulls
  EXPECT_TRUE(std::isnan(parts({std::nan(""), 0, 0}).total()));
}

TEST(Residual, does_not_change_with_the_unit_of_mass) {
  ResidualWorkspace work;
  ContactProblem p = testing::two_box_stack(1);
  ContactProblem heavy = testing::two_box_stack(1000);
  std::vector<double> impulses(p.rows()), scaled(p.rows());
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    impulses[i] = 0.1 * std::sin(1.0 + 3.0 * i);
    scaled[i] = 1000 * impulses[i];
  }
  EXPECT_NEAR(residual(p, impulses, work).total(), residual(heavy, scaled, work).total(), 1e-12);
}

TEST(ContactVelocity, is_what_the_dense_matrix_gives) {
  const ContactProblem p = testing::two_box_stack(1);
  const Eigen::MatrixXd w = testing::dense_delassus(p);
  const Eigen::VectorXd impulses = Eigen::VectorXd::LinSpaced(p.rows(), -1, 2);
  Eigen::VectorXd v(p.rows());
  std::vector<double> scratch;
  p.contact_velocity({impulses.data(), p.rows()}, {v.data(), p.rows()}, scratch);
  const Eigen::VectorXd expected = w * impulses + Eigen::Map<const Eigen::VectorXd>(p.b.data(), p.rows());
  EXPECT_LT((v - expected).norm(), 1e-12 * expected.norm());
  for (const Block& block : p.blocks)
    EXPECT_LT((p.diagonal(block) - w.block(block.row, block.row, block.dim, block.dim)).norm(), 1e-12);
}

TEST(Finalize, refuses_what_cannot_be_solved) {
  const ContactProblem good = testing::particle_contact({-1, 0, 0}, 0.5);
  const auto broken = [&](auto&& change) {
    ContactProblem p = good;
    change(p);
    EXPECT_ANY_THROW(p.finalize());
  };
  broken([](ContactProblem& p) { p.b[1] = std::nan(""); });
  broken([](ContactProblem& p) { p.b.push_back(0); });
  broken([](ContactProblem& p) { p.sigma[0] = -1; });
  broken([](ContactProblem& p) { p.blocks[0].segment[0] = 7; });
  broken([](ContactProblem& p) { p.blocks[0].dim = 9; });
  broken([](ContactProblem& p) { p.blocks[0].dim = 2; });
  broken([](ContactProblem& p) { p.jacobian_values[3] = std::numeric_limits<double>::infinity(); });
  broken([](ContactProblem& p) { p.jacobian_values.pop_back(); });
  broken([](ContactProblem& p) { p.laws.clear(); });
  broken([](ContactProblem& p) { p.blocks[0].kind = BlockKind::box; });
}

TEST(Accuracy, rounding_leaves_the_precision_times_the_size_of_W_and_of_the_impulses) {
  // ‖W‖ of a particle is 1/m, and the impulse that stops it m |b|: rounding leaves ε |b|.
  const ContactProblem p = testing::particle_contact({-3, 0.4, 0}, 1);
  const std::vector<double> stops = {3, -0.4, 0};
  EXPECT_NEAR(rounding_bound(p, stops), std::numeric_limits<double>::epsilon() * std::hypot(3, 0.4), 1e-19);
}

TEST(Accuracy, the_nearest_numbers_to_a_solution_have_a_residual_within_the_bound) {
  // 1/3 of everything: no number of the solution is a number of the machine.
  ResidualWorkspace work;
  const ContactProblem p = testing::particle_contact({-1.0 / 3, 0.1 / 3, 0.2 / 3}, 1);
  std::vector<double> near = {1.0 / 3, -0.1 / 3, -0.2 / 3};
  for (double& x : near) x = std::nextafter(x, 1.0);
  EXPECT_GT(residual(p, near, work).total(), 0);
  EXPECT_LE(residual(p, near, work).total(), rounding_bound(p, near));
}

TEST(NaturalMap, of_velocities_that_are_known_is_the_same_to_the_bit) {
  ResidualWorkspace work;
  const ContactProblem p = testing::particle_contact({-1, 3, 4}, 0.5);
  const std::vector<double> impulses = {0.9, -0.2, -0.4};
  const double whole = natural_map_error(p, impulses, work);
  residual(p, impulses, work);
  EXPECT_EQ(natural_map_error(p, impulses, work.v), whole);
}

}   // namespace
}   // namespace stickslip
