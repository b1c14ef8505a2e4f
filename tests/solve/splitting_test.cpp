// Splitting methods on the boxed model, against dense ones written by hand.
#include <gtest/gtest.h>

#include <random>

#include "../error_message.h"
#include "solve/splitting/boxed_pivoting.h"
#include "solve/splitting/groups.h"
#include "stacks.h"
#include "stickslip/solve/registry.h"

namespace stickslip::splitting_test {
namespace {

SolveReport solve(std::string_view name, const OptionList& options, const ContactProblem& p, std::vector<double>& impulses,
                  double tolerance = 1e-10, int max_iterations = 20000) {
  impulses.resize(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  return make_solver(name, options)->solve(p, impulses, workspace, control);
}

/// The iterates that the observer sees.
std::vector<std::vector<double>> iterates(std::string_view name, const OptionList& options, const ContactProblem& p,
                                          int count) {
  std::vector<std::vector<double>> seen;
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-300;
  control.max_iterations = count;
  control.observer = [&](int, std::span<const double> x, const Residual&) { seen.emplace_back(x.begin(), x.end()); };
  make_solver(name, options)->solve(p, impulses, workspace, control);
  return seen;
}

/// Boxes with every friction law, a joint, a motor and compliance; nothing symmetric about it.
ContactProblem zoo() {
  ContactProblem p;
  p.segments = {testing::box_segment(1), testing::box_segment(3), {0.7, Mat3::Identity()}};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto add = [&](BlockKind kind, int dim, int a, int b, FrictionSet law) {
    Block block;
    block.kind = kind;
    block.dim = static_cast<std::uint8_t>(dim);
    block.arity = b < 0 ? 1 : 2;
    block.row = static_cast<std::uint32_t>(p.rows());
    block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
    block.segment[0] = static_cast<std::uint32_t>(a);
    block.segment[1] = static_cast<std::uint32_t>(std::max(b, 0));
    for (int n = 0; n < 6 * dim * block.arity; ++n) p.jacobian_values.push_back(number(random));
    for (int k = 0; k < dim; ++k) {
      p.b.push_back(k == 0 ? -std::abs(number(random)) : number(random));
      p.sigma.push_back(0.1 + 0.1 * k);
      p.lower.push_back(-0.3);
      p.upper.push_back(0.2);
    }
    p.laws.push_back(law);
    p.blocks.push_back(block);
  };
  add(BlockKind::contact, 3, 0, -1, CircularFriction{0.5});
  add(BlockKind::contact, 3, 0, 1, CircularFriction{0.3});
  add(BlockKind::contact, 2, 1, 2, PlanarFriction{0.4});
  add(BlockKind::contact, 4, 2, 0, EllipsoidFriction{0.5, 0.3, 0.1});
  add(BlockKind::contact, 5, 1, -1, RollingFriction{0.5, 0.05});
  add(BlockKind::contact, 1, 2, -1, CircularFriction{});
  add(BlockKind::bilateral, 3, 1, 2, CircularFriction{});
  add(BlockKind::box, 2, 0, 2, CircularFriction{});
  p.finalize();
  return p;
}

/// Row bounds of the boxed model at impulses x.
std::pair<double, double> bounds(const ContactProblem& p, std::size_t block, int k, const Eigen::VectorXd& x) {
  const double inf = std::numeric_limits<double>::infinity();
  const Block& b = p.blocks[block];
  if (b.kind == BlockKind::bilateral) return {-inf, inf};
  if (b.kind == BlockKind::box) return {p.lower[b.row + k], p.upper[b.row + k]};
  if (k == 0) return {0, inf};
  return std::visit(
      [&](const auto& law) {
        const auto box = law.box(x[b.row]);
        return std::pair<double, double>(box.lower[k - 1], box.upper[k - 1]);
      },
      p.laws[block]);
}

Eigen::VectorXd right_side(const ContactProblem& p) {
  return Eigen::Map<const Eigen::VectorXd>(p.b.data(), static_cast<Eigen::Index>(p.rows()));
}

TEST(ProjectedOverRelaxation, takes_the_iterates_of_dense_psor_in_both_forms_of_w) {
  const ContactProblem factored = zoo(), matrix = testing::as_matrix(factored);
  const Eigen::MatrixXd w = testing::dense_delassus(factored);
  const Eigen::VectorXd b = right_side(factored);
  for (const double omega : {1.0, 1.3, 0.7})
    for (const ContactProblem* p : {&factored, &matrix}) {
      const auto seen = iterates("psor", {{"relaxation", omega}}, *p, 12);
      Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size());
      for (std::size_t n = 1; n < seen.size(); ++n) {
        for (std::size_t i = 0; i < p->blocks.size(); ++i)
          for (int k = 0; k < p->blocks[i].dim; ++k) {
            const Eigen::Index row = p->blocks[i].row + k;
            const auto [lower, upper] = bounds(*p, i, k, x);
            x[row] = std::clamp(x[row] - omega * (w.row(row).dot(x) + b[row]) / w(row, row), lower, upper);
          }
        for (Eigen::Index r = 0; r < x.size(); ++r)
          ASSERT_NEAR(seen[n][r], x[r], 1e-12) << "ω " << omega << " iterate " << n << " row " << r;
      }
      EXPECT_EQ(seen.size(), 13u);
    }
}

TEST(SymmetricGaussSeidel, sweeps_forward_and_then_backward_through_the_blocks) {
  const ContactProblem p = zoo();
  const Eigen::MatrixXd w = testing::dense_delassus(p);
  const Eigen::VectorXd b = right_side(p);
  const auto seen = iterates("sgs", {}, p, 5);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size());
  const auto visit = [&](std::size_t i) {
    for (int k = 0; k < p.blocks[i].dim; ++k) {
      const Eigen::Index row = p.blocks[i].row + k;
      const auto [lower, upper] = bounds(p, i, k, x);
      x[row] = std::clamp(x[row] - (w.row(row).dot(x) + b[row]) / w(row, row), lower, upper);
    }
  };
  for (std::size_t n = 1; n < seen.size(); ++n) {
    for (std::size_t i = 0; i < p.blocks.size(); ++i) visit(i);
    for (std::size_t i = p.blocks.size(); i-- > 0;) visit(i);
    for (Eigen::Index r = 0; r < x.size(); ++r) ASSERT_NEAR(seen[n][r], x[r], 1e-12) << n;
  }
}

TEST(ProjectedJacobi, takes_the_iterates_of_dense_jacobi_in_both_forms_of_w) {
  const ContactProblem factored = zoo(), matrix = testing::as_matrix(factored);
  const Eigen::MatrixXd w = testing::dense_delassus(factored);
  const Eigen::VectorXd b = right_side(factored);
  for (const bool safe : {true, false})
    for (const ContactProblem* p : {&factored, &matrix}) {
      const auto seen = iterates("jacobi", {{"relaxation", 0.8}, {"safe", safe}}, *p, 8);
      const Eigen::VectorXd d = safe ? Eigen::VectorXd(w.cwiseAbs().rowwise().sum()) : Eigen::VectorXd(w.diagonal());
      Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size());
      for (std::size_t n = 1; n < seen.size(); ++n) {
        x -= 0.8 * (w * x + b).cwiseQuotient(d);
        for (std::size_t i = 0; i < p->blocks.size(); ++i)
          for (int k = 0; k < p->blocks[i].dim; ++k) {
            const auto [lower, upper] = bounds(*p, i, k, x);
            double& value = x[p->blocks[i].row + k];
            value = std::clamp(value, lower, upper);
          }
        for (Eigen::Index r = 0; r < x.size(); ++r)
          ASSERT_NEAR(seen[n][r], x[r], 1e-12 * std::max(1.0, x.lpNorm<Eigen::Infinity>())) << safe << n;
      }
    }
}

