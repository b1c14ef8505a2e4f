// What a run says about its motion, in text, JSON, records and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

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

/// A rotor that turns by 3 rad in a step. (On a pivot the step would be taken in pieces.)
constexpr const char* kRotor =
    R"({"bodies": [{"name": "rotor", "shape": {"type": "cylinder", "radius": 0.1, "half_height": 0.01},
  "position": [0.2, 0, 0], "orientation_wxyz": [0.7071067811865476, 0, 0.7071067811865476, 0], "mass": 1,
  "angular_velocity": [300, 0, 0]}]})";

/// Forward Euler makes the spin of a plate grow without end; on the ground it becomes speed.
constexpr const char* kBlowsUp = R"({"bodies": [{"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
  {"name": "plate", "shape": {"type": "box", "half_extents": [0.5, 0.3, 0.02]}, "position": [0, 0, 5],
    "angular_velocity": [20, 30, 1]}],
  "step": {"gyroscopic": "explicit"}, "seconds": 5})";

TEST(Motion, a_spin_too_fast_for_the_step_is_named_with_body_amount_and_remedy) {
  const Directory directory;
  const std::string scene = directory / "rotor.json";
  test::write_content(scene, kRotor);
  const Finished run = stickslip("run " + scene + " --steps 20");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("motion"), HasSubstr("'rotor': turns by 3 rad in one step (300 rad/s)"),
                             HasSubstr("--set /step/h=0.0017")));
  // The remedy is one: with that step nothing is said of the spin.
  EXPECT_THAT(stickslip("run " + scene + " --steps 20 --set /step/h=0.0016").out, ::testing::Not(HasSubstr("turns by")));
}

TEST(Motion, json_and_strict_know_of_it) {
  const Directory directory;
  const std::string scene = directory / "rotor.json";
  test::write_content(scene, kRotor);
  const Finished strict = stickslip("run " + scene + " --steps 20 --strict --json");
  EXPECT_EQ(strict.exit_code, 1);
  const json motion = json::parse(strict.out).at("motion");
  const auto spin = std::find_if(motion.begin(), motion.end(), [](const json& m) { return m.at("kind") == "fast-spin"; });
  ASSERT_NE(spin, motion.end()) << motion;
  EXPECT_EQ(spin->at("where"), "'rotor'");
  EXPECT_NEAR(spin->at("value").get<double>(), 3, 0.01);
  EXPECT_EQ(spin->at("limit"), 1);
  EXPECT_EQ(spin->at("steps"), 20);
  EXPECT_EQ(spin->at("first_step"), 1);

  const Finished calm = stickslip("run stack --steps 20 --strict --json");
  EXPECT_EQ(calm.exit_code, 0);
  EXPECT_THAT(json::parse(calm.out).at("motion"), IsEmpty());
  EXPECT_THAT(stickslip("run stack --steps 20").out, HasSubstr("nothing amiss"));
}

TEST(Motion, records_hold_the_measures_of_every_step) {
  const Directory directory;
  const std::string scene = directory / "rotor.json", h5 = directory / "a.h5", csv = directory / "a.csv";
  test::write_content(scene, kRotor);
  ASSERT_EQ(stickslip("run " + scene + " --steps 20 -o " + h5 + " -o " + csv).exit_code, 0);
  const std::string table = test::content_of(csv), header = table.substr(0, table.find('\n'));
  for (const char* column :
       {"motion_findings", "energy_created", "rebound_missed", "overlap_max", "joint_opening_max", "turn_max_rad", "jam"})
    EXPECT_THAT(header, HasSubstr(column));
  const h5::Handle file = h5::open_file(h5);
  EXPECT_EQ(h5::length_of(file.get(), "telemetry/turn_max"), 20u);
}

TEST(Motion, a_run_that_blows_up_ends_with_body_speed_time_and_remedy) {
  const Directory directory;
  const std::string scene = directory / "plate.json", csv = directory / "a.csv";
  test::write_content(scene, kBlowsUp);
  const Finished run = stickslip("run " + scene + " -o " + csv);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("'plate' moves at"), HasSubstr("m/s at t = "), HasSubstr("--set /step/h="),
                             HasSubstr("Before that: integration gave")));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_EQ(test::content_of(csv).back(), '\n') << "the record is complete up to there";
}

TEST(Motion, a_missed_tolerance_stands_in_the_summary_with_its_remedy) {
  const Finished run = stickslip("run stack --steps 3 --set /step/max_iterations=1 --set /step/tolerance=1e-12");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("unsolved"), HasSubstr("3 of 3 steps missed their tolerance"),
                             HasSubstr("/step/max_iterations")));
  EXPECT_THAT(stickslip("run stack --steps 3").out, ::testing::Not(HasSubstr("unsolved")));
}

/// Two balls of 2 kg pass a place where one of them is struck: what a step leaves unsolved is told as a part of their speed.
TEST(Motion, what_missed_steps_leave_is_told_as_a_part_of_the_speed_of_what_moves) {
  const Directory directory;
  const std::string scene = directory / "balls.json", csv = directory / "balls.csv";
  test::write_content(scene, R"({"bodies": [{"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
    {"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "position": [0, 0, 0.1], "velocity": [2, 0, 0], "mass": 2},
    {"name": "b", "shape": {"type": "sphere", "radius": 0.1}, "position": [0.25, 0, 0.1], "mass": 2}],
    "step": {"solver": "pgs", "max_iterations": 2, "tolerance": 1e-16}})");
  const Finished run = stickslip("run " + scene + " --steps 10 --json -o " + csv);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json summary = json::parse(run.out);
  ASSERT_GT(summary["steps_missing_tolerance"], 0);
  std::istringstream lines(test::content_of(csv));
  std::string line, cell;
  const auto cells = [&] {
    std::vector<std::string> row;
    std::istringstream text(line);
    while (std::getline(text, cell, ',')) row.push_back(cell);
    return row;
  };
  std::getline(lines, line);
  const std::vector<std::string> names = cells();
  const auto column = [&](const char* name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
  const auto energy = column("kinetic_energy_J"), residual = column("residual_m_per_s"),
             tolerance = column("tolerance_m_per_s");
  double before = summary["energy"]["start"].get<double>() - 2 * 2 * 9.81 * 0.1, worst = 0;   // of it, what is kinetic
  while (std::getline(lines, line)) {
    const std::vector<std::string> row = cells();
    const double now = std::stod(row[energy]), left = std::stod(row[residual]);
    if (left > std::stod(row[tolerance])) worst = std::max(worst, left / std::sqrt(2 * std::max(before, now) / 4));
    before = now;
  }
  EXPECT_GT(worst, 0);
  EXPECT_NEAR(summary["missed_of_speed"]["max"], worst, 1e-6 * worst);
}

}   // namespace
}   // namespace stickslip
