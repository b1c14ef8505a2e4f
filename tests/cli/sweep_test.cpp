// `stickslip new` and `stickslip sweep`: scenes of one's own, and tables over their numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "../record/record_scenes.h"
#include "program.h"

namespace stickslip {
namespace sweep_test {

using test::Background;
using test::content_of;
using test::Directory;
using test::expect_refused;
using test::Finished;
using test::stickslip;
using test::write_content;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Cells = std::vector<std::string>;

struct SweepTable {
  Cells header;
  std::vector<Cells> rows;
};

/// A table of cells, some of them in quotes. What is not whole fails.
SweepTable read_sweep(const std::filesystem::path& file) {
  SweepTable table;
  std::istringstream lines(content_of(file));
  for (std::string line; std::getline(lines, line);) {
    Cells cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      else if (c == ',' && !quoted) cells.emplace_back();
      else cells.back() += c;
    }
    if (table.header.empty()) table.header = cells;
    else table.rows.push_back(cells);
    EXPECT_EQ(cells.size(), table.header.size()) << line;
  }
  return table;
}

TEST(New, a_scene_from_a_built_in_one_moves_as_it_does_to_the_bit) {
  const Directory directory;
  for (const char* scene : {"stack", "hook-and-ring", "pinch-grasp", "rigid-on-soft"}) {
    const std::string file = directory / (std::string(scene) + "-2.json");
    ASSERT_EQ(stickslip("new " + file + " --from " + scene).exit_code, 0);
    const auto hash = [](const std::string& what) {
      const Finished run = stickslip("run " + what + " --steps 3 --json");
      EXPECT_EQ(run.exit_code, 0) << run.err;
      return nlohmann::json::parse(run.out).at("state_hash").get<std::string>();
    };
    EXPECT_EQ(hash(file), hash(scene));
    EXPECT_EQ(nlohmann::json::parse(content_of(file)).at("name"), std::string(scene) + "-2");
  }
}

TEST(New, never_replaces_a_file_and_takes_names_of_meshes_along) {
  const Directory directory;
  const std::string file = directory / "a.json";
  write_content(file, "precious");
  expect_refused("new " + file + " --from stack", "already");
  EXPECT_EQ(content_of(file), "precious");
  expect_refused("new " + (directory / "a.txt").string(), ".json");
  expect_refused("new " + (directory / "none/a.json").string(), "none");
  expect_refused("new " + (directory / "b.json").string() + " --from wal", "wall");
  EXPECT_FALSE(std::filesystem::exists(directory / "b.json"));

  std::filesystem::create_directories(directory / "here");
  std::filesystem::create_directories(directory / "there/deeper");
  write_content(directory / "here/tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  write_content(directory / "here/s.json",
                R"({"bodies": [{"name": "t", "shape": {"type": "mesh", "file": "tetra.obj"}, "position": [0, 0, 1]}]})");
  const std::string moved = directory / "there/deeper/s.json";
  const Finished made = stickslip("new " + moved + " --from " + (directory / "here/s.json").string());
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(content_of(moved), HasSubstr("../../here/tetra.obj"));
  EXPECT_EQ(stickslip("validate " + moved).exit_code, 0);
}

constexpr double kSpeed = 2, kGravity = 9.81;

/// A block that slides over the ground until friction has stopped it.
void write_sliding_block(const std::filesystem::path& file) {
  write_content(
      file,
      R"({"seconds": 1.5, "step": {"h": 0.005}, "gravity": [0, 0, -9.81], "materials": [{"name": "default", "friction": 0.5}],
    "bodies": [{"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
               {"name": "block", "shape": {"type": "box", "half_extents": [0.2, 0.2, 0.05]}, "position": [0, 0, 0.05],
                "velocity": [2, 0, 0]}]})");
}

double number(const SweepTable& table, std::size_t row, const std::string& column) {
  const auto at = std::ranges::find(table.header, column);
  EXPECT_NE(at, table.header.end()) << column;
  return std::stod(table.rows.at(row).at(static_cast<std::size_t>(at - table.header.begin())));
}

TEST(Sweep, a_block_stops_after_v_squared_over_two_mu_g_for_every_coefficient) {
  const Directory directory;
  const std::string scene = directory / "block.json", one = directory / "one.csv", two = directory / "two.csv";
  write_sliding_block(scene);
  const std::string over = "sweep " + scene + " --over /materials/0/friction=0.2:0.8:4 --body block -o ";
  const Finished run = stickslip(over + one);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("block: 4 runs"));
  const SweepTable table = read_sweep(one);
  ASSERT_EQ(table.rows.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const double mu = number(table, i, "/materials/0/friction");
    EXPECT_EQ(table.rows[i][0], std::vector<std::string>({"0.2", "0.4", "0.6", "0.8"})[i]);
    const double distance = kSpeed * kSpeed / (2 * mu * kGravity);
    EXPECT_NEAR(number(table, i, "block x_m"), distance, 0.005 * kSpeed) << mu;   // within what it slides in a step
    EXPECT_NEAR(number(table, i, "block speed_m_per_s"), 0, 1e-6);
    EXPECT_EQ(number(table, i, "steps"), 300);
    EXPECT_NEAR(number(table, i, "friction_J"), number(table, i, "energy_start_J") - number(table, i, "energy_end_J"), 0.05);
  }
  // Several at a time: the same rows in the same order, but for the clock.
  ASSERT_EQ(stickslip(over + two + " --jobs 3 --quiet").exit_code, 0);
  const SweepTable again = read_sweep(two);
  const auto clock = static_cast<std::ptrdiff_t>(std::ranges::find(table.header, "ms_per_step_mean") - table.header.begin());
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(Cells(table.rows[i].begin(), table.rows[i].begin() + clock),
              Cells(again.rows[i].begin(), again.rows[i].begin() + clock));
}