TEST(ProjectedJacobi, converges_on_a_stack_only_with_row_sums) {
  const ContactProblem p = testing::box_stack(4, 0.5, 0.05);
  std::vector<double> safe, textbook;
  EXPECT_LE(solve("jacobi", {}, p, safe, 1e-6).model_residual, 1e-6);
  EXPECT_GT(solve("jacobi", {{"safe", false}}, p, textbook, 1e-6).model_residual, 1e-3);
}

TEST(Splitting, every_solver_reaches_the_velocities_of_pgs_in_both_forms_of_w) {
  const ContactProblem factored = zoo(), matrix = testing::as_matrix(factored);
  std::vector<double> reference;
  solve("pgs", {}, factored, reference, 1e-12);
  const auto expected = testing::row_velocities(factored, reference);
  const OptionList none;
  for (const auto& [name, options] : {std::pair<const char*, OptionList>{"psor", none},
                                      {"sgs", none},
                                      {"jacobi", none},
                                      {"shock", none},
                                      {"bgs", {{"block", std::string("contact")}}},
                                      {"bgs", none},
                                      {"bgs", {{"block", std::string("layer")}}},
                                      {"bgs", {{"block", std::string("all")}, {"joints", std::string("pcg")}}},
                                      {"bgs", {{"sub_solver", std::string("sweeps")}, {"joints", std::string("block")}}},
                                      {"bgs", {{"sub_solver", std::string("psor")}, {"sub_iterations", 50.0}}},
                                      {"bgs", {{"ordering", std::string("random-sweep")}}},
                                      {"bgs", {{"scheme", std::string("jacobi")}}},
                                      {"bgs", {{"scheme", std::string("jacobi")}, {"joints", std::string("block")}}}})
    for (const ContactProblem* p : {&factored, &matrix}) {
      std::vector<double> impulses;
      const SolveReport r = solve(name, options, *p, impulses, 1e-10);
      EXPECT_LE(r.model_residual, 1e-10) << name << " " << r.reason << (p == &matrix ? " matrix" : " factored");
      const auto v = testing::row_velocities(*p, impulses);
      for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], expected[i], 1e-7) << name << " row " << i;
    }
}

