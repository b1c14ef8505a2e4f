// r-factor strategies of our prox-gs on two scenes of the paper [prox §5]. The published schemes are prox-gs-paper and
// prox-jacobi-paper; their experiment is not this one.
#include "stickslip/step/stepper.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace {

Plan plan_r_factors(const Setting& setting) {
  Plan plan;
  plan.tables = {Table("steps", "Every step",
                       {text("scene", "scene"), text("strategy", "r-factors"), number("step", "", "step"),
                        number("iterations", "", "iterations"), number("energy", "J", "kinetic and potential energy"),
                        timing("solve", "ms", "time of the solve")})};
  const int steps = setting.pick(5, 20, 450);
  for (const char* scene : {"tower", "wall"})
    for (const char* strategy : {"global", "local", "blocked"})
      plan.cases.push_back(
          {fmt::format("{}/{}", scene, strategy), [=](CaseRun& run) {
             Scene world = run.load(scene, {{"/step/solver", "{\"name\": \"prox-gs\"}"}, {"/step/solver/r_factor", strategy}});
             Stepper stepper(world.step);
             for (int i = 0; i < steps; ++i) {
               run.check_cancelled();
               const StepReport& report = stepper.step(world.world);
               run.table("steps").add({scene, strategy, report.step, report.outcome.iterations,
                                       report.energy.kinetic_end + report.energy.potential_end, 1e3 * report.seconds.solve});
             }
           }});
  plan.figures = {{.name = "iterations",
                   .title = "Iterations of every step",
                   .caption = "Fewer is better.",
                   .table = "steps",
                   .x = "step",
                   .y = {"iterations"},
                   .series = "strategy",
                   .panels = "scene"}};
  plan.claims = {
      {"local-needs-fewer-iterations", "Local r-factors need fewer iterations than global ones.", "", [](const Data& data) {
         const auto iterations = [&](const char* strategy) {
           return mean(data.table("steps").where("strategy", strategy).numbers("iterations"));
         };
         const double local = iterations("local"), global = iterations("global");
         return judged(local < global, fmt::format("{:.1f} against {:.1f} iterations a step", local, global));
       }}};
  return plan;
}

}   // namespace

Study r_factors() {
  return {.name = "r-factors",
          .title = "r-factor strategies of our prox-gs",
          .paper = "prox §5",
          .about =
              "Our prox-gs with global, local and blocked r-factors on two scenes of the paper. It extrapolates between sweeps "
              "and takes blocked steps in another metric: what it shows is about ours, and says nothing for or against the "
              "paper's schemes, which are the solvers prox-gs-paper and prox-jacobi-paper.",
          .plan = plan_r_factors};
}

}   // namespace stickslip::study
