// The study of one's own scene, and performance profiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../error_message.h"
#include "stickslip/scene/scene.h"
#include "study/experiments/own_scene.h"
#include "study/experiments/profiles.h"
#include "study/run_in_memory.h"

namespace stickslip::own_scene_test {

using namespace study;
using ::stickslip::testing::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Setting setting_for(const std::string& scene, std::vector<std::string> solvers, const std::vector<Override>& overrides = {}) {
  return {
      .size = Size::quick, .scene = scene, .document = load_scene(scene, overrides).document, .solvers = std::move(solvers)};
}

TEST(OwnScene, the_order_is_that_of_distances_from_a_run_which_has_an_error_itself) {
  for (const double order : {0.5, 1.0, 2.0}) {
    std::vector<double> error;
    for (const double h : {0.4, 0.2, 0.1}) error.push_back(7 * (std::pow(h, order) - std::pow(0.05, order)));
    EXPECT_NEAR(own_scene::order_of({0.4, 0.2, 0.1}, error, 0.05), order, 0.006);
  }
  EXPECT_TRUE(std::isnan(own_scene::order_of({0.4, 0.2}, {0, 1}, 0.1)));   // what is 0 has no logarithm
}

constexpr const char* kSlidingBlock = R"({"schema": 1, "step": {"h": 0.01}, "materials": [{"name": "default", "friction": 0.4}],
  "bodies": [{"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
             {"name": "block", "shape": {"type": "box", "half_extents": [0.1, 0.1, 0.1]},
              "position": [0, 0, 0.1], "velocity": [3, 0, 0]}]})";

TEST(OwnScene, a_sliding_block_is_off_by_what_semi_implicit_euler_is_off_and_the_order_is_one) {
  const Setting setting{.size = Size::quick, .scene = "block", .document = kSlidingBlock, .solvers = {"pgs", "prox-gs"}};
  const MemoryRun run = run_in_memory(study_named("own-scene"), setting);
  const Table steps = run.data.table("errors").where("sweep", "step");
  ASSERT_EQ(steps.rows(), 3u);
  // x after time t is v t − µ g t² / 2 − µ g t h / 2; the last look is after 32 steps of 0.01 s, the reference has h = 0.01/8.
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(steps.numbers("position_error_max")[i], 0.4 * 9.81 * 0.32 * (steps.numbers("h")[i] - 0.00125) / 2, 1e-9);
  EXPECT_THAT(run.plan.conclusion(run.data).back(), HasSubstr("with order 1.00:"));
  const Table solvers = run.data.table("errors").where("sweep", "solver");
  ASSERT_EQ(solvers.rows(), 4u);
  for (const char* solver : {"pgs", "prox-gs"}) {
    const std::vector<double> error = solvers.where("solver", solver).numbers("position_error");
    EXPECT_LE(error[1], error[0]) << solver;   // at 1e-4 and 1e-2
  }
}

TEST(OwnScene, the_recommendation_keeps_the_limit_and_is_the_cheapest_that_does) {
  Setting setting = setting_for("stack", {"pgs", "auto"}, {{"/parameters/count", "3"}});
  setting.criterion = "creep=1e-5,penetration=1e-3";
  const MemoryRun run = run_in_memory(study_named("own-scene"), setting);
  const std::string text = run.plan.conclusion(run.data).front();
  ASSERT_THAT(text, AllOf(HasSubstr("To hold creep under 1e-05 m/s and penetration under 0.001 m use solver"),
                          HasSubstr("--set /step/tolerance=")));
  const Table runs = run.data.table("runs").where("sweep", "solver");
  double cheapest = kInfinite;
  std::string name;
  for (std::size_t i = 1; i < runs.rows(); ++i)   // the first is the reference
    if (runs.numbers("creep")[i] < 1e-5 && runs.numbers("penetration")[i] < 1e-3 && runs.numbers("step_time")[i] < cheapest) {
      cheapest = runs.numbers("step_time")[i];
      name = fmt::format("use solver {} at tolerance {:g}:", runs.texts("solver")[i], runs.numbers("tolerance")[i]);
    }
  EXPECT_THAT(text, HasSubstr(name));
  setting.criterion = "creep=1e-30";
  EXPECT_THAT(run_in_memory(study_named("own-scene"), setting).plan.conclusion(run.data).front(),
              HasSubstr("None of 4 runs held creep under 1e-30 m/s"));
}

TEST(OwnScene, what_cannot_be_held_or_run_is_named) {
  EXPECT_THAT(message_of([] { own_scene::parse_limits("crep=1"); }), HasSubstr("Did you mean 'creep'?"));
  EXPECT_THAT(message_of([] { own_scene::parse_limits("creep=-1"); }), HasSubstr("greater than 0"));
  EXPECT_THAT(message_of([] { own_scene::parse_limits("creep"); }), HasSubstr("is no limit"));
  EXPECT_THAT(message_of([] { study_named("own-scene").plan({}); }), HasSubstr("needs a scene"));
  EXPECT_THAT(message_of([] { study_named("own-scene").plan(setting_for("stack", {"psg"})); }), HasSubstr("Did you mean"));
}

TEST(Profiles, a_profile_counts_problems_within_a_factor_of_the_best) {
  const std::vector<double> best = {1, 2, 3, kInfinite}, times = {1, 4, kInfinite, kInfinite};
  EXPECT_EQ(performance::profile(times, best, 1), 0.25);
  EXPECT_EQ(performance::profile(times, best, 1.99), 0.25);
  EXPECT_EQ(performance::profile(times, best, 2), 0.5);
  EXPECT_EQ(performance::profile(times, best, 1e9), 0.5);   // nobody solves the last one
}

TEST(Profiles, some_solver_is_the_fastest_of_every_problem_and_profiles_only_grow) {
  const MemoryRun run = run_in_memory(study_named("profiles"), {.size = Size::quick, .solvers = {"auto", "prox-gs", "pgs"}});
  EXPECT_EQ(run.finding("auto-solves-all").verdict, Verdict::holds) << run.finding("auto-solves-all").evidence;
  EXPECT_EQ(run.finding("boxes-are-not-cones").verdict, Verdict::holds) << run.finding("boxes-are-not-cones").evidence;
  for (const std::string& tolerance : run.data.table("profile").distinct("tolerance")) {
    double first = 0;
    for (const char* solver : {"auto", "prox-gs", "pgs"}) {
      const std::vector<double> part =
          run.data.table("profile").where("tolerance", tolerance).where("solver", solver).numbers("part");
      first += part.front();
      EXPECT_TRUE(std::ranges::is_sorted(part)) << solver;
    }
    EXPECT_GE(first, 1 - 1e-12);
  }
}

}   // namespace stickslip::own_scene_test
