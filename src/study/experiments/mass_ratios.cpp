// Nonsmooth nonlinear conjugate gradients where masses differ [course §3.2.7].
#include <algorithm>
#include <cmath>

#include "study/experiments/captured.h"
#include "study/experiments/convergence.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace mass_ratios_study {

struct Method {
  const char* key;
  const char* label;
  const char* solver;
  OptionList options;
};

std::vector<Method> methods() {
  return {{"pgs", "PGS", "pgs", {}},
          {"nncg-paper", "NNCG as published", "nncg", {{"start", std::string("gradient")}, {"norm", std::string("plain")}}},
          {"nncg", "our NNCG", "nncg", {}},
          {"pgs-sm", "our PGS-SM", "pgs-sm", {}},
          {"dantzig", "Dantzig (direct)", "dantzig", {}},
          {"accelerated-nsgs", "accelerated exact sweeps", "accelerated-nsgs", {}}};
}

/// A stack of three whose top is heavier than the others: the residual by the solver's own model after every iteration.
void run_ratio(CaseRun& run, const Method& method, double ratio, int iterations) {
  const ContactProblem problem =
      captured_problem(run, "stack", {{"/parameters/count", "3"}, {"/bodies/3/mass", fmt::format("{}", 125 * ratio)}}, 3)
          .problem;
  constexpr double kTolerance = 1e-6;
  SolveControl control;
  control.tolerance = kTolerance;
  control.max_iterations = iterations;
  control.keep_history = true;
  control.natural_map = false;
  control.cancel = run.cancel_flag();
  std::vector<double> impulses(problem.rows(), 0.0);
  Workspace workspace;
  const double start = processor_seconds();
  const SolveReport report = make_solver(method.solver, method.options)->solve(problem, impulses, workspace, control);
  const double seconds = processor_seconds() - start;
  run.check_cancelled();
  const bool solved = report.model_residual <= kTolerance;
  run.table("ratios").add({method.label, ratio, solved ? report.iterations : std::nan(""), report.model_residual,
                           solved ? "solved" : "not solved", 1e3 * seconds});
}

void run_curve(CaseRun& run, const Method& method, const char* ratio, int iterations) {
  const ContactProblem problem = captured_problem(run, "mass-ratio", {{"/parameters/ratio", ratio}}, 3).problem;
  add_convergence(run, problem,
                  {.problem = fmt::format("ratio {}", ratio),
                   .method = method.label,
                   .solver = method.solver,
                   .options = method.options,
                   .iterations = iterations});
}

double at(const Data& data, const char* method, double ratio) {
  return data.table("ratios").where("method", method).where("ratio", ratio).numbers("iterations").at(0);
}

std::vector<Claim> claims(const std::vector<double>& ratios) {
  return {{"nncg-outperforms-pgs", "NNCG needs fewer iterations than PGS at every mass ratio that PGS solves.",
           "\"Usually PGS performs slow on such problems and NNCG will out-perform it\" (§3.2.7).",
           [=](const Data& data) {
             bool all = true;
             std::string evidence;
             for (const double ratio : ratios) {
               const double pgs = at(data, "PGS", ratio), nncg = at(data, "NNCG as published", ratio);
               if (std::isnan(pgs) && std::isnan(nncg)) continue;
               all = all && !(nncg >= pgs) && !(std::isnan(nncg) && !std::isnan(pgs));
               evidence += fmt::format("{}{:g}: {} against {}", evidence.empty() ? "" : "; ", ratio,
                                       std::isnan(nncg) ? "not solved" : fmt::format("{:g}", nncg),
                                       std::isnan(pgs) ? "not solved" : fmt::format("{:g}", pgs));
             }
             return judged(all, evidence);
           }},
          {"nncg-has-limits", "Beyond some mass ratio NNCG does not get to 1e-6 m/s either, and a direct method does.", "",
           [=](const Data& data) {
             const double nncg = at(data, "NNCG as published", ratios.back()),
                          direct = at(data, "Dantzig (direct)", ratios.back());
             return judged(std::isnan(nncg) && !std::isnan(direct),
                           fmt::format("at {:g}: NNCG {}, Dantzig {}", ratios.back(), std::isnan(nncg) ? "does not" : "does",
                                       std::isnan(direct) ? "does not" : "does"));
           }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  const int iterations = setting.pick(1000, 5000, 20000);
  const std::vector<double> ratios = setting.pick(std::vector<double>{1, 10, 1e4}, {1, 10, 100, 1e3, 1e4, 1e5},
                                                  {1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4, 1e5, 1e6});
  plan.tables = {
      Table("ratios", "Iterations to 1e-6 m/s by the solver's own model",
            {text("method", "method"), number("ratio", "", "mass of the top box over that of the others"),
             number("iterations", "", "iterations; none: not solved"), number("residual", "m/s", "residual at the end"),
             text("end", "how it ended"), timing("time", "ms", "processor time, every iterate judged")}),
      convergence_table("convergence", "Merit after every iteration: a heavy box on a light one"), convergence_ends()};
  plan.claims = claims(ratios);
  plan.figures = {
      {.name = "ratios",
       .title = "A stack of three with a heavy top",
       .caption = "Iterations to 1e-6 m/s from zero impulses. A curve ends where the method does not get there.",
       .table = "ratios",
       .x = "ratio",
       .y = {"iterations"},
       .series = "method",
       .log_x = true,
       .log_y = true},
      {.name = "convergence",
       .title = "Merit: two boxes, the upper one heavier",
       .caption =
           "Ψ of Fischer's function after every iteration (the course's figure 22 has the same curves for other scenes).",
       .table = "convergence",
       .x = "iteration",
       .y = {"total"},
       .series = "method",
       .panels = "problem",
       .log_y = true}};
  for (const Method& method : methods())
    for (const double ratio : ratios)
      plan.cases.push_back(
          {fmt::format("{} {:g}", method.key, ratio), [=](CaseRun& run) { run_ratio(run, method, ratio, iterations); }});
  for (const Method& method : methods())
    if (std::string(method.key) == "pgs" || std::string(method.key).starts_with("nncg"))
      for (const char* ratio : {"10", "1000"})
        plan.cases.push_back({fmt::format("{} curve {}", method.key, ratio),
                              [=](CaseRun& run) { run_curve(run, method, ratio, setting.pick(200, 1000, 5000)); }, 2});
  return plan;
}

}   // namespace mass_ratios_study

Study mass_ratios() {
  return {.name = "mass-ratios",
          .title = "Conjugate gradients over sweeps, where masses differ",
          .paper = "course §3.2.7",
          .about =
              "A stack of three boxes whose top is up to 10⁵ times as heavy as the others, solved from zero impulses; every "
              "solver is judged by its own model. NNCG runs as published and as it is here.",
          .paper_says =
              {"NNCG is better equipped than PGS to deal with large mass ratios, and cheaper than a direct method (§3.2.7).",
               "With up to 5000 iterations NNCG clearly converges faster than PGS (figure 22)."},
          .plan = mass_ratios_study::plan};
}

}   // namespace stickslip::study
