// The machinery of studies: cases, resuming, files that are equal to the bit, claims, reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "../error_message.h"
#include "../record/record_scenes.h"
#include "stickslip/step/stepper.h"
#include "stickslip/study/run.h"
#include "study/folder.h"
#include "study/run_in_memory.h"

namespace stickslip::study_test {

using namespace study;
using ::stickslip::test::content_of;
using ::stickslip::test::Directory;
using ::stickslip::testing::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Falls of stones: h = g t²/2 with a little noise of the seed. Counts how often cases run.
Study stones(std::atomic<int>& runs, std::atomic<bool>* stop_after_two = nullptr) {
  const auto make = [&runs, stop_after_two](const Setting& setting) {
    Plan plan;
    plan.tables = {Table("falls", "Falls",
                         {text("stone", "stone"), number("t", "s", "time"), number("height", "m", "height"),
                          timing("clock", "ms", "processor time")}),
                   Table("mean", "Means", {text("stone", "stone"), number("g", "m/s²", "gravity")})};
    for (const char* stone : {"granite", "a, b", "marble", "\"chalk\""})
      plan.cases.push_back({fmt::format("stone {}", plan.cases.size()),
                            [=, &runs, seed = setting.seed + plan.cases.size()](CaseRun& run) {
                              std::mt19937_64 random(seed);
                              for (double t = 0.1; t < 1; t += 0.3) {
                                const double noise = 1e-3 * std::generate_canonical<double, 53>(random);
                                run.table("falls").add({stone, t, 0.5 * 9.81 * t * t * (1 + noise), 1e3 * processor_seconds()});
                              }
                              run.table("falls").add({stone, kInfinite, std::nan(""), 0});
                              if (++runs == 2 && stop_after_two) *stop_after_two = true;
                            },
                            1});
    plan.summarise = [](Data& data) {
      const Table& falls = data.table("falls");
      for (const std::string& stone : falls.distinct("stone")) {
        const Table one = falls.where("stone", stone);
        data.table("mean").add({stone, 2 * one.numbers("height")[2] / std::pow(one.numbers("t")[2], 2)});
      }
    };
    const auto gravity = [](const Data& data) { return mean(data.table("mean").numbers("g")); };
    plan.claims = {
        {"near", "Gravity is near 9.81 m/s².", "9.81 (§1)",
         [=](const Data& d) { return judged(std::abs(gravity(d) - 9.81) < 0.02, fmt::format("{:.2f} m/s²", gravity(d))); }},
        {"large", "Gravity is above 10 <m/s²>.", "It is (§2).",
         [=](const Data& d) { return judged(gravity(d) > 10, "it is not"); }},
        {"small", "Gravity is below 9.", "", [=](const Data& d) { return judged(gravity(d) < 9, "it is not"); }},
        {"moon", "The moon's is less.", "", [](const Data&) {
           return Finding{Verdict::open, "no stone fell there"};
         }}};
    plan.figures = {{.name = "falls",
                     .title = "Falls",
                     .caption = "Parabolas.",
                     .table = "falls",
                     .x = "t",
                     .y = {"height"},
                     .series = "stone"}};
    plan.conclusion = [](const Data&) { return std::vector<std::string>{"Stones <fall>."}; };
    return plan;
  };
  return {.name = "stones",
          .title = "Stones & falls",
          .paper = "course §1",
          .about = "One.\n\nTwo.",
          .paper_says = {"9.81"},
          .plan = make};
}

RunOptions into(const std::filesystem::path& folder, int jobs = 1) {
  RunOptions options;
  options.folder = folder;
  options.jobs = jobs;
  options.figures = false;
  options.command = "stickslip study stones";
  options.version = "test";
  return options;
}

TEST(StudyHarness, the_same_setting_gives_the_same_bytes_whatever_the_number_of_jobs) {
  const Directory directory;
  std::atomic<int> runs = 0;
  const RunResult one = run_study(stones(runs), {}, into(directory / "one"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));   // in another second of the clock, which no file may hold
  const RunResult two = run_study(stones(runs), {}, into(directory / "two", 3));
  EXPECT_EQ(runs, 8);
  EXPECT_EQ(one.checksums, two.checksums);
  ASSERT_EQ(one.checksums.size(), 3u);   // falls.csv, mean.csv, data.h5
  for (const auto& [file, sum] : one.checksums)
    EXPECT_EQ(content_of(directory / "one" / "data" / file), content_of(directory / "two" / "data" / file)) << file;
  const RunResult other = run_study(stones(runs), {.seed = 2}, into(directory / "three"));
  EXPECT_NE(one.checksums.at("falls.csv"), other.checksums.at("falls.csv"));
}

TEST(StudyHarness, timings_stand_apart_from_the_data_in_the_same_order) {
  const Directory directory;
  std::atomic<int> runs = 0;
  run_study(stones(runs), {}, into(directory / "s"));
  const std::string data = content_of(directory / "s" / "data" / "falls.csv"),
                    times = content_of(directory / "s" / "times" / "falls.csv");
  EXPECT_THAT(data, AllOf(::testing::StartsWith("stone,t [s],height [m]\ngranite,0.1,"), Not(HasSubstr("clock")),
                          HasSubstr("\"a, b\",0.4,"), HasSubstr("\"\"\"chalk\"\"\",inf,nan\n")));
  EXPECT_THAT(times, ::testing::StartsWith("clock [ms]\n"));
  EXPECT_EQ(std::ranges::count(data, '\n'), std::ranges::count(times, '\n'));
  EXPECT_FALSE(std::filesystem::exists(directory / "s" / "times" / "mean.csv"));
}

TEST(StudyHarness, an_interrupted_run_goes_on_where_it_stopped_and_ends_with_the_same_bits) {
  const Directory directory;
  std::atomic<int> runs = 0;
  std::atomic<bool> stop = false;
  RunOptions options = into(directory / "s");
  options.cancel = &stop;
  EXPECT_TRUE(run_study(stones(runs, &stop), {}, options).interrupted);
  EXPECT_FALSE(std::filesystem::exists(directory / "s" / "report.html"));
  stop = false;
  const int before = runs;
  const RunResult resumed = run_study(stones(runs), {}, options);
  EXPECT_FALSE(resumed.interrupted);
  EXPECT_EQ(resumed.reused, 1u);   // the second saw the flag when it ended, and is not trusted
  EXPECT_EQ(runs - before, 3);
  EXPECT_EQ(resumed.checksums, run_study(stones(runs), {}, into(directory / "whole")).checksums);
}

TEST(StudyHarness, a_case_within_a_step_that_never_ends_stops_when_it_is_told_to) {
  const Directory directory;
  std::atomic<bool> stop = false;
  std::thread user;
  const Study endless{"endless", "Endless", "", "", {}, [&](const Setting&) {
                        Plan plan;
                        plan.tables = {Table("none", "None", {number("x", "", "x")})};
                        plan.cases = {{"stack", [&](CaseRun& run) {
                                         Scene scene = run.load("stack", {{"/step/tolerance", "1e-300"},
                                                                          {"/step/max_iterations", "2000000000"},
                                                                          {"/step/solver", "\"nsgs\""}});
                                         Stepper stepper(scene.step);
                                         user = std::thread([&] { stop = true; });
                                         stepper.step(scene.world);
                                       }}};
                        return plan;
                      }};
  RunOptions options = into(directory / "s");
  options.cancel = &stop;
  EXPECT_TRUE(run_study(endless, {}, options).interrupted);
  user.join();
}

TEST(StudyHarness, a_finished_run_is_not_run_again_unless_asked) {
  const Directory directory;
  std::atomic<int> runs = 0;
  const RunResult first = run_study(stones(runs), {}, into(directory / "s"));
  RunOptions options = into(directory / "s");
  EXPECT_EQ(run_study(stones(runs), {}, options).reused, 4u);
  EXPECT_EQ(runs, 4);
  options.fresh = true;
  EXPECT_EQ(run_study(stones(runs), {}, options).checksums, first.checksums);
  EXPECT_EQ(runs, 8);
}

TEST(StudyHarness, cases_of_another_build_are_run_again) {
  const Directory directory;
  std::atomic<int> runs = 0;
  run_study(stones(runs), {}, into(directory / "s"));
  const std::filesystem::path file = directory / "s" / "cases" / "stone-1.json";
  std::string text = content_of(file);
  text.replace(text.find(build_of_program()), 16, "0123456789abcdef");
  std::ofstream(file) << text;
  const RunResult again = run_study(stones(runs), {}, into(directory / "s"));
  EXPECT_TRUE(again.other_build);
  EXPECT_EQ(again.reused, 3u);
}

TEST(StudyHarness, claims_are_told_apart_by_whether_a_paper_made_them) {
  std::atomic<int> runs = 0;
  const MemoryRun run = run_in_memory(stones(runs), {});
  EXPECT_EQ(run.finding("near").verdict, Verdict::holds);
  EXPECT_EQ(run.finding("large").verdict, Verdict::contradicts);
  EXPECT_EQ(run.finding("small").verdict, Verdict::fails);
  EXPECT_EQ(run.finding("moon").verdict, Verdict::open);
}

TEST(StudyHarness, the_report_holds_verdicts_evidence_and_command_and_asks_nothing_of_the_network) {
  const Directory directory;
  std::atomic<int> runs = 0;
  run_study(stones(runs), {}, into(directory / "s"));
  const std::string page = content_of(directory / "s" / "report.html");
  EXPECT_THAT(page, AllOf(HasSubstr("Stones &amp; falls"), HasSubstr("contradicts the paper"), HasSubstr("does not hold"),
                          HasSubstr("above 10 &lt;m/s²&gt;"), HasSubstr("9.81 (§1)"), HasSubstr("stickslip study stones"),
                          HasSubstr("Stones &lt;fall&gt;.")));
  EXPECT_THAT(page,
              AllOf(Not(HasSubstr("http://")), Not(HasSubstr("https://")), Not(HasSubstr("<script")), Not(HasSubstr("<link"))));
}

TEST(StudyHarness, figures_are_drawn_from_the_written_data_and_stand_in_the_report) {
  const Directory directory;
  std::atomic<int> runs = 0;
  RunOptions options = into(directory / "s");
  options.figures = true;
  options.python = "/no/such/python";
  const RunResult without = run_study(stones(runs), {}, options);
  EXPECT_THAT(without.no_figures,
              AllOf(HasSubstr("/no/such/python"), HasSubstr("apt-get install python3-matplotlib"), HasSubstr("--replot")));
  EXPECT_TRUE(std::filesystem::exists(directory / "s" / "report.html"));
  options.python = RunOptions().python;
  options.replot = true;
  const RunResult drawn = run_study(stones(runs), {}, options);
  EXPECT_EQ(drawn.no_figures, "");
  EXPECT_EQ(runs, 4);   // nothing has run again
  EXPECT_THAT(content_of(directory / "s" / "figures" / "falls.svg"), HasSubstr("<svg"));
  EXPECT_GT(std::filesystem::file_size(directory / "s" / "figures" / "falls.png"), 1000u);
  EXPECT_THAT(content_of(directory / "s" / "report.html"), HasSubstr("src=\"data:image/svg+xml;base64,"));
}

TEST(StudyHarness, a_manifest_gives_back_what_was_run) {
  const Directory directory;
  std::atomic<int> runs = 0;
  const Setting setting{.size = Size::quick, .seed = 77, .solvers = {"pgs", "auto"}, .criterion = "creep=1e-6"};
  const RunResult result = run_study(stones(runs), setting, into(directory / "s"));
  const std::filesystem::path file = directory / "s" / "manifest.json";
  EXPECT_TRUE(is_manifest(file));
  const Manifest manifest = read_manifest(file);
  EXPECT_EQ(manifest.study, "stones");
  EXPECT_EQ(to_json(manifest.setting), to_json(setting));
  EXPECT_EQ(manifest.checksums, result.checksums);
  EXPECT_FALSE(is_manifest(directory / "s" / "report.html"));
}

TEST(StudyHarness, a_study_that_was_killed_before_its_manifest_was_there_begins_again) {
  const Directory directory;
  std::atomic<int> runs = 0;
  const std::filesystem::path folder = directory / "s";
  std::filesystem::create_directories(folder / "cases");
  std::ofstream(folder / "manifest.json.123.part") << "{";
  run_study(stones(runs), {}, into(folder));
  EXPECT_EQ(runs, 4);
  std::filesystem::remove(folder / "manifest.json");   // now the cases of somebody are in it
  EXPECT_THAT(message_of([&] { run_study(stones(runs), {}, into(folder)); }), HasSubstr("holds other files"));
}

TEST(StudyHarness, wrong_folders_are_refused_with_a_remedy) {
  const Directory directory;
  std::atomic<int> runs = 0;
  run_study(stones(runs), {}, into(directory / "s"));
  EXPECT_THAT(message_of([&] { run_study(stones(runs), {.seed = 5}, into(directory / "s")); }),
              AllOf(HasSubstr("holds the study 'stones'"), HasSubstr("--fresh")));
  std::ofstream(directory / "file") << "x";
  EXPECT_THAT(message_of([&] { run_study(stones(runs), {}, into(directory / "file")); }), HasSubstr("This is a file."));
  EXPECT_THAT(message_of([&] { run_study(stones(runs), {}, into(directory / "")); }), HasSubstr("holds other files"));
  RunOptions options = into(directory / "none");
  options.replot = true;
  EXPECT_THAT(message_of([&] { run_study(stones(runs), {}, options); }), HasSubstr("without --replot"));
  EXPECT_EQ(runs, 4);
}

TEST(StudyHarness, an_error_names_its_case_and_leaves_the_others) {
  const Directory directory;
  Study study;
  study.name = "bad";
  study.plan = [](const Setting&) {
    Plan plan;
    plan.tables = {Table("t", "T", {number("x", "", "x")})};
    plan.cases = {{"good", [](CaseRun& run) { run.table("t").add({1}); }, 2},
                  {"worse", [](CaseRun& run) { run.load("no-such-scene"); }, 1}};
    return plan;
  };
  EXPECT_THAT(message_of([&] { run_study(study, {}, into(directory / "s")); }),
              AllOf(HasSubstr("Case 'worse'"), HasSubstr("no-such-scene")));
  EXPECT_TRUE(std::filesystem::exists(directory / "s" / "cases" / "good.json"));
}

TEST(StudyTable, statistics_are_those_of_the_numbers_that_are_there) {
  const std::vector<double> values = {4, std::nan(""), 1, 2, 3};
  EXPECT_EQ(sum(values), 10);
  EXPECT_EQ(mean(values), 2.5);
  EXPECT_EQ(median(values), 2.5);
  EXPECT_EQ(quantile(values, 0.25), 1.75);
  EXPECT_EQ(smallest(values), 1);
  EXPECT_EQ(largest(values), 4);
  EXPECT_NEAR(geometric_mean({1, 4, 16}), 4, 1e-14);
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_EQ(quantile({1, kInfinite, kInfinite}, 0.75), kInfinite);
}

TEST(StudyTable, rows_that_do_not_fit_are_refused) {
  Table table("t", "T", {text("name", ""), number("x", "", "")});
  table.add({"a", 1});
  EXPECT_THROW(table.add({"a"}), std::logic_error);
  EXPECT_THROW(table.add({1, 1}), std::logic_error);
  EXPECT_THROW(table.numbers("name"), std::logic_error);
  EXPECT_THROW(table.numbers("y"), std::logic_error);
  table.add({"b", 2});
  EXPECT_THAT(table.where("name", "b").numbers("x"), ElementsAre(2));
  EXPECT_THAT(table.where("x", 1).texts("name"), ElementsAre("a"));
}

TEST(Studies, names_are_unique_and_are_not_those_of_scenes) {
  std::vector<std::string> names = {"list", "all"};
  for (const Study& study : studies()) names.push_back(study.name);
  for (const BuiltInScene& scene : built_in_scenes()) names.push_back(scene.name);
  std::ranges::sort(names);
  EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end()) << *std::ranges::adjacent_find(names);
  EXPECT_THAT(message_of([] { study_named("r-factor"); }), HasSubstr("Did you mean 'r-factors'?"));
}

}   // namespace stickslip::study_test
