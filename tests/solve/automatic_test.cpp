// What `auto` is made of: islands, work as the limit, Newton steps in velocities.
#include <gtest/gtest.h>

#include <random>

#include "joint_problems.h"
#include "solve/automatic/regions.h"
#include "solve/islands.h"
#include "solve/newton/maps.h"
#include "solve/newton/velocity_system.h"
#include "stacks.h"
#include "stickslip/solve/monitor.h"
#include "stickslip/solve/registry.h"

namespace stickslip::automatic_test {
namespace {

SolveReport solve(const ContactProblem& p, std::vector<double>& impulses, double tolerance, int max_iterations = 200,
                  const char* solver = "auto") {
  impulses.resize(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  return make_solver(solver)->solve(p, impulses, workspace, control);
}

/// Problems that do not act on each other as one.
ContactProblem side_by_side(const std::vector<ContactProblem>& problems) {
  ContactProblem all;
  for (const ContactProblem& one : problems) {
    const auto segments = static_cast<std::uint32_t>(all.segments.size()), rows = static_cast<std::uint32_t>(all.b.size()),
               numbers = static_cast<std::uint32_t>(all.jacobian_values.size());
    all.segments.insert(all.segments.end(), one.segments.begin(), one.segments.end());
    for (Block b : one.blocks) {
      b.row += rows;
      b.jacobian += numbers;
      for (int s = 0; s < b.arity; ++s) b.segment[s] += segments;
      all.blocks.push_back(b);
    }
    all.jacobian_values.insert(all.jacobian_values.end(), one.jacobian_values.begin(), one.jacobian_values.end());
    all.laws.insert(all.laws.end(), one.laws.begin(), one.laws.end());
    all.b.insert(all.b.end(), one.b.begin(), one.b.end());
    all.sigma.insert(all.sigma.end(), one.sigma.begin(), one.sigma.end());
    all.lower.resize(rows, 0.0);
    all.upper.resize(rows, 0.0);
    all.lower.insert(all.lower.end(), one.lower.begin(), one.lower.end());
    all.upper.insert(all.upper.end(), one.upper.begin(), one.upper.end());
    all.lower.resize(all.b.size(), 0.0);
    all.upper.resize(all.b.size(), 0.0);
  }
  all.finalize();
  return all;
}

/// Stacks of these heights.
ContactProblem stacks(const std::vector<int>& heights) {
  std::vector<ContactProblem> list;
  for (const int boxes : heights) list.push_back(testing::box_stack(boxes));
  return side_by_side(list);
}

TEST(Islands, are_the_stacks_of_a_problem_in_either_form_of_W) {
  const ContactProblem factored = stacks({3, 1, 5});
  for (const ContactProblem& p : {factored, testing::as_matrix(factored)}) {
    Islands islands;
    islands.find(p);
    ASSERT_EQ(islands.count(), 3u);
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < 3; ++i) all.insert(all.end(), islands.blocks(i).begin(), islands.blocks(i).end());
    EXPECT_EQ(islands.blocks(0).size(), 12u);
    EXPECT_EQ(islands.blocks(1).size(), 4u);
    EXPECT_EQ(islands.blocks(2).size(), 20u);
    for (std::uint32_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);   // stack after stack
  }
}

TEST(Islands, taken_out_of_a_problem_have_the_velocities_they_had_in_it) {
  const ContactProblem factored = stacks({3, 1, 5});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const ContactProblem& p : {factored, testing::as_matrix(factored)}) {
    std::vector<double> impulses(p.rows());
    for (double& x : impulses) x = uniform(random);
    const std::vector<double> v = testing::row_velocities(p, impulses);
    Islands islands;
    islands.find(p);
    std::vector<std::uint32_t> blocks(islands.blocks(0).begin(), islands.blocks(0).end());
    blocks.insert(blocks.end(), islands.blocks(2).begin(), islands.blocks(2).end());
    SubProblem sub;
    sub.extract(p, blocks);
    std::vector<double> part(sub.problem().rows()), expected(part.size());
    sub.gather(impulses, part);
    sub.gather(v, expected);
    const std::vector<double> found = testing::row_velocities(sub.problem(), part);
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-13);
    ContactProblem again = sub.problem();
    again.finalize();
    EXPECT_EQ(again.diagonal_values, sub.problem().diagonal_values);
    EXPECT_EQ(again.batches.size(), sub.problem().batches.size());
  }
}

