// Options that only change the way to the solution: their first steps are those of closed formulas.
#include <gtest/gtest.h>

#include "../problem/problems.h"
#include "stickslip/solve/registry.h"

namespace stickslip::options_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ContactProblem dense_problem(const MatrixXd& w, const VectorXd& b, std::vector<std::uint32_t> offset, BlockKind kind,
                             FrictionSet law = CircularFriction{}) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < w.rows(); ++i)
    for (int j = 0; j < w.cols(); ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix(std::move(offset), entries), kind, law);
  p.b.assign(b.begin(), b.end());
  p.finalize();
  return p;
}

/// What a solver has after so many iterations.
VectorXd after(int iterations, std::string_view name, const ContactProblem& p, const OptionList& options,
               std::vector<double> impulses = {}) {
  impulses.resize(p.rows());
  std::vector<double> last;
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-300;
  control.max_iterations = iterations;
  control.observer = [&](int, std::span<const double> now, const Residual&) { last.assign(now.begin(), now.end()); };
  make_solver(name, options)->solve(p, impulses, workspace, control);
  return Eigen::Map<const VectorXd>(last.data(), static_cast<Eigen::Index>(last.size()));
}

TEST(RFactors, scale_the_first_step_of_friction_as_the_strategy_says) {
  // One contact under a load that holds it: its friction rows take a free step −R v_f from zero.
  const VectorXd diagonal{{4.0, 1.0, 2.0}}, b{{-4.0, 0.3, 0.5}};
  const ContactProblem p = dense_problem(diagonal.asDiagonal(), b, {0, 3}, BlockKind::contact, CircularFriction{10});
  const struct {
    const char* strategy;
    Vec2 expected;
  } cases[] = {{"local", {-0.3 / 2, -0.5 / 2}},      // the largest eigenvalue of W_ff
               {"global", {-0.3 / 4, -0.5 / 4}},     // that of W, which here is also the least local factor
               {"blocked", {-0.3 / 1, -0.5 / 2}}};   // W_ff⁻¹
  for (const char* name : {"prox-gs", "prox-jacobi"})
    for (const auto& c : cases) {
      OptionList options = {{"r_factor", std::string(c.strategy)}};
      if (name == std::string("prox-gs")) options.emplace_back("accelerate", false);
      const VectorXd found = after(1, name, p, options, {1, 0, 0});
      EXPECT_NEAR(found[0], 1, 1e-12) << name << ' ' << c.strategy;
      // The metric of the block is met by a few gradient steps.
      for (int k = 0; k < 2; ++k) EXPECT_NEAR(found[1 + k], c.expected[k], 1e-3 * 0.5) << name << ' ' << c.strategy;
    }
}

/// Four bilateral rows with a unit diagonal: a Newton step from zero solves W x = b, λ = −x.
struct LinearCase {
  MatrixXd w{{1, 0.5, 0.1, 0.2}, {0.5, 1, 0.3, 0.1}, {0.1, 0.3, 1, 0.4}, {0.2, 0.1, 0.4, 1}};
  VectorXd b{{1, -2, 0.5, 1.5}};
  ContactProblem problem = dense_problem(w, b, {0, 2, 4}, BlockKind::bilateral);

  VectorXd first_step(const char* name, const char* linear, bool precondition, double iterations = 1) const {
    return after(1, name, problem,
                 {{"alpha", 0.0},
                  {"sweeps", 0.0},
                  {"staggered", 0.0},
                  {"linear", std::string(linear)},
                  {"linear_iterations", iterations},
                  {"precondition", precondition}});
  }
};

