// Algorithms 1 and 2 of the PROX paper against dense versions written down from its text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "../error_message.h"
#include "iterates.h"
#include "stacks.h"
#include "stickslip/solve/ordering.h"
#include "stickslip/solve/prox/prox_paper.h"

namespace stickslip::prox_paper_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The closest point of the ellipsoid with these axes, by bisection on g(t) [prox §4.1].
VectorXd closest_on_ellipsoid(const VectorXd& axes, const VectorXd& z) {
  if (axes.maxCoeff() <= 0) return VectorXd::Zero(z.size());
  const auto x_of = [&](double t) -> VectorXd { return z.array() * axes.array().square() / (axes.array().square() + t); };
  const auto outside = [&](double t) { return (x_of(t).array() / axes.array()).matrix().squaredNorm() > 1; };
  if (!outside(0)) return z;
  double low = 0, high = axes.maxCoeff() * z.norm();
  while (outside(high)) high *= 1.5;
  for (int i = 0; i < 200; ++i) (outside((low + high) / 2) ? low : high) = (low + high) / 2;
  return x_of(high);
}

/// A problem as the paper has it: blocks of a normal and its friction rows, with the axes of F(1).
struct DenseProx {
  MatrixXd a;
  VectorXd b;
  VectorXd mu;   ///< axes of F(1), for every contact alike

  int rows() const { return 1 + static_cast<int>(mu.size()); }
  int contacts() const { return static_cast<int>(b.size()) / rows(); }

  /// R of §4.2.
  MatrixXd factors(const std::string& strategy) const {
    if (strategy == "global") return 5 * MatrixXd::Identity(b.size(), b.size());
    MatrixXd r = a.diagonal().cwiseInverse().asDiagonal();
    if (strategy == "blocked")
      for (int i = 0; i < contacts(); ++i) {
        const int first = rows() * i + 1, n = rows() - 1;
        r.block(first, first, n, n) = a.block(first, first, n, n).inverse();
      }
    return r;
  }

  /// @param scale of the first factors @param other_nu instead of that of the paper
  std::vector<VectorXd> run(bool jacobi, const std::string& strategy, int passes, int& rollbacks, double scale = 1,
                            double other_nu = 0) const {
    MatrixXd r = scale * factors(strategy);
    const double nu = other_nu > 0 ? other_nu : strategy == "local" ? 0.9 : 0.5;
    VectorXd lambda = VectorXd::Zero(b.size());
    double size = std::numeric_limits<double>::infinity();
    std::vector<VectorXd> all = {lambda};
    for (int pass = 0; pass < passes; ++pass) {
      VectorXd next = lambda;
      for (int i = 0; i < contacts(); ++i) {
        const int first = rows() * i;
        const VectorXd z = next - r * (a * (jacobi ? lambda : next) + b);   // most updated values; λ_k of this contact
        const double old_normal = lambda[first];
        next[first] = std::max(0.0, z[first]);
        const double bound = jacobi ? old_normal : next[first];
        next.segment(first + 1, rows() - 1) = closest_on_ellipsoid(bound * mu, z.segment(first + 1, rows() - 1));
      }
      const double moved = (next - lambda).lpNorm<Eigen::Infinity>();
      if (moved > size) {
        r *= nu;
        if (size > 1e-9) ++rollbacks;   // below, rounding decides
      } else {
        lambda = next;
        size = moved;
      }
      all.push_back(lambda);
    }
    return all;
  }
};

DenseProx dense(const ContactProblem& p, VectorXd mu) {
  return {delassus(p).dense(), Eigen::Map<const VectorXd>(p.b.data(), static_cast<Eigen::Index>(p.rows())), std::move(mu)};
}