TEST(BoxedPivoting, agrees_with_the_enumeration_of_all_sides_on_one_contact) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  int sliding = 0, sticking = 0, open = 0;
  for (int n = 0; n < 200; ++n) {
    Eigen::Matrix3d g;
    for (int i = 0; i < 9; ++i) g.data()[i] = number(random);
    const Eigen::MatrixXd a = g * g.transpose() + 0.05 * Eigen::Matrix3d::Identity();
    const Eigen::VectorXd c = Eigen::Vector3d(number(random), number(random), number(random));
    // Of different reach to both sides.
    const double lower[] = {0, -0.8, -0.3}, upper[] = {0, 0.8, 1.1};
    const std::vector<BoxRow> rows{
        {0, std::numeric_limits<double>::infinity()}, {lower[1], upper[1], 0}, {lower[2], upper[2], 0}};
    std::vector<Eigen::Vector3d> solutions;
    for (const int s0 : {-1, 0})
      for (const int s1 : {-1, 0, 1})
        for (const int s2 : {-1, 0, 1}) {
          // Rows of the linear system: v = 0 where free, else the bound.
          Eigen::Matrix3d m;
          Eigen::Vector3d r = -c;
          m = a;
          if (s0 < 0) m.row(0) = Eigen::RowVector3d(1, 0, 0), r[0] = 0;
          if (s1 != 0) m.row(1) = Eigen::RowVector3d(-(s1 > 0 ? upper : lower)[1], 1, 0), r[1] = 0;
          if (s2 != 0) m.row(2) = Eigen::RowVector3d(-(s2 > 0 ? upper : lower)[2], 0, 1), r[2] = 0;
          const Eigen::Vector3d x = m.partialPivLu().solve(r), v = a * x + c;
          bool good = x[0] >= -1e-12 && (s0 == 0 || v[0] >= -1e-12);
          for (const auto& [s, k] : {std::pair(s1, 1), std::pair(s2, 2)})
            good = good && x[k] <= upper[k] * std::max(x[0], 0.0) + 1e-12 && x[k] >= lower[k] * std::max(x[0], 0.0) - 1e-12 &&
                   (x[0] <= 1e-12 || s == 0 || s * v[k] <= 1e-12);
          if (good) solutions.push_back(x);
        }
    ASSERT_FALSE(solutions.empty()) << n;
    Eigen::VectorXd found = Eigen::VectorXd::Zero(3);
    BoxedPivoting pivoting;
    ASSERT_TRUE(pivoting.solve(a, c, rows, found)) << n;
    double nearest = 1;
    for (const auto& x : solutions) nearest = std::min(nearest, (x - found).norm());
    EXPECT_LT(nearest, 1e-9) << n;
    if (found[0] <= 0) ++open;
    else if (std::abs(found[1]) < 0.799 * found[0] && found[2] < 1.099 * found[0] && found[2] > -0.299 * found[0]) ++sticking;
    else ++sliding;
  }
  EXPECT_GT(std::min({open, sticking, sliding}), 5);
}

