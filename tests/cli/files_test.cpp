// Files that open again: trajectories that go on and are compared; and what becomes of files when a run cannot end well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "../record/record_scenes.h"
#include "places.h"
#include "program.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/playback.h"
#include "store/hdf5.h"

namespace stickslip {
namespace files_test {

using nlohmann::json;
using test::Background;
using test::content_of;
using test::Directory;
using test::expect_refused;
using test::Finished;
using test::stickslip;
using test::write_content;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string hash_of(const Finished& run) {
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return json::parse(run.out).at("state_hash").get<std::string>();
}

TEST(GoOn, a_trajectory_goes_on_where_it_ended_and_is_not_replaced) {
  const Directory directory;
  const std::string one = directory / "one.h5", two = directory / "two.h5";
  ASSERT_EQ(stickslip("run card-house --steps 4 --quiet -o " + one).exit_code, 0);
  const Finished rest = stickslip("run " + one + " --steps 6 --json -o " + two);
  EXPECT_EQ(hash_of(rest), hash_of(stickslip("run card-house --steps 10 --json")));
  EXPECT_EQ(json::parse(rest.out).at("step_count"), 10);
  EXPECT_EQ(Playback(two).time(0), Playback(one).time(4));
  EXPECT_EQ(hash_of(stickslip("run " + two + " --steps 0 --json")), hash_of(rest));   // and so on
  const std::string before = content_of(one);
  expect_refused("run " + one + " --steps 1 -o " + one, "another name");
  expect_refused("run " + one + " --steps 1 --set /step/h=0.1", "--set");
  EXPECT_EQ(content_of(one), before);
  EXPECT_EQ(stickslip("new " + (directory / "scene.json").string() + " --from " + one).exit_code, 0);
  EXPECT_EQ(stickslip("validate " + (directory / "scene.json").string()).exit_code, 0);
}

/// A ball that falls freely.
void write_fall(const std::filesystem::path& file, double gravity) {
  write_content(file, fmt::format(R"({{"seconds": 0.4, "step": {{"h": 0.01}}, "gravity": [0, 0, {}],
    "bodies": [{{"name": "ball", "shape": {{"type": "sphere", "radius": 0.1}}, "position": [0, 0, 5]}}]}})",
                                  -gravity));
}

TEST(CompareFiles, two_falls_differ_by_half_the_difference_of_gravity_times_t_squared) {
  const Directory directory;
  const std::string earth = directory / "earth.h5", moon = directory / "moon.h5", half = directory / "half.h5";
  write_fall(directory / "e.json", 9.81);
  write_fall(directory / "m.json", 1.62);
  ASSERT_EQ(stickslip("run " + (directory / "e.json").string() + " --quiet -o " + earth).exit_code, 0);
  ASSERT_EQ(stickslip("run " + (directory / "m.json").string() + " --quiet -o " + moon).exit_code, 0);
  ASSERT_EQ(stickslip("run " + (directory / "m.json").string() + " --quiet --set /step/h=0.005 -o " + half).exit_code, 0);
  const Finished compared = stickslip("compare " + earth + " " + moon + " " + half + " --json");
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  const json all = json::parse(compared.out);
  EXPECT_EQ(all.at("kind"), "trajectory");
  const auto fall = [](double g, double h) {
    return g * (0.4 * 0.4 + 0.4 * h) / 2;
  };   // of steps that take the velocity at their end
  const auto farthest = [&](int i) {
    return all.at("runs")[static_cast<std::size_t>(i)].at("difference").at("farthest").get<double>();
  };
  EXPECT_EQ(all.at("runs")[1].at("name"), "moon.h5");
  EXPECT_NEAR(farthest(1), fall(9.81, 0.01) - fall(1.62, 0.01), 1e-9);
  EXPECT_NEAR(farthest(2), fall(9.81, 0.01) - fall(1.62, 0.005), 1e-9);   // frames in between have nothing to be compared with
  EXPECT_EQ(all.at("runs")[2].at("steps"), 80);
  EXPECT_TRUE(all.at("runs")[2].at("series").at("farthest")[0].is_null());
  EXPECT_NEAR(all.at("runs")[0].at("energy_end").get<double>(), all.at("energy_start").get<double>(),
              0.05 * all.at("energy_start").get<double>());
}

