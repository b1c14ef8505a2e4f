// r-factor strategies of the PROX schemes on the paper's scenes [prox §5].
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
  plan.claims = {{"local-needs-fewer-iterations", "Local r-factors need fewer iterations than global ones.",
                  "The local strategy gets the job done in less iterations than the global one (§5).", [](const Data& data) {
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
          .title = "r-factor strategies of the PROX schemes",
          .paper = "prox §5",
          .about = "The PROX schemes with global, local and blocked r-factors.",
          .paper_says = {"Blocked r-factors are worst."},
          .plan = plan_r_factors};
}

}   // namespace stickslip::study
