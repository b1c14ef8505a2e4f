// Every command as a user gives it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "../record/record_scenes.h"
#include "program.h"
#include "store/hdf5.h"

namespace stickslip {
namespace {

using nlohmann::json;
using test::Directory;
using test::Finished;
using test::stickslip;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Help, every_command_explains_itself) {
  for (const char* command : {"", "run", "capture", "solve", "scenes", "solvers", "laws", "import", "validate", "schema"}) {
    const Finished help = stickslip(std::string(command) + " --help");
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("--help")) << command;
    EXPECT_THAT(help.err, IsEmpty()) << command;
  }
  EXPECT_THAT(stickslip("--version").out, ::testing::MatchesRegex("stickslip [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Lists, scenes_and_solvers_are_named_in_json_and_in_text) {
  const json scenes = json::parse(stickslip("scenes --json").out).at("scenes");
  const std::string text = stickslip("scenes").out;
  ASSERT_FALSE(scenes.empty());
  for (const json& scene : scenes) {
    EXPECT_THAT(text, HasSubstr(scene.at("name").get<std::string>() + "\n"));
    EXPECT_FALSE(scene.at("look_for").get<std::string>().empty());
    for (const json& parameter : scene.at("parameters"))
      EXPECT_TRUE(parameter.contains("name") && parameter.at("default").is_number());
  }
  EXPECT_THAT(stickslip("scenes wall").out, AllOf(::testing::StartsWith("wall\n"), HasSubstr("rows=9"), Not(HasSubstr("tower"))));
  EXPECT_EQ(json::parse(stickslip("scenes wall arch --json").out).at("scenes").size(), 2u);
  EXPECT_THAT(stickslip("scenes wal").err, HasSubstr("no built-in scene 'wal'"));
  const json solvers = json::parse(stickslip("solvers --json").out).at("solvers");
  std::vector<std::string> names;
  for (const json& solver : solvers) names.push_back(solver.at("name"));
  EXPECT_THAT(names, ::testing::IsSupersetOf({"pgs", "prox-gs"}));
  const std::string list = std::regex_replace(stickslip("solvers").out, std::regex("\\s+"), " ");
  for (const json& solver : solvers)
    for (const char* key : {"name", "model", "family", "needs", "paper", "advice"})
      EXPECT_THAT(list, HasSubstr(solver.at(key).get<std::string>()));
  EXPECT_THAT(list, Not(HasSubstr("relaxation=")));
  EXPECT_THAT(stickslip("solvers --options").out, HasSubstr("relaxation="));
  EXPECT_THAT(stickslip("solvers psor").out, AllOf(HasSubstr("relaxation="), Not(HasSubstr("prox-gs"))));
  EXPECT_EQ(json::parse(stickslip("solvers psor --json").out).at("solvers").size(), 1u);
}

TEST(Schema, it_is_a_json_schema) {
  const Finished schema = stickslip("schema");
  EXPECT_EQ(schema.exit_code, 0);
  EXPECT_TRUE(json::parse(schema.out).contains("$schema"));
}

TEST(Run, the_summary_has_every_promised_key) {
  const Finished run = stickslip("run stack --steps 20 --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json j = json::parse(run.out);
  EXPECT_EQ(j.at("scene"), "stack");
  EXPECT_EQ(j.at("solver"), "auto");
  EXPECT_EQ(j.at("steps"), 20);
  EXPECT_EQ(j.at("bodies"), 11) << "ten boxes and the ground";
  EXPECT_GE(j.at("contacts").at("mean").get<double>(), 40);
  EXPECT_GE(j.at("contacts").at("max").get<double>(), j.at("contacts").at("mean").get<double>());
  EXPECT_GT(j.at("ms_per_step").at("mean").get<double>(), 0);
  EXPECT_GT(j.at("ms_per_step").at("p95").get<double>(), 0);
  EXPECT_LE(j.at("residual").at("median").get<double>(), j.at("residual").at("max").get<double>());
  EXPECT_LE(j.at("iterations").at("mean").get<double>(), j.at("iterations").at("max").get<double>());
  EXPECT_GE(j.at("penetration_max").get<double>(), 0);
  EXPECT_LE(j.at("distance_min").get<double>(), -j.at("penetration_max").get<double>());
  EXPECT_EQ(j.at("impacts"), 0);
  EXPECT_NEAR(j.at("energy").at("start").get<double>(), j.at("energy").at("end").get<double>(),
              1e-3 * j.at("energy").at("start").get<double>());
  EXPECT_THAT(j.at("state_hash").get<std::string>(), ::testing::MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(j.at("state_hash").get<std::string>().size(), 16u);
  EXPECT_THAT(run.err, IsEmpty());
}

TEST(Run, the_text_summary_names_residual_penetration_and_time) {
  const Finished run = stickslip("run stack --steps 5");
  for (const char* word : {"stack", "5 steps", "contacts", "residual", "m/s", "penetration", "energy", "step time", "state"})
    EXPECT_THAT(run.out, HasSubstr(word));
  EXPECT_THAT(run.err, IsEmpty()) << "no progress in a pipe";
  EXPECT_THAT(stickslip("run stack --steps 5 --quiet").out, IsEmpty());
}

/// Springs and barriers ask no solver, and barriers keep everything apart.
TEST(Run, the_summary_says_who_took_the_steps_and_how_near_barriers_came) {
  const std::string three = "run stack --set /parameters/count=3 --steps 3 --integrator ";
  EXPECT_THAT(stickslip(three + "impulse").out, AllOf(HasSubstr("10 ms, auto;"), Not(HasSubstr("distance"))));
  EXPECT_THAT(stickslip(three + "penalty").out, HasSubstr("10 ms, penalty;"));
  EXPECT_THAT(stickslip(three + "barrier").out,
              AllOf(HasSubstr("10 ms, barrier;"), ::testing::ContainsRegex("distance +[0-9.]+ .+m min")));
  const json j = json::parse(stickslip(three + "barrier --json").out);
  EXPECT_EQ(j.at("integrator"), "barrier");
  EXPECT_GT(j.at("distance_min").get<double>(), 0);
}

TEST(Run, options_of_the_scene_the_solver_and_the_time_take_effect) {
  const json j =
      json::parse(stickslip("run stack --set /parameters/count=3 --set /step/h=0.005 --solver pgs --seconds 0.1 --json").out);
  EXPECT_EQ(j.at("bodies"), 4);
  EXPECT_EQ(j.at("solver"), "pgs");
  EXPECT_EQ(j.at("steps"), 20);
  EXPECT_NEAR(j.at("time").get<double>(), 0.1, 1e-12);
}

TEST(Run, outputs_hold_every_step) {
  const Directory directory;
  const std::string h5 = directory / "a.h5", csv = directory / "a.csv";
  const Finished run = stickslip("run stack --steps 12 --json -o " + h5 + " -o " + csv);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json outputs = json::parse(run.out).at("outputs");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].at("bytes"), std::filesystem::file_size(h5));
  EXPECT_EQ(h5::length_of(h5::open_file(h5).get(), "time"), 13u);
  const std::string table = test::content_of(csv);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 13);
  EXPECT_THAT(stickslip("run stack --steps 2 -o " + csv).out, HasSubstr(csv));
}

TEST(Run, strict_turns_a_missed_tolerance_into_exit_code_one) {
  const std::string hopeless = "run stack --steps 3 --set /step/max_iterations=1 --set /step/tolerance=1e-12 ";
  EXPECT_EQ(stickslip(hopeless).exit_code, 0);
  const Finished strict = stickslip(hopeless + "--strict --json");
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_EQ(json::parse(strict.out).at("steps_missing_tolerance"), 3);
}

TEST(Validate, a_good_scene_is_said_to_be_valid) {
  const Finished good = stickslip("validate wall");
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.out, HasSubstr("wall: valid"));
  EXPECT_EQ(json::parse(stickslip("validate wall --json").out).at("valid"), true);
}

