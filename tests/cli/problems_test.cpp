// Contact problems on the command line: captured, solved, compared, refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "../record/record_scenes.h"
#include "program.h"
#include "stickslip/problem/files.h"
#include "stickslip/problem/residual.h"
#include "stickslip/solve/registry.h"

namespace stickslip {
namespace {

using nlohmann::json;
using test::Background;
using test::Directory;
using test::expect_refused;
using test::Finished;
using test::stickslip;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

json results_of(const std::string& arguments, int exit_code = 0) {
  const Finished run = stickslip("solve " + arguments + " --json");
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  return json::parse(run.out).at("results");
}

/// A block that slides: W = 1, b = (−1, 1, 0), μ = 0.5. The friction impulse is −0.5.
std::string sliding_block(const Directory& directory, const std::string& name = "block.dat") {
  const std::string path = directory / name;
  std::ofstream(path) << "3 1 0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 1 0\n0.5\n";
  return path;
}

TEST(Capture, the_problem_of_a_step_is_saved_with_guess_and_solution) {
  const Directory directory;
  const std::string file = directory / "s.hdf5";
  const Finished run = stickslip("capture stack --step 1 -o " + file);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, file + "\n") << "what other commands are given by $(…)";
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("step 1 of stack"), HasSubstr("40 contacts"), HasSubstr("fclib"), HasSubstr("stickslip solve")));
  const ProblemFile problem = load_problem(file);
  EXPECT_EQ(problem.format, "fclib");
  EXPECT_EQ(problem.problem.contact_count(), 40u);
  ASSERT_EQ(problem.guess.size(), 120u);
  ASSERT_EQ(problem.solution.size(), 120u);
  EXPECT_EQ(problem.guess, std::vector<double>(120, 0.0)) << "nothing is known before the first step";
  EXPECT_NE(problem.guess, problem.solution);
  ResidualWorkspace work;
  EXPECT_LT(residual(problem.problem, problem.solution, work).total(), 1e-6) << "ten boxes at rest, tolerance 1e-6 g h";
  EXPECT_THAT(problem.title, HasSubstr("stack"));
}

TEST(Solve, the_solution_can_be_saved_with_the_problem) {
  const Directory directory;
  const std::string block = sliding_block(directory), solved = directory / "solved.hdf5";
  results_of(block + " --solver nsgs,pgs -o " + solved);
  const ProblemFile file = load_problem(solved);
  ASSERT_EQ(file.solution.size(), 3u);
  EXPECT_NEAR(file.solution[0], 1, 1e-8);
  EXPECT_NEAR(file.solution[1], -0.5, 1e-8) << "of the better of the two";
  const std::string text = directory / "solved.dat";
  expect_refused("solve " + block + " -o " + text, "solved.dat: Siconos text holds no solution");
  expect_refused("solve " + block + " " + block + " -o " + solved, "solved.hdf5: This is to hold the solution of one problem");
}

TEST(Capture, every_format_holds_the_same_problem) {
  const Directory directory;
  const std::string own = directory / "own.hdf5";
  ASSERT_EQ(stickslip("capture stack --step 3 --format stickslip -o " + own).exit_code, 0);
  const ContactProblem expected = load_problem(own).problem;
  EXPECT_TRUE(expected.is_factored());
  EXPECT_EQ(expected.h, 0.01);
  const Eigen::MatrixXd w = delassus(expected).dense();
  for (const auto& [name, option] :
       {std::pair("a.dat", ""), std::pair("b.hdf5", " --format fclib-global"), std::pair("c.hdf5", "")}) {
    const std::string file = directory / name;
    ASSERT_EQ(stickslip("capture stack --step 3 -o " + file + option).exit_code, 0);
    const ContactProblem p = load_problem(file).problem;
    EXPECT_LT((delassus(p).dense() - w).norm(), 1e-13 * w.norm()) << name;
    EXPECT_EQ(p.b, expected.b) << name;
  }
}