TEST(Sweep, runs_every_combination_the_first_slowest_and_takes_lists_of_anything) {
  const Directory directory;
  const std::string csv = directory / "s.csv";
  const Finished run = stickslip(
      "sweep stack --steps 1 --over /step/solver=auto,pgs --over '/gravity=[0,0,-9.81],[0, 0, -1.6]' --over "
      "/step/tolerance=1e-8:1e-4:3:log --json -o " +
      csv);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json all = nlohmann::json::parse(run.out);
  EXPECT_EQ(all.at("runs").size(), 12u);
  const SweepTable table = read_sweep(csv);
  EXPECT_THAT(Cells(table.rows[0].begin(), table.rows[0].begin() + 3), ElementsAre("auto", "[0,0,-9.81]", "1e-08"));
  EXPECT_THAT(Cells(table.rows[1].begin(), table.rows[1].begin() + 3), ElementsAre("auto", "[0,0,-9.81]", "1e-06"));
  EXPECT_THAT(Cells(table.rows[3].begin(), table.rows[3].begin() + 3), ElementsAre("auto", "[0, 0, -1.6]", "1e-08"));
  EXPECT_THAT(Cells(table.rows[11].begin(), table.rows[11].begin() + 3), ElementsAre("pgs", "[0, 0, -1.6]", "0.0001"));
}

