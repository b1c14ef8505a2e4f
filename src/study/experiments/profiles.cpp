#include "study/experiments/profiles.h"

#include "record/captured_problem.h"
#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {
namespace performance {

namespace {

/// A problem to solve: a step of a scene, or a file.
struct Source {
  std::string name;    ///< as the table shows it
  std::string scene;   ///< or the file
  std::vector<Override> overrides = {};
  int step = 0;   ///< 0: it is a file
  double cost = 1;
};

const std::vector<std::string> kProfileSolvers = {
    "auto", "nsgs", "accelerated-nsgs", "prox-gs", "alart-curnier", "admm", "apgd", "nncg", "pgs"};
const std::vector<double> kTolerances = {1e-4, 1e-8};

/// Iterations that are allowed, by what one costs. A limit of time would not be the same on every machine.
int most_iterations(const SolverInfo& info) {
  return info.family == "newton" ? 200 : info.family == "pivoting" ? 20'000 : 5000;
}

std::vector<Source> scenes_of(const Setting& setting) {
  const auto n = [](const char* name, int value) {
    return Override{std::string("/parameters/") + name, fmt::format("{}", value)};
  };
  std::vector<Source> few = {{"stack of 5", "stack", {n("count", 5)}, 5},
                             {"wall of 9", "wall", {n("rows", 3), n("bricks_per_row", 3)}, 10},
                             {"incline", "incline", {}, 10},
                             {"dominoes", "dominoes", {}, 10},
                             {"20 spheres", "spheres", {n("count", 20)}, 60}};
  if (setting.size == Size::quick) return few;
  const bool full = setting.size == Size::full;
  std::vector<Source> many = {{"stack of 10", "stack", {n("count", 10)}, 5},
                              {"stack of 20", "stack", {n("count", 20)}, 5, 2},
                              {"wall of 25", "wall", {n("rows", 5), n("bricks_per_row", 5)}, 10, 2},
                              {"wall of 81", "wall", {}, 10, 6},
                              {"tower of 49", "tower", {}, 10, 4},
                              {"100 spheres", "spheres", {n("count", 100)}, 60, 3},
                              {"100 spheres at rest", "spheres", {n("count", 100)}, 150, 3},
                              {"60 boxes", "boxes", {n("count", 60)}, 80, 3},
                              {"card house", "card-house", {}, 20, 2},
                              {"arch", "arch", {}, 10, 1},
                              {"12 jacks", "jacks", {n("count", 12)}, 60, 3},
                              {"temple", "temple", {n("columns_x", 3), n("columns_y", 3), n("drums", 3)}, 5, 6}};
  few.insert(few.end(), many.begin(), many.end());
  if (full) {
    few.push_back({"1730 spheres", "spheres", {}, 100, 60});
    few.push_back({"temple of 638", "temple", {}, 10, 60});
    few.push_back({"100 jacks", "jacks", {n("count", 100)}, 100, 60});
  }
  return few;
}

std::vector<Source> sources_of(const Setting& setting) {
  if (setting.problems.empty()) return scenes_of(setting);
  std::vector<Source> files;
  for (const std::string& file : setting.problems) files.push_back({std::filesystem::path(file).filename().string(), file});
  return files;
}

ContactProblem problem_of(const Source& source, CaseRun& run) {
  if (source.step == 0) return run.load_problem(source.scene).problem;
  Scene scene = run.load(source.scene, source.overrides);
  Stepper stepper(scene.step);
  for (int i = 0; i < source.step; ++i) {
    run.check_cancelled();
    stepper.step(scene.world);
  }
  return stepper.problem();
}

/// The shortest processor time of some solves; once only of what takes long.
void solve_with(const SolverInfo& info, const ContactProblem& problem, const std::string& name, double tolerance,
                CaseRun& run) {
  const std::unique_ptr<ContactSolver> solver =
      make_solver(info.name, info.name == "nncg" ? OptionList{{"model", std::string("exact")}} : OptionList{});
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = most_iterations(info);
  control.cancel = run.cancel_flag();
  control.natural_map = false;
  control.notes = false;
  Workspace workspace;
  SolveReport report;
  double shortest = std::numeric_limits<double>::infinity(), spent = 0;
  for (int i = 0; i < 5 && (i == 0 || spent < 0.1); ++i) {
    run.check_cancelled();
    std::vector<double> impulses(problem.rows(), 0.0);
    const double start = processor_seconds();
    report = solver->solve(problem, impulses, workspace, control);
    const double seconds = processor_seconds() - start;
    shortest = std::min(shortest, seconds);
    spent += seconds;
  }
  const bool solved = report.status == SolveStatus::converged;
  run.table("solves").add({name, problem.contact_count(), problem.rows(), info.name, tolerance, status_name(report.status),
                           solved ? 1 : 0, report.iterations, report.residual.total(), 1e3 * shortest});
}

void run_problem(const Source& source, const std::vector<std::string>& names, CaseRun& run) {
  const ContactProblem problem = problem_of(source, run);
  for (const std::string& name : names)
    for (const double tolerance : kTolerances)
      solve_with(*std::ranges::find(solvers(), name, &SolverInfo::name), problem, source.name, tolerance, run);
}

std::vector<Table> tables_of() {
  return {
      Table("solves", "Every solve",
            {text("problem", "problem"), number("contacts", "", "contacts"), number("rows", "", "rows"),
             text("solver", "solver"), number("tolerance", "m/s", "tolerance"), text("status", "status"),
             number("solved", "", "solved"), number("iterations", "", "iterations"), number("residual", "m/s", "residual"),
             timing("solve", "ms", "time of the solve")}),
      Table("solved", "How many problems each solver solved",
            {text("solver", "solver"), text("tolerance", "tolerance"), number("problems", "", "problems"),
             number("solved", "", "solved"), timing("first", "", "on which it was the fastest"),
             timing("mean_ratio", "", "time over that of the fastest, geometric mean")}),
      Table("profile", "Performance profiles",
            {text("solver", "solver"), text("tolerance", "tolerance"),
             number("tau", "", "time over that of the fastest solver"), timing("part", "", "part of the problems solved")})};
}

std::string tolerance_label(double tolerance) { return fmt::format("to {:g} m/s", tolerance); }

std::vector<double> times_of(const Table& rows) {
  std::vector<double> times = rows.numbers("solve");
  for (std::size_t i = 0; i < times.size(); ++i)
    if (rows.numbers("solved")[i] == 0) times[i] = std::numeric_limits<double>::infinity();
  return times;
}

void make_profiles(Data& data) {
  const Table& solves = data.table("solves");
  for (const double tolerance : kTolerances) {
    const Table here = solves.where("tolerance", tolerance);
    const std::vector<std::string> names = here.distinct("solver");
    std::vector<std::vector<double>> times;
    for (const std::string& name : names) times.push_back(times_of(here.where("solver", name)));
    std::vector<double> best(times.front().size(), std::numeric_limits<double>::infinity());
    for (const std::vector<double>& t : times)
      for (std::size_t p = 0; p < best.size(); ++p) best[p] = std::min(best[p], t[p]);
    const std::string label = tolerance_label(tolerance);
    for (std::size_t s = 0; s < names.size(); ++s) {
      std::vector<double> ratios;
      double solved = 0, first = 0;
      for (std::size_t p = 0; p < best.size(); ++p) {
        if (!std::isfinite(times[s][p])) continue;
        ++solved;
        first += times[s][p] == best[p];
        ratios.push_back(times[s][p] / best[p]);
      }
      data.table("solved").add({names[s], label, best.size(), solved, first, geometric_mean(ratios)});
      for (double exponent = 0; exponent <= 10; exponent += 0.25) {
        const double tau = std::exp2(exponent);
        data.table("profile").add({names[s], label, tau, profile(times[s], best, tau)});
      }
    }
  }
}

double solved_by(const Data& data, const std::string& solver, const std::string& tolerance) {
  const Table rows = data.table("solved").where("solver", solver).where("tolerance", tolerance);
  return rows.rows() ? rows.numbers("solved")[0] : std::nan("");
}

std::vector<Claim> claims_of() {
  return {{"auto-solves-all", "auto solves every problem to 1e-8 m/s.", "",
           [](const Data& data) {
             const double solved = solved_by(data, "auto", "to 1e-08 m/s");
             if (std::isnan(solved)) return Finding{Verdict::open, "auto was not among the solvers"};
             const double problems = data.table("solved").numbers("problems")[0];
             return judged(solved == problems, fmt::format("{} of {}", solved, problems));
           }},
          {"boxes-are-not-cones",
           "pgs, whose friction pyramid is not Coulomb's cone, solves fewer problems to 1e-8 m/s than prox-gs.", "",
           [](const Data& data) {
             const double boxed = solved_by(data, "pgs", "to 1e-08 m/s"), exact = solved_by(data, "prox-gs", "to 1e-08 m/s");
             if (std::isnan(boxed + exact)) return Finding{Verdict::open, "one of the two was not among the solvers"};
             return judged(boxed < exact, fmt::format("{} against {}", boxed, exact));
           }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  plan.tables = tables_of();
  const std::vector<std::string> names = setting.solvers.empty() ? kProfileSolvers : setting.solvers;
  for (const std::string& name : names) make_solver(name);   // names an unknown one
  for (const Source& source : sources_of(setting))
    plan.cases.push_back(
        {fmt::format("problem {}", plan.cases.size()), [=](CaseRun& run) { run_problem(source, names, run); }, source.cost});
  plan.figures = {
      {.name = "profile",
       .title = "Performance profiles",
       .caption = "Of all problems, the part that a solver solves to the tolerance within so many times the time of the "
                  "fastest solver of each problem. "
                  "At the left edge: how often it is the fastest; at the right: how many problems it solves at all.",
       .kind = FigureKind::steps,
       .table = "profile",
       .x = "tau",
       .y = {"part"},
       .series = "solver",
       .panels = "tolerance",
       .log_x = true},
      {.name = "solved",
       .title = "Problems solved",
       .caption = "How many problems each solver solved, by tolerance on the shared residual [m/s].",
       .kind = FigureKind::bars,
       .table = "solved",
       .x = "solver",
       .y = {"solved"},
       .series = "tolerance"}};
  plan.claims = claims_of();
  plan.summarise = make_profiles;
  return plan;
}

}   // namespace

double profile(const std::vector<double>& times, const std::vector<double>& best, double tau) {
  if (times.empty()) return std::nan("");
  double within = 0;
  for (std::size_t p = 0; p < times.size(); ++p) within += std::isfinite(times[p]) && times[p] <= tau * best[p];
  return within / static_cast<double>(times.size());
}

}   // namespace performance

Study profiles() {
  return {.name = "profiles",
          .title = "Performance profiles of the solvers",
          .paper = "Dolan, Moré 2002",
          .about =
              "Contact problems are captured from built-in scenes (or read from the files that --problem names) and solved "
              "from zero by several solvers to two "
              "tolerances on the shared residual. A performance profile shows for every solver the part of the problems that "
              "it solves within τ times "
              "the time of the fastest solver of each problem, as the frictional-contact literature draws it.\n\n"
              "Limits are numbers of iterations, not of seconds, so that what was solved is the same on every machine; times "
              "are processor times, the least of several.",
          .plan = performance::plan};
}

}   // namespace stickslip::study
