#include "study/experiments/convergence.h"

#include <algorithm>
#include <limits>

namespace stickslip::study {

Table convergence_table(std::string name, std::string title) {
  return Table(std::move(name), std::move(title),
               {text("problem", "problem"), text("method", "method"), number("iteration", "", "iterations of the method"),
                number("cost", "", "cost in sweeps of PGS"), number("normal", "", "merit of normal rows"),
                number("friction", "", "merit of friction rows"), number("total", "", "merit"),
                number("residual", "m/s", "residual of the solver's own model or of Coulomb's law")});
}

Table convergence_ends() {
  return Table("ends", "Where they end",
               {text("problem", "problem"), text("method", "method"), number("contacts", "", "contacts"),
                number("iterations", "", "iterations"), number("cost", "", "cost in sweeps of PGS"),
                number("normal", "", "least merit of normal rows"), number("friction", "", "least merit of friction rows"),
                number("total", "", "least merit"), number("residual", "m/s", "residual by the model of the solver"),
                text("status", "how it ended"), timing("solve", "ms", "processor time of the solve")});
}

void add_convergence(CaseRun& run, const ContactProblem& problem, const ConvergenceCurve& curve) {
  run.check_cancelled();
  SolveControl control;
  control.tolerance = 0;   // the merit tells
  control.max_iterations = curve.iterations;
  control.keep_history = true;
  control.natural_map = false;
  control.merit.function = curve.merit;
  control.cancel = run.cancel_flag();
  std::vector<double> impulses(problem.rows(), 0.0);
  Workspace workspace;
  const auto solver = make_solver(curve.solver, curve.options);
  const double start = processor_seconds();
  const SolveReport report = solver->solve(problem, impulses, workspace, control);
  const double seconds = processor_seconds() - start;
  run.check_cancelled();
  const double infinity = std::numeric_limits<double>::infinity();
  MeritValue least{infinity, infinity, infinity};
  const auto shown = [](double merit) { return std::max(merit, 1e-32); };
  for (std::size_t k = 0; k < report.merit_history.size() && report.cost_history[k] <= curve.cost; ++k) {
    const MeritValue& merit = report.merit_history[k];
    run.table(curve.table)
        .add({curve.problem, curve.method, k, report.cost_history[k], shown(merit.normal), shown(merit.friction),
              shown(merit.total), report.history[k]});
    least = {std::min(least.normal, merit.normal), std::min(least.friction, merit.friction),
             std::min(least.total, merit.total)};
  }
  run.table("ends").add({curve.problem, curve.method, problem.contact_count(), report.iterations, report.cost,
                         shown(least.normal), shown(least.friction), shown(least.total), report.model_residual,
                         status_name(report.status), 1e3 * seconds});
}

void add_convergence(CaseRun& run, const ContactProblem& problem, const std::string& label, int sweeps,
                     const std::vector<NamedMethod>& methods) {
  for (const NamedMethod& method : methods)
    add_convergence(run, problem,
                    {.problem = label,
                     .method = method.label,
                     .solver = method.solver,
                     .options = method.options,
                     .iterations = sweeps,
                     .cost = static_cast<double>(sweeps)});
}

namespace {

template <class Visit>
void visit_curve(const Data& data, std::string_view problem, std::string_view method, std::string_view part,
                 const Visit& visit) {
  const Table curve = data.table("convergence").where("problem", problem).where("method", method);
  for (std::size_t k = 0; k < curve.rows(); ++k) visit(curve.numbers("cost")[k], curve.numbers(part)[k]);
}

}   // namespace

double cost_to(const Data& data, std::string_view problem, std::string_view method, double merit, std::string_view part) {
  double least = std::numeric_limits<double>::infinity();
  visit_curve(data, problem, method, part, [&](double cost, double value) {
    if (value <= merit) least = std::min(least, cost);
  });
  return least;
}

double least_merit(const Data& data, std::string_view problem, std::string_view method, double cost, std::string_view part) {
  double least = std::numeric_limits<double>::infinity();
  visit_curve(data, problem, method, part, [&](double spent, double value) {
    if (spent <= cost) least = std::min(least, value);
  });
  return least;
}

double last_merit(const Data& data, std::string_view problem, std::string_view method, std::string_view part) {
  double last = std::numeric_limits<double>::quiet_NaN(), latest = -1;
  visit_curve(data, problem, method, part, [&](double spent, double value) {
    if (spent >= latest) latest = spent, last = value;
  });
  return last;
}

}   // namespace stickslip::study
