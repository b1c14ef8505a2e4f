// Steps of the penalty integrator: substeps, what one of them costs for a contact, and what a step costs by impulses beside it.
// Processor time of one thread.
#include <cstdio>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

struct PenaltyCost {
  double step = 0, iterations = 0, contacts = 0;   ///< mean; the first in processor time [s]
  int missed = 0;
};

/// @param parameter "name=value", or empty
PenaltyCost measure(const std::string& name, const std::string& parameter, const std::string& integrator, double settle,
                    int steps) {
  std::vector<Override> overrides;
  if (const std::size_t split = parameter.find('='); split != std::string::npos)
    overrides.push_back({"/parameters/" + parameter.substr(0, split), parameter.substr(split + 1)});
  Scene scene = load_scene(name, overrides);
  scene.step.integrator = integrator;
  scene.step.threads = 1;
  scene.step.sleep.enabled = false;
  Stepper stepper(scene.step);
  while (scene.world.time < settle) stepper.step(scene.world);
  PenaltyCost cost;
  const double start = bench::processor_seconds();
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = stepper.step(scene.world);
    cost.iterations += static_cast<double>(report.outcome.iterations) / steps;
    cost.contacts += static_cast<double>(report.contacts.size()) / steps;
    cost.missed += report.outcome.status != SolveStatus::converged;
  }
  cost.step = (bench::processor_seconds() - start) / steps;
  return cost;
}

void of_scenes(int steps) {
  fmt::print("{:<26}{:>10}{:>10}{:>12}{:>20}{:>10}{:>18}\n", "scene", "contacts", "substeps", "step [ms]", "µs/substep/contact",
             "missed", "by impulses [ms]");
  for (const auto& [name, parameter, settle] :
       {std::tuple("wall", "", 0.2), std::tuple("wall", "rows=20", 0.2), std::tuple("boxes", "count=60", 1.0),
        std::tuple("boxes", "", 1.0), std::tuple("spheres", "count=300", 1.0), std::tuple("soft-stack", "count=3", 0.1)}) {
    const PenaltyCost penalty = measure(name, parameter, "penalty", settle, steps),
                      impulse = measure(name, parameter, "impulse", settle, steps);
    fmt::print("{:<26}{:>10.0f}{:>10.0f}{:>12.2f}{:>20.4f}{:>7}/{}{:>18.2f}\n", fmt::format("{} {}", name, parameter),
               penalty.contacts, penalty.iterations, 1e3 * penalty.step,
               1e6 * penalty.step / std::max(1.0, penalty.iterations * penalty.contacts), penalty.missed, steps,
               1e3 * impulse.step);
    std::fflush(stdout);
  }
}

}   // namespace
}   // namespace stickslip

int main(int argc, char** argv) try {
  stickslip::bench::Arguments arguments(argc, argv);
  const int steps = arguments.number("--steps", 20);
  arguments.finish("--steps N");
  stickslip::of_scenes(steps);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
