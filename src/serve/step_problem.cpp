#include "serve/step_problem.h"

#include "record/captured_problem.h"

namespace stickslip::serve {

namespace {

SolveReport solve(const StepProblem& p, const std::string& name, std::vector<double> impulses, double time_limit,
                  const std::atomic<bool>& cancel) {
  const auto solver = make_solver(name, name == p.options.solver ? p.options.solver_options : OptionList{});
  SolveControl control;
  control.tolerance = p.tolerance;
  control.max_iterations = p.options.max_iterations;
  control.time_limit = time_limit;
  control.cancel = &cancel;
  control.keep_history = true;
  control.natural_map = false;
  control.notes = false;
  Workspace workspace;
  impulses.resize(p.file.problem.rows(), 0.0);
  return solver->solve(p.file.problem, impulses, workspace, control);
}

}   // namespace

StepProblem copy_problem(const Scene& scene, const Stepper& stepper, const StepReport& report) {
  return {report.step, problem_of_step(scene, stepper, report), stepper.options(), report.outcome.tolerance};
}

History history_of(const StepProblem& p, const std::atomic<bool>& cancel) {
  return thinned(solve(p, p.options.solver, p.file.guess, std::numeric_limits<double>::infinity(), cancel).history);
}

std::vector<ComparedSolver> compare(const StepProblem& p, const std::vector<std::string>& names,
                                    const std::atomic<bool>& cancel) {
  std::vector<ComparedSolver> compared;
  for (const std::string& name : names) {
    const SolveReport report = solve(p, name, {}, 10, cancel);
    compared.push_back({name, status_name(report.status), report.iterations, report.seconds, report.residual.total(),
                        thinned(report.history)});
  }
  return compared;
}

}   // namespace stickslip::serve