TEST(BlockedGaussSeidel, one_group_of_everything_solves_in_one_iteration) {
  for (const ContactProblem& p : {testing::two_box_stack(2, 10, 0.2), testing::two_box_stack(2, 1, 3),
                                  testing::as_matrix(testing::two_box_stack(2, 100, 0))}) {
    std::vector<double> impulses;
    const SolveReport r = solve("bgs", {{"block", std::string("all")}}, p, impulses, 1e-9);
    EXPECT_LE(r.model_residual, 1e-9) << r.reason;
    EXPECT_EQ(r.iterations, 1);
  }
}

TEST(BlockedGaussSeidel, groups_are_pairs_and_layers) {
  const std::vector<int> listed{2, 0, 1};
  const ContactProblem p = testing::box_stack(3, 0.5, 0, listed);
  const GroupList pairs = group_blocks(p, Grouping::pair, false), layers = group_blocks(p, Grouping::layer, false);
  ASSERT_EQ(pairs.size(), 3u);
  ASSERT_EQ(layers.size(), 3u);
  for (std::size_t g = 0; g < 3; ++g) {
    ASSERT_EQ(pairs[g].size(), 4u);
    for (const std::uint32_t i : pairs[g]) EXPECT_EQ(i / 4, g) << "in the order of the problem";
    ASSERT_EQ(layers[g].size(), 4u);
    for (const std::uint32_t i : layers[g]) EXPECT_EQ(listed[i / 4], static_cast<int>(g)) << "from the ground";
  }
  EXPECT_EQ(group_blocks(p, Grouping::contact, false).size(), 12u);
  EXPECT_EQ(group_blocks(p, Grouping::all, false).size(), 1u);
}

/// A chain of bodies hanging from the world by ball joints, with a heavy load at the end.
ContactProblem chain(int links, double load) {
  ContactProblem p;
  for (int i = 0; i < links; ++i) p.segments.push_back(testing::box_segment(i + 1 == links ? load : 1));
  for (int i = 0; i < links; ++i) {
    testing::add_contact(p, i - 1, Vec3(0, 0, 0.5 - i), i, Vec3(0, 0, -0.5 - i), Vec3(0, 0, -i), Vec3::UnitZ(), 0,
                         i == 0 ? Vec3(-0.1, 0.03, 0) : Vec3(0, 0, 0));
    p.blocks.back().kind = BlockKind::bilateral;
  }
  p.finalize();
  return p;
}

TEST(BlockedGaussSeidel, a_chain_with_a_heavy_load_is_one_linear_system) {
  const ContactProblem p = chain(20, 1000);
  for (const char* joints : {"direct", "pcg"}) {
    std::vector<double> impulses;
    const SolveReport r = solve("bgs", {{"joints", std::string(joints)}}, p, impulses, 1e-8, 10);
    EXPECT_EQ(r.status, SolveStatus::converged) << joints << " " << r.residual.total();
    EXPECT_LE(r.iterations, 2) << joints;
    const Eigen::VectorXd x = testing::dense_delassus(p).ldlt().solve(-right_side(p));
    for (Eigen::Index i = 0; i < x.size(); ++i) EXPECT_NEAR(impulses[i], x[i], 1e-4 * x.lpNorm<Eigen::Infinity>()) << joints;
  }
  std::vector<double> swept;
  EXPECT_GT(solve("pgs", {}, p, swept, 1e-8, 1000).residual.total(), 1e-4) << "sweeps alone are far from it";
}

TEST(BlockedGaussSeidel, with_an_exact_sub_solver_it_solves_the_exact_law) {
  const ContactProblem p = testing::particle_contact({-1, 3, 3}, 0.5);
  std::vector<double> impulses;
  const SolveReport r = solve("bgs", {{"sub_solver", std::string("prox-gs")}, {"sub_iterations", 100.0}}, p, impulses);
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_NEAR(std::hypot(impulses[1], impulses[2]), 0.5, 1e-9);
}

/// Five boxes, listed in disorder: groups with one, two and three neighbours.
ContactProblem listed_stack(double mu) { return testing::box_stack(5, mu, 0.05, std::vector<int>{3, 0, 4, 2, 1}); }

