// The direct treatment of joints in `auto`: least squares, condensation, all joints as one block, contradictions.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "joint_solves.h"
#include "solve/exact/exact_sweep.h"
#include "solve/joint_conflict.h"
#include "solve/joints/condensation.h"
#include "solve/joints/joint_sweep.h"

namespace stickslip {
namespace {

using namespace testing;

/// The least-squares solution of least size of a x = right.
Eigen::MatrixXd smallest_solution(const Eigen::MatrixXd& a, const Eigen::MatrixXd& right) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor;
  factor.setThreshold(1e-9);
  factor.compute(a);
  return factor.solve(right);
}

using Rows = std::vector<Eigen::Index>;

/// These rows and columns of a matrix.
Eigen::MatrixXd submatrix(const Eigen::MatrixXd& m, const Rows& rows, const Rows& columns) {
  Eigen::MatrixXd picked(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j)
      picked(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = m(rows[i], columns[j]);
  return picked;
}

Eigen::MatrixXd right_side_of(const ContactProblem& p) {
  return Eigen::Map<const Eigen::VectorXd>(p.b.data(), static_cast<Eigen::Index>(p.rows()));
}

/// The least-squares impulses of least size of bilateral rows alone, both measured by the diagonal of W, by brute force.
Eigen::VectorXd least_squares(const ContactProblem& p) {
  const Eigen::MatrixXd w = testing::dense_delassus(p);
  Eigen::MatrixXd scaled = w, b = right_side_of(p);
  const auto root = [&](Eigen::Index i) { return std::sqrt(w(i, i)); };
  for (Eigen::Index i = 0; i < w.rows(); ++i) {
    b(i) /= root(i);
    for (Eigen::Index j = 0; j < w.cols(); ++j) scaled(i, j) /= root(i) * root(j);
  }
  Eigen::MatrixXd x = smallest_solution(scaled, b);
  for (Eigen::Index i = 0; i < w.rows(); ++i) x(i) /= -root(i);
  return x;
}

TEST(Joints, closed_loops_get_the_smallest_impulses_that_hold_them) {
  for (const int planks : {3, 12, 30}) {   // dense and sparse
    const ContactProblem p = bridge(planks);
    std::vector<double> impulses;
    const SolveReport r = solve("auto", p, impulses, 1e-11, 5);
    EXPECT_EQ(r.status, SolveStatus::converged) << r.reason << " at " << r.residual.total();
    const Eigen::VectorXd expected = least_squares(p);
    const Eigen::VectorXd error = Eigen::Map<const Eigen::VectorXd>(impulses.data(), expected.size()) - expected;
    EXPECT_LT(error.cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff()) << planks;
  }
}

TEST(Joints, that_contradict_each_other_are_named_and_the_rest_is_solved) {
  const ContactProblem p = quarrel();
  for (const double guess : {0.0, 0.3}) {
    std::vector<double> impulses(p.rows(), guess);
    const SolveReport r = solve("auto", p, impulses, 1e-9, 500);
    EXPECT_EQ(r.status, SolveStatus::stalled);
    EXPECT_NE(r.reason.find("contradict"), std::string_view::npos) << r.reason;
    EXPECT_GT(r.residual.bilateral, 0.1);
    for (const double part : {r.residual.gap_velocity, r.residual.complementarity, r.residual.cone, r.residual.dissipation})
      EXPECT_LE(part, 1e-9);
    for (const double impulse : impulses) EXPECT_LT(std::abs(impulse), 5);
    EXPECT_EQ(contradicting_blocks(p, impulses, 1e-6), (std::vector<std::uint32_t>{0, 3}));
  }
  for (const auto& [name, consistent] : mechanisms()) {
    std::vector<double> impulses;
    solve("auto", consistent, impulses);
    EXPECT_TRUE(contradicting_blocks(consistent, impulses, 1e-9).empty()) << name;
    std::fill(impulses.begin(), impulses.end(), 0.0);
    EXPECT_TRUE(contradicting_blocks(consistent, impulses, 1e-9).empty()) << name;
  }
}

TEST(Condensation, is_the_schur_complement_of_the_joints) {
  for (const auto& [name, p] : mechanisms()) {
    BlockProducts products;
    JointSystem joints;
    Condensation condensation;
    products.setup(p);
    ASSERT_TRUE(joints.setup(p, products));
    condensation.analyze(p, products, joints);
    ASSERT_TRUE(condensation.build());
    Rows j, c;
    for (const Block& block : p.blocks)
      for (int k = 0; k < block.dim; ++k) (block.kind == BlockKind::bilateral ? j : c).push_back(block.row + k);
    const Eigen::MatrixXd w = testing::dense_delassus(p);
    const Eigen::MatrixXd b = right_side_of(p), joined = submatrix(w, j, j), across = submatrix(w, c, j);
    Eigen::MatrixXd expected = submatrix(w, c, c) - across * smallest_solution(joined, submatrix(w, j, c));
    for (std::size_t k = 0; k < c.size(); ++k)   // rows that joints hold fast keep a diagonal
      if (auto& own = expected(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)); own < 1e-12) own = w(c[k], c[k]);
    const Eigen::MatrixXd expected_b = submatrix(b, c, {0}) - across * smallest_solution(joined, submatrix(b, j, {0}));
    const ContactProblem& small = condensation.problem();
    EXPECT_LT((delassus(small).dense() - expected).cwiseAbs().maxCoeff(), 1e-11 * w.cwiseAbs().maxCoeff()) << name;
    EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(small.b.data(), expected_b.size()) - expected_b).cwiseAbs().maxCoeff(), 1e-11)
        << name;

