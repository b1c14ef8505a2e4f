// Impulses, springs and barriers on the same scenes [course §5].
#include <algorithm>
#include <cmath>

#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace integrators_study {

const char* kIntegrators[] = {"impulse", "penalty", "barrier"};

struct Contest {
  const char* label;
  const char* scene;
  std::vector<Override> overrides;
};

std::vector<Contest> contests(const Setting& setting) {
  const auto size = [&](const char* quick, const char* standard, const char* full) {
    return setting.pick(quick, standard, full);
  };
  return {{"stack", "stack", {{"/parameters/count", size("3", "10", "20")}}},
          {"wall", "wall", {{"/parameters/rows", size("2", "5", "9")}, {"/parameters/bricks_per_row", size("2", "5", "9")}}},
          {"cards", "card-house", {{"/parameters/levels", size("1", "3", "3")}}},
          {"falling boxes", "boxes", {{"/parameters/count", size("4", "20", "50")}}}};
}

void run_contest(CaseRun& run, const Contest& contest, const char* integrator, double seconds) {
  std::vector<Override> overrides = contest.overrides;
  overrides.push_back({"/step/integrator", integrator});
  Scene scene = run.load(contest.scene, overrides);
  Stepper stepper(scene.step);
  const int steps = static_cast<int>(seconds / scene.step.h + 0.5);
  double depth = 0, nearest = std::numeric_limits<double>::infinity(), iterations = 0;
  int missed = 0;
  const double start = processor_seconds();
  for (int i = 0; i < steps; ++i) {
    run.check_cancelled();
    const StepReport& report = stepper.step(scene.world);
    depth = std::max(depth, report.penetration_max), nearest = std::min(nearest, report.distance_min);
    iterations += report.outcome.iterations, missed += report.outcome.status != SolveStatus::converged;
  }
  run.table("contests")
      .add({contest.label, integrator, 1e6 * std::max(depth, -std::min(nearest, 0.0)), 1e6 * nearest, iterations / steps,
            100.0 * missed / steps, 1e3 * (processor_seconds() - start) / steps});
}

/// A box on a slope just below and above the angle of friction, and one that slides to rest.
void run_friction(CaseRun& run, const char* integrator) {
  const double mu = 0.5;
  for (const double part : {0.99, 1.01}) {
    const double degrees = std::atan(part * mu) * 180 / std::numbers::pi;
    Scene scene =
        run.load("incline", {{"/parameters/angle_degrees", fmt::format("{:.17g}", degrees)}, {"/step/integrator", integrator}});
    Stepper stepper(scene.step);
    for (int i = 0; i < 50; ++i) stepper.step(scene.world);   // it settles
    const auto place = [&] {
      for (const Body& body : scene.world.bodies())
        if (body.motion == MotionType::dynamic) return body.position;
      return Vec3(Vec3::Zero());
    };
    const Vec3 before = place();
    for (int i = 0; i < 100; ++i) run.check_cancelled(), stepper.step(scene.world);
    run.table("slopes").add({integrator, part, 1e6 * (place() - before).norm() / (100 * scene.step.h)});
  }
}

/// How stiff contacts are against what that costs.
void run_stiffness(CaseRun& run, const char* integrator, double value, double seconds) {
  Scene scene = run.load("stack", {{"/parameters/count", "3"},
                                   {"/step/integrator", integrator},
                                   {std::string("/step/") + (integrator[0] == 'p' ? "penalty/depth" : "barrier/range"),
                                    fmt::format("{}", value)}});
  Stepper stepper(scene.step);
  const int steps = static_cast<int>(seconds / scene.step.h + 0.5);
  double depth = 0, nearest = 1e300, iterations = 0;
  for (int i = 0; i < steps; ++i) {
    run.check_cancelled();
    const StepReport& report = stepper.step(scene.world);
    depth = std::max(depth, report.penetration_max), nearest = std::min(nearest, report.distance_min),
    iterations += report.outcome.iterations;
  }
  run.table("stiffness").add({integrator, value, 1e6 * std::abs(integrator[0] == 'p' ? depth : nearest), iterations / steps});
}

