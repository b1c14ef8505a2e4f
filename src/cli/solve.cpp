// stickslip solve
#include <unistd.h>
#include <cerrno>
#include <system_error>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/amounts.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/solve_report.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/accuracy.h"

namespace stickslip::cli {

namespace {

struct SolveArguments {
  std::vector<std::string> problems;
  std::string solvers = "auto";
  double tolerance = 1e-8;
  int max_iterations = 1'000'000;
  double time_limit = 20;
  std::vector<std::string> options;
  std::string guess = "zero";
  std::string output;
  std::string merit = "none";
  MeritRule rule;   ///< of that merit function
  bool residual_only = false, json = false, history = false, strict = false, last_iterate = false;
};

struct Problem {
  std::string name;
  ProblemFile file;
  std::vector<double> guess;
  bool guess_missing = false;   ///< the one asked for is not in the file
};

struct Chosen {
  SolverInfo info;
  std::unique_ptr<ContactSolver> solver;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    if (comma > from) words.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return words;
}

OptionValue option_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

/// The options for one solver: `name=value` is for all, `solver:name=value` for that one.
OptionList options_for(const std::string& solver, const std::vector<std::string>& given) {
  OptionList list;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(
          fmt::format("'--option {}' is not of the form name=value or solver:name=value, such as pgs:ordering=random.", text));
    std::string name = text.substr(0, equals);
    if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
      if (name.substr(0, colon) != solver) continue;
      name = name.substr(colon + 1);
    }
    list.emplace_back(name, option_value(text.substr(equals + 1)));
  }
  return list;
}

void check_named_solvers(const SolveArguments& arguments, const std::vector<Chosen>& chosen) {
  std::vector<std::string> names;
  for (const Chosen& c : chosen) names.push_back(c.info.name);
  for (const std::string& text : arguments.options) {
    const std::string name = text.substr(0, text.find('='));
    const std::size_t colon = name.find(':');
    if (colon != std::string::npos && std::find(names.begin(), names.end(), name.substr(0, colon)) == names.end())
      throw Error(
          fmt::format("'--option {}' is for a solver that does not run. {}", text, suggest(name.substr(0, colon), names)));
  }
}

std::vector<Chosen> choose_solvers(const SolveArguments& arguments) {
  std::vector<std::string> names = split(arguments.solvers);
  if (names.empty()) throw Error("--solver needs a name, several with commas between, or all. See stickslip solvers.");
  const bool all = std::find(names.begin(), names.end(), "all") != names.end();
  if (all) names.clear();
  if (all)
    for (const SolverInfo& info : solvers()) names.push_back(info.name);
  std::vector<Chosen> chosen;
  for (const std::string& name : names) {
    const auto twice = std::find_if(chosen.begin(), chosen.end(), [&](const Chosen& c) { return c.info.name == name; });
    if (twice != chosen.end()) continue;
    make_solver(name);   // names an unknown solver
    Chosen c;
    c.info = *std::find_if(solvers().begin(), solvers().end(), [&](const SolverInfo& info) { return info.name == name; });
    try {
      c.solver = make_solver(name, options_for(name, arguments.options));
    } catch (Error& error) {
      throw error.in(name);
    }
    chosen.push_back(std::move(c));
  }
  check_named_solvers(arguments, chosen);
  return chosen;
}

/// The merit function and its thresholds.
MeritRule merit_rule(const SolveArguments& arguments) {
  MeritRule rule = arguments.rule;
  const auto& names = merit_names();
  const auto found = std::find(names.begin(), names.end(), arguments.merit);
  if (found == names.end())
    throw Error(
        fmt::format("There is no merit function '{}' for --merit. {}", arguments.merit, suggest(arguments.merit, names)));
  rule.function = static_cast<Merit>(found - names.begin());
  try {
    check(rule);
  } catch (const Error& error) {
    throw Error(fmt::format("--merit: {}", error.what()));
  }
  return rule;
}

void check_numbers(const SolveArguments& arguments) {
  const bool by_merit = merit_rule(arguments).function != Merit::none;
  if (!(std::isfinite(arguments.tolerance) && (arguments.tolerance > 0 || (by_merit && arguments.tolerance == 0))))
    throw Error(fmt::format("--tol {} is not a tolerance. Give a number greater than 0, such as 1e-8{}.", arguments.tolerance,
                            by_merit ? ", or 0 to leave the end to the merit function" : ""));
  if (arguments.max_iterations < 0)
    throw Error(fmt::format("--max-iterations {} is not a number of iterations. Give 0 or more.", arguments.max_iterations));
  if (!(arguments.time_limit > 0))
    throw Error(
        fmt::format("--time-limit {} is not a duration. Give a number of seconds greater than 0.", arguments.time_limit));
  const std::vector<std::string> guesses = {"zero", "file", "solution"};
  if (std::find(guesses.begin(), guesses.end(), arguments.guess) == guesses.end())
    throw Error(fmt::format("'--guess {}' is not known. {}", arguments.guess, suggest(arguments.guess, guesses)));
}