    // Impulses of the joints that belong to any others bring them to rest.
    std::vector<double> some(small.rows()), v(p.rows()), segment, back(small.rows());
    for (std::size_t k = 0; k < some.size(); ++k) some[k] = std::sin(1.0 + static_cast<double>(k));
    const std::span<const double> full = condensation.expand(some);
    p.contact_velocity(full, v, segment);
    for (const Eigen::Index row : j) EXPECT_NEAR(v[static_cast<std::size_t>(row)], 0, 1e-11) << name;
    condensation.restrict_to(full, back);
    EXPECT_EQ(back, some);
  }
}

TEST(Joints, of_a_long_mechanism_on_many_contacts_are_one_block_and_a_heavy_load_is_no_trouble) {
  const ContactProblem p = snake(40, 1000);
  std::vector<double> impulses, reference;
  const SolveReport r = solve("auto", p, impulses, 1e-7, 200);
  EXPECT_EQ(r.status, SolveStatus::converged) << r.residual.total() << " " << r.notes;
  EXPECT_EQ(r.notes.find("Eliminated"), std::string::npos) << "this many contacts on one mechanism make a full matrix";
  ASSERT_EQ(solve("admm", p, reference, 1e-9, 20000).status, SolveStatus::converged);
  EXPECT_LT((velocity_change(p, impulses) - velocity_change(p, reference)).cwiseAbs().maxCoeff(), 1e-5);
}