TEST(BlockedGaussSeidel, one_sweep_over_contacts_in_an_order_is_a_sweep_of_pgs_in_that_order) {
  const ContactProblem p = listed_stack(0.5);
  const OptionList swept = {{"block", std::string("contact")}, {"sub_solver", std::string("sweeps")}, {"sub_iterations", 1.0}};
  for (const char* ordering : {"given", "random", "random-sweep", "coordinate-x", "layers", "complementarity"})
    for (const bool reverse : {false, true}) {
      const OptionList order = {{"ordering", std::string(ordering)}, {"reverse_order", reverse}};
      OptionList both = swept;
      both.insert(both.end(), order.begin(), order.end());
      const auto expected = iterates("pgs", order, p, 12), found = iterates("bgs", both, p, 12);
      ASSERT_EQ(found.size(), expected.size()) << ordering;
      for (std::size_t k = 0; k < found.size(); ++k)
        for (std::size_t i = 0; i < p.rows(); ++i)
          ASSERT_NEAR(found[k][i], expected[k][i], 1e-12) << ordering << ", iterate " << k << ", row " << i;
    }
}

TEST(BlockedGaussSeidel, visits_pairs_where_a_permutation_has_the_first_of_their_rows) {
  const ContactProblem p = testing::box_stack(3);   // pairs 0, 1 and 2 from the ground, of twelve rows each
  std::string permutation;
  for (const int pair : {1, 0, 2})
    for (int k = 11; k >= 0; --k) permutation += std::to_string(12 * pair + k) + " ";
  const OptionList order = {{"ordering", std::string("permutation")}, {"permutation", permutation}};
  const std::vector<double> first = iterates("bgs", order, p, 1).back(), given = iterates("bgs", {}, p, 1).back();
  // The pair that comes first is solved against a world without impulses: alone. Those above the ground then have nothing to
  // do,
  // unless the one below was visited before.
  const std::vector<double> alone = iterates("bgs", {{"scheme", std::string("jacobi")}, {"relaxation", 1.0}}, p, 1).back();
  for (std::size_t i = 12; i < 24; ++i) EXPECT_NEAR(first[i], alone[i], 1e-12) << i;
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(given[i], alone[i], 1e-12) << i;
  EXPECT_GT(std::abs(first[12] - given[12]), 1e-3);
}

TEST(BlockedJacobi, solves_groups_that_do_not_share_bodies_at_once_and_does_not_depend_on_their_order) {
  ContactProblem apart;
  apart.segments = {testing::box_segment(1), testing::box_segment(3)};
  for (int body = 0; body < 2; ++body)
    for (const double x : {-0.5, 0.5})
      testing::add_contact(apart, -1, Vec3::Zero(), body, Vec3(0, 0, 0.5), Vec3(x, 0.1, 0), Vec3::UnitZ(), 0.4,
                           Vec3(-0.2, 0.05, 0));
  apart.finalize();
  std::vector<double> impulses;
  const SolveReport r = solve("bgs", {{"scheme", std::string("jacobi")}}, apart, impulses, 1e-9);
  EXPECT_EQ(r.iterations, 1) << r.reason;
  EXPECT_LE(r.model_residual, 1e-9);

  const ContactProblem listed = listed_stack(0.5), sorted = testing::box_stack(5, 0.5, 0.05);
  const OptionList jacobi = {{"scheme", std::string("jacobi")}, {"block", std::string("pair")}};
  const auto a = iterates("bgs", jacobi, listed, 20), b = iterates("bgs", jacobi, sorted, 20);
  const std::vector<int> places = {3, 0, 4, 2, 1};
  ASSERT_EQ(a.size(), b.size());
  // Impulses are free where four contacts carry a box; velocities are not.
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto v = testing::row_velocities(listed, a[k]), expected = testing::row_velocities(sorted, b[k]);
    for (std::size_t pair = 0; pair < 5; ++pair)
      for (std::size_t i = 0; i < 12; ++i)
        ASSERT_NEAR(v[12 * pair + i], expected[12 * static_cast<std::size_t>(places[pair]) + i], 1e-9) << k << ' ' << pair;
  }
}