TEST(Islands, that_are_solved_keep_their_impulses_to_the_bit) {
  const ContactProblem p = stacks({4, 6});
  std::vector<double> impulses;
  ASSERT_EQ(solve(p, impulses, 1e-9).status, SolveStatus::converged);
  const std::vector<double> solved = impulses;
  const std::size_t rows_of_first = 4 * 4 * 3;
  std::fill(impulses.begin() + rows_of_first, impulses.end(), 0.0);
  ASSERT_EQ(solve(p, impulses, 1e-8).status, SolveStatus::converged);
  for (std::size_t k = 0; k < rows_of_first; ++k) EXPECT_EQ(impulses[k], solved[k]);
}

TEST(Islands, with_joints_that_contradict_each_other_do_not_keep_others_from_being_solved) {
  const ContactProblem quarrel = testing::quarrel(), stack = testing::box_stack(6);
  const ContactProblem p = side_by_side({quarrel, stack});
  for (const double guess : {0.0, 0.3}) {
    std::vector<double> impulses(p.rows(), guess);
    const SolveReport r = solve(p, impulses, 1e-9, 500);
    EXPECT_EQ(r.status, SolveStatus::stalled);
    EXPECT_NE(r.reason.find("contradict"), std::string_view::npos) << r.reason;
    EXPECT_GT(r.residual.bilateral, 0.1);
    ResidualWorkspace work;
    EXPECT_LE(residual(stack, std::span(impulses).subspan(quarrel.rows()), work).total(), 1e-9) << r.notes;
    for (const double part : {r.residual.gap_velocity, r.residual.complementarity, r.residual.cone, r.residual.dissipation})
      EXPECT_LE(part, 1e-9);
  }
}

TEST(AutomaticSolver, gives_a_stack_the_velocities_that_it_gets_alone) {
  const ContactProblem one = testing::box_stack(12), three = stacks({5, 12, 9});
  std::vector<double> alone, among;
  ASSERT_EQ(solve(one, alone, 1e-9).status, SolveStatus::converged);
  ASSERT_EQ(solve(three, among, 1e-9).status, SolveStatus::converged);
  const std::vector<double> v_alone = testing::row_velocities(one, alone), v_among = testing::row_velocities(three, among);
  for (std::size_t k = 0; k < v_alone.size(); ++k) EXPECT_NEAR(v_among[k + 5 * 4 * 3], v_alone[k], 1e-8);
}

TEST(AutomaticSolver, solves_stacks_that_fall_straight_from_zero_at_the_default_limit) {
  for (const int boxes : {10, 30, 60, 100}) {
    std::vector<double> impulses;
    const SolveReport r = solve(testing::box_stack(boxes, 0.5, 0), impulses, 1e-8);
    EXPECT_EQ(r.status, SolveStatus::converged) << boxes << " boxes: " << r.notes;
    EXPECT_LE(r.iterations, 200);
  }
}

TEST(AutomaticSolver, never_reports_more_iterations_than_it_was_allowed) {
  const ContactProblem p = stacks({20, 30});
  for (const int allowed : {1, 2, 10}) {
    std::vector<double> impulses;
    const SolveReport r = solve(p, impulses, 1e-12, allowed);
    EXPECT_LE(r.iterations, allowed);
    EXPECT_LE(r.residual.total(), r.initial_residual.total());
  }
}

/// A random contact problem of heaps: boxes in a row, each with contacts to the ground and to the next.
ContactProblem random_row(int boxes, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> uniform(-1, 1);
  ContactProblem p;
  for (int i = 0; i < boxes; ++i) p.segments.push_back(testing::box_segment(1 + 0.5 * uniform(random)));
  const auto contact = [&](int a, int b) {
    const Vec3 normal = Vec3(0.3 * uniform(random), 0.3 * uniform(random), 1).normalized(),
               free(uniform(random), uniform(random), uniform(random));
    testing::add_contact(p, a, Vec3(a, 0, 0), b, Vec3(b, 0, 0), Vec3(0.5 * (std::max(a, 0) + b), 0.4 * uniform(random), -0.5),
                         normal, 0.6, free);
  };
  for (int i = 0; i < boxes; ++i) contact(-1, i), contact(-1, i);
  for (int i = 1; i < boxes; ++i) contact(i - 1, i), contact(i - 1, i);
  for (int i = 3; i < boxes; ++i) contact(i - 3, i);
  p.finalize();
  return p;
}

