// What every solver costs and how it grows: time and iterations to a residual of 1e-4 and 1e-8 m/s on problems captured from
// heaps, walls and towers of 10 to 10,000 contacts, with the growth exponent of the time, and the mark that `auto` must hold
// against plain `nsgs`.
//
//   bench_solvers [--max 10000] [--time-limit 10] [--solvers auto,nsgs,…|all] [--scenes boxes,wall] [--files problem,…]
//
// Every solve starts from zero. Times are processor times. A solver that ran out of time, or stalled, on one size is not
// tried on larger problems of the same scene at that tolerance. The exponent is the slope of log(time) over log(contacts)
// through all sizes it solved; it needs three. A star: the solver met its own model (boxed, polyhedral), not Coulomb's law.
// Files must reach the tolerance in the natural-map error as well.
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/captured.h"
#include "bench/statistics.h"
#include "stickslip/problem/files.h"
#include "stickslip/solve/registry.h"

namespace stickslip::bench {
namespace {

struct Plan {
  int max, time_limit;
  std::vector<std::string> solvers;
};

struct Result {
  bool solved = false;
  bool own_model = false;   ///< only the solver's own model, which is not Coulomb's law
  double seconds = 0;
  int iterations = 0;
  double residual = 0;
  SolveStatus status = SolveStatus::converged;
};

Result measure(const std::string& solver, const ContactProblem& problem, double tolerance, double time_limit,
               bool natural_map) {
  std::vector<double> impulses(problem.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  if (natural_map) control.natural_map_tolerance = tolerance;
  control.max_iterations = 100'000'000;
  control.time_limit = time_limit;
  control.natural_map = false;
  const auto method = make_solver(solver);
  const double start = processor_seconds();
  const SolveReport r = method->solve(problem, impulses, workspace, control);
  const bool own_model = r.status == SolveStatus::stalled && r.model_residual <= tolerance;
  return {r.status == SolveStatus::converged || own_model,
          own_model,
          processor_seconds() - start,
          r.iterations,
          r.residual.total(),
          r.status};
}

/// Slope of log(y) over log(x); nothing with fewer than three points.
std::optional<double> exponent(const std::vector<std::pair<double, double>>& points) {
  if (points.size() < 3) return std::nullopt;
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    sx += std::log(x), sy += std::log(y), sxx += std::log(x) * std::log(x), sxy += std::log(x) * std::log(y);
  }
  const auto n = static_cast<double>(points.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Ratios nsgs / auto at 1e-8; where nsgs ran out of time the ratio is a lower bound.
struct Mark {
  std::vector<double> ratios;
  int bounds = 0, missed = 0;

  void add(const std::map<std::string, Result>& results) {
    const auto plain = results.find("nsgs"), automatic = results.find("auto");
    if (plain == results.end() || automatic == results.end()) return;   // only one of them was asked for
    if (!automatic->second.solved) {
      ++missed;
      return;
    }
    bounds += !plain->second.solved;
    ratios.push_back(plain->second.seconds / std::max(automatic->second.seconds, 1e-6));
  }
  void print() const {
    if (ratios.empty()) return;
    double sum = 0;
    for (const double r : ratios) sum += std::log(r);
    fmt::print(
        "\nauto against nsgs at 1e-8: {:.1f} times faster in the geometric mean of {} problems ({} of them lower bounds: nsgs "
        "ran out of "
        "time); auto missed {}\n",
        std::exp(sum / static_cast<double>(ratios.size())), ratios.size(), bounds, missed);
  }
};

void family(const std::string& title, const std::vector<Captured>& problems, const Plan& plan, bool natural_map, Mark& mark) {
  for (const double tolerance : {1e-4, 1e-8}) {
    fmt::print("\n{}, to {:.0e}: seconds (iterations)\n{:<18}", title, tolerance, "solver");
    for (const Captured& c : problems) fmt::print(" {:>20}", fmt::format("{} contacts", c.problem.contact_count()));
    fmt::print(" {:>9}\n", "exponent");
    std::vector<std::map<std::string, Result>> results(problems.size());
    for (const std::string& solver : plan.solvers) {
      fmt::print("{:<18}", solver);
      std::vector<std::pair<double, double>> points;
      bool give_up = false;
      for (std::size_t i = 0; i < problems.size(); ++i) {
        if (give_up) {
          fmt::print(" {:>20}", "-");
          continue;
        }
        const Result r = measure(solver, problems[i].problem, tolerance, plan.time_limit, natural_map);
        results[i][solver] = r;
        fmt::print(" {:>20}", r.solved ? fmt::format("{:.4f} ({}){}", r.seconds, r.iterations, r.own_model ? "*" : "")
                                       : fmt::format("{} {:.0e}", status_name(r.status), r.residual));
        std::fflush(stdout);
        if (r.solved) points.emplace_back(static_cast<double>(problems[i].problem.contact_count()), std::max(r.seconds, 1e-6));
        // Files are not a series of sizes: each gets its try. So do the two that the mark compares.
        give_up = !r.solved && !natural_map && solver != "auto" && solver != "nsgs";
      }
      const auto slope = exponent(points);
      fmt::print(" {:>9}\n", slope && !natural_map ? fmt::format("{:.2f}", *slope) : "");
    }
    if (tolerance == 1e-8)
      for (const auto& r : results) mark.add(r);
  }
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin < list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void run(const Plan& plan, const std::set<std::string>& scenes, const std::vector<std::string>& files) {
  Mark mark;
  struct Series {
    const char *scene, *parameter;
    std::vector<int> values;
    int steps;
  };
  const Series series[] = {{"boxes", "count", {4, 25, 100, 400, 1600}, 200},
                           {"wall", "rows", {2, 4, 8, 16, 32}, 20},
                           {"tower", "floors", {2, 4, 8, 16}, 20}};
  for (const Series& s : series) {
    if (!scenes.contains(s.scene)) continue;
    std::vector<Captured> problems;
    for (const int value : s.values) {
      Captured c = capture(s.scene, s.parameter, value, s.steps);
      if (c.problem.contact_count() == 0) continue;
      if (c.problem.contact_count() > static_cast<std::size_t>(plan.max)) break;
      problems.push_back(std::move(c));
    }
    family(s.scene, problems, plan, false, mark);
  }
  if (!files.empty()) {
    std::vector<Captured> problems;
    for (const std::string& file : files) {
      problems.push_back({file, load_problem(file).problem});
      fmt::print("{}: {} contacts\n", file.substr(file.rfind('/') + 1), problems.back().problem.contact_count());
    }
    family("files", problems, plan, true, mark);
  }
  mark.print();
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) {
  using namespace stickslip::bench;
  try {
    Arguments arguments(argc, argv);
    Plan plan{arguments.number("--max", 10000), arguments.number("--time-limit", 10), {}};
    const std::string solvers = arguments.text("--solvers", "all");
    const auto scenes = split(arguments.text("--scenes", "boxes,wall"));
    const auto files = split(arguments.text("--files", ""));
    arguments.finish("--max, --time-limit, --solvers, --scenes, --files");
    if (solvers == "all")
      for (const auto& info : stickslip::solvers()) plan.solvers.push_back(info.name);
    else plan.solvers = split(solvers);
    run(plan, {scenes.begin(), scenes.end()}, files);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