TEST(Capture, what_cannot_be_captured_is_refused_before_the_run) {
  expect_refused("capture", "needs a scene");
  expect_refused("capture stack", "--step");
  expect_refused("capture stack --step 0", "--step 0");
  expect_refused("capture stack --step 2 --format fclip", "Did you mean 'fclib'?");
  expect_refused("capture stack --step 2 -o /nowhere/x.hdf5", "/nowhere");
}

TEST(Solve, a_captured_step_goes_to_every_solver_and_one_table) {
  const Directory directory;
  const std::string file = directory / "s.hdf5";
  stickslip("capture stack --set /parameters/count=3 --step 5 -o " + file);
  const std::string all = file + " --solver all --time-limit 0.3 --tol 1e-6";
  const json results = results_of(all);
  EXPECT_EQ(results.size(), solvers().size());
  int rank = 0;
  double seconds = 0;
  for (const json& r : results) {
    const int here = r.at("status") == "converged" ? 0 : r.at("status") == "unsupported" ? 2 : 1;
    EXPECT_GE(here, rank) << "converged first, unsupported last";
    if (here == 0) {
      EXPECT_GE(r.at("seconds").get<double>(), seconds) << "by time";
      seconds = r.at("seconds").get<double>();
      EXPECT_LE(r.at("residual").get<double>(), 1e-6);
      EXPECT_LE(r.at("natural_map_error").get<double>(), 1e-6) << r.at("solver");
    } else {
      EXPECT_FALSE(r.at("reason").get<std::string>().empty()) << r.at("solver");
    }
    rank = here;
    double largest = 0;
    for (const auto& [name, part] : r.at("residual_parts").items()) largest = std::max(largest, part.get<double>());
    EXPECT_EQ(largest, r.at("residual").get<double>());
    for (const char* key : {"problem", "contacts", "iterations", "history", "model", "model_residual", "notes"})
      EXPECT_TRUE(r.contains(key)) << key;
    EXPECT_EQ(r.at("contacts"), 12);
  }
  const Finished text = stickslip("solve " + all);
  for (const SolverInfo& info : solvers()) EXPECT_THAT(text.out, HasSubstr("  " + info.name + " "));
  EXPECT_THAT(text.out, AllOf(HasSubstr("natural map"), HasSubstr("12 contacts"), HasSubstr("converged")));
  EXPECT_THAT(text.err, ::testing::IsEmpty()) << "no progress in a pipe";
}

TEST(Solve, a_sliding_block_is_solved_and_its_history_falls) {
  const Directory directory;
  const std::string file = sliding_block(directory);
  const json r = results_of(file + " --solver prox-gs --history").at(0);
  EXPECT_EQ(r.at("status"), "converged");
  const std::vector<double> history = r.at("history");
  ASSERT_EQ(history.size(), r.at("iterations").get<std::size_t>() + 1);
  EXPECT_EQ(history.front(), r.at("residual_of_guess").get<double>());
  EXPECT_EQ(history.front(), 1) << "it approaches at 1 m/s";
  EXPECT_LT(history.back(), 1e-8);
  EXPECT_THAT(stickslip("solve " + file + " --solver prox-gs --history").out, HasSubstr("residual after 1: "));
  EXPECT_TRUE(results_of(file + " --solver prox-gs").at(0).at("history").empty());
}

TEST(Solve, guesses_limits_and_options_take_effect) {
  const Directory directory;
  const std::string file = directory / "s.hdf5";
  stickslip("capture stack --step 5 -o " + file);
  EXPECT_EQ(results_of(file + " --solver prox-gs --guess solution --tol 1e-5").at(0).at("iterations"), 0);
  const json guessed = results_of(file + " --solver prox-gs --guess file --max-iterations 0").at(0);
  const json zero = results_of(file + " --solver prox-gs --max-iterations 0").at(0);
  EXPECT_LT(guessed.at("residual"), zero.at("residual"));
  EXPECT_EQ(zero.at("status"), "iteration-limit");
  EXPECT_EQ(
      results_of(file + " --solver prox-gs --max-iterations 3 --tol 1e-14 --option accelerate=false").at(0).at("iterations"),
      3);
  const json both = results_of(file + " --solver psor,pgs,psor --max-iterations 3 --option psor:relaxation=1.2");
  EXPECT_EQ(both.size(), 2u) << "a solver named twice runs once";
  EXPECT_EQ(stickslip("solve " + file + " --solver prox-gs --max-iterations 1 --strict").exit_code, 1);
  EXPECT_EQ(stickslip("solve " + file + " --solver prox-gs --max-iterations 1").exit_code, 0);
}