/// Two to fourteen bodies of masses from 0.1 to 10 kg, joints of all kinds between them, some soft, closed loops, motors,
/// limits, contacts, a coupling.
ContactProblem random_mechanism(unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](double a, double b) { return a + (b - a) * static_cast<double>(random()) / 4294967296.0; };
  const auto whole = [&](int a, int b) { return a + static_cast<int>(random() % static_cast<unsigned>(b - a + 1)); };
  const auto vector = [&](double size) {
    const double x = number(-size, size), y = number(-size, size), z = number(-size, size);
    return Vec3(x, y, z);
  };
  MechanismBuilder m;
  std::vector<Vec3> centers;
  const int bodies = whole(2, 14);
  for (int i = 0; i < bodies; ++i) {
    centers.push_back(vector(3) + Vec3(0, 0, 3.5));
    const double mass = std::pow(10, number(-1, 1));
    const Vec3 u = vector(1), omega = vector(1);
    m.body(mass, centers.back(), u, omega);
  }
  for (int i = 0; i < bodies; ++i) {
    const int a = whole(-1, i - 1), kind = whole(0, 3);
    const Vec3 point = a < 0 ? centers[i] : Vec3(0.5 * (centers[a] + centers[i])), along = vector(1).normalized();
    const double sigma = number(0, 1) < 0.2 ? number(0, 0.1) : 0;
    if (number(0, 1) < 0.1) continue;
    if (kind == 0) m.ball(a, i, point, sigma);
    else if (kind == 1) m.hinge(a, i, point, sigma);
    else if (kind == 2) m.fixed(a, i, point);
    else m.rows(BlockKind::bilateral, a, i, {{along, point}}, 0, sigma);
    const double speed = number(-3, 3), bound = number(0, 2);
    if (number(0, 1) < 0.3) m.motor(a, i, speed, bound);
    if (number(0, 1) < 0.3) m.limit(a, i);
  }
  for (int n = bodies > 2 ? whole(0, 3) : 0; n > 0; --n) {
    const int a = whole(0, bodies - 2), b = whole(a + 1, bodies - 1);
    m.ball(a, b, 0.5 * (centers[a] + centers[b]));
  }
  for (int n = whole(0, 12); n > 0; --n) {
    const int b = whole(0, bodies - 1), drawn = whole(-1, bodies - 1), a = drawn == b ? -1 : drawn;
    const Vec3 normal = a < 0 ? Vec3(Vec3::UnitZ()) : Vec3((centers[b] - centers[a]).normalized()), offset = vector(0.3);
    m.contact(a, b, centers[b] - 0.5 * normal + offset, normal, number(0, 1));
  }
  if (bodies > 3) m.coupling({{0, 1.0}, {1, -0.7}, {2, 1.3}, {3, 0.4}});
  return m.finish();
}

TEST(Joints, of_random_mechanisms_with_loops_motors_limits_and_contacts_are_solved) {
  int solved = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const ContactProblem p = random_mechanism(seed);
    std::vector<double> impulses;
    const SolveReport r = solve("auto", p, impulses, 1e-8, 500);
    ASSERT_TRUE(std::isfinite(r.residual.total())) << seed;
    EXPECT_LE(r.residual.total(), r.initial_residual.total()) << seed;
    solved += r.status == SolveStatus::converged;
  }
  EXPECT_GE(solved, 198) << "of 200: friction of many contacts on few bodies is hard now and then";
}

TEST(JointSweep, between_sweeps_over_contacts_has_the_solution_as_its_fixed_point) {
  for (const auto& [name, p] : mechanisms()) {
    std::vector<double> exact;
    ASSERT_EQ(solve("auto", p, exact, 1e-12).status, SolveStatus::converged) << name;
    BlockProducts products;
    JointSystem joints;
    JointSweep sweep;
    ExactBlocks blocks;
    products.setup(p);
    ASSERT_TRUE(joints.setup(p, products));
    sweep.setup(p, joints);
    blocks.prepare(p, 0.1);
    for (const double start : {0.0, 1.0}) {   // from nothing, and from the solution
      std::vector<double> impulses = exact, velocity(6 * p.segments.size(), 0.0), previous(p.rows());
      for (double& x : impulses) x *= start;
      p.add_scaled_velocity(impulses, velocity);
      Momentum momentum{0, previous.data(), nullptr, 0};
      double change = 1;
      for (int k = 0; k < (start > 0 ? 1 : 20000) && change > 1e-13; ++k) {
        change = exact_sweep(p, blocks, sweep.others(), impulses, velocity, momentum);
        change = std::max(change, sweep.visit(impulses, velocity, momentum));
      }
      EXPECT_LT((velocity_change(p, impulses) - velocity_change(p, exact)).cwiseAbs().maxCoeff(), 1e-8)
          << name << " from " << start;
    }
  }
}

}   // namespace
}   // namespace stickslip