TEST(CompareFiles, a_run_and_its_recording_tell_the_same_forces_and_the_page_is_the_same_kind) {
  const Directory directory;
  const std::string a = directory / "a.h5", b = directory / "b.h5", page = directory / "c.html", csv = directory / "c.csv";
  ASSERT_EQ(stickslip("run stack --steps 20 --quiet -o " + a).exit_code, 0);
  ASSERT_EQ(stickslip("run stack --steps 20 --quiet --solver prox-gs -o " + b).exit_code, 0);
  const Finished live = stickslip("compare stack --solvers auto,prox-gs --steps 20 --json");
  const Finished files = stickslip("compare " + a + " " + b + " --json -o " + page + " -o " + csv, "PATH=/nowhere ");
  ASSERT_EQ(files.exit_code, 0) << files.err;
  const json one = json::parse(live.out).at("runs"), two = json::parse(files.out).at("runs");
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(one[i].at("series").at("ground_force"), two[i].at("series").at("ground_force"));
    EXPECT_EQ(one[i].at("series").at("rms"), two[i].at("series").at("rms"));
    EXPECT_EQ(one[i].at("series").at("energy"), two[i].at("series").at("energy"));
    EXPECT_EQ(one[i].at("steps_missing_tolerance"), two[i].at("steps_missing_tolerance"));
  }
  EXPECT_THAT(content_of(page),
              AllOf(HasSubstr("<svg"), HasSubstr("stack, 2 trajectories"), HasSubstr("Energy, kinetic and potential")));
  EXPECT_THAT(content_of(csv), ::testing::StartsWith("trajectory,time_s"));
  expect_refused("compare " + a, "nothing to compare");
  expect_refused("compare " + a + " " + a, "twice");
  expect_refused("compare " + a + " stack", "no trajectory");
  expect_refused("compare stack " + a, "one argument too many");
  expect_refused("compare " + a + " " + b + " --solvers auto,pgs", "as they were recorded");
}

TEST(Validate, json_says_what_is_wrong_too) {
  const Finished bad = stickslip("validate stack --set /step/h=-1 --json");
  EXPECT_EQ(bad.exit_code, 2);
  const json told = json::parse(bad.out);
  EXPECT_EQ(told.at("valid"), false);
  EXPECT_THAT(told.at("error").get<std::string>(), HasSubstr("/step/h"));
  EXPECT_EQ(bad.err, "stickslip: " + told.at("error").get<std::string>() + "\n");
}