TEST(Solve, a_merit_function_of_the_papers_is_recorded_and_ends_solves) {
  const Directory directory;
  const std::string block = sliding_block(directory);
  const json plain = results_of(block + " --solver pgs --merit fischer --history --max-iterations 5").at(0);
  ASSERT_EQ(plain.at("merit_history").size(), plain.at("history").size());
  // λ = 0: φ(0, −1) = 2 of the normal row, φ(0, φ(−1, 0)) = φ(0, 2) = 0 of the row that slips.
  EXPECT_NEAR(plain.at("merit_history").at(0).at("normal").get<double>(), 2, 1e-12);
  EXPECT_NEAR(plain.at("merit_history").at(0).at("friction").get<double>(), 0, 1e-12);
  EXPECT_EQ(plain.at("merit_stop"), "none");
  const json ended =
      results_of(block +
                 " --solver prox-gs-paper --option relaxation=0.5 --tol 0 --merit step --merit-absolute 1e-3 --last-iterate")
          .at(0);
  EXPECT_EQ(ended.at("merit_stop"), "absolute");
  EXPECT_LE(ended.at("merit").at("total").get<double>(), 1e-3);
  expect_refused("solve " + block + " --merit fisher", "Did you mean 'fischer'?");
  expect_refused("solve " + block + " --merit-absolute 1", "A threshold needs a merit function.");
  expect_refused("solve " + block + " --tol 0", "is not a tolerance");
}

TEST(Solve, several_problems_make_one_table_for_one_solver_and_a_score_for_many) {
  const Directory directory;
  const std::string files = sliding_block(directory, "first.dat") + " " + sliding_block(directory, "second.dat");
  EXPECT_EQ(results_of(files + " --solver prox-gs,nsgs").size(), 4u);
  EXPECT_THAT(stickslip("solve " + files + " --solver prox-gs").out,
              AllOf(HasSubstr("first.dat "), HasSubstr("second.dat "), Not(HasSubstr("all problems"))));
  EXPECT_THAT(stickslip("solve " + files + " --solver prox-gs,nsgs").out,
              AllOf(HasSubstr("all problems"), HasSubstr("2 of 2")));
}

TEST(Solve, a_linear_complementarity_problem_is_a_problem_too) {
  const Directory directory;
  const std::string file = directory / "lcp.dat", boxed = directory / "boxed.dat";
  std::ofstream(file) << "2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n";
  std::ofstream(boxed) << "boxed-lcp\n2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n0 0\n1 1\n";
  EXPECT_EQ(results_of(file + " --solver prox-gs").at(0).at("status"), "converged");
  EXPECT_EQ(results_of(boxed + " --solver prox-gs").at(0).at("status"), "converged");
}

TEST(Solve, a_bad_file_among_others_is_named_and_the_others_are_solved) {
  const Directory directory;
  const std::string good = sliding_block(directory), bad = directory / "bad.dat", absent = directory / "absent.hdf5";
  std::ofstream(bad) << "3 1 0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 1 0\n-0.5\n";
  const Finished some = stickslip("solve " + bad + " " + good + " " + absent + " --solver prox-gs");
  EXPECT_EQ(some.exit_code, 2);
  EXPECT_THAT(some.err, AllOf(HasSubstr("bad.dat: line 4: -0.5"), HasSubstr("absent.hdf5")));
  EXPECT_THAT(some.out, AllOf(HasSubstr(good), HasSubstr("converged")));
  const Finished none = stickslip("solve " + bad + " " + absent + " --solver prox-gs");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("bad.dat: line 4: -0.5"), HasSubstr("absent.hdf5")));
  EXPECT_THAT(none.out, IsEmpty());
}