/// Contacts of four rows with the paper's ellipsoid, W dense and far from a multiple of the identity.
ContactProblem contensou_problem() {
  const EllipsoidFriction law{0.75, 0.5, 0.1};
  constexpr int contacts = 4, n = 4 * contacts;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  MatrixXd g(n, n);
  for (auto& number : g.reshaped()) number = normal(random);
  const MatrixXd w = 0.3 * MatrixXd::Identity(n, n) + 0.05 * g * g.transpose();
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix({0, 4, 8, 12, 16}, entries), BlockKind::contact, law);
  for (double& number : p.b) number = normal(random);
  for (int i = 0; i < contacts; ++i) p.b[static_cast<std::size_t>(4 * i)] -= 1.5;
  p.finalize();
  return p;
}

TEST(ProxPaper, takes_the_iterates_of_algorithms_1_and_2_with_every_strategy) {
  const ContactProblem stack = testing::two_box_stack(2, 10, 0.5), matrix = testing::as_matrix(stack);
  const ContactProblem contensou = contensou_problem();
  const struct {
    const ContactProblem* problem;
    VectorXd mu;
    const char* name;
  } cases[] = {{&stack, VectorXd{{0.5, 0.5}}, "stack"},
               {&matrix, VectorXd{{0.5, 0.5}}, "matrix"},
               {&contensou, VectorXd{{0.75, 0.5, 0.1}}, "contensou"}};
  for (const auto& c : cases)
    for (const bool jacobi : {false, true})
      for (const char* strategy : {"global", "local", "blocked"}) {
        const std::string what = fmt::format("{} {} {}", c.name, jacobi ? "jacobi" : "gs", strategy);
        int rollbacks = 0;
        const auto expected = dense(*c.problem, c.mu).run(jacobi, strategy, 60, rollbacks);
        const testing::Iterates found = testing::iterates_of(jacobi ? "prox-jacobi-paper" : "prox-gs-paper",
                                                             {{"r_factor", std::string(strategy)}}, *c.problem, 60);
        testing::expect_iterates(found, expected, what);
        // Where the steps are those of rounding, so are the last rollbacks.
        if ((expected[60] - expected[50]).norm() > 1e-6) EXPECT_EQ(found.report.rollbacks, rollbacks) << what;
        else EXPECT_GE(found.report.rollbacks, rollbacks) << what;
        EXPECT_EQ(found.report.iterations, 60) << what;
      }
  // The cases are worth something only if the rule acts in them.
  int rollbacks = 0;
  dense(stack, VectorXd{{0.5, 0.5}}).run(true, "local", 60, rollbacks);
  EXPECT_GT(rollbacks, 5);
}

TEST(ProxPaper, takes_other_factors_and_another_shrinkage_if_asked_to) {
  const ContactProblem p = contensou_problem();
  const DenseProx reference = dense(p, VectorXd{{0.75, 0.5, 0.1}});
  for (const bool jacobi : {false, true}) {
    const char* name = jacobi ? "prox-jacobi-paper" : "prox-gs-paper";
    int rollbacks = 0;
    const OptionList local = {{"relaxation", 1.7}, {"shrink", 0.3}};
    testing::expect_iterates(testing::iterates_of(name, local, p, 40), reference.run(jacobi, "local", 40, rollbacks, 1.7, 0.3),
                             "local");
    EXPECT_GT(rollbacks, 0) << "ν acts";
    const OptionList global = {{"r_factor", std::string("global")}, {"r", 2.0}};
    testing::expect_iterates(testing::iterates_of(name, global, p, 40), reference.run(jacobi, "global", 40, rollbacks, 0.4),
                             "global");
  }
}