TEST(Neighbourhood, of_a_block_are_the_blocks_within_so_many_bodies) {
  const ContactProblem p = testing::box_stack(20);   // box i stands on blocks 4 i … 4 i + 3
  Neighbourhood neighbourhood;
  neighbourhood.prepare(p);
  const std::uint32_t middle[] = {41};   // between boxes 9 and 10
  for (const int rings : {0, 1, 2, 3}) {
    const std::span<const std::uint32_t> found = neighbourhood.around(p, middle, rings, p.blocks.size());
    if (rings == 0) {
      EXPECT_EQ(std::vector(found.begin(), found.end()), std::vector<std::uint32_t>{41});
      continue;
    }
    // Each ring reaches one box farther up and down.
    ASSERT_EQ(found.size(), static_cast<std::size_t>(4 * (1 + 2 * rings)));
    for (std::uint32_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k], static_cast<std::uint32_t>(4 * (10 - rings)) + k);
  }
}

TEST(Islands, blocks_taken_out_while_the_others_hold_still_have_the_velocities_they_had) {
  const ContactProblem p = random_row(30, 3);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> impulses(p.rows());
  for (double& x : impulses) x = uniform(random);
  const std::vector<double> v = testing::row_velocities(p, impulses);
  SubProblem sub;
  const std::uint32_t taken[] = {20, 21, 22, 60, 61, 100};
  sub.extract(p, taken);
  std::vector<double> part(sub.problem().rows()), expected(part.size());
  sub.gather(impulses, part);
  sub.gather(v, expected);
  sub.hold_others(v, part);
  const std::vector<double> found = testing::row_velocities(sub.problem(), part);
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-13);
}

TEST(AutomaticSolver, solves_a_small_disturbance_of_a_large_problem_where_it_is) {
  ContactProblem p = random_row(400, 11);
  std::vector<double> impulses;
  ASSERT_EQ(solve(p, impulses, 1e-11, 100000).status, SolveStatus::converged);
  // A contact in the middle that carries a load is pushed.
  std::size_t disturbed = 2 * 200;
  while (!(impulses[p.blocks[disturbed].row] > 0.1)) ++disturbed;
  p.b[p.blocks[disturbed].row] -= 1e-7;
  std::vector<double> next = impulses;
  const SolveReport r = solve(p, next, 1e-9);
  ASSERT_EQ(r.status, SolveStatus::converged) << r.notes;
  EXPECT_GT(r.initial_residual.total(), 1e-8);
  EXPECT_LE(r.iterations, 3) << "of the price of a sweep over everything; " << r.notes;
  std::size_t changed = 0;
  for (const Block& b : p.blocks)
    changed += !std::equal(next.begin() + b.row, next.begin() + b.row + b.dim, impulses.begin() + b.row);
  EXPECT_GT(changed, 0u);
  EXPECT_LE(changed, p.blocks.size() / 4) << "everything else holds still";
}

void solve_small(const ContactProblem& small, std::span<double> x, Workspace& w, SolveMonitor& judge) {
  SolveControl well;
  well.tolerance = judge.control().tolerance;
  make_solver("auto")->solve(small, x, w, well);
}