TEST(Sweep, goes_on_where_it_was_killed_and_runs_nothing_twice) {
  const Directory directory;
  const std::string scene = directory / "block.json", csv = directory / "s.csv";
  write_sliding_block(scene);
  const std::string over = "/materials/0/friction=0.01:0.9:200";
  {
    Background killed({"sweep", scene, "--over", over, "--seconds", "20", "-o", csv});
    for (int i = 0; i < 600; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::error_code error;
      if (std::filesystem::file_size(csv, error) > 2000 && !error) break;
    }
    killed.send(SIGKILL);
    EXPECT_EQ(killed.wait(), 128 + SIGKILL);
  }
  const SweepTable before = read_sweep(csv);   // whole rows only
  ASSERT_GE(before.rows.size(), 1u);
  ASSERT_LT(before.rows.size(), 200u);
  // What is there stays, times included; the rest is there when fewer values are asked for again.
  const std::string values = before.rows[0][0] + ",0.123";
  const std::string text = content_of(csv);
  write_content(csv, text.substr(0, text.find('\n', text.find('\n') + 1) + 1));   // header and first row
  const Finished run = stickslip("sweep " + scene + " --over /materials/0/friction=" + values + " --seconds 20 -o " + csv);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 of them were there already"));
  EXPECT_EQ(read_sweep(csv).rows.at(0), before.rows[0]);
  // Another duration makes another row of it.
  const Finished longer = stickslip("sweep " + scene + " --over /materials/0/friction=" + values + " --seconds 0.1 -o " + csv);
  EXPECT_THAT(longer.out, HasSubstr("2 rows there before came of another scene, duration or build and ran again"));
}

TEST(Sweep, refuses_what_cannot_be_before_anything_runs_and_loses_no_table) {
  const Directory directory;
  const std::string csv = directory / "s.csv", to = " --steps 1 -o " + csv;
  expect_refused("sweep stack" + to, "--over");
  expect_refused("sweep stack --over friction=1" + to, "/json/pointer=values");
  expect_refused("sweep stack --over /step/h=0.1:0.2" + to, "0.1:0.2");
  expect_refused("sweep stack --over /step/h=0.1:0.2:0" + to, "count");
  expect_refused("sweep stack --over /step/h=-1:1:3:log" + to, "one sign");
  expect_refused("sweep stack --over /step/h=0.01,,0.02" + to, "missing");
  expect_refused("sweep stack --over /step/h=0.01,0.01" + to, "twice");
  expect_refused("sweep stack --over /step/h=0.01,-0.01" + to, "With /step/h=-0.01: ");
  expect_refused("sweep stack --over /step/h=0.001:0.1:1000 --over /step/tolerance=1e-9:1e-3:1000" + to,
                 "more than 100000 runs");
  expect_refused("sweep stack --over /step/h=0.01 --body bix" + to, "--body bix");
  expect_refused("sweep stack --over /step/h=0.01 --steps 1 -o " + (directory / "none/s.csv").string(), "none");
  EXPECT_FALSE(std::filesystem::exists(csv));
  ASSERT_EQ(stickslip("sweep stack --over /step/h=0.01,0.02" + to).exit_code, 0);
  const std::string table = content_of(csv);
  expect_refused("sweep stack --over /step/h=0.01,0.03" + to, "--fresh");
  expect_refused("sweep stack --over /step/tolerance=1e-6" + to, "--fresh");
  EXPECT_EQ(content_of(csv), table);
  EXPECT_EQ(stickslip("sweep stack --over /step/h=0.01,0.03 --fresh" + to).exit_code, 0);
}

TEST(Sweep, a_run_that_blows_up_has_a_row_that_says_so_and_the_others_are_there) {
  const Directory directory;
  const std::string scene = directory / "plate.json", csv = directory / "s.csv";
  // Forward Euler makes the spin of a plate grow without end; on the ground it becomes speed.
  write_content(scene, R"({"bodies": [{"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
    {"name": "plate", "shape": {"type": "box", "half_extents": [0.5, 0.3, 0.02]}, "position": [0, 0, 5],
     "angular_velocity": [20, 30, 1]}],
    "seconds": 5})");
  const Finished run = stickslip("sweep " + scene + " --over /step/gyroscopic=explicit,implicit -o " + csv);
  EXPECT_EQ(run.exit_code, 1) << run.err;
  const SweepTable table = read_sweep(csv);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0].back(), HasSubstr("plate"));
  EXPECT_EQ(table.rows[1].back(), "");
  EXPECT_EQ(number(table, 1, "steps"), 500);
}

}   // namespace sweep_test
}   // namespace stickslip