/// Kills a run after a while, and looks at what is there.
TEST(Kill, the_run_is_there_up_to_its_last_second_and_goes_on) {
  const Directory directory;
  for (const int milliseconds : {5, 40, 150, 1500}) {
    const std::string h5 = directory / "a.h5", page = directory / "a.html", csv = directory / "a.csv";
    std::filesystem::remove(h5);
    Background run({"run", "stack", "--steps", "100000000", "-o", h5, "-o", page, "-o", csv});
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    run.send(SIGKILL);
    ASSERT_EQ(run.wait(), 128 + SIGKILL);
    if (!std::filesystem::exists(h5)) continue;   // it had not begun
    EXPECT_GE(Playback(h5).frames(), 1u);
    const Finished on = stickslip("run " + h5 + " --steps 1 --json -o " + (directory / "b.h5").string());
    EXPECT_EQ(on.exit_code, 0) << on.err;
    const auto steps = json::parse(on.out).at("step_count").get<std::uint64_t>();
    if (steps < 20000) {
      EXPECT_EQ(hash_of(stickslip(fmt::format("run stack --steps {} --json", steps))), hash_of(on));
    }
  }
  // The next run of the same names takes away what is left of the others.
  ASSERT_EQ(stickslip("run stack --steps 1 --quiet -o " + (directory / "a.h5").string() + " -o " +
                      (directory / "a.html").string() + " -o " + (directory / "a.csv").string())
                .exit_code,
            0);
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

/// Every command that prints, with a file that it may write ({} stands for a name without ending).
enum class OutputKind {
  whole,      ///< replaces an older file when it is whole
  growing,    ///< replaces it when it has begun
  new_only,   ///< of which there is no older file
};
struct Case {
  const char *command, *ending;
  OutputKind kind = OutputKind::whole;
};
constexpr Case kCases[] = {
    {"run stack --steps 2 -o {}", ".h5", OutputKind::growing},
    {"run stack --steps 2 -o {}", ".csv", OutputKind::growing},
    {"run stack --steps 2 -o {}", ".html"},
    {"run stack --steps 2 -o {}", ".glb"},
    {"run stack --steps 2 -o {}", ".pvd", OutputKind::growing},
    {"run stack --steps 2 --checkpoint {}", ".h5"},
    {"capture stack --step 1 -o {}", ".hdf5"},
    {"compare stack --solvers auto,pgs --steps 2 -o {}", ".json"},
    {"sweep stack --steps 1 --over /step/tolerance=1e-6:1e-4:9 -o {}", ".csv", OutputKind::new_only},
    {"new --from wall {}", ".json", OutputKind::new_only},
    {"import ROBOT -o {}", ".json"},
    {"laws --plot coulomb -o {}", ".svg"},
    {"laws --plot coulomb -o {}", ".png"},
    {"render RUN -o {}", ".html"},
    {"render RUN -o {}", ".glb"},
    {"solve PROBLEM --solver pgs -o {}", ".hdf5"},
    {"mesh hulls MESH -o {}", ".obj"},
    {"mesh convert MESH -o {}", ".stl"},
    {"mesh simplify MESH --triangles 200 -o {}", ".ply"},
};
constexpr const char* kPrinting[] = {"scenes",
                                     "solvers",
                                     "laws",
                                     "schema",
                                     "study list",
                                     "validate stack",
                                     "--help",
                                     "--version",
                                     "run stack --steps 1",
                                     "solvers --json",
                                     "compare stack --solvers auto,pgs --steps 1",
                                     "solve PROBLEM --solver pgs",
                                     "mesh check MESH"};

/// Files that commands read.
class Trouble : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = std::make_unique<Directory>();
    ASSERT_EQ(stickslip("run stack --steps 2 --quiet -o " + given("RUN")).exit_code, 0);
    ASSERT_EQ(stickslip("capture stack --step 2 --quiet -o " + given("PROBLEM")).exit_code, 0);
    // A sphere, large enough to fill more than a kilobyte in every format.
    std::string obj;
    constexpr int n = 16;
    for (int i = 0; i <= n; ++i)
      for (int k = 0; k < n; ++k) {
        const double polar = M_PI * i / n, turn = 2 * M_PI * k / n;
        if ((i == 0 || i == n) && k > 0) continue;
        obj += fmt::format("v {} {} {}\n", std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn), std::cos(polar));
      }
    const auto at = [](int i, int k) { return i == 0 ? 1 : i == n ? 2 + (n - 1) * n : 2 + (i - 1) * n + k % n; };
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) {
        if (i > 0) obj += fmt::format("f {} {} {}\n", at(i, k), at(i + 1, k), at(i, k + 1));
        if (i + 1 < n) obj += fmt::format("f {} {} {}\n", at(i, k + 1), at(i + 1, k), at(i + 1, k + 1));
      }
    write_content(given("MESH"), obj);
  }
  static void TearDownTestSuite() { directory_.reset(); }

  static std::string given(const std::string& word) {
    if (word == "ROBOT") return std::string(places::kSourceDir) + "/scenes/robots/walker.xml";
    return *directory_ / (word == "RUN" ? "run.h5" : word == "PROBLEM" ? "problem.hdf5" : "mesh.obj");
  }
  static std::string filled(std::string command, const std::string& file = "") {
    for (const char* word : {"RUN", "PROBLEM", "MESH", "ROBOT"})
      if (const auto place = command.find(word); place != std::string::npos)
        command.replace(place, std::strlen(word), given(word));
    if (const auto place = command.find("{}"); place != std::string::npos) command.replace(place, 2, file);
    return command;
  }
  static void expect_told(const Finished& run, const std::string& what, const std::string& part) {
    EXPECT_EQ(run.exit_code, 2) << what << "\n" << run.err;
    EXPECT_THAT(run.err, ::testing::StartsWith("stickslip: ")) << what;
    EXPECT_THAT(run.err, HasSubstr(part)) << what;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << what << "\n" << run.err;
  }
  static std::unique_ptr<Directory> directory_;
};
std::unique_ptr<Directory> Trouble::directory_;

