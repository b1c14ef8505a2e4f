#include "record/captured_problem.h"

#include <fmt/format.h>

#include <cctype>

namespace stickslip {

ProblemFile problem_of_step(const Scene& scene, const Stepper& stepper, const StepReport& report) {
  ProblemFile file;
  file.problem = stepper.problem();
  file.guess.assign(stepper.guess().begin(), stepper.guess().end());
  file.title = fmt::format("{}, step {}", scene.name, report.step);
  file.description = fmt::format("{} ended as {} after {} iteration{} with a residual of {:.3g} m/s; {:.3g} m/s was asked for",
                                 scene.step.solver, status_name(report.outcome.status), report.outcome.iterations,
                                 report.outcome.iterations == 1 ? "" : "s", report.outcome.error, report.outcome.tolerance);
  return file;
}

std::string capture_name(const Scene& scene, std::uint64_t step) {
  std::string name = scene.name.empty() ? "scene" : scene.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '-';
  return fmt::format("{}-step{}.hdf5", name, step);
}

}   // namespace stickslip
