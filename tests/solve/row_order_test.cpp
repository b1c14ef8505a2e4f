// Orders of rows: given permutations and sorted rows, against dense projected Gauss–Seidel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <set>

#include "../error_message.h"
#include "../published_methods.h"
#include "iterates.h"
#include "stacks.h"
#include "stickslip/solve/ordering.h"

namespace stickslip::row_order_test {
namespace {

using Eigen::VectorXd;
using ::testing::HasSubstr;
using Rows = std::vector<std::uint32_t>;

Rows shuffled(std::size_t rows, unsigned seed) {
  Rows order(rows);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

OptionList permuted(const Rows& rows, OptionList options = {}) {
  options.emplace_back("ordering", std::string("permutation"));
  options.emplace_back("permutation", permutation_text(rows));
  return options;
}

/// λ_i ← clamp(λ_i − ω v_i / W_ii), |λ_f| ≤ μ λₙ at the current λₙ, rows as listed [thesis B §4, §5].
void dense_sweep(const Eigen::MatrixXd& w, const VectorXd& b, double mu, const Rows& order, double omega, VectorXd& x) {
  for (const std::uint32_t row : order) {
    const auto i = static_cast<Eigen::Index>(row);
    const double trial = x[i] - omega * (w.row(i).dot(x) + b[i]) / w(i, i);
    const double bound = mu * std::max(x[i - i % 3], 0.0);
    x[i] = i % 3 == 0 ? std::max(0.0, trial) : std::clamp(trial, -bound, bound);
  }
}

struct Stack {
  ContactProblem factored = testing::two_box_stack(2, 3, 0.5), matrix = testing::as_matrix(factored);
  Eigen::MatrixXd w = testing::dense_delassus(factored);
  VectorXd b = Eigen::Map<const VectorXd>(factored.b.data(), 24);
};

TEST(RowOrder, pgs_takes_the_iterates_of_dense_sweeps_in_any_permutation) {
  const Stack s;
  for (const unsigned seed : {1u, 2u, 3u})
    for (const ContactProblem* p : {&s.factored, &s.matrix})
      for (const bool over : {false, true}) {
        const Rows order = shuffled(24, seed);
        const double omega = over ? 1.3 : 1;
        std::vector<VectorXd> expected = {VectorXd::Zero(24)};
        for (int k = 0; k < 15; ++k) {
          expected.push_back(expected.back());
          dense_sweep(s.w, s.b, 0.5, order, omega, expected.back());
        }
        testing::expect_iterates(testing::iterates_of(over ? "psor" : "pgs", permuted(order), *p, 15), expected, "pgs");
      }
}

TEST(RowOrder, symmetric_sweeps_go_back_through_the_permutation) {
  const Stack s;
  const Rows order = shuffled(24, 5), back(order.rbegin(), order.rend());
  std::vector<VectorXd> expected = {VectorXd::Zero(24)};
  for (int k = 0; k < 10; ++k) {
    expected.push_back(expected.back());
    dense_sweep(s.w, s.b, 0.5, order, 1, expected.back());
    dense_sweep(s.w, s.b, 0.5, back, 1, expected.back());
  }
  testing::expect_iterates(testing::iterates_of("sgs", permuted(order), s.factored, 10), expected, "sgs");
}

TEST(RowOrder, nncg_takes_the_iterates_of_algorithm_10_over_permuted_sweeps) {
  const Stack s;
  const Rows order = shuffled(24, 7);
  for (const bool published : {true, false}) {
    std::vector<VectorXd> judged = {VectorXd::Zero(24)};   // PGS(x_k), which is what is handed back
    VectorXd x = VectorXd::Zero(24), p = VectorXd::Zero(24);
    double before = 0;
    for (int k = 0; k < 20; ++k) {
      VectorXd swept = x;
      dense_sweep(s.w, s.b, 0.5, order, 1, swept);
      judged.push_back(swept);
      const VectorXd gradient = x - swept;
      const double size = published ? gradient.squaredNorm() : gradient.dot(s.w.diagonal().cwiseProduct(gradient));
      x = swept;
      if (k == 0) {
        p = published ? VectorXd(-gradient) : VectorXd(VectorXd::Zero(24));
      } else if (const double beta = size / before; beta > 1) {
        p.setZero();
      } else {
        x += beta * p;
        p = beta * p - gradient;
      }
      before = size;
    }
    OptionList options = permuted(order);
    if (published) options.insert(options.end(), {{"start", std::string("gradient")}, {"norm", std::string("plain")}});
    testing::expect_iterates(testing::iterates_of("nncg", options, s.factored, 20), judged, published ? "published" : "ours");
  }
}

TEST(RowOrder, rows_in_their_own_order_are_plain_sweeps) {
  const Stack s;
  for (const ContactProblem* p : {&s.factored, &s.matrix})
    for (const char* name : {"pgs", "psor", "shock", "nncg"}) {
      const auto blocks = testing::iterates_of(name, {}, *p, 8),
                 rows = testing::iterates_of(name, {{"order_rows", true}}, *p, 8);
      testing::expect_iterates(rows, blocks.impulses, name);
    }
}

TEST(RowOrder, prox_gs_visits_normal_rows_and_friction_sets_where_they_stand) {
  const Stack s;
  const Rows order = shuffled(24, 11);
  std::vector<VectorXd> expected = {VectorXd::Zero(24)};
  for (int k = 0; k < 12; ++k) {
    VectorXd x = expected.back();
    std::vector<bool> seen(8);
    for (const std::uint32_t row : order) {
      const auto i = static_cast<Eigen::Index>(row), first = i - i % 3;
      const VectorXd v = s.w * x + s.b;
      if (i == first) {
        x[i] = std::max(0.0, x[i] - v[i] / s.w(i, i));
      } else if (!seen[static_cast<std::size_t>(first / 3)]) {
        seen[static_cast<std::size_t>(first / 3)] = true;
        const Eigen::MatrixXd friction = s.w.block<2, 2>(first + 1, first + 1);
        const double r = 1 / Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(friction).eigenvalues()[1];
        const Vec2 trial = x.segment<2>(first + 1) - r * v.segment<2>(first + 1);
        x.segment<2>(first + 1) = trial * std::min(1.0, 0.5 * x[first] / std::max(trial.norm(), 1e-300));
      }
    }
    expected.push_back(x);
  }
  const double forever = std::numeric_limits<double>::infinity();
  const OptionList plain = {{"accelerate", false}, {"growth", forever}};
  for (const ContactProblem* p : {&s.factored, &s.matrix})
    testing::expect_iterates(testing::iterates_of("prox-gs", permuted(order, plain), *p, 12), expected, "prox-gs");
}

TEST(RowOrder, every_solver_with_orders_takes_a_permutation_and_ends_where_it_did) {
  const ContactProblem p = testing::box_stack(2);
  unsigned seed = 13;
  while (shuffled(p.rows(), seed)[0] < p.rows() / 2) ++seed;   // so that groups change their places as well
  const Rows order = shuffled(p.rows(), seed);
  for (const SolverInfo& info : solvers()) {
    const auto is_order = [](const OptionInfo& o) { return o.name == "permutation"; };
    if (std::none_of(info.options.begin(), info.options.end(), is_order)) continue;
    std::vector<double> impulses(p.rows()), given(p.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-7;
    control.max_iterations = 5000;
    const SolveReport r = make_solver(info.name, permuted(order))->solve(p, impulses, workspace, control);
    if (!is_published(info.name)) {
      EXPECT_LE(r.model_residual, 1e-7) << info.name << ": " << r.reason;
    }
    // The order is not ignored.
    control.max_iterations = 2;
    control.last_iterate = true;
    make_solver(info.name, permuted(order))->solve(p, impulses = std::vector<double>(p.rows()), workspace, control);
    make_solver(info.name)->solve(p, given, workspace, control);
    EXPECT_NE(impulses, given) << info.name;
  }
}

TEST(RowOrder, sorts_rows_by_their_own_numbers) {
  const Stack s;
  std::vector<double> impulses(24, 0.01);
  const auto order_of = [&](const char* name) {
    OrderingOptions options;
    options.ordering = name;
    options.order_rows = true;
    Workspace workspace;
    Ordering order(options, s.factored, FrictionModel::boxed, workspace);
    EXPECT_TRUE(order.by_rows());
    Rows rows;
    for (const RowVisit& visit : order.next_rows(1, impulses)) rows.push_back(3 * visit.block + visit.row);
    return rows;
  };
  const VectorXd x = VectorXd::Constant(24, 0.01), v = s.w * x + s.b;
  const auto expect_sorted = [&](const char* name, const auto& key) {
    const Rows rows = order_of(name);
    ASSERT_EQ(rows.size(), 24u) << name;
    EXPECT_EQ(std::set<std::uint32_t>(rows.begin(), rows.end()).size(), 24u) << name;
    for (std::size_t i = 1; i < 24; ++i) EXPECT_LE(key(rows[i - 1]), key(rows[i]) + 1e-8) << name << ' ' << i;
  };
  expect_sorted("given", [](std::uint32_t row) { return static_cast<double>(row); });
  expect_sorted("effective-mass", [&](std::uint32_t row) { return s.w(row, row); });
  expect_sorted("propagation", [&](std::uint32_t row) { return v[row]; });
  expect_sorted("complementarity", [&](std::uint32_t row) {
    const double trial = x[row] - v[row] / s.w(row, row);
    const double next = row % 3 == 0 ? std::max(0.0, trial) : std::clamp(trial, -0.005, 0.005);
    return -std::abs(next - x[row]) * s.w(row, row);
  });
  expect_sorted("coordinate", [](std::uint32_t row) { return static_cast<double>(row / 12); });
  EXPECT_NE(order_of("random"), order_of("given"));
}

TEST(RowOrder, blocks_of_a_colour_share_no_body) {
  const ContactProblem factored = testing::box_stack(5), matrix = testing::as_matrix(factored);
  const BlockMatrix w = delassus(factored);
  for (const ContactProblem* p : {&factored, &matrix}) {
    OrderingOptions options;
    options.ordering = "coloured";
    Workspace workspace;
    std::vector<double> impulses(p->rows());
    Rows order;
    for (const Batch& run : Ordering(options, *p, FrictionModel::boxed, workspace).next(1, impulses))
      for (std::uint32_t i = 0; i < run.count; ++i) order.push_back(run.first + i);
    ASSERT_EQ(order.size(), 20u);
    // The longest run of blocks that do not touch each other, from the start: a colour of every other layer's corners.
    std::size_t independent = 1;
    const auto apart = [&](std::size_t n) {
      for (std::size_t m = 0; m < n; ++m)
        if (w.find(order[n], order[m]) >= 0) return false;
      return true;
    };
    while (independent < 20 && apart(independent)) ++independent;
    EXPECT_EQ(independent, 3u) << "contacts under boxes 0, 2 and 4";
  }
}

TEST(RowOrder, permutations_are_read_from_text_and_files_and_bad_ones_refused) {
  EXPECT_EQ(read_permutation("2,0 1\n"), (Rows{2, 0, 1}));
  EXPECT_EQ(read_permutation(permutation_text(Rows{1, 0, 3, 2})), (Rows{1, 0, 3, 2}));
  const auto file = std::filesystem::temp_directory_path() / "stickslip-permutation-test.txt";
  std::ofstream(file) << "1\n2\n0\n";
  EXPECT_EQ(read_permutation("@" + file.string()), (Rows{1, 2, 0}));
  std::filesystem::remove(file);
  const auto message = [](const std::string& text, const char* ordering = "permutation") {
    return testing::message_of([&] { make_solver("pgs", {{"ordering", std::string(ordering)}, {"permutation", text}}); });
  };
  EXPECT_THAT(message("0,2"), HasSubstr("/permutation: Row 2 is listed, but only 2 rows are."));
  EXPECT_THAT(message("0,1,1"), HasSubstr("/permutation: Row 1 is listed twice."));
  EXPECT_THAT(message("0,-1"), HasSubstr("'-1' is not the number of a row."));
  EXPECT_THAT(message("0,1.5"), HasSubstr("'1.5' is not the number of a row."));
  EXPECT_THAT(message(""), HasSubstr("No row is listed."));
  EXPECT_THAT(message("@/nowhere/at.all"), HasSubstr("cannot be read"));
  EXPECT_THAT(message("0,1", "random"), HasSubstr("Set ordering to permutation."));
  EXPECT_THAT(testing::message_of([] {
                make_solver("pgs", {{"ordering", std::string("grouped")}, {"order_rows", true}});
              }),
              HasSubstr("Leave out order_rows."));
  // One that does not fit the problem.
  const SolveReport r = testing::iterates_of("pgs", permuted({0, 2, 1}), testing::box_stack(1), 5).report;
  EXPECT_EQ(r.status, SolveStatus::unsupported);
  EXPECT_THAT(std::string(r.reason), HasSubstr("as many rows"));
}

}   // namespace
}   // namespace stickslip::row_order_test