TEST(ProxPaper, stops_where_the_paper_stops_and_hands_back_the_last_iterate) {
  const ContactProblem p = contensou_problem();
  int rollbacks = 0;
  const auto expected = dense(p, VectorXd{{0.75, 0.5, 0.1}}).run(false, "local", 1000, rollbacks);
  // Absolute: the first accepted pass of at most 0.001. Relative: the first that changes by less than that part.
  const auto solve = [&](double absolute, double relative) {
    std::vector<double> impulses(p.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = 0;
    control.max_iterations = 1000;
    control.merit = {.function = Merit::step, .absolute = absolute, .relative = relative};
    control.last_iterate = true;
    control.keep_history = true;
    const SolveReport r = make_solver("prox-gs-paper")->solve(p, impulses, workspace, control);
    return std::pair(r, Eigen::Map<VectorXd>(impulses.data(), 16).eval());
  };
  const auto step = [&](std::size_t k) { return (expected[k] - expected[k - 1]).lpNorm<Eigen::Infinity>(); };
  const auto [absolute, last] = solve(1e-3, 0);
  ASSERT_EQ(absolute.merit_stop, MeritStop::absolute);
  EXPECT_EQ(absolute.status, SolveStatus::stalled);
  const auto k = static_cast<std::size_t>(absolute.iterations);
  EXPECT_LE(step(k), 1e-3);
  EXPECT_NEAR(absolute.merit.total, step(k), 1e-12);
  EXPECT_LE((last - expected[k]).norm(), 1e-10);
  for (std::size_t j = 1; j < k; ++j) EXPECT_TRUE(step(j) > 1e-3 || expected[j] == expected[j - 1]) << j;
  ASSERT_EQ(absolute.merit_history.size(), k + 1);
  EXPECT_EQ(absolute.history.size(), k + 1);

  const auto [relative, ignored] = solve(0, 0.2);
  ASSERT_EQ(relative.merit_stop, MeritStop::relative);
  double before = step(1);
  std::size_t first = 0;
  for (std::size_t j = 2; first == 0; ++j) {
    if (expected[j] == expected[j - 1]) continue;   // undone
    if (std::abs(step(j) - before) < 0.2 * before) first = j;
    before = step(j);
  }
  EXPECT_EQ(static_cast<std::size_t>(relative.iterations), first);
}

TEST(ProxPaper, with_a_box_and_factors_that_never_shrink_is_psor_of_whole_blocks_in_the_plane_of_one_tangent) {
  // Where no row of a contact sees another one, the old v of a block is the current one: Algorithm 2 is PGS.
  ContactProblem p = testing::particle_contact({-1, 0.4, 0.3}, 0.5);
  const testing::Iterates found = testing::iterates_of("prox-gs-paper", {{"friction", std::string("box")}}, p, 5);
  const testing::Iterates pgs = testing::iterates_of("pgs", {}, p, 5);
  testing::expect_iterates(found, pgs.impulses, "box");
  EXPECT_EQ(make_solver("prox-gs-paper", {{"friction", std::string("box")}})->model(), FrictionModel::boxed);
}

TEST(ProxPaper, takes_the_first_r_from_the_spectrum_if_asked_to) {
  const ContactProblem p = contensou_problem();
  const VectorXd spectrum = Eigen::SelfAdjointEigenSolver<MatrixXd>(delassus(p).dense()).eigenvalues();
  const OptionList global = {{"r_factor", std::string("global")}, {"r", 0.0}};
  // The first normal impulses are r times the approach.
  const testing::Iterates found = testing::iterates_of("prox-jacobi-paper", global, p, 1);
  const double r = 1 / (spectrum.minCoeff() + spectrum.maxCoeff());
  for (int i = 0; i < 4; ++i) {
    const double expected = std::max(0.0, -r * p.b[static_cast<std::size_t>(4 * i)]);
    EXPECT_NEAR(found.impulses.back()[4 * i], expected, 0.005 * expected) << i << ": power iteration comes near";
  }
}

TEST(ProxPaper, visits_contacts_in_the_order_of_a_permutation_and_says_that_they_stay_whole) {
  const ContactProblem p = testing::two_box_stack(2, 10, 0.5);
  std::vector<std::uint32_t> rows(p.rows()), contacts;
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(p.rows()) - 1 - i;
  const OptionList permuted = {{"ordering", std::string("permutation")}, {"permutation", permutation_text(rows)}};
  const testing::Iterates found = testing::iterates_of("prox-gs-paper", permuted, p, 20);
  const testing::Iterates reversed = testing::iterates_of("prox-gs-paper", {{"reverse_order", true}}, p, 20);
  testing::expect_iterates(found, reversed.impulses, "reversed");
  EXPECT_THAT(found.report.notes, ::testing::HasSubstr("visited whole"));
}

TEST(ProxPaper, says_which_blocks_have_no_inverse) {
  // Both friction rows are the same one.
  const std::vector<Eigen::Triplet<double>> entries = {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}, {1, 2, 1.0}, {2, 1, 1.0}};
  ContactProblem p = matrix_problem(block_matrix({0, 3}, entries), BlockKind::contact, CircularFriction{0.5});
  p.b = {-1, 0.1, 0.1};
  p.finalize();
  const auto notes = [&](const char* strategy) {
    return testing::iterates_of("prox-gs-paper", {{"r_factor", std::string(strategy)}}, p, 3).report.notes;
  };
  EXPECT_THAT(notes("blocked"), ::testing::HasSubstr("1 blocks have no inverse"));
  EXPECT_THAT(notes("local"), ::testing::IsEmpty());
}

