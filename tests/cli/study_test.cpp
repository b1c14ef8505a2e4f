// `stickslip study`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../record/record_scenes.h"
#include "places.h"
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

TEST(Study, the_list_names_every_study_with_its_paper) {
  const Finished run = stickslip("study list");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("r-factors"), HasSubstr("[prox §5]"), HasSubstr("profiles")));
  EXPECT_GE(json::parse(stickslip("study list --json").out).size(), 3u);
}

TEST(Study, a_scene_of_ones_own_gets_data_a_report_and_a_recommendation_and_its_manifest_gives_the_same_bits) {
  const Directory directory;
  const std::string folder = (directory / "out").string();
  const std::string scene = (directory / "mine.json").string();
  test::write_content(scene, content_of(std::string(places::kSourceDir) + "/scenes/first.json"));
  const Finished run =
      stickslip("study " + scene + " -o " + folder + " --size quick --solvers auto,pgs --jobs 2 --no-figures --hold creep=1");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("To hold creep under 1 m/s use solver"), HasSubstr("report.html")));
  EXPECT_THAT(content_of(directory / "out" / "report.html"), HasSubstr("--solvers auto,pgs --hold creep=1"));
  EXPECT_THAT(content_of(directory / "out" / "data" / "runs.csv"), HasSubstr("creep [m/s]"));
  std::filesystem::remove(scene);   // the manifest holds it
  const Finished again = stickslip("study " + folder + "/manifest.json --no-figures --jobs 2");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("to the bit"));
  EXPECT_EQ(content_of(directory / "out" / "data" / "data.h5"), content_of(directory / "out-again" / "data" / "data.h5"));
}

TEST(Study, what_cannot_be_studied_is_refused_with_a_remedy) {
  const Directory directory;
  const std::string file = (directory / "file").string();
  test::write_content(file, "x");
  expect_refused("study", "'study' needs a study (stickslip study list)");
  expect_refused("study r-factor", "Did you mean 'r-factors'?");
  expect_refused("study profiles --size huge", "'huge' is not a size");
  expect_refused("study profiles --jobs 0", "Give 1 to 256");
  expect_refused("study profiles -o " + file, "This is a file.");
  expect_refused("study profiles --replot -o " + (directory / "none").string(), "without --replot");
  expect_refused("study profiles --solvers psg -o " + (directory / "none").string(), "Did you mean");
  expect_refused("study profiles --hold creep=1", "is for the study of a scene");
  expect_refused("study own-scene", "Name the scene");
  expect_refused("study profiles --size quick --no-figures --problem " + file + " -o " + (directory / "p").string(), file);
  EXPECT_FALSE(std::filesystem::exists(directory / "none"));
}

TEST(Study, an_interrupted_study_exits_with_130_and_goes_on) {
  const Directory directory;
  const std::string folder = (directory / "p").string();
  test::Background program({"study", "profiles", "-o", folder, "--size", "standard", "--no-figures"});
  const auto finished = [&] {
    return std::filesystem::exists(folder + "/cases") &&
           std::distance(std::filesystem::directory_iterator(folder + "/cases"), std::filesystem::directory_iterator()) > 0;
  };
  for (int i = 0; i < 3000 && !finished(); ++i) ::usleep(10'000);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 130);
  EXPECT_TRUE(finished());
  EXPECT_FALSE(std::filesystem::exists(folder + "/report.html"));
}

}   // namespace
}   // namespace stickslip
