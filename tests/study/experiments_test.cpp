// What the papers' experiments come to in small, and the kernel of the row orders against the solver.
#include <gtest/gtest.h>

#include "../error_message.h"
#include "../problem/problems.h"
#include "stickslip/solve/ordering.h"
#include "stickslip/solve/registry.h"
#include "study/experiments/order_census.h"
#include "study/run_in_memory.h"

namespace stickslip::experiments_test {

using namespace study;
using ::stickslip::testing::message_of;

MemoryRun quick(const char* name) { return run_in_memory(study_named(name), {.size = Size::quick}); }

/// All of these claims hold, and the others are judged somehow.
void expect_holds(const MemoryRun& run, const std::vector<const char*>& claims) {
  for (const char* claim : claims)
    EXPECT_EQ(run.finding(claim).verdict, Verdict::holds) << claim << ": " << run.finding(claim).evidence;
}

/// Errors of the boxed model after every sweep of pgs.
std::vector<double> solver_curve(const ContactProblem& problem, const OptionList& options, int sweeps) {
  SolveControl control;
  control.tolerance = 0;
  control.max_iterations = sweeps;
  std::vector<double> errors;
  control.keep_history = true;
  ResidualWorkspace work;
  control.observer = [&](int, std::span<const double> impulses, const Residual&) {
    errors.push_back(residual(problem, impulses, work, FrictionModel::boxed).total());
  };
  std::vector<double> impulses(problem.rows(), 0.0);
  Workspace workspace;
  make_solver("pgs", options)->solve(problem, impulses, workspace, control);
  return errors;
}

void expect_same_curve(const ContactProblem& problem, const OptionList& options, const std::vector<int>& rows) {
  SmallBoxedProblem::Order order{};
  for (std::size_t i = 0; i < rows.size(); ++i) order[i] = static_cast<std::uint8_t>(rows[i]);
  const std::vector<double> solver = solver_curve(problem, options, 12), kernel = SmallBoxedProblem(problem).curve(order, 12);
  ASSERT_EQ(solver.size(), kernel.size());
  for (std::size_t k = 0; k < kernel.size(); ++k) EXPECT_NEAR(kernel[k], solver[k], 1e-12 * kernel[0]) << "sweep " << k;
}

/// A box that lands askew and slides.
ContactProblem box_on_four_contacts() {
  ContactProblem p;
  p.segments = {testing::box_segment(2)};
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      testing::add_contact(p, -1, Vec3::Zero(), 0, Vec3(0, 0, 0.5), Vec3(x, y, 0), Vec3::UnitZ(), 0.6,
                           Vec3(-0.1 - 0.02 * x, 0.3 + 0.1 * y, -0.2));
  p.finalize();
  return p;
}

TEST(OrderCensus, sweeps_as_the_solver_does) {
  const ContactProblem problem = box_on_four_contacts();
  ASSERT_EQ(problem.rows(), 12u);
  expect_same_curve(problem, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect_same_curve(problem, {{"reverse_order", true}}, {9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2});
  expect_same_curve(problem, {{"ordering", std::string("grouped")}}, {0, 3, 6, 9, 1, 2, 4, 5, 7, 8, 10, 11});
  const std::vector<int> any = {7, 2, 11, 0, 5, 9, 4, 1, 10, 3, 8, 6};
  std::vector<std::uint32_t> rows(any.begin(), any.end());
  expect_same_curve(problem, {{"ordering", std::string("permutation")}, {"permutation", permutation_text(rows)}}, any);
}

TEST(OrderCensus, counts_every_order_once) {
  ContactProblem problem = box_on_four_contacts();
  problem.laws.assign(problem.blocks.size(), CircularFriction{0});   // four rows are left
  problem.finalize();
  const SmallBoxedProblem small(problem);
  ASSERT_EQ(small.rows(), 4);
  const OrderCensus census = take_census(small, {.tolerance = 1e-6, .limit = 50});
  EXPECT_EQ(census.orders, 24u);
  std::uint64_t sum = 0;
  for (const std::uint64_t count : census.by_sweeps) sum += count;
  EXPECT_EQ(sum, 24u);
  EXPECT_EQ(census.part_within(51), 1.0);
  EXPECT_EQ(small.sweep(census.best_order, 1e-6, 50).sweeps, census.best.sweeps);
  EXPECT_EQ(small.sweep(census.worst_order, 1e-6, 50).sweeps, census.worst.sweeps);
  EXPECT_LE(census.best.sweeps, census.mean);
  EXPECT_GE(census.worst.sweeps, census.mean);
  EXPECT_EQ(take_census(small, {.tolerance = 1e-6, .limit = 50, .samples = 7}).orders, 7u);
}

TEST(OrderCensus, refuses_what_has_too_many_orders) {
  EXPECT_NE(message_of([] { SmallBoxedProblem{testing::two_box_stack(1)}; }).find("24 rows have too many orders"),
            std::string::npos);
}

TEST(Experiments, the_order_of_rows_decides_how_many_sweeps_it_takes) {
  const MemoryRun run = quick("row-orders");
  expect_holds(run, {"best-under-20", "worst-beyond-25", "order-is-cyclic", "acceleration-beats-order"});
}

TEST(Experiments, models_of_friction_differ_as_their_cones_do) {
  expect_holds(quick("contact-models"), {"boxed-is-too-strong", "polygons-turn-friction", "exact-is-round", "relaxation-lifts",
                                         "relaxation-throws", "relaxation-floats", "others-do-not-lift"});
}

TEST(Experiments, penetration_is_taken_out_as_parameters_say) {
  expect_holds(quick("stabilisation"), {"full-reduction-takes-one-step", "reduction-is-geometric", "springs-keep-their-time",
                                        "reduction-leaves-speed", "compliance-helps-sweeps"});
}

TEST(Experiments, operators_of_soft_bodies_agree_but_for_the_lumped_one) {
  expect_holds(quick("soft-operators"), {"lumped-needs-small-steps", "others-agree", "splitting-is-slow-where-stiff"});
}

TEST(Experiments, barriers_keep_a_gap_and_springs_sink_in) {
  expect_holds(quick("integrators"), {"barriers-never-touch", "springs-sink-in", "stiff-springs-cost-substeps", "all-stick"});
}

TEST(Experiments, one_contact_of_six_rows_takes_fewer_sweeps_than_points) {
  expect_holds(quick("6d-contact"), {"octagon-few-sweeps", "stack-fewer-sweeps", "fewer-rows"});
}

TEST(MassRatios, conjugate_gradients_over_sweeps_need_fewer_of_them_and_fail_later) {
  const MemoryRun run = quick("mass-ratios");
  expect_holds(run, {"nncg-outperforms-pgs", "nncg-has-limits"});
}

}   // namespace stickslip::experiments_test