TEST(Regions, the_worst_of_a_large_problem_are_mended_and_what_is_beyond_their_neighbours_stays) {
  ContactProblem p = random_row(400, 11);
  std::vector<double> impulses;
  ASSERT_EQ(solve(p, impulses, 1e-9, 100000).status, SolveStatus::converged);
  std::uint32_t disturbed = 2 * 200;
  while (!(impulses[p.blocks[disturbed].row] > 0.1)) ++disturbed;
  p.b[p.blocks[disturbed].row] -= 0.1;   // far beyond what regions of a problem at rest are for
  std::vector<double> next = impulses;
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-9;
  SolveReport report;
  SolveMonitor monitor(p, FrictionModel::exact, control, workspace, report);
  monitor.count_work(1e6);
  ASSERT_FALSE(monitor.start(next));
  const double before = monitor.best_total();
  ASSERT_TRUE(mend_worst(p, next, workspace, monitor, solve_small));
  EXPECT_GT(monitor.work(), 0);
  EXPECT_TRUE(is_settled(p, disturbed, next, testing::row_velocities(p, next), 0.25 * before));
  Neighbourhood neighbourhood;
  neighbourhood.prepare(p);
  const std::uint32_t worst[] = {disturbed};
  const auto near = neighbourhood.around(p, worst, 1, p.blocks.size());
  EXPECT_NE(next, impulses);
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    const Block& b = p.blocks[i];
    if (!std::binary_search(near.begin(), near.end(), i)) {
      EXPECT_TRUE(std::equal(next.begin() + b.row, next.begin() + b.row + b.dim, impulses.begin() + b.row)) << i;
    }
  }
}

TEST(Regions, the_very_worst_are_mended_where_too_many_are_off) {
  ContactProblem p = random_row(60, 11);
  std::vector<double> impulses;
  ASSERT_EQ(solve(p, impulses, 1e-9, 100000).status, SolveStatus::converged);
  std::size_t loaded = 0;
  std::uint32_t worst = 0;
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    if (!(impulses[p.blocks[i].row] > 0.01)) continue;
    worst = ++loaded == 20 ? i : worst;
    p.b[p.blocks[i].row] -= loaded == 20 ? 0.1 : 0.04;
  }
  ASSERT_GT(10 * loaded, p.blocks.size());
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-9;
  SolveReport report;
  SolveMonitor monitor(p, FrictionModel::exact, control, workspace, report);
  monitor.count_work(1e6);
  ASSERT_FALSE(monitor.start(impulses));
  EXPECT_FALSE(is_settled(p, worst, impulses, testing::row_velocities(p, impulses), 0.9 * monitor.best_total()));
  ASSERT_TRUE(can_be_mended(p));
  ASSERT_TRUE(mend_worst(p, impulses, workspace, monitor, solve_small));
  EXPECT_TRUE(is_settled(p, worst, impulses, testing::row_velocities(p, impulses), 0.5 * monitor.best_total()));
}

TEST(AutomaticSolver, straightens_a_stack_at_rest_with_work_that_grows_with_its_height) {
  const auto work = [](int boxes) {
    ContactProblem p = testing::box_stack(boxes, 0.5, 0);
    std::vector<double> impulses;
    EXPECT_EQ(solve(p, impulses, 1e-11, 100000).status, SolveStatus::converged);
    // It begins to lean as a whole, about an edge of the lowest box.
    for (std::size_t i = 0; i < 4; ++i) p.b[p.blocks[i].row] += (i < 2 ? 1 : -1) * 1e-7;
    const SolveReport r = solve(p, impulses, 1e-8, 200);
    EXPECT_EQ(r.status, SolveStatus::converged) << boxes << " boxes: " << r.notes;
    return r.iterations * (16e-3 * static_cast<double>(p.rows()) + 20);   // µs of the cost model
  };
  EXPECT_LE(work(400), 5 * work(100));
}