TEST_F(Trouble, a_disk_that_is_full_is_named_with_the_file_and_older_files_and_no_debris_stay) {
  for (const Case& c : kCases) {
    const Directory here;
    const std::string file = here / (std::string("precious") + c.ending), command = filled(c.command, file);
    if (c.kind != OutputKind::new_only) write_content(file, "precious");
    // A kilobyte or less for every file. What is printed goes elsewhere.
    expect_told(stickslip(command, "ulimit -f 1; ", ">/dev/null"), command, "precious");
    if (c.kind == OutputKind::whole) {
      EXPECT_EQ(content_of(file), "precious") << command;
    }
    for (const auto& entry : std::filesystem::directory_iterator(here.path()))
      EXPECT_THAT(entry.path().filename().string(), ::testing::Not(::testing::EndsWith(".part"))) << command;
  }
}

TEST_F(Trouble, a_disk_that_is_full_is_named_with_the_page_of_a_comparison) {
  // Browsers cannot run where files are limited: here only the page itself has no room, and there is no browser.
  const Directory here;
  std::filesystem::create_symlink("/dev/full", std::filesystem::path(here / "page.html"));
  std::filesystem::copy_file(given("RUN"), std::filesystem::path(here / "other.h5"));
  for (const std::string& what : {std::string("stack --solvers auto,pgs --steps 1"), "RUN " + std::string(here / "other.h5")}) {
    const Finished run = stickslip(filled("compare " + what + " --quiet -o {}", here / "page.html"), "PATH=/nowhere ");
    EXPECT_EQ(run.exit_code, 2) << what << run.err;
    EXPECT_THAT(run.err, ::testing::AllOf(HasSubstr("page.html"), HasSubstr("No space left on device"))) << what;
  }
}

TEST_F(Trouble, a_folder_that_cannot_be_written_is_named_before_anything_runs) {
  for (const Case& c : kCases) {
    const std::string command = filled(c.command, std::string("/proc/nobody") + c.ending);   // not even root may
    expect_told(stickslip(command), command, "/proc/nobody");
  }
}

TEST_F(Trouble, standard_output_that_is_full_or_closed_is_told_and_files_are_whole) {
  for (const char* command : kPrinting)
    expect_told(stickslip(filled(command), "", ">/dev/full"), command,
                "Cannot write to the standard output: No space left on device.");
  for (const Case& c : kCases) {
    const Directory here;
    const std::string file = here / (std::string("a") + c.ending);
    const Finished full = stickslip(filled(c.command, file), "", ">/dev/full");
    EXPECT_EQ(full.exit_code, 2) << c.command << full.err;
    EXPECT_GT(std::filesystem::file_size(file), 100u) << c.command;
  }
}

TEST_F(Trouble, a_reader_that_goes_away_ends_the_program_silently_and_files_are_whole) {
  const auto piped = [](const std::string& command) {
    const Directory here;
    const std::string err = here / "err";
    const int status = std::system(("'" + std::string(places::kProgram) + "' " + command + " 2>" + err + " | true").c_str());
    EXPECT_EQ(status, 0);
    return content_of(err);
  };
  for (const char* command : kPrinting) EXPECT_EQ(piped(filled(command)), "") << command;
  for (const Case& c : kCases) {
    const Directory here;
    const std::string file = here / (std::string("a") + c.ending);
    piped(filled(c.command, file));
    EXPECT_GT(std::filesystem::file_size(file), 100u) << c.command;
  }
}

}   // namespace files_test
}   // namespace stickslip