Problem open_problem(const std::string& name, const std::string& guess) {
  const auto& scenes = built_in_scenes();
  const bool scene = std::any_of(scenes.begin(), scenes.end(), [&](const BuiltInScene& s) { return s.name == name; });
  if (name.ends_with(".json") || (scene && !std::filesystem::exists(name)))
    throw Error(
        fmt::format("This is a scene, not a problem. `stickslip capture {} --step N -o FILE` saves the problem of a step.",
                    name))
        .in(name);
  Problem problem{name, load_problem(name), {}};
  if (guess == "file") problem.guess = problem.file.guess;
  if (guess == "solution") problem.guess = problem.file.solution;
  problem.guess_missing = guess != "zero" && problem.guess.empty();
  problem.guess.resize(problem.file.problem.rows(), 0.0);
  return problem;
}

/// All files, before anything runs. Those that cannot be read are named, and left out. @throws Error if none can be
std::vector<Problem> open_problems(const SolveArguments& arguments) {
  std::vector<Problem> problems;
  std::vector<std::string> refused;
  for (const std::string& name : arguments.problems) try {
      problems.push_back(open_problem(name, arguments.guess));
    } catch (const Error& error) {
      if (problems.empty() && refused.size() + 1 == arguments.problems.size()) {
        for (const std::string& text : refused) tell(text);
        throw;
      }
      refused.push_back(shown_text(fmt::format("stickslip: {}\n", error.what())));
    }
  for (const std::string& text : refused) tell(text);
  return problems;
}

/// @param impulses in: the guess; out: what was found [N s]
SolveResult solve_one(const Problem& problem, const Chosen& chosen, const SolveArguments& arguments,
                      std::vector<double>& impulses) {
  SolveControl control;
  control.tolerance = arguments.tolerance;
  const std::size_t contacts = problem.file.problem.contact_count();
  if (!arguments.residual_only && contacts > 0) control.natural_map_tolerance = arguments.tolerance;
  control.max_iterations = arguments.max_iterations;
  control.time_limit = arguments.time_limit;
  control.cancel = &InterruptGuard::flag();
  control.keep_history = arguments.history;
  control.merit = merit_rule(arguments);
  control.last_iterate = arguments.last_iterate;
  Workspace workspace;
  SolveResult result{problem.name, contacts, chosen.info.name, std::string(model_name(chosen.solver->model())),
                     chosen.solver->solve(problem.file.problem, impulses, workspace, control)};
  result.rounding = rounding_bound(problem.file.problem, impulses);
  result.tolerance = arguments.tolerance;
  return result;
}

std::string heading(const Problem& problem) {
  const ContactProblem& p = problem.file.problem;
  const auto has_friction = [](const Block& b) { return b.kind == BlockKind::contact && b.dim > 1; };
  const bool linear = std::none_of(p.blocks.begin(), p.blocks.end(), has_friction);
  std::string text = fmt::format(
      "{}: {}{}", problem.name,
      linear ? "complementarity problem without friction, " : counted(p.contact_count(), "contact", "contacts") + ", ",
      counted(p.rows(), "row", "rows"));
  if (!problem.file.title.empty()) text += fmt::format(" ({})", problem.file.title);
  if (problem.guess_missing) text += "; the file has no such guess, zeros instead";
  return text + "\n";
}

std::string conditions(const SolveArguments& arguments) {
  return fmt::format("residual {}at most {:g}{}, {:g} s and {} iterations allowed\n",
                     arguments.residual_only ? "" : "[m/s] and natural-map error ", arguments.tolerance,
                     arguments.residual_only ? " m/s" : "", arguments.time_limit, arguments.max_iterations);
}

/// Keeps the impulses of the smallest residual, to be saved with the problem.
class BestSolution {
 public:
  void offer(const SolveResult& result, const std::vector<double>& impulses) {
    const double residual = result.report.residual.total();
    if (result.report.status == SolveStatus::unsupported || !(residual < residual_)) return;
    residual_ = residual;
    impulses_ = impulses;
  }
  bool is_there() const { return !impulses_.empty(); }
  void save(const std::string& output, ProblemFile file) const {
    file.solution = impulses_;
    save_problem(output, file, file.format == "siconos" ? "" : file.format);
  }

 private:
  double residual_ = std::numeric_limits<double>::infinity();
  std::vector<double> impulses_;
};

class Ticker {
 public:
  explicit Ticker(std::size_t total) : total_(total), shown_(::isatty(STDERR_FILENO) == 1) {}
  ~Ticker() { clear(); }
  void next(const std::string& what) {
    ++done_;
    if (!shown_) return;
    show_line(fmt::format("{} of {}: {}", done_, total_, what));
  }
  /// What came of it, which the table will tell in its order.
  void finished(const SolveResult& result) const {
    if (!shown_) return;
    clear();
    tell(fmt::format("  {:<28} {:<16} {:>9} {:>12}\n", result.solver, status_name(result.report.status),
                     quantity(result.report.seconds, "s"), quantity(result.report.residual.total(), "m/s")));
  }
  void clear() const {
    if (shown_) tell("\r\033[K");
  }