TEST(VelocitySystem, solves_the_newton_equation_that_impulses_give) {
  for (const int boxes : {1, 2, 9, 40}) {
    ContactProblem p = random_row(boxes, boxes);
    for (std::size_t k = 0; k < p.rows(); k += 3) p.sigma[k] = 0.01;
    p.finalize();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> impulses(p.rows());
    for (double& x : impulses) x = uniform(random);
    const std::vector<double> v = testing::row_velocities(p, impulses), rho = row_masses(p);
    Linearisation l;
    l.resize(p.blocks);
    alart_curnier_system.evaluate(p, rho, impulses, v, l, true);
    // The proximal term of the engine.
    for (std::size_t i = 0; i < l.blocks(); ++i) l.a_block(i) += 1e-3 * p.diagonal(p.blocks[i])(0, 0) * l.b_block(i);
    VelocitySystem velocities;
    velocities.set_up(p);
    ASSERT_TRUE(velocities.factor(l));
    std::vector<double> x(p.rows());
    ASSERT_TRUE(velocities.solve(l, l.phi, x));
    // H = A + B W, dense.
    Eigen::MatrixXd h = testing::dense_delassus(p);
    for (std::size_t i = 0; i < l.blocks(); ++i) {
      const Eigen::Index row = p.blocks[i].row, dim = p.blocks[i].dim;
      h.middleRows(row, dim) = (l.b_block(i) * h.middleRows(row, dim)).eval();
      h.block(row, row, dim, dim) += l.a_block(i);
    }
    const Eigen::VectorXd expected = h.partialPivLu().solve(Eigen::Map<const Eigen::VectorXd>(l.phi.data(), h.rows()));
    EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(x.data(), h.rows()) - expected).norm(), 1e-9 * expected.norm())
        << boxes << " boxes";
  }
}

TEST(BodyMatrix, solves_like_a_dense_matrix_symmetric_or_not) {
  const ContactProblem p = random_row(12, 3);
  const auto n = static_cast<Eigen::Index>(6 * p.segments.size());
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const bool symmetric : {true, false}) {
    BodyMatrix matrix;
    matrix.analyze(p);
    matrix.set_identity();
    Eigen::MatrixXd dense = Eigen::MatrixXd::Identity(n, n);
    for (const Block& b : p.blocks) {
      // A positive definite part for every block, and a twist where symmetry is not asked for.
      const Eigen::Index size = 6 * b.arity;
      Eigen::MatrixXd part = Eigen::MatrixXd::NullaryExpr(size, size, [&] { return uniform(random); });
      part = (part * part.transpose()).eval();
      if (!symmetric) part += 0.3 * Eigen::MatrixXd::NullaryExpr(size, size, [&] { return uniform(random); });
      for (int s = 0; s < b.arity; ++s)
        for (int t = 0; t < b.arity; ++t) {
          const Eigen::Matrix<double, 6, 6> block = part.block(6 * s, 6 * t, 6, 6);
          dense.block(6 * b.segment[s], 6 * b.segment[t], 6, 6) += block;
          if (!symmetric || !matrix.is_upper(b.segment[s], b.segment[t])) matrix.add(b.segment[s], b.segment[t], block.data());
        }
    }
    ASSERT_TRUE(matrix.factor(symmetric));
    Eigen::VectorXd right = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(random); }), x = right;
    matrix.solve({x.data(), static_cast<std::size_t>(n)});
    EXPECT_LT((dense * x - right).norm(), 1e-10 * right.norm()) << (symmetric ? "symmetric" : "not symmetric");
  }
}

TEST(AlartCurnier, in_velocities_finds_the_velocities_that_it_finds_in_impulses) {
  for (const int boxes : {2, 8}) {
    const ContactProblem p = random_row(boxes, boxes), m = testing::as_matrix(p);
    std::vector<double> a, b;
    ASSERT_EQ(solve(p, a, 1e-10, 1000, "alart-curnier").status, SolveStatus::converged);
    ASSERT_EQ(solve(m, b, 1e-10, 1000, "alart-curnier").status, SolveStatus::converged);
    const std::vector<double> va = testing::row_velocities(p, a), vb = testing::row_velocities(m, b);
    for (std::size_t k = 0; k < va.size(); ++k) EXPECT_NEAR(va[k], vb[k], 1e-7);
  }
}

/// A linear complementarity problem.
ContactProblem lcp(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  std::vector<std::uint32_t> offset;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < m.rows(); ++i) {
    offset.push_back(static_cast<std::uint32_t>(i));
    for (int j = 0; j < m.cols(); ++j) entries.emplace_back(i, j, m(i, j));
  }
  offset.push_back(static_cast<std::uint32_t>(m.rows()));
  ContactProblem p = matrix_problem(block_matrix(std::move(offset), entries), BlockKind::contact);
  p.b.assign(q.begin(), q.end());
  p.finalize();
  return p;
}