TEST(BoxedNewton, takes_the_step_of_the_linear_solver_that_is_asked_for) {
  const LinearCase c;
  const VectorXd &b = c.b, wb = c.w * b;
  for (const char* name : {"min-map", "fischer"}) {
    const VectorXd exact = -c.w.lu().solve(b);
    EXPECT_LT((c.first_step(name, "direct", true) - exact).norm(), 1e-12) << name;
    EXPECT_LT((c.first_step(name, "gmres", true, 4) - exact).norm(), 1e-7) << name << ": four products span all";
    // One product: the smallest residual along b, and the exact minimum of the energy along b.
    EXPECT_LT((c.first_step(name, "gmres", false) + b.dot(wb) / wb.dot(wb) * b).norm(), 1e-12) << name;
    EXPECT_LT((c.first_step(name, "fletcher-reeves", true) + b.dot(b) / b.dot(wb) * b).norm(), 1e-12) << name;
  }
}

TEST(BoxedNewton, preconditions_gmres_by_the_diagonal_blocks_if_asked_to) {
  const LinearCase c;
  MatrixXd inverse = MatrixXd::Zero(4, 4);
  for (const int i : {0, 2}) inverse.block(i, i, 2, 2) = c.w.block(i, i, 2, 2).inverse();
  const VectorXd z = inverse * c.b, wz = c.w * z;
  for (const char* name : {"min-map", "fischer"}) {
    EXPECT_LT((c.first_step(name, "gmres", true) + c.b.dot(wz) / wz.dot(wz) * z).norm(), 1e-12) << name;
    EXPECT_GT((c.first_step(name, "gmres", true) - c.first_step(name, "gmres", false)).norm(), 0.1) << name;
  }
}

TEST(BoxedNewton, holds_friction_while_the_staggered_start_solves_the_normals) {
  MatrixXd w = MatrixXd::Identity(6, 6);
  w(0, 3) = w(3, 0) = 0.3;
  w(0, 1) = w(1, 0) = w(3, 5) = w(5, 3) = 0.2;
  const VectorXd b{{-1.0, 1.5, 0.4, -1.2, -0.3, 1.1}};
  const ContactProblem p = dense_problem(w, b, {0, 3, 6}, BlockKind::contact, CircularFriction{0.4});
  const Eigen::Vector2d normals = Eigen::Matrix2d{{1, 0.3}, {0.3, 1}}.inverse() * Eigen::Vector2d(1.0, 1.2);
  for (const char* name : {"min-map", "fischer"}) {
    const auto at = [&](int iterations, double staggered) {
      return after(iterations, name, p, {{"alpha", 0.0}, {"sweeps", 0.0}, {"staggered", staggered}});
    };
    // Fischer's function needs more than one step for what the minimum map does at once.
    const bool at_once = name == std::string("min-map");
    const int steps = at_once ? 1 : 3;
    for (int k = 1; k <= steps; ++k)
      for (const int row : {1, 2, 4, 5}) EXPECT_EQ(at(k, 3)[row], 0) << name << " step " << k << " row " << row;
    const VectorXd started = at(steps, 3);
    EXPECT_NEAR(started[0], normals[0], at_once ? 1e-12 : 0.1) << name;
    EXPECT_NEAR(started[3], normals[1], at_once ? 1e-12 : 0.1) << name;
    const VectorXd all = at(2, 0);
    EXPECT_GT(std::abs(all[1]) + std::abs(all[2]) + std::abs(all[4]) + std::abs(all[5]), 0.1) << name << ": not staggered";
  }
}

TEST(CoulombNewton, takes_the_step_of_the_function_that_is_asked_for) {
  // One row, v = λ − 1, from λ = 0. The minimum map is −1 with slope 1; Fischer's is −1 − √1 = −2 with slope 1 + 2.
  const ContactProblem p = dense_problem(MatrixXd::Identity(1, 1), VectorXd{{-1.0}}, {0, 1}, BlockKind::contact);
  const auto first = [&](const char* function) {
    return after(1, "coulomb-newton", p, {{"alpha", 0.0}, {"sweeps", 0.0}, {"function", std::string(function)}})[0];
  };
  EXPECT_NEAR(first("min-map"), 1, 1e-14);
  EXPECT_NEAR(first("fischer"), 2.0 / 3, 1e-14);
}

}   // namespace
}   // namespace stickslip::options_test
