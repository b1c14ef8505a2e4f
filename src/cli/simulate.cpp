#include "cli/simulate.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"

namespace stickslip::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Finishes all recorders, whatever becomes of one of them. @param last state to go on from; null: there is none
/// @returns the first error, or null
std::exception_ptr finish_all(std::vector<std::unique_ptr<Recorder>>& recorders, const World* last) {
  std::exception_ptr first;
  for (auto& recorder : recorders) {
    try {
      if (last) recorder->finish_at(*last);
      else recorder->finish();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  return first;
}

/// @returns the report; null if a signal came first: the world is then as it was
const StepReport* step_with_place(Stepper& stepper, World& world) {
  try {
    return &stepper.step(world);
  } catch (const StepCancelled&) {
    return nullptr;
  } catch (const Error& error) {
    throw Error(fmt::format("Step {} (t = {:g} s) failed: {}", world.step_count + 1, world.time, error.what()));
  }
}

}   // namespace

SimulateResult simulate(Scene& scene, std::uint64_t steps, std::vector<std::unique_ptr<Recorder>>& recorders,
                        FailureHandler& failures, bool show_progress) {
  SimulateResult result;
  StepOptions options = scene.step;
  options.cancel = &InterruptGuard::flag();
  Stepper stepper(std::move(options));
  MotionWatch motion(scene.world);
  result.sensors = SensorReader(scene.world, scene.sensors);
  const InterruptGuard guard;
  const Clock::time_point start = Clock::now();
  try {
    for (auto& recorder : recorders) recorder->begin(scene);
    Progress progress(steps, show_progress);
    for (std::uint64_t i = 0; i < steps && !result.stopped && !InterruptGuard::requested(); ++i) {
      const Clock::time_point before = Clock::now();
      const StepReport* const taken = step_with_place(stepper, scene.world);
      if (taken == nullptr) break;
      const StepReport& report = *taken;
      result.statistics.add(scene.world, report, seconds_since(before));
      for (auto& recorder : recorders) recorder->record(scene.world, report);
      motion.add(scene.world, report);
      result.sensors.read(scene.world, report);
      if (report.outcome.status != SolveStatus::converged) result.stopped = failures.handle(scene, stepper, report);
      progress.update(i + 1, scene.world.time);
    }
  } catch (...) {
    finish_all(recorders, nullptr);   // a step that failed may have left anything
    throw;
  }
  if (const std::exception_ptr error = finish_all(recorders, &scene.world)) std::rethrow_exception(error);
  result.interrupted = !result.stopped && result.statistics.steps < steps;
  result.statistics.wall_seconds = seconds_since(start);
  result.motion = motion.records();
  return result;
}

}   // namespace stickslip::cli
