// `stickslip compare`: one scene by several integrators or solvers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../record/record_scenes.h"
#include "program.h"

namespace stickslip {
namespace {

using nlohmann::json;
using test::content_of;
using test::Directory;
using test::expect_refused;
using test::Finished;
using test::stickslip;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kWeightOfThreeBoxes = 3 * 125 * 9.81;   ///< of scene `stack`: 0.5 m, 1000 kg/m³

TEST(Compare, integrators_agree_on_a_stack_at_rest_and_on_what_the_ground_carries) {
  const Finished run = stickslip("compare stack --set /parameters/count=3 --integrators impulse,penalty --seconds 0.8 --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json all = json::parse(run.out);
  EXPECT_EQ(all.at("kind"), "integrator");
  EXPECT_EQ(all.at("steps"), 80);
  ASSERT_EQ(all.at("runs").size(), 2u);
  for (const json& r : all.at("runs")) {
    EXPECT_EQ(r.at("steps"), 80);
    EXPECT_EQ(r.at("error"), "");
    EXPECT_NEAR(r.at("force").at("ground_end").get<double>(), kWeightOfThreeBoxes, 1e-3 * kWeightOfThreeBoxes);
    for (const auto& [name, list] : r.at("series").items()) EXPECT_EQ(list.size(), 80u) << name;
    EXPECT_GT(r.at("milliseconds").get<double>(), 0);
  }
  EXPECT_EQ(all.at("runs")[0].at("difference").at("farthest"), 0);
  // The boxes of the other one sink in: by the depth of its springs, and no more.
  const double farthest = all.at("runs")[1].at("difference").at("farthest").get<double>();
  EXPECT_GT(farthest, 1e-5);
  EXPECT_LT(farthest, 1e-3);
  EXPECT_THAT(all.at("runs")[1].at("difference").at("body").get<std::string>(), HasSubstr("box"));
}

TEST(Compare, solvers_differ_little_and_the_table_has_a_column_for_each) {
  const Finished run = stickslip("compare stack --set /parameters/count=3 --solvers auto,prox-gs,pgs --steps 20");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("stack by 3 solvers"), HasSubstr("prox-gs"), HasSubstr("force on ground"),
                             HasSubstr("reference"), HasSubstr("time of a step")));
}

TEST(Compare, the_page_needs_nothing_beside_itself_and_the_table_has_every_step) {
  const Directory directory;
  const std::string page = (directory / "c.html").string(), table = (directory / "c.csv").string();
  const Finished run = stickslip("compare incline --integrators impulse,penalty --steps 30 -o " + page + " -o " + table);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string html = content_of(page), csv = content_of(table);
  EXPECT_THAT(html, AllOf(HasSubstr("<svg"), HasSubstr("Energy, kinetic and potential"), HasSubstr("penalty")));
  for (const char* outside : {"http://", "https://", "<script", "href="}) EXPECT_THAT(html, Not(HasSubstr(outside)));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 * 30);
  EXPECT_THAT(csv, HasSubstr("integrator,time_s,farthest_m"));
  if (std::filesystem::exists("/usr/bin/chromium")) {
    EXPECT_THAT(html, HasSubstr("<img alt=\"penalty\" src=\"data:image/"));
  }
}

TEST(Compare, where_the_output_is_closed_the_browser_does_not_get_what_is_printed) {
  const Directory directory;
  const std::string page = (directory / "c.html").string();
  const Finished run = stickslip("compare incline --integrators impulse,penalty --steps 2 -o " + page, "", ">&-");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("Cannot write to the standard output: Bad file descriptor."));
  EXPECT_THAT(content_of(page), HasSubstr("<img"));
}

TEST(Compare, without_chromium_the_page_has_plots_only) {
  const Directory directory;
  const std::string page = (directory / "c.html").string();
  const Finished run =
      stickslip("compare incline --integrators impulse,penalty --steps 5 --quiet -o " + page, "PATH=/nowhere ");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("no pictures"));
  const std::string html = content_of(page);
  EXPECT_THAT(html, AllOf(HasSubstr("<svg"), Not(HasSubstr("<img"))));
  // Labels of an axis tell its ticks apart, however little a quantity changes.
  const std::size_t energy = html.find("Energy, kinetic and potential"), end = html.find("</svg>", energy);
  std::vector<std::string> labels;
  for (std::size_t at = html.find("class=right>", energy); at < end; at = html.find("class=right>", at + 1))
    labels.push_back(html.substr(at + 12, html.find('<', at) - at - 12));
  ASSERT_GT(labels.size(), 2u);
  std::ranges::sort(labels);
  EXPECT_EQ(std::ranges::adjacent_find(labels), labels.end()) << *std::ranges::adjacent_find(labels);
}

TEST(Compare, a_run_that_cannot_go_on_is_told_with_the_reason_and_the_others_are_shown) {
  const Finished run = stickslip("compare anisotropic-slope --integrators impulse,penalty --steps 5");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, AllOf(HasSubstr("5 of 5"), HasSubstr("0 of 5"), HasSubstr("Coulomb's law of friction only")));
}

TEST(Compare, what_cannot_be_compared_is_refused_before_anything_runs) {
  expect_refused("compare stack --integrators impulse", "two names or more");
  expect_refused("compare stack --integrators impulse,impulse", "twice");
  expect_refused("compare stack --integrators impulse,penalti --steps 2", "penalty");
  expect_refused("compare stack --solvers auto,pgss --steps 2", "pgs");
  expect_refused("compare stack --integrators impulse,penalty --steps 2 -o a.pdf", ".html, .csv or .json");
  const Directory directory;
  const std::string dominoes = directory / "dominoes.h5", stack = directory / "stack.h5";
  for (const auto& [scene, file] : {std::pair("dominoes", dominoes), std::pair("stack", stack)})
    ASSERT_EQ(stickslip(std::string("run ") + scene + " --steps 5 --quiet -o " + file).exit_code, 0);
  expect_refused("compare " + dominoes + " " + stack, "stack.h5: No body that moves here is also in dominoes.h5");
}

}   // namespace
}   // namespace stickslip
