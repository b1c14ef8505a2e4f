// Where the time of a step goes, and how it grows: heaps of 500 to 16,000 boxes and spheres, one thread.
//
//   bench_heap [--max 16000] [--sweeps 20] [--settle 150] [--steps 20] [--solver prox-gs]
//
// Every heap is the built-in scene of that name, simulated until it lies, then measured. Times are processor times, so that
// other programs on the machine do not count: a step's stages, which the stepper measures by the clock on the wall, are
// scaled to the processor time of the step; each number is the median over the measured steps. The last line of each table
// says how much the time per contact grew from the smallest heap to the largest.
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::bench {
namespace {

struct Plan {
  int max, sweeps, settle, steps;
  std::string solver;
};

constexpr double StageTimes::*kStages[] = {&StageTimes::broad, &StageTimes::narrow,      &StageTimes::assembly,
                                           &StageTimes::solve, &StageTimes::integration, &StageTimes::bookkeeping};

/// Simulates one heap, prints its row and returns the time per contact [s].
double measure(const std::string& scene_name, int count, const Plan& plan) {
  const Override overrides[] = {{"/parameters/count", std::to_string(count)}};
  Scene scene = load_scene(scene_name, overrides);
  StepOptions options = scene.step;
  options.h = 1.0 / 60;
  options.solver = plan.solver;
  options.max_iterations = plan.sweeps;
  options.tolerance = 1e-12;   // out of reach: every solve does all its sweeps
  Stepper stepper(options);
  for (int i = 0; i < plan.settle; ++i) stepper.step(scene.world);

  std::vector<double> stage[std::size(kStages)], total, contacts;
  for (int i = 0; i < plan.steps; ++i) {
    const double start = processor_seconds();
    const StepReport& report = stepper.step(scene.world);
    total.push_back(processor_seconds() - start);
    const double undisturbed = total.back() / report.seconds.total();
    for (std::size_t s = 0; s < std::size(kStages); ++s) stage[s].push_back(undisturbed * report.seconds.*kStages[s]);
    contacts.push_back(static_cast<double>(report.contacts.size()));
  }
  const double per_contact = median(total) / std::max(1.0, median(contacts));
  fmt::print("{:>8} {:>9.0f}", count, median(contacts));
  for (const auto& times : stage) fmt::print(" {:>9.3f}", 1e3 * median(times));
  fmt::print(" {:>9.3f} {:>9.0f}\n", 1e3 * median(total), 1e9 * per_contact);
  std::fflush(stdout);
  return per_contact;
}

void table(const std::string& scene_name, const Plan& plan) {
  fmt::print("\n{}, {} sweeps of {}, after {} steps of 1/60 s; ms per step, median of {} steps\n", scene_name, plan.sweeps,
             plan.solver, plan.settle, plan.steps);
  fmt::print("{:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "bodies", "contacts", "broad", "narrow",
             "assembly", "solve", "integr.", "bookkeep.", "total", "ns/cont.");
  double first = 0, last = 0;
  for (int count = 500; count <= plan.max; count *= 2) {
    last = measure(scene_name, count, plan);
    if (first == 0) first = last;
  }
  if (first > 0) fmt::print("time per contact grew by a factor of {:.2f}\n", last / first);
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) try {
  using namespace stickslip::bench;
  Arguments arguments(argc, argv);
  const Plan plan{arguments.number("--max", 16000), arguments.number("--sweeps", 20), arguments.number("--settle", 150),
                  arguments.number("--steps", 20), arguments.text("--solver", "prox-gs")};
  arguments.finish("--max n, --sweeps n, --settle steps, --steps n, --solver name");
  table("boxes", plan);
  table("spheres", plan);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
