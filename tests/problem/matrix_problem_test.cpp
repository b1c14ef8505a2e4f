// W as a matrix and W as Jacobian and masses are the same problem.
#include <gtest/gtest.h>

#include "../error_message.h"
#include "problems.h"
#include "stickslip/problem/residual.h"

namespace stickslip {
namespace {

ContactProblem stack() {
  ContactProblem p = testing::two_box_stack(2, 10, 0.2);
  for (std::size_t i = 0; i < p.sigma.size(); ++i) p.sigma[i] = 0.01 * double(i % 3);
  p.finalize();
  return p;
}

/// The same problem with W, without Σ, as a matrix.
ContactProblem as_matrix(const ContactProblem& p) {
  ContactProblem rigid = p;
  std::fill(rigid.sigma.begin(), rigid.sigma.end(), 0.0);
  rigid.finalize();
  ContactProblem m = matrix_problem(delassus(rigid), BlockKind::contact);
  m.laws = p.laws;
  m.b = p.b;
  m.sigma = p.sigma;
  m.finalize();
  return m;
}

std::vector<double> some_impulses(std::size_t rows) {
  std::vector<double> impulses(rows);
  for (std::size_t i = 0; i < rows; ++i) impulses[i] = std::sin(1.0 + 2.3 * double(i));
  return impulses;
}

TEST(Delassus, is_the_product_of_jacobian_and_masses_with_compliance_on_the_diagonal) {
  const ContactProblem p = stack();
  const Eigen::MatrixXd expected = testing::dense_delassus(p);
  EXPECT_LT((delassus(p).dense() - expected).norm(), 1e-13 * expected.norm());
  EXPECT_LT((delassus(as_matrix(p)).dense() - expected).norm(), 1e-13 * expected.norm());
}

TEST(MatrixProblem, has_the_diagonal_blocks_and_scales_of_the_factored_one) {
  const ContactProblem p = stack(), m = as_matrix(p);
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    EXPECT_LT((p.diagonal(p.blocks[i]) - m.diagonal(m.blocks[i])).norm(), 1e-13);
    EXPECT_NEAR(p.scales[i].normal_mass, m.scales[i].normal_mass, 1e-13);
    EXPECT_NEAR(p.scales[i].friction_mass, m.scales[i].friction_mass, 1e-13);
  }
}

TEST(MatrixProblem, gives_the_contact_velocities_and_residuals_of_the_factored_one) {
  const ContactProblem p = stack(), m = as_matrix(p);
  const std::vector<double> impulses = some_impulses(p.rows());
  std::vector<double> a(p.rows()), b(p.rows()), scratch;
  p.contact_velocity(impulses, a, scratch);
  m.contact_velocity(impulses, b, scratch);
  const Eigen::VectorXd expected = testing::dense_delassus(p) * Eigen::Map<const Eigen::VectorXd>(impulses.data(), p.rows()) +
                                   Eigen::Map<const Eigen::VectorXd>(p.b.data(), p.rows());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], expected[i], 1e-12);
    EXPECT_NEAR(b[i], expected[i], 1e-12);
  }
  ResidualWorkspace work;
  for (const FrictionModel model :
       {FrictionModel::exact, FrictionModel::boxed, FrictionModel::convex, FrictionModel::polyhedral(8)}) {
    const Residual x = residual(p, impulses, work, model), y = residual(m, impulses, work, model);
    EXPECT_NEAR(x.gap_velocity, y.gap_velocity, 1e-12);
    EXPECT_NEAR(x.complementarity, y.complementarity, 1e-12);
    EXPECT_NEAR(x.cone, y.cone, 1e-12);
    EXPECT_NEAR(x.dissipation, y.dissipation, 1e-12);
  }
  EXPECT_NEAR(natural_map_error(p, impulses, work), natural_map_error(m, impulses, work), 1e-12);
}

TEST(MatrixProblem, of_boxes_is_unbounded_until_the_caller_says_otherwise) {
  ContactProblem p =
      matrix_problem(block_matrix({0, 2}, std::vector<Eigen::Triplet<double>>{{0, 0, 1}, {1, 1, 2}}), BlockKind::box);
  p.b = {1, -2};
  p.finalize();
  ResidualWorkspace work;
  EXPECT_EQ(residual(p, std::vector<double>{-1, 1}, work).total(), 0);
}

TEST(MatrixProblem, that_contradicts_itself_is_an_error_that_says_how) {
  const auto message = [](auto&& spoil) {
    ContactProblem p = as_matrix(stack());
    return testing::message_of([&] {
      spoil(p);
      p.finalize();
    });
  };
  EXPECT_EQ(message([](ContactProblem& p) { p.segments.resize(1); }),
            "Contact problem: W is given as a matrix and as Jacobian and masses. Give one of them.");
  EXPECT_EQ(message([](ContactProblem& p) { p.blocks[2].arity = 1; }),
            "Contact problem: block 2 names velocity segments although W is a matrix.");
  EXPECT_EQ(message([](ContactProblem& p) {
              p.matrix = block_matrix({0, 3}, std::vector<Eigen::Triplet<double>>{});
            }),
            "Contact problem: W has 1 blocks, the problem 8.");
  EXPECT_EQ(message([](ContactProblem& p) { p.matrix.values[5] = std::nan(""); }), "Contact problem: W is not finite.");
  EXPECT_EQ(message([](ContactProblem& p) { p.sigma[4] = -1; }),
            "Contact problem: -1 is not a compliance. It must be at least 0.");
  EXPECT_EQ(message([](ContactProblem& p) { p.laws[0] = PlanarFriction{0.5}; }),
            "Contact problem: block 0 has a number of rows that its friction law does not use.");
  // Two rows first where the problem has three.
  EXPECT_EQ(message([](ContactProblem& p) {
              p.matrix = block_matrix({0, 2, 6, 9, 12, 15, 18, 21, 24}, std::vector<Eigen::Triplet<double>>{});
            }),
            "Contact problem: block 0 does not have the rows of W's block.");
}

TEST(MatrixProblem, refuses_a_custom_friction_law_without_a_set) {
  ContactProblem p =
      matrix_problem(block_matrix({0, 3}, std::vector<Eigen::Triplet<double>>{{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}}),
                     BlockKind::contact, CustomFriction<2>{});
  EXPECT_THROW(p.finalize(), Error);
}

}   // namespace
}   // namespace stickslip