/// The solution of an LCP whose matrix is a P-matrix: the only basis that is feasible.
Eigen::VectorXd enumerate_bases(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  const int n = static_cast<int>(q.size());
  for (unsigned basis = 0; basis < 1u << n; ++basis) {
    std::vector<int> rows;
    for (int i = 0; i < n; ++i)
      if (basis >> i & 1u) rows.push_back(i);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    if (!rows.empty()) {
      const Eigen::MatrixXd a = m(rows, rows);
      const Eigen::VectorXd right = -q(rows), x = a.partialPivLu().solve(right);
      z(rows) = x;
    }
    if (z.minCoeff() >= -1e-10 && (m * z + q).minCoeff() >= -1e-10) return z;
  }
  ADD_FAILURE() << "no basis is feasible";
  return Eigen::VectorXd::Zero(n);
}

TEST(FewRows, without_friction_are_solved_by_pivots_as_by_enumeration) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const int n : {1, 2, 3, 5, 8, 12})
    for (int k = 0; k < 8; ++k) {
      const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return number(random); });
      const Eigen::MatrixXd turn = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return number(random); });
      // Not symmetric for odd k: xᵀMx > 0 all the same.
      const Eigen::MatrixXd m = g * g.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n) + (k % 2) * (turn - turn.transpose());
      const Eigen::VectorXd q = Eigen::VectorXd::NullaryExpr(n, [&] { return number(random); });
      std::vector<double> impulses;
      const SolveReport r = solve(lcp(m, q), impulses, 1e-9);
      ASSERT_EQ(r.status, SolveStatus::converged) << n << ": " << r.reason;
      if (q.minCoeff() < 0) {
        EXPECT_NE(r.notes.find(fmt::format("solved {} rows.", n)), std::string::npos) << r.notes;
      }
      const Eigen::VectorXd expected = enumerate_bases(m, q);
      for (int i = 0; i < n; ++i) EXPECT_NEAR(impulses[static_cast<std::size_t>(i)], expected[i], 1e-8) << n << ' ' << k;
    }
}

TEST(FewRows, of_any_matrix_are_solved_by_trying_where_pivots_end_on_a_ray) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  int tried = 0;
  for (const int n : {2, 4, 6})
    for (int k = 0; k < 40; ++k) {
      Eigen::MatrixXd m = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return number(random); });
      m.diagonal() = m.diagonal().cwiseAbs();
      Eigen::VectorXd z = Eigen::VectorXd::NullaryExpr(n, [&] { return number(random); });
      const Eigen::VectorXd w = (-z).cwiseMax(0.0);
      z = z.cwiseMax(0.0);   // a solution, with w beside it
      std::vector<double> impulses;
      const SolveReport r = solve(lcp(m, w - m * z), impulses, 1e-9);
      EXPECT_EQ(r.status, SolveStatus::converged) << n << ' ' << k << ": " << r.reason;
      tried += r.notes.find("found by trying") != std::string::npos;
    }
  EXPECT_GT(tried, 0);
}

/// Whether a set of rows that push solves an LCP, its rows regular.
bool some_basis_solves(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  const int n = static_cast<int>(q.size());
  for (unsigned basis = 1; basis < 1u << n; ++basis) {
    std::vector<int> rows;
    for (int i = 0; i < n; ++i)
      if (basis >> i & 1u) rows.push_back(i);
    const Eigen::MatrixXd a = m(rows, rows);
    if (std::abs(a.determinant()) < 1e-9) continue;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    const Eigen::VectorXd right = -q(rows), x = a.partialPivLu().solve(right);
    z(rows) = x;
    if (z.minCoeff() >= 0 && (m * z + q).minCoeff() >= -1e-12) return true;
  }
  return q.minCoeff() >= 0;
}

