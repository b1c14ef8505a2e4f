// Joints as one linear system: time per solve of chains and bridges that `auto` factors, and what sweeps reach in the same
// time.
//
//   bench_joints [--benchmark_filter=chain]
//
// A chain hangs from the world on ball joints, the last link weighs 1000 others; a bridge is a row of planks with two ball
// joints between neighbours, fixed at both ends: a closed loop for every plank, redundant and consistent. Problems are posed
// once and solved from zero impulses to 1e-9 m/s. `chain_step` is a whole step of the built-in scene heavy-chain as it swings.
// `per_link` is processor time per solve, or step, and link [s]. Sweeps get the time that the direct solve took; `residual` is
// what they reach [m/s].
#include <benchmark/benchmark.h>

#include "stickslip/scene/scene.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/stepper.h"
#include "tests/solve/joint_problems.h"

namespace stickslip {
namespace {

constexpr double kRatio = 1000;

ContactProblem bridge(int planks) {
  testing::MechanismBuilder m;
  for (int i = 0; i < planks; ++i) {
    m.body(1, {static_cast<double>(i), 0, 0});
    for (const double y : {-0.5, 0.5}) m.ball(i - 1, i, {i - 0.5, y, 0});
  }
  for (const double y : {-0.5, 0.5}) m.ball(planks - 1, -1, {planks - 0.5, y, 0});
  return m.finish();
}

SolveReport solve_once(const ContactSolver& solver, const ContactProblem& problem, std::vector<double>& impulses,
                       Workspace& workspace, double time_limit) {
  SolveControl control;
  control.tolerance = 1e-9;
  control.time_limit = time_limit;
  control.max_iterations = 1'000'000'000;
  control.natural_map = control.notes = false;
  impulses.assign(problem.rows(), 0.0);
  return solver.solve(problem, impulses, workspace, control);
}

void direct(benchmark::State& state, const ContactProblem& problem) {
  const auto solver = make_solver("auto");
  std::vector<double> impulses;
  Workspace workspace;
  SolveReport report;
  for (auto _ : state) report = solve_once(*solver, problem, impulses, workspace, std::numeric_limits<double>::infinity());
  state.counters["per_link"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                  benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["residual"] = report.residual.total();
  state.counters["iterations"] = report.iterations;
  if (report.status != SolveStatus::converged) state.SkipWithError(std::string(report.reason).c_str());
}

void sweeps(benchmark::State& state, const char* name) {
  const ContactProblem problem = testing::hanging_chain(static_cast<int>(state.range(0)), kRatio);
  std::vector<double> impulses;
  Workspace workspace;
  double given = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 5; ++k)
    given = std::min(
        given, solve_once(*make_solver("auto"), problem, impulses, workspace, std::numeric_limits<double>::infinity()).seconds);
  const auto solver = make_solver(name);
  SolveReport report;
  for (auto _ : state) report = solve_once(*solver, problem, impulses, workspace, given);
  state.counters["residual"] = report.residual.total();
  state.counters["iterations"] = report.iterations;
}

void chain_step(benchmark::State& state) {
  const Override links{"/parameters/links", std::to_string(state.range(0))};
  Scene scene = load_scene("heavy-chain", {&links, 1});
  Stepper stepper(scene.step);
  for (int i = 0; i < 10; ++i) stepper.step(scene.world);
  double residual = 0, error = 0;
  for (auto _ : state) {
    const StepReport& report = stepper.step(scene.world);
    residual = std::max(residual, report.solve->residual.total());
    error = std::max(error, report.joint_error_max);
  }
  state.counters["per_link"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                  benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["residual"] = residual;
  state.counters["joint_error"] = error;
}

void chain(benchmark::State& state) { direct(state, testing::hanging_chain(static_cast<int>(state.range(0)), kRatio)); }
void bridge(benchmark::State& state) { direct(state, bridge(static_cast<int>(state.range(0)))); }
void chain_by_prox_gs(benchmark::State& state) { sweeps(state, "prox-gs"); }
void chain_by_nsgs(benchmark::State& state) { sweeps(state, "nsgs"); }

void sizes(benchmark::internal::Benchmark* family) {
  for (const int links : {10, 30, 100, 300, 1000, 3000}) family->Arg(links);
  family->Unit(benchmark::kMillisecond);
}
BENCHMARK(chain_step)->Apply(sizes);
BENCHMARK(chain)->Apply(sizes);
BENCHMARK(bridge)->Apply(sizes);
BENCHMARK(chain_by_prox_gs)->Apply(sizes);
BENCHMARK(chain_by_nsgs)->Apply(sizes);

}   // namespace
}   // namespace stickslip

BENCHMARK_MAIN();
