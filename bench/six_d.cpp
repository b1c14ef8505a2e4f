// Contact by volume and by patches against points, on the scenes of the paper on contact in six dimensions, beside its tables.
//
//   build/bench/bench/bench_six_d
//
// Times are processor times of a step, shared among its stages as the clock on the wall shared them. Sweeps are those of nsgs
// from zero impulses to a residual of 1e-8 m/s, for the contact problem of the last step.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <vector>

#include "bench/statistics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

using namespace stickslip;

namespace {

struct Paper {
  double detection, assembly, solve;   ///< [ms], assembly with factorisation
};

struct Case {
  const char* scene;
  std::vector<Override> overrides;
  int steps;
  const char* form;
  std::optional<Paper> paper;
};

int sweeps_of(const ContactProblem& problem) {
  std::vector<double> impulses(problem.rows(), 0.0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-8;
  control.max_iterations = 20000;
  return make_solver("nsgs")->solve(problem, impulses, workspace, control).iterations;
}

void measure(const Case& c) {
  std::vector<Override> overrides = c.overrides;
  overrides.push_back({"/allow_overlap", "true"});   // points push apart what volumes keep
  overrides.push_back({"/step/contact", fmt::format("\"{}\"", c.form)});
  Scene scene = load_scene(c.scene, overrides);
  Stepper stepper(scene.step);
  StageTimes sum;
  double iterations = 0, contacts = 0, total = 0;
  const double start = bench::processor_seconds();
  for (int i = 0; i < c.steps; ++i) {
    const StepReport& r = stepper.step(scene.world);
    sum.narrow += r.seconds.broad + r.seconds.narrow, sum.assembly += r.seconds.assembly, sum.solve += r.seconds.solve;
    total += r.seconds.total();
    iterations += r.outcome.iterations, contacts += static_cast<double>(r.contacts.size());
  }
  const double each = 1e3 * (bench::processor_seconds() - start) / c.steps;
  const auto share = [&](double seconds) { return each * seconds / total; };
  fmt::print("{:<15}{:<8}{:>7.1f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>8.2f} {:>7}", c.scene, c.form, contacts / c.steps,
             share(sum.narrow), share(sum.assembly), share(sum.solve), each, iterations / c.steps,
             sweeps_of(stepper.problem()));
  if (c.paper) fmt::print("   {:>7} {:>8} {:>7}", c.paper->detection, c.paper->assembly, c.paper->solve);
  fmt::print("\n");
  std::fflush(stdout);
}

}   // namespace

int main() {
  fmt::print("{:<15}{:<8}{:>7} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7}   {:>24}\n", "", "", "contacts", "detect ms", "assemble",
             "solve", "step ms", "iters", "sweeps", "paper: detect, assemble, solve");
  const std::vector<Override> one = {{"/parameters/count", "1"}};
  const std::vector<Override> slide = {{"/parameters/count", "1"}, {"/parameters/spin", "0"}};
  for (const Case& c : std::vector<Case>{{"bumpy-cube", {}, 50, "volume", Paper{129.4, 26.9, 1.0}},
                                         {"bumpy-cube", {}, 50, "points", Paper{86.3, 4496.0, 1194.4}},
                                         {"salad", {}, 50, "volume", Paper{270.6, 0.2, 3.1}},
                                         {"salad", {}, 50, "points", Paper{481.1, 39.4, 50.4}},
                                         {"deflated-balls", one, 200, "volume", Paper{180.2, 0.06, 0.12}},
                                         {"deflated-balls", one, 200, "points", Paper{2.31, 0.32, 0.31}},
                                         {"nested-stack", {}, 200, "volume", Paper{228.2, 0.45, 186.0}},
                                         {"nested-stack", {}, 200, "patch", std::nullopt},
                                         {"nested-stack", {}, 200, "points", Paper{39.9, 9.4, 407.1}},
                                         {"sloppy-stack", {}, 200, "volume", std::nullopt},
                                         {"sloppy-stack", {}, 200, "points", std::nullopt},
                                         {"octagon-slide", slide, 50, "volume", std::nullopt},
                                         {"octagon-slide", slide, 50, "patch", std::nullopt},
                                         {"octagon-slide", slide, 50, "points", std::nullopt}})
    measure(c);
}