TEST(Solve, bad_words_and_files_are_refused_before_anything_runs) {
  const Directory directory;
  const std::string good = sliding_block(directory), bad = directory / "bad.dat";
  std::ofstream(bad) << "3 1 0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 1 0\n-0.5\n";
  expect_refused("solve", "needs a problem");
  expect_refused("solve " + bad, "bad.dat: line 4: -0.5");
  expect_refused("solve " + (directory / "absent.hdf5").string(), "absent.hdf5");
  expect_refused("solve stack", "stickslip capture stack --step N");
  expect_refused("solve " + good + " --solver prox-gz", "Did you mean 'prox-gs'?");
  expect_refused("solve " + good + " --solver ,", "--solver");
  expect_refused("solve " + good + " --tol -1", "--tol -1");
  expect_refused("solve " + good + " --time-limit 0", "--time-limit 0");
  expect_refused("solve " + good + " --max-iterations -3", "-3");
  expect_refused("solve " + good + " --guess one", "--guess one");
  expect_refused("solve " + good + " --solver psor --option relaxation", "name=value");
  expect_refused("solve " + good + " --solver psor --option relaxatoin=1", "Did you mean 'relaxation'?");
  expect_refused("solve " + good + " --solver psor --option relaxation=7", "7");
  expect_refused("solve " + good + " --solver psor --option pgs:relaxation=1", "does not run");
  const std::string checkpoint = directory / "c.h5", trajectory = directory / "t.h5";
  stickslip("run stack --steps 1 -o " + trajectory + " --checkpoint " + checkpoint);
  expect_refused("solve " + trajectory, "holds no contact problem");
  expect_refused("solve " + checkpoint, "checkpoint");
}

TEST(Solve, an_interrupt_ends_the_solve_that_runs) {
  const Directory directory;
  const std::string file = directory / "s.hdf5";
  stickslip("capture stack --step 5 -o " + file);
  Background solve({"solve", file, "--solver", "pgs,jacobi", "--tol", "1e-300", "--residual-only", "--time-limit", "60",
                    "--max-iterations", "2000000000"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto start = std::chrono::steady_clock::now();
  solve.send(SIGINT);
  const int code = solve.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(code, 130);
}

TEST(OnFailure, a_step_that_misses_its_tolerance_saves_itself_and_can_be_solved) {
  const Directory directory;
  const std::string hopeless = "run stack --set /step/max_iterations=1 --set /step/tolerance=1e-12 --solver pgs ",
                    where = directory / ".";
  const Finished run = stickslip(hopeless + "--steps 13 --on-failure capture --json --capture-dir " + where);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json captured = json::parse(run.out).at("captured");
  ASSERT_EQ(captured.size(), 10u) << "no more than ten";
  EXPECT_THAT(captured[0].get<std::string>(), ::testing::EndsWith("stack-step1.hdf5"));
  const ProblemFile file = load_problem(captured[2].get<std::string>());
  EXPECT_EQ(file.format, "stickslip");
  EXPECT_FALSE(file.guess.empty());
  EXPECT_TRUE(file.solution.empty()) << "it was not solved";
  EXPECT_EQ(results_of(captured[2].get<std::string>() + " --guess file --solver prox-gs --tol 1e-7").at(0).at("status"),
            "converged");
  EXPECT_THAT(stickslip(hopeless + "--steps 12 --on-failure capture --capture-dir " + where).out,
              AllOf(HasSubstr("stack-step10.hdf5"), HasSubstr("2 steps more not captured")));
}

TEST(OnFailure, stop_ends_the_run_and_ignore_goes_on) {
  const std::string hopeless =
      "run stack --steps 5 --set /step/max_iterations=1 --set /step/tolerance=1e-12 --solver pgs --json ";
  const Finished stopped = stickslip(hopeless + "--on-failure stop");
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_EQ(json::parse(stopped.out).at("steps"), 1);
  EXPECT_EQ(json::parse(stopped.out).at("stopped"), true);
  EXPECT_EQ(json::parse(stickslip(hopeless).out).at("steps"), 5);
  expect_refused(hopeless + "--on-failure stopp", "Did you mean 'stop'?");
  expect_refused(hopeless + "--on-failure capture --capture-dir /nowhere", "/nowhere");
}

}   // namespace
}   // namespace stickslip