TEST(ProxPaper, renews_friction_cones_at_every_visit_if_it_is_given_a_generator) {
  // Friction that falls with the slip speed: a particle pressed with 1 N s slips at the v where v = 1 − μ(v).
  const auto mu = [](double speed) { return 0.2 + 0.3 * std::exp(-speed / 0.5); };
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) ((low + high) / 2 < 1 - mu((low + high) / 2) ? low : high) = (low + high) / 2;
  const ContactProblem p = testing::particle_contact({-1, 0.6, 0.8}, 0.5);
  ProxGaussSeidelPaper::Options options;
  options.cone = [&](std::uint32_t block, double normal, std::span<const double> slip) -> FrictionSet {
    EXPECT_EQ(block, 0u);
    EXPECT_GE(normal, 0);
    return CircularFriction{mu(std::hypot(slip[0], slip[1]))};
  };
  std::vector<double> impulses(3);
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-12;
  control.last_iterate = true;
  const SolveReport r = ProxGaussSeidelPaper(options).solve(p, impulses, workspace, control);
  EXPECT_NEAR(impulses[0], 1, 1e-9);
  EXPECT_NEAR(impulses[1], -0.6 * mu(low), 1e-9);
  EXPECT_NEAR(impulses[2], -0.8 * mu(low), 1e-9);
  EXPECT_THAT(std::string(r.reason), ::testing::HasSubstr("those of the problem are others"));
  options.cone = [](std::uint32_t, double, std::span<const double>) -> FrictionSet { return PlanarFriction{0.5}; };
  EXPECT_THROW(ProxGaussSeidelPaper(options).solve(p, impulses, workspace, control), Error);
}

TEST(ProxPaper, refuses_options_that_make_no_sense) {
  const auto message = [](const OptionList& options) {
    return testing::message_of([&] { make_solver("prox-gs-paper", options); });
  };
  EXPECT_THAT(message({{"r_factor", std::string("locals")}}), ::testing::HasSubstr("Did you mean 'local'?"));
  EXPECT_THAT(message({{"shrink", 1.0}}), ::testing::HasSubstr("/shrink: 1 cannot shrink"));
  EXPECT_THAT(message({{"shrink", -0.5}}), ::testing::HasSubstr("/shrink: -0.5 cannot shrink"));
  EXPECT_THAT(message({{"r", -1.0}}), ::testing::HasSubstr("/r: -1 is not an r-factor"));
  EXPECT_THAT(message({{"ordering", std::string("grouped")}}), ::testing::HasSubstr("takes normal and friction rows apart"));
}

}   // namespace
}   // namespace stickslip::prox_paper_test