TEST(FewRows, of_whole_numbers_are_solved_whenever_a_set_of_rows_solves_them) {
  // Singular matrices, zeros and negative numbers on the diagonal, ties, and problems without a solution.
  std::mt19937 random(5);
  std::uniform_int_distribution<int> number(-2, 2);
  int solvable = 0, unsolvable = 0;
  for (const int n : {1, 2, 3, 4})
    for (int k = 0; k < 500; ++k) {
      const Eigen::MatrixXd m = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return number(random); });
      const Eigen::VectorXd q = Eigen::VectorXd::NullaryExpr(n, [&] { return number(random); });
      const ContactProblem p = lcp(m, q);
      std::vector<double> impulses;
      const SolveReport r = solve(p, impulses, 1e-10, 20);   // those without a solution take as long as they may
      ResidualWorkspace work;
      EXPECT_EQ(r.residual.total(), residual(p, impulses, work).total());
      const Eigen::VectorXd z = Eigen::Map<const Eigen::VectorXd>(impulses.data(), n), w = m * z + q;
      const bool solved = z.minCoeff() >= 0 && w.minCoeff() >= -1e-9 && z.cwiseMin(w).cwiseAbs().maxCoeff() < 1e-9;
      EXPECT_EQ(solved, r.status == SolveStatus::converged) << m << "\nq " << q.transpose() << "\nz " << z.transpose();
      const bool has_solution = some_basis_solves(m, q);
      (has_solution ? solvable : unsolvable)++;
      if (!has_solution) continue;
      EXPECT_TRUE(solved) << m << "\nq " << q.transpose() << ": " << r.reason;
    }
  EXPECT_GT(solvable, 800);
  EXPECT_GT(unsolvable, 200);
}

TEST(FewRows, of_the_textbook_are_solved) {
  // Cottle, Pang and Stone: remark 4.1.14 (all z with z₁ + z₂ = 1), example 4.4.7, on which Lemke's method ends on a ray, the
  // bimatrix game 4.4.23, and a quadratic program with a constraint.
  const auto check = [](const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
    std::vector<double> impulses;
    const SolveReport r = solve(lcp(m, q), impulses, 1e-10);
    EXPECT_EQ(r.status, SolveStatus::converged) << r.reason;
    const Eigen::VectorXd z = Eigen::Map<const Eigen::VectorXd>(impulses.data(), q.size()), w = m * z + q;
    EXPECT_GE(z.minCoeff(), 0);
    EXPECT_GE(w.minCoeff(), -1e-10);
    EXPECT_NEAR(z.dot(w), 0, 1e-9);
    return z;
  };
  EXPECT_NEAR(check(Eigen::MatrixXd::Ones(2, 2), -Eigen::Vector2d::Ones()).sum(), 1, 1e-10);
  Eigen::MatrixXd ray(3, 3), game(4, 4), program(4, 4);
  ray << 0, -1, 2, 2, 0, -2, -1, 1, 0;
  EXPECT_LT((check(ray, Eigen::Vector3d(-3, 6, -1)) - Eigen::Vector3d(0, 1, 3)).norm(), 1e-9);
  game << 0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0;
  check(game, -Eigen::Vector4d::Ones());
  program << 11, 0, 10, -1, 0, 11, 10, -1, 10, 10, 21, -1, 1, 1, 1, 0;
  EXPECT_GE(check(program, Eigen::Vector4d(50, 50, 10, -6)).head(3).sum(), 6 - 1e-9);
}

TEST(FewRows, without_a_solution_are_told_to_be_unsolved) {
  std::vector<double> impulses;
  const SolveReport r = solve(lcp(Eigen::MatrixXd::Constant(1, 1, -1), Eigen::VectorXd::Constant(1, -1)), impulses, 1e-9);
  EXPECT_NE(r.status, SolveStatus::converged);
  EXPECT_GE(r.residual.total(), 0.5);
}

TEST(FewRows, with_friction_that_hardly_act_on_each_other_take_one_sweep_each) {
  // Three contacts, the first of which sticks, the second slides and the third parts; none acts on another.
  Eigen::VectorXd b(9);
  b << -1, 0.2, 0.1, -1, 3, 4, 0.5, 1, 1;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < 9; ++i) entries.emplace_back(i, i, 2.0);
  ContactProblem p = matrix_problem(block_matrix({0, 3, 6, 9}, entries), BlockKind::contact, CircularFriction{0.7});
  p.b.assign(b.begin(), b.end());
  p.finalize();
  std::vector<double> impulses;
  const SolveReport r = solve(p, impulses, 1e-10);
  EXPECT_EQ(r.status, SolveStatus::converged) << r.reason;
  EXPECT_EQ(r.notes, "A sweep solved 9 rows.");
  const double expected[9] = {0.5, -0.1, -0.05, 0.5, -0.7 * 0.5 * 0.6, -0.7 * 0.5 * 0.8, 0, 0, 0};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(impulses[i], expected[i], 1e-10) << i;
}

