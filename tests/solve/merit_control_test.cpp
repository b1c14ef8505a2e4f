// Merit functions of the papers as history and as the end of a solve, whatever the solver.
#include <gtest/gtest.h>

#include "../error_message.h"
#include "iterates.h"
#include "stacks.h"

namespace stickslip::merit_control_test {
namespace {

SolveReport solve(std::string_view name, const ContactProblem& p, const MeritRule& rule, int iterations = 200,
                  bool last = false, std::vector<double>* out = nullptr) {
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = -1;
  control.max_iterations = iterations;
  control.merit = rule;
  control.keep_history = true;
  control.last_iterate = last;
  const SolveReport r = make_solver(name)->solve(p, impulses, workspace, control);
  if (out != nullptr) *out = impulses;
  return r;
}

TEST(MeritControl, records_the_merit_of_every_iterate_of_every_kind_of_solver) {
  const ContactProblem p = testing::box_stack(2);
  for (const char* name : {"pgs", "prox-gs", "nsgs", "jacobi", "fischer", "nncg", "prox-jacobi-paper"})
    for (const Merit merit : {Merit::min_map, Merit::fischer, Merit::step, Merit::complementarity, Merit::impulse}) {
      const SolveReport r = solve(name, p, {.function = merit}, 6);
      const testing::Iterates seen = testing::iterates_of(name, {}, p, 6);
      ASSERT_EQ(r.merit_history.size(), r.history.size()) << name;
      ASSERT_EQ(r.cost_history.size(), r.history.size()) << name;
      ASSERT_EQ(seen.impulses.size(), r.history.size()) << name;
      ResidualWorkspace work;
      const auto numbers = [&](std::size_t k) { return std::vector<double>(seen.impulses[k].begin(), seen.impulses[k].end()); };
      for (std::size_t k = 1; k < r.history.size(); ++k) {
        if (numbers(k) == numbers(k - 1)) continue;   // undone: the merit stays
        std::size_t before = k - 1;
        const MeritValue value = evaluate_merit(merit, p, numbers(k), numbers(before), work);
        EXPECT_DOUBLE_EQ(r.merit_history[k].total, value.total) << name << ' ' << merit_name(merit) << ' ' << k;
        EXPECT_DOUBLE_EQ(r.merit_history[k].friction, value.friction) << name << ' ' << merit_name(merit) << ' ' << k;
      }
      EXPECT_EQ(r.merit_stop, MeritStop::none);
    }
}

TEST(MeritControl, ends_a_solve_at_the_first_iterate_that_meets_a_rule) {
  const ContactProblem p = testing::box_stack(2);
  const SolveReport all = solve("pgs", p, {.function = Merit::fischer}, 200);
  const double threshold = 1e-3 * all.merit_history[0].total;
  const SolveReport r = solve("pgs", p, {.function = Merit::fischer, .absolute = threshold}, 200);
  ASSERT_EQ(r.merit_stop, MeritStop::absolute);
  EXPECT_EQ(r.status, SolveStatus::stalled);
  const auto k = static_cast<std::size_t>(r.iterations);
  EXPECT_LE(all.merit_history[k].total, threshold);
  EXPECT_GT(all.merit_history[k - 1].total, threshold);
  // Relative: the first iterate whose merit changed by less than half.
  const SolveReport relative = solve("pgs", p, {.function = Merit::fischer, .relative = 0.5}, 200);
  ASSERT_EQ(relative.merit_stop, MeritStop::relative);
  std::size_t first = 1;
  const auto change = [&](std::size_t j) { return std::abs(all.merit_history[j].total / all.merit_history[j - 1].total - 1); };
  while (change(first) >= 0.5) ++first;
  EXPECT_EQ(static_cast<std::size_t>(relative.iterations), first);
}

TEST(MeritControl, ends_a_solve_as_diverged_where_the_merit_grows) {
  // Extrapolated sweeps grow before they shrink.
  const SolveReport grown = solve("prox-gs", testing::two_box_stack(2, 10), {.function = Merit::step, .divergence = 1.0}, 2000);
  EXPECT_EQ(grown.merit_stop, MeritStop::divergence);
  EXPECT_EQ(grown.status, SolveStatus::diverged);
  const auto k = static_cast<std::size_t>(grown.iterations);
  EXPECT_GT(grown.merit_history[k].total, grown.merit_history[k - 1].total);
}

TEST(MeritControl, hands_back_the_last_iterate_if_asked_to) {
  const ContactProblem p = testing::two_box_stack(2, 10);
  std::vector<double> best, last;
  for (const int iterations : {7, 30}) {
    const SolveReport of_best = solve("pgs", p, {}, iterations, false, &best);
    const SolveReport of_last = solve("pgs", p, {}, iterations, true, &last);
    EXPECT_EQ(of_best.history, of_last.history);
    EXPECT_EQ(of_last.residual.total(), of_last.history.back());
    const auto seen = testing::iterates_of("pgs", {}, p, iterations).impulses.back();
    EXPECT_EQ(last, std::vector<double>(seen.begin(), seen.end()));
  }
}

TEST(MeritControl, charges_what_iterations_cost) {
  const ContactProblem p = testing::box_stack(2);
  EXPECT_EQ(solve("pgs", p, {}, 5).cost, 5);
  EXPECT_EQ(solve("sgs", p, {}, 5).cost, 10) << "two sweeps each";
  EXPECT_EQ(solve("sgs", p, {}, 5).cost_history, (std::vector<double>{0, 2, 4, 6, 8, 10}));
}

TEST(MeritControl, refuses_rules_that_make_no_sense) {
  const auto message = [](const MeritRule& rule) { return testing::message_of([&] { check(rule); }); };
  EXPECT_EQ(message({.function = Merit::step, .absolute = 1e-3}), "no error");
  EXPECT_NE(message({.function = Merit::step, .absolute = -1}).find("/absolute: -1"), std::string::npos);
  EXPECT_NE(message({.function = Merit::step, .relative = 1}).find("/relative: 1"), std::string::npos);
  EXPECT_NE(message({.function = Merit::step, .divergence = 0.5}).find("/divergence: 0.5"), std::string::npos);
  EXPECT_NE(message({.absolute = 1e-3}).find("needs a merit function"), std::string::npos);
  EXPECT_NE(testing::message_of([] { merit_from_name("fisher"); }).find("Did you mean 'fischer'?"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::merit_control_test
