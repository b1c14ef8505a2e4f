// Problems over nodes and coupled carriers: every solver solves them, some without multiplying W out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "../problem/mixed_problems.h"
#include "solve/newton/velocity_system.h"
#include "stickslip/solve/registry.h"

namespace stickslip {
namespace {

/// A bar of nodes dropped on the ground: every third node touches it, pressed down and pushed along.
ContactProblem dropped_bar(int nodes, double stiffness) {
  ContactProblem p;
  for (int i = 0; i < nodes; ++i) p.segments.push_back({0, Mat3::Zero(), 3});
  p.carriers.push_back(
      {0, static_cast<std::uint32_t>(nodes), std::make_shared<CoupledMass>(testing::chain_mass(nodes, 3, 1, stiffness))});
  for (int i = 0; i < nodes; i += 3) {
    Block block;
    block.row = static_cast<std::uint32_t>(p.b.size());
    block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
    block.segment[0] = static_cast<std::uint32_t>(i);
    for (int k = 0; k < 9; ++k) p.jacobian_values.push_back(k % 4 == 0);
    p.b.insert(p.b.end(), {-1, 0.3 + 0.1 * i, 0.2});
    p.sigma.insert(p.sigma.end(), {0, 0, 0});
    p.laws.emplace_back(CircularFriction{0.5});
    p.blocks.push_back(block);
  }
  p.finalize();
  return p;
}

SolveReport solve_fully(const ContactProblem& p, const std::string& name, std::vector<double>& impulses,
                        int iterations = 20000) {
  impulses.assign(p.rows(), 0.0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-9;
  control.max_iterations = iterations;
  return make_solver(name)->solve(p, impulses, workspace, control);
}

TEST(Coupled, solvers_that_take_them_agree_with_those_that_multiply_out) {
  for (const bool coupled : {false, true}) {
    const ContactProblem p = testing::problem_of_all_segments(coupled);
    std::vector<double> reference;
    ASSERT_EQ(solve_fully(condense(p), "nsgs", reference).status, SolveStatus::converged);
    for (const char* name : {"auto", "alart-curnier", "admm", "apgd", "pg", "prox-jacobi", "nsgs", "prox-gs",
                             "accelerated-nsgs", "coulomb-newton"}) {
      SCOPED_TRACE(name);
      std::vector<double> impulses;
      const SolveReport report = solve_fully(p, name, impulses);
      // its own model is solved
      if (make_solver(name)->model() != FrictionModel::exact && report.status == SolveStatus::stalled) continue;
      EXPECT_EQ(report.status, SolveStatus::converged) << report.reason;
      ResidualWorkspace work;
      EXPECT_LE(residual(p, impulses, work).total(), 1e-9);
      for (std::size_t k = 0; k < reference.size(); ++k) EXPECT_NEAR(impulses[k], reference[k], 1e-6);
    }
  }
}

TEST(Coupled, every_solver_treats_them_like_the_matrix) {
  const ContactProblem p = dropped_bar(10, 5), q = condense(p);
  for (const SolverInfo& info : solvers()) {
    SCOPED_TRACE(info.name);
    std::vector<double> of_p, of_q;
    const SolveReport first = solve_fully(p, info.name, of_p), second = solve_fully(q, info.name, of_q);
    EXPECT_EQ(first.status, second.status);
    for (std::size_t k = 0; k < of_p.size(); ++k) EXPECT_NEAR(of_p[k], of_q[k], 1e-6);
  }
}

TEST(Coupled, newton_steps_never_multiply_out) {
  // Stiff and long: W is full, and A + JᵀDJ has three numbers a row.
  const ContactProblem p = dropped_bar(3000, 1e4);
  std::vector<double> impulses;
  const SolveReport report = solve_fully(p, "auto", impulses, 2000);
  EXPECT_EQ(report.status, SolveStatus::converged) << report.residual.total();
  EXPECT_THAT(report.notes, ::testing::Not(::testing::HasSubstr("Multiplied")));
}

TEST(VelocitySystem, solves_newton_equations_of_many_coupled_nodes_that_slide) {
  // With as many nodes as are solved by products with a symmetric factor, and with few, which have LU factors.
  for (const int nodes : {60, 450}) {
    const ContactProblem p = dropped_bar(nodes, 50);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> impulses(p.rows()), v(p.rows()), scratch;
    for (double& x : impulses) x = uniform(random);
    p.contact_velocity(impulses, v, scratch);
    Linearisation l;
    l.resize(p.blocks);
    alart_curnier_system.evaluate(p, std::vector<double>(p.rows(), 1.0), impulses, v, l, true);
    for (std::size_t i = 0; i < l.blocks(); ++i) l.a_block(i) += 1e-4 * p.diagonal(p.blocks[i])(0, 0) * l.b_block(i);
    VelocitySystem velocities;
    velocities.set_up(p);
    ASSERT_TRUE(velocities.factor(l));
    std::vector<double> x(p.rows()), wx(p.rows());
    ASSERT_TRUE(velocities.solve(l, l.phi, x));
    // (A + B W) x = Φ
    p.contact_velocity(x, wx, scratch);
    int unsymmetric = 0;
    for (std::size_t i = 0; i < l.blocks(); ++i) {
      const Block& b = p.blocks[i];
      const Eigen::Map<const Eigen::VectorXd> phi(l.phi.data() + b.row, b.dim), of_x(x.data() + b.row, b.dim),
          of_wx(wx.data() + b.row, b.dim), of_b(p.b.data() + b.row, b.dim);
      EXPECT_LT((l.a_block(i) * of_x + l.b_block(i) * (of_wx - of_b) - phi).norm(), 1e-8) << nodes << " nodes, block " << i;
      const Eigen::MatrixXd stiffness = l.a_block(i).inverse() * l.b_block(i);
      unsymmetric += (stiffness - stiffness.transpose()).norm() > 1e-6 * stiffness.norm();
    }
    EXPECT_GT(unsymmetric, nodes / 30);
  }
}

}   // namespace
}   // namespace stickslip