TEST(FewRows, whose_sweeps_are_slow_are_solved_all_the_same) {
  std::vector<double> few, reference;
  const ContactProblem factored = testing::two_box_stack(1, 1000, 0.02), p = testing::as_matrix(factored);
  const SolveReport r = solve(p, few, 1e-9);
  EXPECT_EQ(r.status, SolveStatus::converged) << r.notes << r.reason;
  EXPECT_EQ(solve(factored, reference, 1e-9).status, SolveStatus::converged);
  const auto v = testing::row_velocities(p, few), expected = testing::row_velocities(factored, reference);
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], expected[i], 1e-7) << i;
}

/// A box on four corners with less friction than it needs, or more, as a matrix.
ContactProblem corners(double mu, double push) {
  std::vector<Eigen::Triplet<double>> entries;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(12, 14, [&] { return number(random); });
  const Eigen::MatrixXd w = 0.02 * g * g.transpose() + Eigen::MatrixXd::Identity(12, 12);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix({0, 3, 6, 9, 12}, entries), BlockKind::contact, CircularFriction{mu});
  for (std::size_t i = 0; i < 12; ++i) p.b[i] = i % 3 == 0 ? -1 : push * number(random);
  p.finalize();
  return p;
}

TEST(FewRows, that_all_stick_are_linear_equations) {
  const ContactProblem p = corners(2, 0.1);
  std::vector<double> impulses;
  const SolveReport r = solve(p, impulses, 1e-9);
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_EQ(r.notes, "A sweep and linear equations solved 12 rows.");
  const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(p.b.data(), 12), exact = -p.matrix.dense().ldlt().solve(b);
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(impulses[static_cast<std::size_t>(i)], exact[i], 1e-12);
}

TEST(FewRows, are_judged_by_the_shared_residual_whoever_looks_at_them) {
  for (const double mu : {0.0, 0.1, 0.3, 2.0}) {
    const ContactProblem p = corners(mu, 0.4);
    SolveControl control;
    control.tolerance = control.natural_map_tolerance = 1e-9;
    std::vector<double> quiet(12), watched(12);
    Workspace workspace;
    const SolveReport r = make_solver("auto")->solve(p, quiet, workspace, control);
    control.keep_history = true;
    const SolveReport seen = make_solver("auto")->solve(p, watched, workspace, control);
    EXPECT_EQ(r.status, SolveStatus::converged) << mu;
    EXPECT_EQ(seen.status, SolveStatus::converged) << mu;
    ResidualWorkspace work;
    EXPECT_EQ(r.residual.total(), residual(p, quiet, work).total());
    EXPECT_EQ(r.natural_map_error, natural_map_error(p, quiet, work));
    EXPECT_EQ(r.initial_residual.total(), residual(p, std::vector<double>(12), work).total());
    EXPECT_LE(r.residual.total(), 1e-9);
    EXPECT_LE(r.natural_map_error, 1e-9);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(quiet[i], watched[i], 1e-8) << mu;
  }
}

TEST(FewRows, of_which_the_first_try_is_not_good_enough_are_solved_all_the_same) {
  // In rows whose own impulse does nothing sweeps and sets say little; numbers of unlike size make the first answer rough.
  Eigen::MatrixXd m(3, 3);
  m << 1e8, 1, 0, 1, 1e-8 + 1e-16, 1e-4, 0, 1e-4, 1;
  std::vector<double> impulses;
  const SolveReport r = solve(lcp(m, Eigen::Vector3d(-1, -1e-8, -0.5)), impulses, 1e-12);
  ResidualWorkspace work;
  const ContactProblem p = lcp(m, Eigen::Vector3d(-1, -1e-8, -0.5));
  EXPECT_EQ(r.residual.total(), residual(p, impulses, work).total());
  EXPECT_EQ(r.status == SolveStatus::converged, r.residual.total() <= 1e-12);
}

}   // namespace
}   // namespace stickslip::automatic_test