std::string hash_of(const std::string& arguments) {
  const Finished run = stickslip("run " + arguments + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return json::parse(run.out).at("state_hash");
}

TEST(Determinism, threads_and_repetition_do_not_change_the_state) {
  const std::string once = hash_of("wall --steps 20 --threads 1");
  EXPECT_EQ(hash_of("wall --steps 20 --threads 1"), once);
  EXPECT_EQ(hash_of("wall --steps 20 --threads 2"), once);
  EXPECT_NE(hash_of("wall --steps 21 --threads 1"), once);
}

TEST(Determinism, a_checkpoint_continues_to_the_same_bits) {
  const Directory directory;
  const std::string half = directory / "half.h5", whole = directory / "whole.checkpoint";
  hash_of("dominoes --steps 15 --checkpoint " + half);
  const std::string resumed = hash_of(half + " --steps 25 --threads 2 --checkpoint " + whole);
  EXPECT_EQ(resumed, hash_of("dominoes --steps 40"));
  EXPECT_EQ(hash_of(whole + " --seconds 0"), resumed) << "recognised by its content, whatever its name";
}

TEST(Determinism, a_checkpoint_runs_to_the_end_of_its_scene) {
  const Directory directory;
  const std::string file = directory / "c.h5";
  stickslip("run stack --set /seconds=0.3 --steps 12 --checkpoint " + file);
  const json rest = json::parse(stickslip("run " + file + " --json --checkpoint " + file).out);
  EXPECT_EQ(rest.at("steps"), 18);
  const Finished over = stickslip("run " + file);
  EXPECT_EQ(over.exit_code, 2);
  EXPECT_THAT(over.err, HasSubstr("--seconds"));
}

}   // namespace
}   // namespace stickslip