std::vector<Claim> claims() {
  return {
      {"barriers-never-touch", "Barriers leave a gap between all bodies in every step.", "\"Intersection-free\" [course §5.3].",
       [](const Data& data) {
         const std::vector<double> gap = data.table("contests").where("integrator", "barrier").numbers("nearest");
         return judged(smallest(gap) > 0, fmt::format("the smallest distance is {:.3g} µm", smallest(gap)));
       }},
      {"springs-sink-in", "Springs sink in by what they carry, impulses by next to nothing, in what stands.",
       "\"Larger penetrations produced larger spring forces, and thus springs penalize penetrations\" (§5.1).",
       [](const Data& data) {
         bool all = true;
         std::string evidence;
         for (const char* scene : {"stack", "wall"}) {
           const Table rows = data.table("contests").where("scene", scene);
           const double spring = rows.where("integrator", "penalty").numbers("depth").at(0),
                        impulse = rows.where("integrator", "impulse").numbers("depth").at(0);
           all = all && spring > impulse;
           evidence += fmt::format("{}{}: {:.3g} µm against {:.3g} µm", evidence.empty() ? "" : "; ", scene, spring, impulse);
         }
         return judged(all, evidence);
       }},
      {"stiff-springs-cost-substeps", "Springs that are a hundred times stiffer take about ten times as many substeps.", "",
       [](const Data& data) {
         const Table t = data.table("stiffness").where("integrator", "penalty");
         const double least = t.where("value", 1e-2).numbers("iterations").at(0),
                      most = t.where("value", 1e-4).numbers("iterations").at(0);
         return judged(most > 5 * least && most < 20 * least,
                       fmt::format("{:.0f} substeps at a depth of 1e-2, {:.0f} at 1e-4", least, most));
       }},
      {"all-stick", "A box at 99 % of the angle of friction stays where it is by all three, and slides at 101 %.", "",
       [](const Data& data) {
         bool all = true;
         std::string evidence;
         for (const char* integrator : kIntegrators) {
           const Table t = data.table("slopes").where("integrator", integrator);
           const double below = t.where("part", 0.99).numbers("creep").at(0),
                        above = t.where("part", 1.01).numbers("creep").at(0);
           all = all && below < 10 && above > 1000;
           evidence += fmt::format("{}{}: {:.2g} and {:.2g} µm/s", evidence.empty() ? "" : "; ", integrator, below, above);
         }
         return judged(all, evidence);
       }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  plan.tables = {
      Table("contests", "The same scenes by all three",
            {text("scene", "scene"), text("integrator", "integrator"), number("depth", "µm", "largest penetration"),
             number("nearest", "µm", "smallest distance, negative inside"),
             number("iterations", "", "iterations or substeps a step"),
             number("missed", "%", "steps that missed their tolerance"), timing("time", "ms", "processor time of a step")}),
      Table("slopes", "A box on a slope",
            {text("integrator", "integrator"), number("part", "", "slope over the angle of friction, by tangents"),
             number("creep", "µm/s", "mean speed in the second second")}),
      Table("stiffness", "A stack of three by stiffer and stiffer contacts",
            {text("integrator", "integrator"),
             number("value", "", "depth (penalty) or range (barrier), as a part of the thickness"),
             number("distance", "µm", "depth or gap"), number("iterations", "", "substeps or iterations a step")})};
  plan.claims = claims();
  plan.figures = {{.name = "depth",
                   .title = "Largest penetration",
                   .caption = "Barriers have none. Blows of falling boxes go deep into springs.",
                   .kind = FigureKind::bars,
                   .table = "contests",
                   .x = "scene",
                   .y = {"depth"},
                   .series = "integrator",
                   .log_y = true},
                  {.name = "time",
                   .title = "Processor time of a step",
                   .caption = "One thread.",
                   .kind = FigureKind::bars,
                   .table = "contests",
                   .x = "scene",
                   .y = {"time"},
                   .series = "integrator",
                   .log_y = true},
                  {.name = "stiffness",
                   .title = "What near contacts cost",
                   .caption = "Substeps of springs grow with the root of the stiffness; barriers take fewer iterations the "
                              "shorter their range, in what rests.",
                   .table = "stiffness",
                   .x = "value",
                   .y = {"iterations"},
                   .series = "integrator",
                   .log_x = true,
                   .log_y = true}};
  const double seconds = setting.pick(0.1, 0.8, 2.0);
  for (const Contest& contest : contests(setting))
    for (const char* integrator : kIntegrators)
      plan.cases.push_back({fmt::format("{} {}", contest.label, integrator),
                            [=](CaseRun& run) { run_contest(run, contest, integrator, seconds); },
                            integrator[0] == 'i' ? 1.0 : 10.0});
  for (const char* integrator : kIntegrators)
    plan.cases.push_back({fmt::format("slope {}", integrator), [=](CaseRun& run) { run_friction(run, integrator); }, 2});
  for (const double value : {1e-2, 1e-3, 1e-4})
    for (const char* integrator : {"penalty", "barrier"})
      plan.cases.push_back({fmt::format("stiffness {} {:g}", integrator, value),
                            [=](CaseRun& run) { run_stiffness(run, integrator, value, setting.pick(0.05, 0.3, 1.0)); }, 3});
  return plan;
}

}   // namespace integrators_study

Study integrators() {
  return {.name = "integrators",
          .title = "Impulses, springs and barriers",
          .paper = "course §5",
          .about =
              "The same scenes by the three integrators: contact as impulses of a complementarity problem, as springs and "
              "dampers, and as a potential that is infinite where surfaces touch.",
          .paper_says = {"Penalty forces grow with penetration and have to be tuned (§5.1).",
                         "Barriers keep everything free of intersections (§5.3)."},
          .plan = integrators_study::plan};
}

}   // namespace stickslip::study
