// What users do wrong, and what befalls a run: one line that names place and remedy, the right exit code, whole files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "../record/record_scenes.h"
#include "program.h"
#include "store/hdf5.h"

namespace stickslip {
namespace {

using test::Background;
using test::Directory;
using test::expect_refused;
using test::Finished;
using test::stickslip;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(BadInput, words_that_mean_nothing_get_a_suggestion) {
  expect_refused("", "command is missing");
  expect_refused("rum wall", "Did you mean 'run'?");
  expect_refused("--jsno", "no option '--jsno'");
  expect_refused("run", "needs a scene");
  expect_refused("run wal", "Did you mean 'wall'?");
  expect_refused("run wall --stepz 3", "Did you mean '--steps'?");
  expect_refused("run wall tower", "one argument too many");
  expect_refused("run wall --solver prox-gz", "Did you mean 'prox-gs'?");
  expect_refused("run wall --set /step/g=1", "/step/g");
  expect_refused("run wall --set step", "/json/pointer=value");
}

TEST(BadInput, numbers_out_of_range_are_refused) {
  expect_refused("run wall --steps 5 --seconds 1", "--steps");
  expect_refused("run wall --steps -5", "-5");
  expect_refused("run wall --steps many", "many");
  expect_refused("run wall --seconds nan", "nan");
  expect_refused("run wall --seconds -1", "-1");
  expect_refused("run wall --threads -2 --steps 1", "-2");
  expect_refused("run wall --set /step/h=0", "/step/h");
  expect_refused("run wall --frames-per-second -3 -o x.h5", "-3");
  for (const char* steps : {"1e20", "010", "+5", "1.5", "99999999999999999999", "0x10", "''"}) {
    expect_refused(std::string("run wall --steps ") + steps, "--steps");
    expect_refused(std::string("capture wall --step ") + steps, "--step");
  }
  for (const char* time : {"-1", "nan", "inf"}) {
    expect_refused(std::string("render wall -o x.png --at ") + time, "--at");
    expect_refused(std::string("render wall -o x.png --seconds ") + time, "--seconds");
  }
}

TEST(BadInput, files_that_cannot_be_written_are_refused_before_the_run) {
  const Directory directory;
  // A run of years: the refusal comes first or never.
  const std::string missing = directory / "none/end.h5";
  expect_refused("run wall --steps 1000000000 --checkpoint " + missing, "none");
  expect_refused("run wall --steps 1000000000 --checkpoint " + directory.path().string(), "directory");
  expect_refused("capture wall --step 1000000000 -o " + missing, "none");
  const std::string precious = directory / "precious.h5";
  test::write_content(precious, "precious");
  expect_refused("run wal --checkpoint " + precious, "wal");
  EXPECT_EQ(test::content_of(precious), "precious");
}

TEST(FullDisk, standard_output_and_standard_error_that_cannot_be_written_end_the_program_in_order) {
  for (const char* command : {"scenes", "solvers --json", "--help", "run stack --steps 1"}) {
    const Finished full = stickslip(command, "", ">/dev/full");
    EXPECT_EQ(full.exit_code, 2) << command;
    EXPECT_THAT(full.err, HasSubstr("Cannot write to the standard output: No space left on device.")) << command;
    EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << full.err;
  }
  EXPECT_EQ(stickslip("run no-such-scene", "", "2>/dev/full").exit_code, 2);
  EXPECT_EQ(stickslip("run stack --steps 1", "", "2>/dev/full").exit_code, 0);
  EXPECT_EQ(stickslip("run no-such-scene", "", "2>&-").exit_code, 2);
}

/// Bad scene documents: file, place and value stand in the message, for run and for validate.
TEST(BadInput, scene_files_are_refused_with_file_place_and_value) {
  const Directory directory;
  const struct {
    const char *name, *text, *place, *value;
  } cases[] = {
      {"nan", R"({"bodies": [{"shape": {"type": "sphere", "radius": NaN}}]})", "line 1, column 52", "not JSON"},
      {"mass", R"({"bodies": [{"shape": {"type": "sphere", "radius": 1}, "mass": -2}]})", "/bodies/0", "-2"},
      {"radius", R"({"bodies": [{"shape": {"type": "sphere", "radius": 0}}]})", "/bodies/0/shape/radius", "0"},
      {"hull", R"({"bodies": [{"shape": {"type": "hull", "points": []}}]})", "/bodies/0/shape/points", "0 points"},
      {"shape", R"({"bodies": [{"shape": {"type": "spehre", "radius": 1}}]})", "/bodies/0/shape", "Did you mean 'sphere'?"},
      {"friction", R"({"materials": [{"name": "m", "friction": -0.1}], "bodies": []})", "/materials", "-0.1"},
      {"unknown", R"({"bodies": [], "gravitas": [0, 0, 0]})", "gravitas", "Did you mean 'gravity'?"},
      {"broken", R"({"bodies": [)", "line 1, column 13", "unexpected end of input"},
      {"empty", "", "The file is empty", "\"bodies\""},
  };
  for (const auto& c : cases) {
    const std::string file = directory / (std::string(c.name) + ".json");
    test::write_content(file, c.text);
    for (const char* command : {"run ", "validate "}) {
      expect_refused(command + file, file);
      expect_refused(command + file, c.place);
      expect_refused(command + file, c.value);
    }
  }
  expect_refused("run " + (directory / "missing.json").string(), "missing.json");
  expect_refused("run " + directory.path().string() + "/", directory.path().string());
}

TEST(BadInput, what_has_no_end_no_meaning_or_commands_for_terminals_is_refused) {
  const Directory directory;
  const std::string file = directory / "s.json";
  test::write_content(file, R"({"name": "\u001b[31mred", "bodies": []})");
  expect_refused("validate " + file, "/name: A text cannot hold control characters");
  test::write_content(file, R"({"bodies": [{"name": "b\u0007", "shape": {"type": "sphere", "radius": 1}}]})");
  expect_refused("validate " + file, "/bodies/0/name");
  test::write_content(file, R"({"bodies": [{"shape": {"type": "sphere", "radius": 1}, "k\u001b[2J": 1}]})");
  expect_refused("validate " + file, R"(Unknown key 'k\x1b[2J')");
  expect_refused("run \"$(printf 'no\\033[31mscene')\"", R"(no\x1b[31mscene)");
  expect_refused("validate stack --set '/materials=[{\"name\": \"m\", \"friction\": 1e300}]'",
                 "1e+300 is not a coefficient of friction");
  expect_refused("validate /dev/zero", "/dev/zero: The file is longer than 256 MB");
  expect_refused("solve /dev/zero", "/dev/zero: This is not a file, and does not end within 256 MB");
  const Finished slow = stickslip("validate stack --set /step/h=1");
  EXPECT_EQ(slow.exit_code, 0);
  EXPECT_THAT(slow.err, HasSubstr("warning: In a step of 1 s"));
  expect_refused("run wall --set /step/h=1e10", "/step/h: In a step of 1e+10 s things that start to fall get");
  EXPECT_THAT(stickslip("validate stack").err, IsEmpty());
}

TEST(BadInput, damaged_and_foreign_hdf5_files_are_refused) {
  const Directory directory;
  const std::string whole = directory / "whole.h5", cut = directory / "cut.h5";
  ASSERT_EQ(stickslip("run stack --steps 1 --checkpoint " + whole).exit_code, 0);
  const std::string bytes = test::content_of(whole);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{8}, std::size_t{100}, std::size_t{512}, bytes.size() / 2, bytes.size() - 1}) {
    test::write_content(cut, bytes.substr(0, length));
    expect_refused("run " + cut, cut);
    expect_refused("validate " + cut, cut);
  }
  ASSERT_EQ(stickslip("run stack --steps 1 -o " + whole).exit_code, 0);
  expect_refused("run " + whole + " -o " + whole, "would replace it");
  test::write_content(cut, test::content_of(whole).substr(0, 3000));
  expect_refused("run " + cut, cut);
}

TEST(BadInput, a_failed_run_leaves_older_files_alone) {
  const Directory directory;
  const std::string csv = directory / "a.csv", h5 = directory / "a.h5";
  test::write_content(csv, "precious");
  test::write_content(h5, "precious");
  expect_refused("run wal -o " + csv + " -o " + h5, "wal");
  expect_refused("run wall --steps 1 -o " + csv + " -o " + csv, "twice");
  expect_refused("run wall --steps 1 -o " + csv + " -o " + (directory / "a.mp4").string(), ".mp4");
  EXPECT_EQ(test::content_of(csv), "precious");
  EXPECT_EQ(test::content_of(h5), "precious");
  expect_refused("run wall --steps 1 -o " + (directory / "none/a.h5").string(), "none");
}

TEST(FullDisk, the_error_names_the_file_and_the_others_are_complete) {
  const Directory directory;
  const std::string h5 = directory / "a.h5", csv = directory / "a.csv";
  // 1000 blocks of 1024 bytes per file: enough for the start, not for the run.
  const Finished run =
      stickslip("run wall --solver pgs --steps 400 --set /step/max_iterations=5 -o " + h5 + " -o " + csv, "ulimit -f 1000; ");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("a.h5: Cannot write: File too large"));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  const std::string table = test::content_of(csv);
  EXPECT_GT(std::count(table.begin(), table.end(), '\n'), 2);
  EXPECT_EQ(table.back(), '\n');
  // Readable up to what reached the disk.
  const h5::Handle file(h5::check(H5Fopen(h5.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT), "open"), H5Fclose);
  EXPECT_GE(h5::length_of(file.get(), "time"), 1u);
}

/// Waits until the telemetry has some rows.
bool grows(const std::string& csv) {
  for (int i = 0; i < 600; ++i) {
    std::error_code error;
    if (const auto size = std::filesystem::file_size(csv, error); !error && size > 5000) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST(Interrupt, control_c_completes_the_files_and_the_run_can_go_on) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Directory directory;
    const std::string h5 = directory / "a.h5", csv = directory / "a.csv", checkpoint = directory / "c.h5";
    Background run({"run", "wall", "--steps", "1000000", "-o", h5, "-o", csv, "--checkpoint", checkpoint});
    ASSERT_TRUE(grows(csv));
    run.send(signal);
    EXPECT_EQ(run.wait(), 130);
    const std::string table = test::content_of(csv);
    const auto rows = std::count(table.begin(), table.end(), '\n');
    EXPECT_EQ(table.back(), '\n');
    const h5::Handle file = h5::open_file(h5);   // opens without the flag for growing files: it is complete
    EXPECT_EQ(h5::length_of(file.get(), "time"), static_cast<hsize_t>(rows));
    EXPECT_EQ(h5::length_of(file.get(), "telemetry/residual"), static_cast<hsize_t>(rows - 1));
    EXPECT_EQ(stickslip("run " + checkpoint + " --steps 1").exit_code, 0);
  }
}

TEST(Interrupt, within_a_step_that_never_ends_leaves_the_last_whole_step) {
  const std::vector<std::string> endless = {"--set", "/step/tolerance=1e-300", "--set", "/step/max_iterations=2000000000",
                                            "--set", "/step/solver=nsgs"};
  const Directory directory;
  const std::string h5 = directory / "a.h5", checkpoint = directory / "c.h5";
  const auto ends = [&](std::vector<std::string> command) {
    command.insert(command.end(), endless.begin(), endless.end());
    Background program(command);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));   // some scenes take that long to be made, which ends it too
    program.send(SIGTERM);
    const auto start = std::chrono::steady_clock::now();
    const int code = program.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << command.front();
    return code;
  };
  EXPECT_EQ(ends({"run", "stack", "--seconds", "1", "-o", h5, "--checkpoint", checkpoint}), 130);
  EXPECT_EQ(stickslip("run " + checkpoint + " --steps 1 --integrator penalty").exit_code, 0);
  EXPECT_EQ(ends({"sweep", "stack", "--seconds", "1", "--over", "/parameters/count=3,4", "-o", directory / "s.csv"}), 130);
  EXPECT_EQ(ends({"compare", "stack", "--seconds", "1", "--solvers", "nsgs,pgs"}), 130);
  EXPECT_EQ(ends({"capture", "stack", "--step", "2", "-o", (directory / "p.hdf5").string()}), 130);
}

}   // namespace
}   // namespace stickslip