 private:
  std::size_t total_, done_ = 0;
  bool shown_;
};

int solve(const SolveArguments& arguments) {
  check_numbers(arguments);
  const std::vector<Chosen> chosen = choose_solvers(arguments);
  const std::vector<Problem> problems = open_problems(arguments);
  if (!arguments.output.empty() && arguments.problems.size() > 1)
    throw Error("This is to hold the solution of one problem. Give one problem.").in(arguments.output);
  if (arguments.output.ends_with(".dat") || arguments.output.ends_with(".txt"))
    throw Error("Siconos text holds no solution. Give a name that ends in .hdf5.").in(arguments.output);
  if (!arguments.output.empty()) check_writable(arguments.output);

  const InterruptGuard guard;
  Ticker ticker(problems.size() * chosen.size());
  const bool by_problem = chosen.size() == 1 && problems.size() > 1;
  std::vector<SolveResult> results;
  BestSolution best;
  if (!arguments.json) fmt::print("{}", conditions(arguments));
  for (const Problem& problem : problems) {
    std::vector<SolveResult> here;
    for (const Chosen& c : chosen) {
      if (InterruptGuard::requested()) break;
      ticker.next(fmt::format("{} on {}", c.info.name, problem.name));
      std::vector<double> impulses = problem.guess;
      here.push_back(solve_one(problem, c, arguments, impulses));
      best.offer(here.back(), impulses);
      ticker.finished(here.back());
    }
    sort_results(here);
    ticker.clear();
    // Before anything is printed, which whoever reads it may end.
    if (!arguments.output.empty() && best.is_there()) best.save(arguments.output, problem.file);
    if (!arguments.json && !by_problem && !here.empty()) {
      fmt::print("\n{}{}", heading(problem), table_of(here, false, arguments.history));
      if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());   // told by the program
    }
    results.insert(results.end(), std::make_move_iterator(here.begin()), std::make_move_iterator(here.end()));
  }
  if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SolveResult& r : results) list.push_back(to_json(r));
    fmt::print("{}\n", nlohmann::ordered_json{{"results", list}}.dump(2));
  } else if (by_problem) {
    fmt::print("\n{}\n{}", chosen.front().info.name, table_of(results, true, arguments.history));
  } else if (problems.size() > 1) {
    fmt::print("\n{}", scores_of(results));
  }
  if (InterruptGuard::requested()) return interrupted;
  if (!arguments.output.empty() && !best.is_there())
    throw Error("No solver took the problem, so there is no solution to save.").in(arguments.output);
  const bool missed = std::any_of(results.begin(), results.end(),
                                  [](const SolveResult& r) { return r.report.status != SolveStatus::converged; });
  if (problems.size() < arguments.problems.size()) return bad_input;
  return arguments.strict && missed ? tolerance_missed : fine;
}

}   // namespace

void add_solve(CLI::App& app, Outcome& outcome) {
  CLI::App* command =
      app.add_subcommand("solve", "Solve contact problems from files with one or many solvers, and compare them in a table");
  auto arguments = std::make_shared<SolveArguments>();
  command->add_option("problem", arguments->problems, "Files: FCLIB HDF5, Siconos text, or those of stickslip capture")
      ->required();
  command->add_option("--solver", arguments->solvers, "Names with commas between, or all (see stickslip solvers)")
      ->capture_default_str();
  command->add_option("--tol", arguments->tolerance, "What residual [m/s] and natural-map error must both reach")
      ->capture_default_str();
  command->add_option("--max-iterations", arguments->max_iterations, "Iterations that each solver may do")
      ->capture_default_str();
  command->add_option("--time-limit", arguments->time_limit, "Time that each solver has for each problem [s]")
      ->capture_default_str();
  command
      ->add_option("--option", arguments->options,
                   "Option of the solvers, name=value, or of one, solver:name=value; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--guess", arguments->guess,
                   "Where to start: zero, file (the guess stored there) or solution (the one stored there)")
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "Save the problem with the solution of the smallest residual, as HDF5");
  command->add_flag("--residual-only", arguments->residual_only, "Ask nothing of the natural-map error");
  command
      ->add_option(
          "--merit", arguments->merit,
          "Also evaluate a merit function of the papers: min-map, min-map-max, fischer, complementarity, step or impulse")
      ->capture_default_str();
  command->add_option("--merit-absolute", arguments->rule.absolute, "End a solve where it is at most this");
  command->add_option("--merit-relative", arguments->rule.relative, "End a solve where it changes by less than this fraction");
  command->add_flag("--last-iterate", arguments->last_iterate,
                    "Hand back the last iterate instead of the best, as the papers do");
  command->add_flag("--history", arguments->history, "Keep the residual of every iteration (costs time)");
  command->add_flag("--json", arguments->json, "Print one JSON document: {\"results\": […]}");
  command->add_flag("--strict", arguments->strict, "Exit with 1 if a solver did not converge on a problem");
  command->callback([arguments, &outcome] { outcome.exit_code = solve(*arguments); });
}

}   // namespace stickslip::cli