TEST(BlockedJacobi, never_raises_the_energy_of_the_normal_problem_and_diverges_without_relaxation) {
  const ContactProblem factored = listed_stack(0), matrix = testing::as_matrix(factored);
  const Eigen::MatrixXd w = testing::dense_delassus(factored);
  const Eigen::VectorXd c = right_side(factored);
  const auto energy = [&](const std::vector<double>& impulses) {
    const Eigen::Map<const Eigen::VectorXd> x(impulses.data(), static_cast<Eigen::Index>(impulses.size()));
    return 0.5 * x.dot(w * x) + c.dot(x);
  };
  for (const char* block : {"contact", "pair", "layer"})
    for (const ContactProblem* p : {&factored, &matrix}) {
      const auto steps = iterates("bgs", {{"scheme", std::string("jacobi")}, {"block", std::string(block)}}, *p, 60);
      ASSERT_EQ(steps.size(), 61u);
      EXPECT_LT(energy(steps.back()), 0.5 * energy(steps[1]));
      for (std::size_t k = 1; k < steps.size(); ++k)
        EXPECT_LE(energy(steps[k]), energy(steps[k - 1]) + 1e-12) << block << ' ' << k;
    }
  const OptionList textbook = {{"scheme", std::string("jacobi")}, {"block", std::string("contact")}, {"relaxation", 1.0}};
  std::vector<double> impulses, safe;
  EXPECT_GT(solve("bgs", textbook, factored, impulses, 1e-6, 5000).model_residual, 1e-3);
  EXPECT_LE(solve("bgs", {{"scheme", std::string("jacobi")}}, factored, safe, 1e-6).model_residual, 1e-6);
}

TEST(BlockedJacobi, options_that_mean_nothing_are_refused) {
  const auto message = [](const OptionList& options) { return testing::message_of([&] { make_solver("bgs", options); }); };
  EXPECT_NE(message({{"scheme", std::string("jacoby")}}).find("/scheme: 'jacoby' is not a scheme."), std::string::npos);
  EXPECT_NE(message({{"relaxation", 0.5}}).find("/relaxation: 0.5 is not a relaxation factor of gauss-seidel."),
            std::string::npos);
  EXPECT_NE(message({{"scheme", std::string("jacobi")}, {"relaxation", 1.5}}).find("between 0 and 1"), std::string::npos);
  EXPECT_NE(
      message({{"scheme", std::string("jacobi")}, {"ordering", std::string("random")}}).find("/ordering: With scheme=jacobi"),
      std::string::npos);
  EXPECT_NE(message({{"ordering", std::string("grouped")}}).find("takes normal and friction rows apart"), std::string::npos);
}

TEST(BlockedGaussSeidel, with_lemke_in_its_groups_it_solves_the_polyhedral_model_with_its_slacks) {
  const ContactProblem p = testing::box_stack(2, 0.3, 0.4);   // slides
  std::vector<double> blocked, whole;
  const SolveReport r = solve("bgs", {{"sub_solver", std::string("lemke")}, {"sub_iterations", 1000.0}}, p, blocked, 1e-9);
  EXPECT_LE(r.model_residual, 1e-9) << r.reason;
  const SolveReport direct = solve("lemke", {}, p, whole, 1e-9);
  EXPECT_LE(direct.model_residual, 1e-9);
  const auto v = testing::row_velocities(p, blocked), expected = testing::row_velocities(p, whole);
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], expected[i], 1e-6) << i;
}

TEST(BlockedGaussSeidel, unknown_choices_are_named) {
  EXPECT_EQ(testing::message_of([] {
              make_solver("bgs", {{"block", std::string("layers")}});
            }),
            "/block: 'layers' is not a kind of block. Did you mean 'layer'?");
  EXPECT_NE(testing::message_of([] {
              make_solver("bgs", {{"sub_solver", std::string("exakt")}});
            }).find("/sub_solver: "),
            std::string::npos);
}

TEST(ShockPropagation, one_pass_carries_the_weight_of_a_stack_to_the_ground) {
  // Without a drift nothing but the weight is to be found: 20 boxes at 0.1 m/s on four corners each.
  const ContactProblem p = testing::box_stack(20, 0.5, 0);
  std::vector<double> shocked, swept;
  const SolveReport with = solve("shock", {}, p, shocked, 1e-8, 3), without = solve("pgs", {}, p, swept, 1e-8, 100);
  EXPECT_LE(with.model_residual, 1e-8);
  EXPECT_EQ(with.iterations, 3) << "two sweeps, then the pass";
  EXPECT_GT(without.model_residual, 1e-3);
  double ground = 0;
  for (int i = 0; i < 4; ++i) ground += shocked[3 * i];
  EXPECT_NEAR(ground, 20 * 0.1, 1e-6);
}

TEST(ShockPropagation, a_heavy_box_straight_on_a_light_one_is_one_pass_too) {
  const ContactProblem straight = testing::two_box_stack(1, 1e6, 0);
  std::vector<double> impulses, swept;
  const SolveReport r = solve("shock", {}, straight, impulses, 1e-8, 3);
  EXPECT_LE(r.model_residual, 1e-8);
  EXPECT_GT(solve("pgs", {}, straight, swept, 1e-8, 2000).model_residual, 1e-2);
}

TEST(ShockPropagation, does_no_harm_where_there_is_no_up_or_down) {
  // Two bodies between two walls.
  ContactProblem p;
  p.segments = {testing::box_segment(1), testing::box_segment(1)};
  testing::add_contact(p, -1, {}, 0, {0.5, 0, 0}, {0, 0, 0}, Vec3::UnitX(), 0.5, {-1, 0.1, 0});
  testing::add_contact(p, 0, {0.5, 0, 0}, 1, {1.5, 0, 0}, {1, 0, 0}, Vec3::UnitX(), 0.5, {-1, 0, 0.1});
  testing::add_contact(p, 1, {1.5, 0, 0}, -1, {}, {2, 0, 0}, Vec3::UnitX(), 0.5, {2.5, 0, 0});
  p.finalize();
  std::vector<double> impulses;
  EXPECT_LE(solve("shock", {{"every", 1.0}}, p, impulses, 1e-10).model_residual, 1e-10);
}

TEST(Splitting, iterations_to_1e_6_on_stacks_are_recorded_for_the_manual) {
  for (const auto& [name, options] : {std::pair<const char*, OptionList>{"jacobi", {}},
                                      {"pgs", {}},
                                      {"psor", {}},
                                      {"sgs", {}},
                                      {"bgs", {{"block", std::string("contact")}}},
                                      {"bgs", {}},
                                      {"bgs", {{"block", std::string("layer")}, {"sub_solver", std::string("sweeps")}}},
                                      {"shock", {}}})
    for (const int boxes : {2, 5}) {
      const ContactProblem p = testing::box_stack(boxes);
      std::vector<double> impulses(p.rows());
      Workspace workspace;
      SolveControl control;
      control.max_iterations = 50000;
      control.keep_history = true;   // every iteration is judged
      const SolveReport r = make_solver(name, options)->solve(p, impulses, workspace, control);
      std::string label = name;
      for (const auto& option : options) label += "_" + std::get<std::string>(option.second);
      RecordProperty(label + "_" + std::to_string(boxes), r.iterations);
      EXPECT_LE(r.model_residual, 1e-6) << label << " " << boxes;
    }
}

TEST(Stopping, a_stalled_or_diverging_solve_is_told_apart_by_its_merit) {
  // Textbook Jacobi on a stack blows up or hovers; sweeps with a mass ratio of 1e4 crawl.
  const ContactProblem crawling = testing::two_box_stack(1, 1e4, 0.2);
  std::vector<double> impulses(crawling.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-10;
  control.max_iterations = 100000;
  control.relative_tolerance = 0.05;
  const SolveReport crawl = make_solver("pgs")->solve(crawling, impulses, workspace, control);
  EXPECT_EQ(crawl.status, SolveStatus::stalled);
  EXPECT_GT(crawl.model_residual, control.tolerance);
  EXPECT_LT(crawl.iterations, 10000);

  ContactProblem p = testing::box_stack(4, 0, 0);
  for (Block& b : p.blocks) b.kind = BlockKind::bilateral;   // no clamp holds it back
  // Equal velocities leave the modes that grow to rounding: these wake all of them.
  for (std::size_t i = 0; i < p.b.size(); ++i) p.b[i] += 0.01 * std::cos(static_cast<double>(i));
  p.finalize();
  control = {};
  control.divergence = 100;
  control.max_iterations = 10000;
  std::vector<double> wild(p.rows());
  const SolveReport diverged = make_solver("jacobi", {{"safe", false}})->solve(p, wild, workspace, control);
  EXPECT_EQ(diverged.status, SolveStatus::diverged);
  EXPECT_LT(diverged.iterations, 1000);
  EXPECT_LE(diverged.residual.total(), diverged.initial_residual.total()) << "the best iterate is handed back";
}

}   // namespace
}   // namespace stickslip::splitting_test
